from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from forest_align.alignment import Alignment, Links
from forest_align.cli import main
from forest_align.lexicon.pair_table import PairTable
from forest_align.types import Sentence

from ...command_line import CommandLine, written


def line(source: str, target: str, id: str, error: str = "") -> str:
    """An alignment that links words in order, as 'forest-align align' writes it."""
    sides = [Sentence.from_words(side.split()) for side in (source, target)]
    links = Links.of([(k, k) for k in range(min(map(len, sides)))])
    return (
        Alignment(*sides, Links() if error else links, id=id, aligner="forest", error=error).to_json() + "\n"
    )


@pytest.fixture
def found(tmp_path: Path) -> Path:
    path = tmp_path / "a.jsonl"
    path.write_text(
        line("He bought cars", "He purchased autos", "1") + line("she bought", "she purchased", "2")
    )
    return path


def rows(path: Path) -> list[list[str]]:
    return [row.split("\t") for row in path.read_text(encoding="utf-8").splitlines()]


def test_a_table_with_a_header_the_most_frequent_first(found: Path, tmp_path: Path, cli: CommandLine) -> None:
    out = tmp_path / "t.tsv"
    assert cli("extract", found, "-o", out) == 0
    header, *body = rows(out)
    assert header[:2] == ["#source", "target"]
    assert [row[:2] for row in body] == [["bought", "purchased"], ["cars", "autos"]]
    assert [row[header.index("count")] for row in body] == ["2", "1"]
    assert cli.err == ("forest-align extract: 2 alignments; 2 of 2 pairs of phrases written\n")


def test_broken_lines_are_named_and_left_out(found: Path, cli: CommandLine) -> None:
    with found.open("a") as file:
        file.write('{"broken\n' + line("a", "b", "3") + '{"source": "x", "target": "y"}\n')
    assert cli("extract", found) == 1 and f"left out: {found}:3: not JSON" in cli.err
    assert f"left out: {found}:5: expected an alignment" in cli.err
    assert "3 alignments, 2 broken lines left out; 3 of 3" in cli.err
    assert cli.out.count("\n") == 4


def test_the_links_of_a_converted_corpus_are_counted_too(tmp_path: Path, cli: CommandLine) -> None:
    pair = {"source": {"tokens": ["cars"]}, "target": {"tokens": ["autos"]}, "words": [[0, 0]]}
    (tmp_path / "gold.jsonl").write_text(json.dumps(pair) + "\n")
    assert cli("extract", tmp_path / "gold.jsonl") == 0 and "cars\tautos" in cli.out


def test_the_table_is_evidence_for_align(found: Path, tmp_path: Path) -> None:
    out = tmp_path / "t.tsv"
    assert main(["extract", str(found), "--max-words", "1", "-o", str(out)]) == 0
    pairs = PairTable.load(out)
    assert ("purchased", "bought") in pairs and ("autos", "cars") in pairs
    assert ("source", "target") not in pairs and len(pairs) == 2


def test_who_reads_an_older_table_goes_on_reading_it_while_it_is_replaced(
    found: Path, tmp_path: Path
) -> None:
    out = written(tmp_path / "t.tsv", "#source\ttarget\nold\tolder\n")
    with out.open() as older:
        assert older.readline()
        assert main(["extract", str(found), "-o", str(out)]) == 0
        assert older.read() == "old\tolder\n"
    assert [row[0] for row in rows(out)] == ["#source", "bought", "cars"]


def test_a_pipe_can_be_read_from_but_not_again(found: Path, tmp_path: Path, cli: CommandLine) -> None:
    pipe, out = tmp_path / "pipe", tmp_path / "t.tsv"
    os.mkfifo(pipe)
    with ThreadPoolExecutor() as pool:
        written = pool.submit(pipe.write_bytes, found.read_bytes())
        assert cli("extract", pipe, "-o", out) == 0
        written.result()
    assert len(rows(out)) == 3
    assert cli("extract", pipe, "-o", out, "--resume") == 2
    assert "inputs that can be read again: not -, no pipe" in cli.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["nothing.jsonl"], "No such file"),
        (["a.jsonl", "."], "Is a directory"),
        (["-", "-o", "t.tsv", "--resume"], "inputs that can be read again: not -"),
        (["a.jsonl", "-", "-o", "t.tsv", "--resume"], "inputs that can be read again: not -"),
        (["a.jsonl", "--resume"], "--resume needs -o OUT"),
        (["a.jsonl", "-o", "a.jsonl"], "overwrite the input"),
        (["a.jsonl", "-o", "no/folder.tsv"], "folder that exists"),
        (["a.jsonl", "--min-probability", "2"], "expected 0 to 1"),
    ],
)
def test_what_cannot_be_done_is_refused_before_counting(
    options: list[str], message: str, found: Path, cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(found.parent)
    before = found.read_bytes()
    assert cli("extract", *options) == 2 and message in cli.err
    assert found.read_bytes() == before


@pytest.mark.parametrize("resume", [[], ["--resume"]])
def test_a_file_without_alignments_costs_no_older_table(
    resume: list[str], tmp_path: Path, cli: CommandLine
) -> None:
    pairs, out = tmp_path / "pairs.tsv", tmp_path / "t.tsv"
    pairs.write_text("He died.\tHe passed away.\n" * 3)
    out.write_text("precious")
    assert cli("extract", pairs, "-o", out, *resume) == 2
    last = cli.err.splitlines()[-1]
    assert last == (
        f"forest-align extract: error: {pairs}: expected alignments that 'forest-align align' wrote, "
        "found 3 lines that are none"
    )
    assert set(tmp_path.iterdir()) == {pairs, out} and out.read_text() == "precious"
