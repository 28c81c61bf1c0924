"""The commands that write something derived from alignments: ``edits`` and ``differences``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from forest_align import Alignment, Links, Sentence
from forest_align.cli import main
from forest_align.edits import Edit, apply_edits

from ...command_line import CommandLine
from ..killed_aligner import Killed, killed_aligner


@pytest.fixture
def alignments(tmp_path: Path) -> Path:
    """Two alignments that need no model, and a broken line between them."""
    path = tmp_path / "alignments.jsonl"
    one = Alignment(
        Sentence.from_words(["we", "saw", "many", "dogs"]),
        Sentence.from_words(["we", "saw", "cats"]),
        Links.from_pharaoh("0-0 1-1 3-2"),
        id="a",
    )
    same = Sentence.from_words(["yes"])
    two = Alignment(same, same, Links.from_pharaoh("0-0"), id="b")
    path.write_text(f"{one.to_json()}\n{{\n{two.to_json()}\n")
    return path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = main(["edits", *arguments])
    return status, *capsys.readouterr()


def test_a_file_of_alignments_is_recognised(alignments: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, expected, _ = run(capsys, str(alignments), "--alignments")
    status, out, err = run(capsys, str(alignments))
    assert (status, out) == (1, expected)
    assert f"{alignments} has alignments, which are used; --aligner makes new ones" in err


def test_a_sentence_without_quotes_is_told_that_it_needs_them(cli: CommandLine) -> None:
    cli("edits", *["He", "died", ".", "He", "left", "."])
    assert "unrecognized arguments: . He left . (is a sentence not in quotes?)" in cli.err
    assert cli("align", *["He", "died", ".", "He", "left", "."]) == 2
    assert "two sentences in quotes, found 6 words without quotes" in cli.err


def test_json_lines_hold_all_edits(alignments: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, str(alignments), "--alignments")
    lines = [json.loads(line) for line in out.splitlines()]
    assert status == 1 and "1 of 3 pairs could not be aligned" in err
    assert [line["id"] for line in lines] == ["a", "2", "b"] and lines[1]["edits"] == [] and lines[1]["error"]
    edits = [Edit.from_dict(values) for values in lines[0]["edits"]]
    assert apply_edits("we saw many dogs", edits) == "we saw cats"


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("text", "delete   content        many\n"),
        ("markup", "we saw{-- many--} {~~dogs~>cats~~}\n"),
        ("m2", "S we saw many dogs\nA 2 3|||U:OTHER|||"),
        ("easse", '"label": "B-D"'),
        ("html", "<del> many</del>"),
    ],
)
def test_every_format_has_the_changes(
    alignments: Path, capsys: pytest.CaptureFixture[str], name: str, found: str
) -> None:
    _, out, _ = run(capsys, str(alignments), "--alignments", "--minimal", "--to", name)
    assert found in out


def test_two_sentences_are_aligned_first(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "The old dog barks.", "The old cat barks.", "--aligner", "contextual")
    assert status == 0 and out.startswith("pair 1\nreplace") and "dog → cat" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.jsonl", "--alignments"], "no such file"),
        (
            ["a.jsonl", "--alignments", "--aligner", "forest"],
            "--aligner cannot be combined with --alignments",
        ),
        (["a.jsonl", "b c", "--alignments"], "a second sentence cannot be combined with --alignments"),
    ],
)
def test_wrong_usage_is_explained(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    status, _, err = run(capsys, *arguments)
    assert status == 2 and message in err


PAIRS = "".join(f"The dog number {number} barks.\tThe cat number {number} barks.\n" for number in range(70))


def test_a_run_that_stopped_continues_and_ends_with_the_bytes_of_a_whole_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = killed_aligner(monkeypatch, "forest_align.cli.commands.derived.load_aligner")
    pairs, whole, out = tmp_path / "pairs.tsv", tmp_path / "whole.jsonl.gz", tmp_path / "out.jsonl.gz"
    pairs.write_text(PAIRS)
    assert run(capsys, str(pairs), "-o", str(whole))[0] == 0
    chosen["word"] = "68"
    with pytest.raises(Killed):
        run(capsys, str(pairs), "-o", str(out))
    status, _, err = run(capsys, str(pairs), "-o", str(out), "--resume", "--minimal")
    assert status == 2 and "--minimal was not given in the earlier run" in err
    chosen["word"] = "number 3"  # in the first block, which is not aligned again
    status, _, err = run(capsys, str(pairs), "-o", str(out), "--resume")
    assert status == 0 and "resuming after line 64" in err
    assert out.read_bytes() == whole.read_bytes() and not Path(f"{out}.run").exists()


def test_only_json_lines_in_a_file_can_be_resumed(
    alignments: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for more in ([], ["-o", "edits.html"]):
        status, _, err = run(capsys, str(alignments), "--resume", *more)
        assert status == 2 and "--resume needs -o OUT, and --to jsonl" in err


@pytest.mark.parametrize(
    ("name", "found"),
    [("text", "1.00  many ↔ –\n"), ("html", 'title="1.00">many<'), ("jsonl", '"source_differences"')],
)
def test_every_format_has_the_differences(tmp_path: Path, cli: CommandLine, name: str, found: str) -> None:
    path = tmp_path / "alignments.jsonl"
    words = ["we", "saw", "many", "dogs"], ["we", "saw", "dogs"]
    one = Alignment(*map(Sentence.from_words, words), Links.from_pharaoh("0-0 1-1 3-2"), id="a")
    path.write_text(f"{one.to_json()}\n{{\n")
    assert cli("differences", path, "--alignments", "--to", name) == 1
    out, err = cli.out, cli.err
    assert found in out and "1 of 2 pairs could not be aligned" in err
    if name == "jsonl":
        lines = [json.loads(line) for line in out.splitlines()]
        assert [len(line["source_differences"]) for line in lines] == [4, 0] and lines[1]["error"]
