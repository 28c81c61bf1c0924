"""The parse command, from given trees and over a fake scorer."""

from __future__ import annotations

import gzip
import importlib.util
import io
import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from forest_align.cli import main
from forest_align.types import ModelError, ParseForest

FAKE = Path(__file__).resolve().parents[1] / "parsing" / "fake_scorer.py"
DOGS = "(S (NP (NNS Dogs)) (VP (VBP bark)))"
FLAT = "(S (NNS Dogs) (VBP bark))"


@pytest.fixture(autouse=True)
def fake_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    import forest_align.parsing as parsing

    spec = importlib.util.spec_from_file_location("fake_scorer", FAKE)
    assert spec is not None and spec.loader is not None
    fake = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(fake)

    def load_parser(name: str, **options: object) -> parsing.Parser:
        if name != "en":
            raise ModelError(f"no parser {name!r}")
        return parsing.Parser(fake.FakeScorer(), **options)  # type: ignore[arg-type]

    monkeypatch.setattr(parsing, "load_parser", load_parser)


def write(tmp_path: Path, text: str | bytes) -> str:
    path = tmp_path / "in.txt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


def test_each_line_gives_one_tree_and_bad_lines_give_an_empty_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = write(tmp_path, b"One two.\n\nbad \xff\r\nLast one\r\n")
    assert main(["parse", name]) == 1
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert len(lines) == 4
    assert lines[0].startswith("(") and lines[1] == lines[2] == ""
    assert lines[3].count("(NN ") == 2
    assert f"{name}:2: the sentence is empty" in err
    assert f"{name}:3: expected UTF-8" in err
    assert "Traceback" not in err


def test_n_best_lists_come_out_and_can_be_read_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["parse", write(tmp_path, "One two three.\n\n"), "--to", "nbest", "-k", "4"]) == 1
    out, _ = capsys.readouterr()
    block, rest = out.split("\n\n", 1)
    assert rest == "\n"
    scores = [float(line.split("\t")[0]) for line in block.splitlines()]
    assert len(scores) == 4
    assert scores == sorted(scores, reverse=True)
    assert scores[0] <= 0
    assert main(["parse", write(tmp_path, out), "--from", "nbest"]) == 1
    assert capsys.readouterr().out == block.splitlines()[0].split("\t")[1] + "\n\n"


def test_json_holds_the_forest_or_the_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = write(tmp_path, "Two wörds\n\n".encode() + b"caf\xe9\n")
    assert main(["parse", name, "--to", "json", "-k", "3"]) == 1
    first, second, third = map(json.loads, capsys.readouterr().out.splitlines())
    forest = ParseForest.from_json(first["forest"])
    assert first["tokens"] == ["Two", "wörds"]
    assert first["tree"] == forest.bracket(first["tokens"])
    assert second == {"error": "the sentence is empty"}
    assert third["error"].startswith("expected UTF-8, found byte 0xe9")


def test_tokenized_input_is_split_on_blanks_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["parse", write(tmp_path, "can't stop.\n"), "--tokenized", "--to", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["tokens"] == ["can't", "stop."]


def test_given_trees_need_no_parser(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = write(tmp_path, f"( {DOGS} )\n(S (NN\n")
    assert main(["parse", name, "--from", "trees", "--parser", "absent"]) == 1
    out, err = capsys.readouterr()
    assert out == DOGS + "\n\n"
    assert f"{name}:2:" in err


def test_given_lists_are_packed_with_their_scores(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = f"-2.0\t{FLAT}\n-1.0\t{DOGS}\n\nx\t{DOGS}\n\n-1\t{FLAT}\n"
    name = write(tmp_path, text)
    assert main(["parse", name, "--from", "nbest", "--to", "nbest"]) == 1
    out, err = capsys.readouterr()
    assert out == f"-0.313262\t{DOGS}\n-1.313262\t{FLAT}\n\n\n0.000000\t{FLAT}\n\n"
    assert f"{name}:4: expected log-probability, tab, tree" in err


def test_enju_trees_are_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    xml = (
        '<sentence id="1"><cons id="c0" cat="NP" sem_head="t0">'
        '<tok id="t0" pos="NN" base="cat">cat</tok></cons></sentence>'
    )
    assert main(["parse", write(tmp_path, xml), "--from", "enju"]) == 0
    assert capsys.readouterr().out == "(NP (NN cat))\n"
    assert main(["parse", write(tmp_path, "<sentence>"), "--from", "enju"]) == 2
    assert "in.txt: expected XML" in capsys.readouterr().err


def test_standard_input_and_an_output_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO("\ufeffDogs bark".encode())))
    out = tmp_path / "out.txt"
    assert main(["parse", "-", "-o", str(out), "--to", "json"]) == 0
    assert json.loads(out.read_text("utf-8"))["tokens"] == ["Dogs", "bark"]
    assert capsys.readouterr().out == ""


def test_bad_usage_gives_status_2_and_leaves_no_output_behind(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.txt"
    assert main(["parse", write(tmp_path, "a\n"), "--parser", "absent", "-o", str(out)]) == 2
    assert not out.exists()
    assert main(["parse", str(tmp_path / "absent.txt")]) == 2
    assert "absent.txt" in capsys.readouterr().err
    for wrong in (["-k", "0"], ["-k", "x"], ["--batch-size", "-1"], ["--to", "nothing"]):
        with pytest.raises(SystemExit) as stop:
            main(["parse", "-", *wrong])
        assert stop.value.code == 2


def test_the_output_cannot_be_the_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = write(tmp_path, DOGS + "\n")
    assert main(["parse", name, "--from", "trees", "-o", name]) == 2
    assert "would overwrite the input" in capsys.readouterr().err
    assert Path(name).read_text() == DOGS + "\n"


def test_compressed_input_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "trees.txt.gz"
    path.write_bytes(gzip.compress(f"{DOGS}\n{FLAT}\n".encode()))
    assert main(["parse", str(path), "--from", "trees"]) == 0
    assert capsys.readouterr().out == f"{DOGS}\n{FLAT}\n"


SENTENCES = b"".join(
    b"bad \xff\n"
    if k % 13 == 4
    else b"\n"
    if k % 17 == 3
    else b"word%d and so on%s\n" % (k, b" on" * (k % 5))
    for k in range(100)
)


@pytest.mark.parametrize("to", ["trees", "json"])
@pytest.mark.parametrize("source", ["text", "trees"])
def test_a_resumed_run_writes_what_is_missing(
    to: str, source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name, out = write(tmp_path, SENTENCES), tmp_path / "out.txt"
    if source == "trees":
        assert main(["parse", name, "-o", str(tmp_path / "trees.txt")]) == 1
        name = str(tmp_path / "trees.txt")
    # Sixteen batches are read ahead: after 32 and 64 sentences begins a new window.
    options = ["--from", source, "--to", to, "--batch-size", "2", "-o", str(out)]
    assert main(["parse", name, *options]) == 1
    whole = out.read_bytes()
    capsys.readouterr()
    lines = whole.splitlines(keepends=True)
    for kept in (0, 1, 31, 32, 33, 64, 99, 100):
        out.write_bytes(b"".join(lines[:kept]) + b"".join(lines[kept : kept + 1])[:-1])
        assert main(["parse", name, *options, "--resume"]) == 1
        assert out.read_bytes() == whole
        # What failed before was named before; that it did is why the exit status is 1.
        told = capsys.readouterr().err.splitlines()
        named = [int(line.split(":")[3]) for line in told if ": error: " in line]
        assert all(number > kept for number in named) and bool(named) == (kept < 96)
        before = sum(line == b"\n" or b'{"error"' in line for line in lines[:kept])
        summary = f"forest-align parse: {before} of the {kept} lines written before could not be parsed"
        assert told[: len(told) - len(named)] == ([summary] if before else [])


def test_a_run_over_other_input_cannot_be_resumed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name, out = write(tmp_path, SENTENCES), tmp_path / "out.txt"
    assert main(["parse", name, "-o", str(out), "--to", "json"]) == 1
    whole = out.read_bytes()
    for change in (
        SENTENCES.replace(b"word90", b"other90"),
        SENTENCES[:-20],
    ):
        write(tmp_path, change)
        assert main(["parse", name, "-o", str(out), "--to", "json", "--resume"]) == 2
        assert "cannot resume: the line is another one now" in capsys.readouterr().err
        assert out.read_bytes() == whole
    for wrong in (["--to", "nbest", "-o", str(out)], []):
        assert main(["parse", name, *wrong, "--resume"]) == 2
        assert "--resume needs -o OUT, and --to trees or json" in capsys.readouterr().err
