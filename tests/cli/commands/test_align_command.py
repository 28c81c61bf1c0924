from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest

from forest_align.aligners.pair import Pair, Text
from forest_align.alignment import Alignment, Links, PhrasePair
from forest_align.cli import main
from forest_align.cli.writers import alignment_writer
from forest_align.data.pairs import read_pairs
from forest_align.types import InputError, Node, Sentence

from ...command_line import CommandLine


class FakeAligner:
    """Links equal words; its results tell which pairs it got together, as the last digits of real ones do."""

    name = "forest"
    made_by: Mapping[str, str] = {"digest": "fake"}
    device = "cpu"

    def __init__(self) -> None:
        self.seen: list[tuple[Text, Text]] = []

    def align_many(
        self, pairs: Iterable[Pair | InputError], *, batch_size: int = 32, workers: int = 1
    ) -> Iterator[Alignment]:
        stream = iter(pairs)
        while window := list(islice(stream, batch_size)):
            for place, pair in enumerate(window):
                yield replace(self.align(pair), warnings=(f"{place} of {len(window)}",))

    def align(self, pair: Pair | InputError) -> Alignment:
        if isinstance(pair, InputError):
            return Alignment.failed(str(pair), aligner=self.name)
        self.seen.append((pair.source, pair.target))
        source, target = (
            s if isinstance(s, Sentence) else Sentence.from_words(s.split()) for s in pair.texts
        )
        if "fail" in source.words:
            return Alignment(source, target, aligner=self.name, error="it failed")
        if "nan" in source.words:
            return Alignment(source, target, Links(((0, 0),), scores=(float("nan"),)), aligner=self.name)
        if isinstance(pair.candidates, Links):
            return Alignment(source, target, pair.candidates, aligner=self.name)
        links = [(i, j) for i, a in enumerate(source.words) for j, b in enumerate(target.words) if a == b]
        return Alignment(source, target, Links.of(links, scores=[0.5] * len(links)), aligner=self.name)


@pytest.fixture(autouse=True)
def aligners(monkeypatch: pytest.MonkeyPatch) -> list[FakeAligner]:
    """The fake aligners that commands have loaded."""
    loaded: list[FakeAligner] = []

    def load(options: Any) -> FakeAligner:
        loaded.append(FakeAligner())
        return loaded[-1]

    monkeypatch.setattr("forest_align.cli.commands.align.load_aligner", load)
    return loaded


def write(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    return str(path)


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_two_sentences_are_a_pair_and_come_out_as_text(aligners: list[FakeAligner], cli: CommandLine) -> None:
    long = "much " * 200 + "more"  # no file can have such a name
    assert cli("align", "He died", f"Yes , He died {long}", "--all") == 0
    assert aligners[0].seen == [("He died", f"Yes , He died {long}")]
    assert "died–died" in cli.out
    assert cli("align", "He died", "He died", "--to", "pharaoh") == 0 and cli.out == "0-0 1-1\n"


def test_a_second_sentence_of_blanks_is_refused(cli: CommandLine) -> None:
    assert cli("align", "a", " ") == 2 and "field 'target': expected a sentence, found nothing" in cli.err


def test_raw_text_reaches_the_aligner_as_text_and_tokenized_text_as_sentences(
    tmp_path: Path, aligners: list[FakeAligner]
) -> None:
    pairs = write(tmp_path / "in.tsv", "a b.\ta\n")
    assert main(["align", pairs, "-o", str(tmp_path / "out")]) == 0
    assert aligners[0].seen == [("a b.", "a")]
    assert main(["align", pairs, "-o", str(tmp_path / "out"), "--tokenized"]) == 0
    assert aligners[1].seen[0][0].words == ("a", "b.")


BROKEN = "a\ta\nno tab\n\nfail b\tb\nnan b\tb\nlast\tlast\nno tab either\n"


@pytest.mark.parametrize("batch_size", [1, 2, 100])
def test_broken_pairs_have_their_lines_in_their_places(
    batch_size: int, tmp_path: Path, cli: CommandLine
) -> None:
    pairs, out = write(tmp_path / "in.tsv", BROKEN), tmp_path / "out.jsonl"
    assert cli("align", pairs, "-o", out, "--batch-size", batch_size) == 1
    lines = lines_of(out)
    assert [line["id"] for line in lines] == [str(n) for n in range(1, 8)]
    assert ["error" in line for line in lines] == [False, True, True, True, True, False, True]
    assert f"{pairs}:2: " in lines[1]["error"] and lines[1]["phrases"] == []
    assert "finite" in lines[4]["error"]
    assert "5 of 7 pairs could not be aligned; the first: pair 2" in cli.err


def test_what_the_aligner_finds_wrong_has_the_place_of_the_pair_too(tmp_path: Path, cli: CommandLine) -> None:
    pairs, out = write(tmp_path / "in.tsv", "a\ta\tx1\nfail b\tb\tx17\n"), tmp_path / "out.jsonl"
    assert cli("align", pairs, "-o", out) == 1
    assert [line.get("error") for line in lines_of(out)] == [None, f"{pairs}:2: it failed"]
    assert f"the first: pair x17: {pairs}:2: it failed" in cli.err
    # Two sentences that are typed in stand in no file.
    assert cli("align", "fail b", "b", "-o", out, "--to", "jsonl") == 1
    assert lines_of(out)[0]["error"] == "it failed"


def test_a_broken_pair_keeps_its_name_and_what_could_be_read_of_its_text(tmp_path: Path) -> None:
    content = '{"id": "p7", "source": "He died ."}\n{"id": "p8", "source": "a", "target": "a"}\nno JSON\n'
    pairs, out = write(tmp_path / "in.jsonl", content), tmp_path / "out.jsonl"
    assert main(["align", pairs, "-o", str(out)]) == 1
    found = [(line["id"], line["source"]["text"], "error" in line) for line in lines_of(out)]
    assert found == [("p7", "He died .", True), ("p8", "a", False), ("3", "", True)]


@pytest.mark.parametrize(
    ("to", "old", "message"),
    [
        ("jsonl", '{"id": "other"}\n', "other input"),
        ("jsonl", "not JSON\n", "not JSON"),
        ("jsonl", '{"id": "1"}\n' * 3, "more than there are pairs"),
        ("jsonl", '{"id": "1", "aligner": "joint"}\n', "out:1: cannot resume: the joint aligner made it"),
        ("jsonl", "precious notes", "out:1: cannot resume: expected whole lines"),
        ("jsonl", '{"id": "1"}\nprecious notes', "out:2: cannot resume: expected whole lines"),
        ("pharaoh", "precious notes", "out:1: "),
        ("pharaoh", "0-0\nprecious notes", "out:2: "),
        ("pharaoh", "precious notes\n", "out:1: "),
    ],
)
def test_resuming_another_file_is_refused_and_leaves_it_alone(
    to: str, old: str, message: str, tmp_path: Path, cli: CommandLine
) -> None:
    pairs, out = write(tmp_path / "in.tsv", "a\ta\nb\tb\n"), tmp_path / "out"
    out.write_text(old)
    assert cli("align", pairs, "-o", out, "--to", to, "--resume") == 2 and message in cli.err
    assert out.read_text() == old


@pytest.mark.parametrize(("side", "changed"), [("source", "x b\tc\n"), ("target", "a b\tx\n")])
def test_resuming_with_other_sentences_of_the_same_name_is_refused(
    side: str, changed: str, tmp_path: Path, cli: CommandLine
) -> None:
    pairs, out = write(tmp_path / "in.tsv", "a b\tc\n"), tmp_path / "out"
    arguments = ["align", pairs, "-o", str(out), "--resume"]
    assert cli(*arguments) == 0
    old = out.read_bytes()
    write(tmp_path / "in.tsv", "a  b\tc\n")
    assert cli(*arguments) == 0
    write(tmp_path / "in.tsv", changed)
    assert cli(*arguments) == 2 and f"the {side} of pair '1'" in cli.err
    assert out.read_bytes() == old


def test_the_input_is_never_overwritten(tmp_path: Path) -> None:
    pairs = write(tmp_path / "in.tsv", "a\ta\n")
    assert main(["align", pairs, "-o", pairs]) == 2
    assert Path(pairs).read_text() == "a\ta\n"


def test_standard_input_to_standard_output(monkeypatch: pytest.MonkeyPatch, cli: CommandLine) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO("é x\tx\n".encode())))
    assert cli("align", "-", "--to", "text", "--all") == 0
    printed = cli.out
    assert "é x" in printed and "x–x 0.50" in printed and "\x1b" not in printed


def test_a_terminal_is_shown_colours_unless_it_wants_none(monkeypatch: pytest.MonkeyPatch) -> None:
    alignment = FakeAligner().align(Pair("a b", "b c"))
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[" in alignment_writer("text", True).line(alignment)
    assert "\x1b" not in alignment_writer("text", False).line(alignment)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in alignment_writer("text", True).line(alignment)


def test_what_is_less_probable_is_left_out_of_every_format(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: CommandLine
) -> None:
    node, other = Node(0, 2, "S"), Node(1, 2, "NN")
    alignment = Alignment(
        *(Sentence.from_words(["a", "b"]) for _ in range(2)),
        Links.of([(0, 0), (1, 1)], scores=[0.7, 0.69]),
        (PhrasePair(other, other, 0.2), PhrasePair(node, node, 0.9)),
        root_aligned=True,
    )
    monkeypatch.setattr(FakeAligner, "align", lambda self, pair: alignment)
    monkeypatch.setattr("forest_align.cli.commands.align.load_aligner", lambda options: FakeAligner())
    pairs = write(tmp_path / "in.tsv", "a b\ta b\n")
    for kind, here, absent in (
        ("jsonl", '"words": [[0, 0]]', '"NN"'),
        ("pharaoh", "0-0", "1-1"),
        ("text", "a–a 0.70", "b–b"),
        ("html", "1 phrase pair<", ">NN<"),
    ):
        kind_options = ["--to", kind, *(["--all"] if kind == "text" else [])]
        assert cli("align", pairs, *kind_options, "--min-probability", "0.7") == 0
        printed = cli.out
        assert here in printed and absent not in printed
        assert cli("align", pairs, *kind_options) == 0 and absent in cli.out


@pytest.mark.parametrize(("name", "lines"), [("out.html", 0), ("out.txt", 0), ("out.jsonl", 1)])
def test_a_record_of_failures_stands_beside_an_output_that_can_be_gone_on_with(
    name: str, lines: int, tmp_path: Path, cli: CommandLine
) -> None:
    pairs, out = write(tmp_path / "in.tsv", "a\ta\nfail\ta\n"), tmp_path / name
    to = "text" if name == "out.txt" else name[4:]
    assert cli("align", pairs, "-o", out, "--to", to) == 1
    record = Path(f"{out}.run")
    assert (record.read_text().count('"error"') if record.exists() else 0) == lines
    assert (f"{record} lists those" in cli.err) == (lines > 0)


def test_an_aligner_that_loses_a_pair_is_told_and_not_taken_for_a_finished_run(
    tmp_path: Path, cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = FakeAligner.align_many
    monkeypatch.setattr(
        FakeAligner, "align_many", lambda *args, **options: list(whole(*args, **options))[:-1]
    )
    pairs, out = write(tmp_path / "in.tsv", "a\ta\nb\tb\nc\tc\n"), tmp_path / "out.jsonl"
    assert cli("align", pairs, "-o", out) == 2
    assert "the forest aligner returned nothing for pair '3'" in cli.err
    assert out.read_text().count("\n") == 2
    monkeypatch.setattr(FakeAligner, "align_many", whole)
    assert cli("align", pairs, "-o", out, "--resume") == 0
    assert out.read_text().count("\n") == 3


@pytest.mark.parametrize(
    ("name", "options", "begin"),
    [
        ("out.jsonl", [], b'{"id": '),
        ("out.html", [], b"<!DOCTYPE html>"),
        ("out.pharaoh", [], b"0-0\n"),
        ("out.HTML", [], b"<!DOCTYPE html>"),
        ("out.html", ["--to", "pharaoh"], b"0-0\n"),
        ("out.jsonl.gz", [], b'{"id": '),
        ("out.html.gz", [], b"<!DOCTYPE html>"),
        ("out.json", [], b'{"id": '),
        (
            "out.tsv",
            [],
            b"id\tsource\ttarget\tlinks\twords\tphrases\terror\tparaphrase_probability\n1\ta\ta\t0-0\t",
        ),
        ("out.csv", [], b"id,source,target,links,words,phrases,error,paraphrase_probability\n1,a,a,0-0,"),
        ("out.xlsx", ["--to", "pharaoh"], b"0-0\n"),
    ],
)
def test_the_extension_of_the_output_says_its_format_unless_to_does(
    name: str, options: list[str], begin: bytes, tmp_path: Path
) -> None:
    assert main(["align", "a", "a", "-o", str(tmp_path / name), *options]) == 0
    written = (tmp_path / name).read_bytes()
    assert (gzip.decompress(written) if name.endswith(".gz") else written).startswith(begin)


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("out.xlsx", "there is no output format 'xlsx'"),
        ("out.text.old", "there is no output format 'old'"),
        ("out.xml.gz", "there is no output format 'xml'"),
    ],
)
@pytest.mark.parametrize("pairs", [["a", "a"], ["in.tsv"]])
def test_an_extension_of_no_format_is_refused_and_nothing_is_written(
    name: str,
    problem: str,
    pairs: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    aligners: list[FakeAligner],
    cli: CommandLine,
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "in.tsv", "a\ta\n")
    write(tmp_path / name, "precious")
    assert cli("align", *pairs, "-o", name) == 2
    known = (
        "a name that ends in .jsonl, .parquet, .pharaoh, .tsv, .csv, .wa, .html, .svg, .text, or --to FORMAT"
    )
    assert cli.err == f"forest-align align: error: {name}: {problem}; expected {known}\n"
    assert (tmp_path / name).read_text() == "precious" and not aligners


def test_html_output_is_one_page(tmp_path: Path) -> None:
    out = tmp_path / "out.html"
    pairs = write(tmp_path / "in.tsv", "a <b>\ta\nbroken\n")
    assert main(["align", pairs, "-o", str(out), "--to", "html"]) == 1
    page = out.read_text()
    assert page.count("<section ") == 2 and page.endswith("</html>\n") and "&lt;b&gt;" in page


@pytest.mark.parametrize("extension", ["tsv", "csv"])
def test_a_table_has_a_row_for_each_pair_and_is_read_as_one(extension: str, tmp_path: Path) -> None:
    out = tmp_path / f"out.{extension}"
    pairs = write(tmp_path / "in.tsv", 'a , "b"\ta "b"\tx\nbroken\nfail\ta\tz\n')
    assert main(["align", pairs, "--tokenized", "-o", str(out)]) == 1
    with out.open(encoding="utf-8", newline="") as file:
        quoting = csv.QUOTE_NONE if extension == "tsv" else csv.QUOTE_MINIMAL
        rows = list(csv.DictReader(file, delimiter="\t" if extension == "tsv" else ",", quoting=quoting))
    assert [row["id"] for row in rows] == ["x", "2", "z"]
    assert (rows[0]["links"], rows[0]["words"]) == ("0-0 2-1", 'a ↔ a 0.50 | "b" ↔ "b" 0.50')
    assert rows[0]["error"] == "" and "in.tsv:2: " in rows[1]["error"] and "it failed" in rows[2]["error"]
    read = [pair for pair in read_pairs(out, tokenized=True) if not isinstance(pair, InputError)]
    assert [pair.source.words for pair in read] == [("a", ",", '"b"'), ("fail",)]


def test_a_picture_is_of_one_pair(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, aligners: list[FakeAligner], cli: CommandLine
) -> None:
    out = tmp_path / "out.svg"
    assert cli("align", write(tmp_path / "in.tsv", "a\ta\nb\tb\n"), "-o", out) == 2
    assert f"{tmp_path / 'in.tsv'}: --to svg takes one pair; found more" in cli.err
    assert not out.exists() and not aligners
    # The aligner makes no trees.
    assert cli("align", "a", "a", "-o", out) == 0
    assert "polyline" not in out.read_text()
    align = FakeAligner.align
    trees = {"source_tree": "(NN a)", "target_tree": "(NN a)"}
    monkeypatch.setattr(FakeAligner, "align", lambda *given: replace(align(*given), **trees))
    assert cli("align", "a", "a", "-o", out) == 0
    assert ElementTree.parse(out).getroot().tag == "{http://www.w3.org/2000/svg}svg"
    trees["source_tree"] = "(S (X " * 2000 + "(X a) (X b)" + "))" * 2000
    out.unlink()
    assert cli("align", "a", "a", "-o", out) == 1
    assert "the first: pair 1: " in cli.err and out.read_bytes() == b""


def test_piped_input_is_read_if_there_are_no_pairs(monkeypatch: pytest.MonkeyPatch, cli: CommandLine) -> None:
    piped = SimpleNamespace(buffer=io.BytesIO(b"x\tx\n"), isatty=lambda: False)
    monkeypatch.setattr("sys.stdin", piped)
    assert cli("align", "--to", "pharaoh") == 0 and cli.out == "0-0\n"
    for nothing in (SimpleNamespace(isatty=lambda: True), None):
        monkeypatch.setattr("sys.stdin", nothing)
        assert cli("align", "--to", "pharaoh") == 2
        assert "expected a file of pairs, two sentences, or pairs" in cli.err


def test_given_links_belong_to_their_pair_even_when_words_repeat(tmp_path: Path) -> None:
    out = tmp_path / "out"
    pairs = write(tmp_path / "in.tsv", "a b\tc d\na b\tc d\nbroken\na b\tc d\na\tb\na\tb\n")
    links = write(tmp_path / "links", "0-0\n1-1\n\n0-0 5-5\nx\n")
    arguments = ["align", pairs, "-o", str(out), "--to", "jsonl", "--tokenized", "--words", links]
    assert main(arguments) == 1
    lines = lines_of(out)
    assert [line["words"] for line in lines] == [[[0, 0]], [[1, 1]], [], [], [], []]
    assert f"{links}:4: link 5-5 is out of range" in lines[3]["error"]
    assert "expected links" in lines[4]["error"] and f"{links}:5" in lines[4]["error"]
    assert "ends before" in lines[5]["error"]


def test_links_beyond_the_last_pair_are_reported_in_the_end(tmp_path: Path, cli: CommandLine) -> None:
    out, pairs = tmp_path / "out", write(tmp_path / "in.tsv", "a b\tc d\n")
    arguments = ["align", pairs, "-o", str(out), "--tokenized", "--words"]
    assert cli(*arguments, write(tmp_path / "longer", "0-0\n1-1\n")) == 1
    assert "longer: the file of word links has more lines" in cli.err
    assert [line["words"] for line in lines_of(out)] == [[[0, 0]]]
    assert cli(*arguments, write(tmp_path / "blank", "0-0\n\n")) == 0


@pytest.mark.parametrize("option", ["--words", "--ppdb"])
@pytest.mark.parametrize("is_link", [False, True])
def test_files_of_word_links_and_paraphrases_are_never_overwritten(
    option: str, is_link: bool, tmp_path: Path, cli: CommandLine
) -> None:
    pairs, read, out = (
        write(tmp_path / "in.tsv", "a\ta\n"),
        write(tmp_path / "read", "0-0\n"),
        tmp_path / "out",
    )
    out.symlink_to(read)
    output = str(out) if is_link else read
    assert cli("align", pairs, "-o", output, "--tokenized", option, read) == 2
    assert f"{output}: the output would overwrite the input" in cli.err
    assert Path(read).read_text() == "0-0\n"


def test_evidence_is_asked_for_what_could_be_aligned_alone(
    tmp_path: Path, aligners: list[FakeAligner], monkeypatch: pytest.MonkeyPatch
) -> None:
    def explained(aligner: FakeAligner, alignment: Alignment, candidates: Links | None) -> Alignment:
        assert aligner is aligners[0] and not alignment.error and candidates is None
        return replace(alignment, warnings=("explained",))

    monkeypatch.setattr("forest_align.aligners.words.explain.with_evidence", explained)
    pairs, out = write(tmp_path / "in.tsv", "a\ta\nfail\ta\nbroken\nb\tb\n"), tmp_path / "out.jsonl"
    assert main(["align", pairs, "-o", str(out), "--explain"]) == 1
    found = [Alignment.from_json(line) for line in out.read_text().splitlines()]
    assert [one.warnings == ("explained",) for one in found] == [True, False, False, True]
    assert [bool(one.error) for one in found] == [False, True, True, False]


def test_links_of_the_input_are_the_candidates_on_request(tmp_path: Path) -> None:
    gold = '[{"id": "x", "source": "a b", "target": "c", "sureAlign": "1-0"}]'
    out = tmp_path / "out"
    assert main(["align", write(tmp_path / "in.json", gold), "-o", str(out), "--words", "given"]) == 0
    assert lines_of(out)[0]["words"] == [[1, 0]]


def test_given_links_for_raw_text_are_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    out, links = tmp_path / "out", write(tmp_path / "links", "0-0\n")
    assert main(["align", write(tmp_path / "in.tsv", "a\tb\n"), "-o", str(out), "--words", links]) == 1
    assert "--tokenized" in lines_of(out)[0]["error"]


def test_trees_of_the_input_become_forests(tmp_path: Path, aligners: list[FakeAligner]) -> None:
    pairs = write(
        tmp_path / "in.jsonl",
        '{"source": {"tree": "(S (NP (PRP He)) (VP (VBD died)))"}, "target": {"tokens": ["He"], '
        '"tree": "(X (Y He))"}}\n'
        '{"source": {"tokens": ["a", "b"], "tree": "(X (Y a))"}, "target": "b"}\n',
    )
    out = tmp_path / "out"
    assert main(["align", pairs, "-o", str(out)]) == 1
    source, target = aligners[0].seen[0]
    assert source.words == ("He", "died") and source.forest is not None and target.forest is not None
    found = lines_of(out)[1]["error"]
    assert found.startswith(f"{pairs}:2: field 'source tree': expected a tree over the tokens 'a b'")
