"""The record beside an output: a run continues only with the settings of the earlier run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from forest_align.cli import main

from ..cli.commands.test_align_command import write
from ..cli.killed_aligner import Killed, killed_aligner
from ..command_line import CommandLine

PAIRS = "".join(f"word{n} a\ta b\n" for n in range(6))


@pytest.fixture(autouse=True)
def killed_at(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Blocks of a batch, and under ``word`` the word at which the aligner is killed."""
    monkeypatch.setattr("forest_align.jobs.run_record.BLOCK_LINES", 1)
    return killed_aligner(monkeypatch)


def begun(killed_at: dict[str, str], pairs: str, out: Path, *options: str) -> list[str]:
    """Begin a run that is killed at the fourth pair; its arguments."""
    arguments = ["align", pairs, "-o", str(out), "--batch-size", "2", *options]
    killed_at["word"] = "word4"
    with pytest.raises(Killed):
        main(arguments)
    killed_at["word"] = ""
    assert len(out.read_text(encoding="utf-8").splitlines()) == 4
    return arguments


@pytest.fixture
def model(tmp_path: Path) -> Path:
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "model.json").write_text("{}", encoding="utf-8")
    return folder


@pytest.mark.parametrize("to", ["jsonl", "pharaoh"])
@pytest.mark.parametrize(
    ("option", "message"),
    [
        (["--model", "MODEL"], "--model was not given in the earlier run, now it is 'model ("),
        (["--aligner", "forest-published"], "--aligner was 'forest' in the earlier run, now it is 'forest-p"),
        (["--parser", "benepar_en3"], "--parser was not given in the earlier run, now it is 'benepar_en3'"),
        (["--annotator", "spacy"], "--annotator was not given in the earlier run, now it is 'spacy'"),
        (["--words", "dictionary"], "--words was 'contextual' in the earlier run, now it is 'dictionary'"),
        (["--ppdb", "MODEL/model.json"], "--ppdb was not given in the earlier run, now it is 'model.json ("),
        (["--tokenized"], "--tokenized was not given in the earlier run, now it is 'given'"),
        (["--escapes", "moses"], "--escapes was not given in the earlier run, now it is 'moses'"),
        (["--batch-size", "7"], "--batch-size was '2' in the earlier run, now it is '7'"),
    ],
)
def test_a_run_goes_on_only_with_the_options_it_was_begun_with(
    to: str,
    option: list[str],
    message: str,
    tmp_path: Path,
    model: Path,
    killed_at: dict[str, str],
    cli: CommandLine,
) -> None:
    pairs, out = write(tmp_path / "in.tsv", PAIRS), tmp_path / "out"
    option = [text.replace("MODEL", str(model)) for text in option]
    arguments = begun(killed_at, pairs, out, "--to", to)
    old = out.read_bytes()
    assert cli(*arguments, *option, "--resume") == 2
    error = cli.err
    assert error.startswith(f"forest-align align: error: {out}: cannot resume: {message}")
    assert error.endswith("; start over without --resume\n")
    assert out.read_bytes() == old
    assert cli(*arguments, "--resume") == 0 and cli.err == "forest-align align: resuming after line 4\n"
    assert out.read_bytes().startswith(old) and len(out.read_bytes().splitlines()) == 6
    assert not Path(f"{out}.run").exists()


def test_a_model_that_was_trained_again_is_another_one_and_one_that_was_moved_is_not(
    tmp_path: Path, model: Path, killed_at: dict[str, str], cli: CommandLine
) -> None:
    pairs, out = write(tmp_path / "in.tsv", PAIRS), tmp_path / "out"
    arguments = begun(killed_at, pairs, out, "--model", str(model))
    (model / "model.json").write_text('{"trained": "again"}', encoding="utf-8")
    assert cli(*arguments, "--resume") == 2 and "--model was 'model (" in cli.err
    (model / "model.json").write_text("{}", encoding="utf-8")
    (tmp_path / "elsewhere").mkdir()
    moved = model.rename(tmp_path / "elsewhere" / "model")
    assert cli(*arguments, "--model", moved, "--resume") == 0


def test_a_run_does_not_go_on_with_other_word_links_in_a_file_of_the_same_name(
    tmp_path: Path, killed_at: dict[str, str], cli: CommandLine
) -> None:
    pairs, out, links = write(tmp_path / "in.tsv", PAIRS), tmp_path / "out", tmp_path / "links"
    write(links, "0-0\n" * 6)
    arguments = begun(killed_at, pairs, out, "--tokenized", "--words", str(links))
    old = out.read_bytes()
    write(links, "0-0\n" * 5 + "1-1\n")
    assert cli(*arguments, "--resume") == 2 and "--words was 'links (" in cli.err
    assert out.read_bytes() == old
    write(links, "0-0\n" * 6)
    assert cli(*arguments, "--resume") == 0


def test_links_of_other_pairs_are_not_continued(
    tmp_path: Path, killed_at: dict[str, str], cli: CommandLine
) -> None:
    pairs, out = write(tmp_path / "in.tsv", PAIRS), tmp_path / "out"
    arguments = begun(killed_at, pairs, out, "--to", "pharaoh")
    write(tmp_path / "in.tsv", f"other words\tother\n{PAIRS}")
    assert cli(*arguments, "--resume") == 2
    assert "the first pair was 'word0 a | a b' in the earlier run, now" in cli.err


@pytest.mark.parametrize("out", ["out.jsonl", "out.pharaoh", "out.jsonl.gz"])
def test_a_run_goes_on_only_with_the_pairs_that_are_aligned_already(
    out: str, tmp_path: Path, killed_at: dict[str, str], monkeypatch: pytest.MonkeyPatch, cli: CommandLine
) -> None:
    monkeypatch.setattr("forest_align.jobs.run_record.BLOCK_LINES", 2)
    text = "fail a\tb\n" + "".join(f"word{n} a\ta b\n" for n in range(8))
    pairs, whole = write(tmp_path / "in.tsv", text), tmp_path / f"whole.{out}"
    assert cli("align", pairs, "-o", whole, "--batch-size", "1") == 1
    arguments = ["align", pairs, "-o", str(tmp_path / out), "--batch-size", "1"]
    for word in ("word4", "word6"):  # killed with 5 and with 7 lines: what the first run recorded stays
        killed_at["word"] = word
        with pytest.raises(Killed):
            cli(*arguments, "--resume")
    killed_at["word"] = ""
    old = (tmp_path / out).read_bytes()
    # A word of either side, a name, two pairs in the other order.
    for other, place in (
        (text.replace("word1 a", "word1 b"), "3 to 4"),
        (text.replace("word3 a\ta b", "word3 a\ta c"), "5 to 6"),
        (text.replace("word4 a\ta b\n", "word4 a\ta b\tname\n"), "5 to 6"),
        (text.replace("word1", "word9").replace("word2", "word1").replace("word9", "word2"), "3 to 4"),
    ):
        write(tmp_path / "in.tsv", other)
        assert cli(*arguments, "--resume") == 2
        error = cli.err
        assert f"{tmp_path / out}: cannot resume: one of the pairs {place} differs from" in error
        assert (tmp_path / out).read_bytes() == old
    write(tmp_path / "in.tsv", text)
    # A kill between what is recorded of a pair and its line.
    with (tmp_path / f"{out}.run").open("a", encoding="utf-8") as record:
        record.write('{"line": 8, "id": "8", "error": "it failed"}\n')
        record.write('{"line": 8, "size": 9999, "checksum": 1}\n')
    assert cli(*arguments, "--resume") == 1 and "1 of 9 pairs could not be aligned" in cli.err
    assert (tmp_path / out).read_bytes() == whole.read_bytes()


@pytest.mark.parametrize("to", ["jsonl", "pharaoh"])
def test_failures_are_recorded_and_only_then_the_record_stays(
    to: str, tmp_path: Path, killed_at: dict[str, str], cli: CommandLine
) -> None:
    pairs, out = write(tmp_path / "in.tsv", PAIRS), tmp_path / "out"
    arguments = ["align", pairs, "-o", str(out), "--to", to, "--batch-size", "2"]
    assert cli(*arguments) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.tsv", "out"]
    write(tmp_path / "in.tsv", f"word a\ta\nfail b\tb\n{PAIRS}no tab\n")
    killed_at["word"] = "word4"
    with pytest.raises(Killed):
        cli(*arguments)
    # A kill while a failure was recorded; its line was not written.
    with Path(f"{out}.run").open("a", encoding="utf-8") as record:
        record.write('{"line": 7, "id"')
    killed_at["word"] = ""
    for _ in range(2):
        assert cli(*arguments, "--resume") == 1
        error = cli.err
        first = f"{pairs}:2: it failed"
        assert f"2 of 9 pairs could not be aligned; the first: pair 2: {first}\n" in error
        assert error.endswith(f"{out}.run lists those that could not\n")
        _, *entries = map(json.loads, Path(f"{out}.run").read_text(encoding="utf-8").splitlines())
        failed = [entry for entry in entries if "error" in entry]
        assert [(one["line"], one["id"]) for one in failed] == [(2, "2"), (9, "9")]
        assert failed[0]["error"] == first and "expected 2 columns" in failed[1]["error"]
    assert f"{out} has all 9 pairs already" in error


def test_a_finished_run_whose_last_block_is_full_has_nothing_to_resume(
    tmp_path: Path, cli: CommandLine
) -> None:
    pairs, out = write(tmp_path / "in.tsv", f"fail b\tb\n{PAIRS}a\ta\n"), tmp_path / "out"
    arguments = ["align", pairs, "-o", str(out), "--batch-size", "2"]
    assert cli(*arguments) == 1
    finished = out.read_bytes()
    for _ in range(2):
        assert cli(*arguments, "--resume") == 1 and f"{out} has all 8 pairs already" in cli.err
        assert out.read_bytes() == finished


def test_without_a_record_a_run_continues_and_says_what_is_not_known(
    tmp_path: Path, killed_at: dict[str, str], cli: CommandLine
) -> None:
    pairs, out = write(tmp_path / "in.tsv", PAIRS), tmp_path / "out"
    arguments = begun(killed_at, pairs, out)
    Path(f"{out}.run").unlink()
    assert cli(*arguments, "--resume") == 0
    assert f"resuming after line 4; {out}.run is missing, the earlier settings" in cli.err


def test_the_record_of_an_output_that_is_gone_does_not_count(
    tmp_path: Path, model: Path, killed_at: dict[str, str]
) -> None:
    pairs, out = write(tmp_path / "in.tsv", PAIRS), tmp_path / "out"
    arguments = begun(killed_at, pairs, out)
    out.unlink()
    assert main([*arguments, "--model", str(model), "--resume"]) == 0
    assert not Path(f"{out}.run").exists()


@pytest.mark.parametrize("name", ["out.jsonl", "out.jsonl.gz", "out.pharaoh"])
def test_an_output_that_is_not_what_the_record_says_is_left_alone(
    name: str, tmp_path: Path, cli: CommandLine
) -> None:
    pairs, out = write(tmp_path / "in.tsv", f"fail\tb\n{PAIRS}"), tmp_path / name
    assert cli("align", pairs, "-o", out, "--batch-size", "2") == 1
    out.write_text("precious notes\n" * 1000, encoding="utf-8")
    assert cli("align", pairs, "-o", out, "--batch-size", "2", "--resume") == 2
    assert f"{out}: cannot resume: it is not what {name}.run says; another file?" in cli.err
    assert out.read_text(encoding="utf-8") == "precious notes\n" * 1000


@pytest.mark.parametrize("resume", [[], ["--resume"]])
@pytest.mark.parametrize("old", ["precious notes\n", '{"made_with": 3}\n', ""])
def test_a_file_that_is_no_record_is_left_alone(
    old: str, resume: list[str], tmp_path: Path, cli: CommandLine
) -> None:
    pairs, out = write(tmp_path / "in.tsv", PAIRS), tmp_path / "out"
    write(tmp_path / "out.run", old)
    assert cli("align", pairs, "-o", out, *resume) == 2
    assert f"{out}.run: expected the record of an earlier run, found some" in cli.err
    assert (tmp_path / "out.run").read_text(encoding="utf-8") == old and not out.exists()


@pytest.mark.parametrize("to", ["html", "text"])
def test_an_output_that_cannot_be_continued_has_no_record(to: str, tmp_path: Path) -> None:
    pairs, out = write(tmp_path / "in.tsv", f"fail\tb\n{PAIRS}"), tmp_path / "out"
    assert main(["align", pairs, "-o", str(out), "--to", to]) == 1
    assert not Path(f"{out}.run").exists()
