"""The commands that write something derived from alignments: ``edits`` and ``differences``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from forest_align import Alignment, Links, Sentence
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


def test_a_file_of_alignments_is_recognised(alignments: Path, cli: CommandLine) -> None:
    cli("edits", alignments, "--alignments")
    expected = cli.out
    assert cli("edits", alignments) == 1 and cli.out == expected
    assert f"{alignments} has alignments, which are used; --aligner makes new ones" in cli.err


def test_a_sentence_without_quotes_is_told_that_it_needs_them(cli: CommandLine) -> None:
    cli("edits", *["He", "died", ".", "He", "left", "."])
    assert "unrecognized arguments: . He left . (is a sentence not in quotes?)" in cli.err
    assert cli("align", *["He", "died", ".", "He", "left", "."]) == 2
    assert "two sentences in quotes, found 6 words without quotes" in cli.err


def test_json_lines_hold_all_edits(alignments: Path, cli: CommandLine) -> None:
    assert cli("edits", alignments, "--alignments") == 1
    assert "1 of 3 pairs could not be aligned" in cli.err
    lines = [json.loads(line) for line in cli.out.splitlines()]
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
def test_every_format_has_the_changes(alignments: Path, cli: CommandLine, name: str, found: str) -> None:
    cli("edits", alignments, "--alignments", "--minimal", "--to", name)
    assert found in cli.out


def test_two_sentences_are_aligned_first(cli: CommandLine) -> None:
    assert cli("edits", "The old dog barks.", "The old cat barks.", "--aligner", "contextual") == 0
    assert cli.out.startswith("pair 1\nreplace") and "dog → cat" in cli.out


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
def test_wrong_usage_is_explained(cli: CommandLine, arguments: list[str], message: str) -> None:
    assert cli("edits", *arguments) == 2 and message in cli.err


PAIRS = "".join(f"The dog number {number} barks.\tThe cat number {number} barks.\n" for number in range(70))


def test_a_run_that_stopped_continues_and_ends_with_the_bytes_of_a_whole_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: CommandLine
) -> None:
    chosen = killed_aligner(monkeypatch, "forest_align.cli.commands.derived.load_aligner")
    pairs, whole, out = tmp_path / "pairs.tsv", tmp_path / "whole.jsonl.gz", tmp_path / "out.jsonl.gz"
    pairs.write_text(PAIRS)
    assert cli("edits", pairs, "-o", whole) == 0
    chosen["word"] = "68"
    with pytest.raises(Killed):
        cli("edits", pairs, "-o", out)
    assert cli("edits", pairs, "-o", out, "--resume", "--minimal") == 2
    assert "--minimal was not given in the earlier run" in cli.err
    chosen["word"] = "number 3"  # in the first block, which is not aligned again
    assert cli("edits", pairs, "-o", out, "--resume") == 0 and "resuming after line 64" in cli.err
    assert out.read_bytes() == whole.read_bytes() and not Path(f"{out}.run").exists()


def test_only_json_lines_in_a_file_can_be_resumed(alignments: Path, cli: CommandLine) -> None:
    for more in ([], ["-o", "edits.html"]):
        assert cli("edits", alignments, "--resume", *more) == 2
        assert "--resume needs -o OUT, and --to jsonl" in cli.err


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
