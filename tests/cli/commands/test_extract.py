from __future__ import annotations

import gzip
import io
import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest

from forest_align.alignment import Alignment, Links
from forest_align.cli import main
from forest_align.lexicon.pair_table import PairTable
from forest_align.types import Sentence


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


def test_a_table_with_a_header_the_most_frequent_first(
    found: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "t.tsv"
    assert main(["extract", str(found), "-o", str(out)]) == 0
    header, *body = rows(out)
    assert header[:2] == ["#source", "target"]
    assert [row[:2] for row in body] == [["bought", "purchased"], ["cars", "autos"]]
    assert [row[header.index("count")] for row in body] == ["2", "1"]
    assert capsys.readouterr().err == (
        "forest-align extract: 2 alignments; 2 of 2 pairs of phrases written\n"
    )


def test_standard_input_and_output(
    found: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(found.read_bytes())))
    assert main(["extract", "-", "--to", "jsonl", "--min-count", "2"]) == 0
    (row,) = capsys.readouterr().out.splitlines()
    assert json.loads(row)["target"] == "purchased"


def test_the_order_and_number_of_files_do_not_matter(found: Path, tmp_path: Path) -> None:
    lines = found.read_text().splitlines(keepends=True)
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(lines[1].encode()))
    (tmp_path / "c.jsonl").write_text(lines[0])
    outputs = []
    for k, inputs in enumerate(([found], [tmp_path / "b.jsonl.gz", tmp_path / "c.jsonl"])):
        out = tmp_path / f"{k}.tsv"
        assert main(["extract", *map(str, inputs), "-o", str(out)]) == 0
        outputs.append(rows(out))
    assert [row[:9] for row in outputs[0]] == [row[:9] for row in outputs[1]]


def test_of_several_files_the_example_says_which(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.jsonl").write_text(line("cars", "autos", "1"))
    Path("b.jsonl").write_text(line("he bought", "he purchased", "1"))
    tables = []
    for files in (["a.jsonl", "b.jsonl"], ["b.jsonl", "a.jsonl"], ["a.jsonl", "a.jsonl"]):
        assert main(["extract", *files]) == 0
        tables.append([row.split("\t") for row in capsys.readouterr().out.splitlines()[1:]])
    assert [row[9] for row in tables[0]] == ["b.jsonl:1", "a.jsonl:1"] and tables[0] == tables[1]
    assert [row[9] for row in tables[2]] == ["1"]


def test_broken_lines_are_named_and_left_out(found: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with found.open("a") as file:
        file.write('{"broken\n' + line("a", "b", "3") + '{"source": "x", "target": "y"}\n')
    assert main(["extract", str(found)]) == 1
    printed = capsys.readouterr()
    assert f"left out: {found}:3: not JSON" in printed.err
    assert f"left out: {found}:5: expected an alignment" in printed.err
    assert "3 alignments, 2 broken lines left out; 3 of 3" in printed.err
    assert printed.out.count("\n") == 4


def test_alignments_with_an_error_are_passed_over(found: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with found.open("a") as file:
        file.write(line("a", "b", "3", error="too long"))
    assert main(["extract", str(found)]) == 0
    assert "2 alignments, 1 with an error skipped; 2 of 2" in capsys.readouterr().err


def test_the_links_of_a_converted_corpus_are_counted_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pair = {"source": {"tokens": ["cars"]}, "target": {"tokens": ["autos"]}, "words": [[0, 0]]}
    (tmp_path / "gold.jsonl").write_text(json.dumps(pair) + "\n")
    assert main(["extract", str(tmp_path / "gold.jsonl")]) == 0
    assert "cars\tautos" in capsys.readouterr().out


def test_the_table_is_evidence_for_align(found: Path, tmp_path: Path) -> None:
    out = tmp_path / "t.tsv"
    assert main(["extract", str(found), "--max-words", "1", "-o", str(out)]) == 0
    pairs = PairTable.load(out)
    assert ("purchased", "bought") in pairs and ("autos", "cars") in pairs
    assert ("source", "target") not in pairs and len(pairs) == 2


def test_nothing_but_the_table_is_left(found: Path, tmp_path: Path) -> None:
    out = tmp_path / "t.tsv"
    assert main(["extract", str(found), "-o", str(out), "--resume"]) == 0
    assert set(tmp_path.iterdir()) == {found, out}


def test_an_output_that_is_a_link_stays_one(found: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    real, link = tmp_path / "elsewhere" / "real.tsv", tmp_path / "t.tsv"
    link.symlink_to(real)
    for _ in range(2):
        assert main(["extract", str(found), "-o", str(link)]) == 0
        assert link.is_symlink() and len(rows(real)) == 3
        assert list((tmp_path / "elsewhere").iterdir()) == [real]


def test_who_reads_an_older_table_goes_on_reading_it_while_it_is_replaced(
    found: Path, tmp_path: Path
) -> None:
    out = tmp_path / "t.tsv"
    out.write_text("#source\ttarget\nold\tolder\n")
    with out.open() as older:
        assert older.readline()
        assert main(["extract", str(found), "-o", str(out)]) == 0
        assert older.read() == "old\tolder\n"
    assert [row[0] for row in rows(out)] == ["#source", "bought", "cars"]


def test_a_pipe_can_be_written_to(found: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor() as pool:
        text = pool.submit(pipe.read_text)
        assert main(["extract", str(found), "-o", str(pipe)]) == 0
        assert text.result().count("\n") == 3
    assert pipe.is_fifo()


def test_a_pipe_can_be_read_from_but_not_again(
    found: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pipe, out = tmp_path / "pipe", tmp_path / "t.tsv"
    os.mkfifo(pipe)
    with ThreadPoolExecutor() as pool:
        written = pool.submit(pipe.write_bytes, found.read_bytes())
        assert main(["extract", str(pipe), "-o", str(out)]) == 0
        written.result()
    assert len(rows(out)) == 3
    assert main(["extract", str(pipe), "-o", str(out), "--resume"]) == 2
    assert "inputs that can be read again: not -, no pipe" in capsys.readouterr().err


def test_any_characters_can_be_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(line("\0x", "\ud800y", "\0\udfff"))
    assert main(["extract", str(path)]) == 0
    assert "\0x\t\\ud800y\t" in capsys.readouterr().out
    assert main(["extract", str(path), "-o", str(tmp_path / "t.tsv")]) == 0
    assert "\0x\t\\ud800y\t" in (tmp_path / "t.tsv").read_text(encoding="utf-8")


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
    options: list[str],
    message: str,
    found: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(found.parent)
    before = found.read_bytes()
    assert main(["extract", *options]) == 2
    assert message in capsys.readouterr().err
    assert found.read_bytes() == before


def test_only_the_first_of_many_broken_lines_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_text("no alignment\n" * 30 + line("cars", "autos", "1"))
    assert main(["extract", str(path), "-o", str(tmp_path / "t.tsv")]) == 1
    *named, more, last = capsys.readouterr().err.splitlines()
    assert [f"{path}:{number}: " in text for number, text in enumerate(named, 1)] == [True] * 10
    assert more == "forest-align extract: left out: 20 more"
    assert "30 broken lines left out" in last


@pytest.mark.parametrize("resume", [[], ["--resume"]])
def test_a_file_without_alignments_costs_no_older_table(
    resume: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pairs, out = tmp_path / "pairs.tsv", tmp_path / "t.tsv"
    pairs.write_text("He died.\tHe passed away.\n" * 3)
    out.write_text("precious")
    assert main(["extract", str(pairs), "-o", str(out), *resume]) == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert last == (
        f"forest-align extract: error: {pairs}: expected alignments that 'forest-align align' wrote, "
        "found 3 lines that are none"
    )
    assert set(tmp_path.iterdir()) == {pairs, out} and out.read_text() == "precious"


def test_where_all_alignments_failed_the_table_is_empty(tmp_path: Path) -> None:
    path, out = tmp_path / "a.jsonl", tmp_path / "t.tsv"
    path.write_text(line("a", "b", "1", error="too long") + "broken\n")
    assert main(["extract", str(path), "-o", str(out)]) == 1
    assert len(rows(out)) == 1


@pytest.mark.parametrize(
    ("name", "options", "begin"),
    [
        ("t.jsonl", [], '{"source": '),
        ("t.ppdb", [], "["),
        ("t.txt", [], "#source\t"),
        ("t", [], "#source\t"),
        ("t.jsonl", ["--to", "tsv"], "#source\t"),
    ],
)
def test_the_extension_of_the_table_says_its_format_unless_to_does(
    name: str, options: list[str], begin: str, found: Path, tmp_path: Path
) -> None:
    assert main(["extract", str(found), "-o", str(tmp_path / name), *options]) == 0
    assert (tmp_path / name).read_text().startswith(begin)


def test_an_extension_of_no_format_is_refused_before_anything_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["extract", str(tmp_path / "nothing.jsonl"), "-o", "t.xlsx"]) == 2
    known = "expected a name that ends in .tsv, .jsonl, .ppdb, or --to FORMAT"
    assert f"t.xlsx: there is no output format 'xlsx'; {known}" in capsys.readouterr().err


def test_a_table_is_not_written_under_the_name_of_a_compressed_file(
    found: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["extract", str(found), "-o", str(tmp_path / "t.tsv.gz")]) == 2
    assert "output is not compressed" in capsys.readouterr().err
