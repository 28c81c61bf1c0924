"""The parse command, from given trees and over a fake scorer."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from forest_align.cli import main
from forest_align.jobs import RunRecord
from forest_align.types import ModelError, ParseForest

from ...command_line import CommandLine, written
from ...parsing.fake_scorer import FakeScorer

DOGS = "(S (NP (NNS Dogs)) (VP (VBP bark)))"

FLAT = "(S (NNS Dogs) (VBP bark))"


@pytest.fixture(autouse=True)
def fake_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    import forest_align.parsing as parsing

    def load_parser(name: str, **options: object) -> parsing.Parser:
        if name != "en":
            raise ModelError(f"no parser {name!r}")
        return parsing.Parser(FakeScorer(), **options)  # type: ignore[arg-type]

    monkeypatch.setattr(parsing, "load_parser", load_parser)


def write(tmp_path: Path, text: str | bytes) -> str:
    path = tmp_path / "in.txt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


def test_each_line_gives_one_tree_and_bad_lines_give_an_empty_one(tmp_path: Path, cli: CommandLine) -> None:
    name = write(tmp_path, b"One two.\n\nbad \xff\r\nLast one\r\n")
    assert cli("parse", name) == 1
    out, err = cli.out, cli.err
    lines = out.splitlines()
    assert len(lines) == 4
    assert lines[0].startswith("(") and lines[1] == lines[2] == ""
    assert lines[3].count("(NN ") == 2
    assert f"{name}:2: the sentence is empty" in err
    assert f"{name}:3: expected UTF-8" in err
    assert "Traceback" not in err


@pytest.mark.parametrize("kind", ["text", "trees"])
def test_an_input_without_sentences_is_told(kind: str, tmp_path: Path, cli: CommandLine) -> None:
    name = write(tmp_path, "")
    assert cli("parse", name, "--from", kind) == 0
    warning = f"forest-align parse: warning: {name}: found no sentences\n"
    assert tuple((cli.out, cli.err)) == ("", warning)


def test_n_best_lists_come_out_and_can_be_read_again(tmp_path: Path, cli: CommandLine) -> None:
    assert cli("parse", write(tmp_path, "One two three.\n\n"), "--to", "nbest", "-k", "4") == 1
    out, _ = cli.out, cli.err
    block, rest = out.split("\n\n", 1)
    assert rest == "\n"
    scores = [float(line.split("\t")[0]) for line in block.splitlines()]
    assert len(scores) == 4
    assert scores == sorted(scores, reverse=True)
    assert scores[0] <= 0
    assert cli("parse", write(tmp_path, out), "--from", "nbest") == 1
    assert cli.out == block.splitlines()[0].split("\t")[1] + "\n\n"


def test_json_holds_the_forest_or_the_error(tmp_path: Path, cli: CommandLine) -> None:
    name = write(tmp_path, "Two wörds\n\n".encode() + b"caf\xe9\n")
    assert cli("parse", name, "--to", "json", "-k", "3") == 1
    first, second, third = map(json.loads, cli.out.splitlines())
    forest = ParseForest.from_json(first["forest"])
    assert first["tokens"] == ["Two", "wörds"]
    assert first["tree"] == forest.bracket(first["tokens"])
    assert second == {"error": "the sentence is empty"}
    assert third["error"].startswith("expected UTF-8, found byte 0xe9")


def test_given_lists_are_packed_with_their_scores(tmp_path: Path, cli: CommandLine) -> None:
    text = f"-2.0\t{FLAT}\n-1.0\t{DOGS}\n\nx\t{DOGS}\n\n-1\t{FLAT}\n"
    name = write(tmp_path, text)
    assert cli("parse", name, "--from", "nbest", "--to", "nbest") == 1
    out, err = cli.out, cli.err
    assert out == f"-0.313262\t{DOGS}\n-1.313262\t{FLAT}\n\n\n0.000000\t{FLAT}\n\n"
    assert f"{name}:4: field 'log-probability': expected a finite number, found 'x'" in err
    assert cli("parse", name, "--from", "nbest", "--to", "nbest", "-k", "1") == 1
    assert cli.out == f"-0.313262\t{DOGS}\n\n\n0.000000\t{FLAT}\n\n"


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (b"-1.0\t(S (NNS Dogs)", "field 'tree': a bracket is never closed"),
        (b"-1.0\t(S (NNS Cats) (VBP bark))", "field 'tree': tree 2 is not over the same words as the first"),
        (b"-1.0\t(S Dogs (VBP bark))", "field 'tree': word 'Dogs' has no part-of-speech tag"),
        (b"(S (NNS Dogs))", "expected log-probability, tab, tree"),
        (b"-1.0\t\xff", "expected UTF-8, found byte 0xff"),
    ],
)
def test_of_a_broken_list_the_bad_line_is_named(
    bad: bytes, message: str, tmp_path: Path, cli: CommandLine
) -> None:
    good = f"-1.0\t{DOGS}\n".encode()
    name = write(tmp_path, good + b"\n" + good + bad + b"\n" + good + b"\n" + good)
    assert cli("parse", name, "--from", "nbest") == 1
    out, err = cli.out, cli.err
    assert out == f"{DOGS}\n\n{DOGS}\n"
    assert f"{name}:4: {message}" in err


def test_trees_may_go_over_several_lines_and_a_broken_one_costs_no_other(
    tmp_path: Path, cli: CommandLine
) -> None:
    over_lines = "( (S\n    (NP (NNS Dogs))\n    (VP (VBP bark)) ))\n"
    never_closed = "( (S\n    (NP (NNS Companies))\n    (VP (VBP bark))\n"
    closed_early = "( (S (NP (NNS Dogs))) )\n    (NP (NNS Companies))\n"
    text = (
        f"\n{over_lines}\n\n{never_closed}{over_lines}{closed_early}# comment\n{DOGS}\n{never_closed}\n{FLAT}"
    )
    name = write(tmp_path, text)
    assert cli("parse", name, "--from", "trees") == 1
    out, err = cli.out, cli.err
    assert out.splitlines() == [DOGS, "", DOGS, "", "", DOGS, "", FLAT]
    told = [line.removeprefix(f"forest-align parse: error: {name}:") for line in err.splitlines()]
    assert told[0] == "7: a bracket is never closed"
    assert told[1].startswith("13: expected one bracketed tree, found 2")
    assert told[2] == "15: text outside brackets: '#'"
    assert told[3:] == ["17: a bracket is never closed"]


def test_a_line_of_two_sentences_gives_one_tree_that_is_read_again(tmp_path: Path, cli: CommandLine) -> None:
    name = write(tmp_path, "One two. Three four.\nFive.\n")
    assert cli("parse", name) == 0
    first, second = cli.out.splitlines()
    assert first.startswith("(TEXT (") and not second.startswith("(TEXT")
    trees = written(tmp_path / "trees.mrg", f"{first}\n{second}\n")
    assert cli("parse", trees, "--to", "json") == 0
    text, sentence = map(json.loads, cli.out.splitlines())
    assert text["sentences"] == [[0, 3], [3, 6]] and text["tree"] == first
    assert "sentences" not in sentence and sentence["tree"] == second
    assert cli("parse", name, "--to", "nbest", "-k", "3") == 0
    assert [line[line.index("\t") :][:7] for line in cli.out.splitlines()[:3]] == ["\t(TEXT "] * 3


def test_a_sentence_may_stand_in_the_place_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: CommandLine
) -> None:
    assert cli("parse", "Two words.", "--to", "json") == 0
    assert json.loads(cli.out)["tokens"] == ["Two", "words", "."]
    assert cli("parse", FLAT, "--from", "trees", "--to", "nbest") == 0 and cli.out == f"0.000000\t{FLAT}\n\n"
    assert cli("parse", "Two words\n\nand \udcff") == 1
    err = cli.err
    assert "command line:2: the sentence is empty" in err
    assert "command line:3: expected UTF-8" in err
    assert cli("parse", "word " * 500 + ".") == 0
    monkeypatch.chdir(tmp_path)
    Path("Two words.").write_text("One\n")
    assert cli("parse", "Two words.", "--to", "json") == 0 and json.loads(cli.out)["tokens"] == ["One"]


def test_of_one_word_that_is_no_file_it_is_told_what_is_expected(
    tmp_path: Path, cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli("parse", "Hello") == 2
    assert "there is no file 'Hello'; expected a file, or a sentence of several" in cli.err
    Path("Hello").write_text("One\n")
    assert cli("parse", "Hello", "--to", "json") == 0 and json.loads(cli.out)["tokens"] == ["One"]


@pytest.mark.parametrize("name", ["pairs.tsv", "pairs.CSV", "pairs.jsonl.gz", "pairs.json"])
def test_a_table_is_parsed_as_text_only_when_it_is_called_text(
    name: str, tmp_path: Path, cli: CommandLine
) -> None:
    path = tmp_path / name
    content = b"One\n"
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    assert cli("parse", path, "-o", tmp_path / "out") == 2
    extension = f".{name.split('.')[1].lower()}"
    assert f"{name}: expected text, a sentence a line, or trees, found a {extension}" in cli.err
    assert not (tmp_path / "out").exists()
    assert cli("parse", path, "--from", "text", "--to", "json") == 0
    assert json.loads(cli.out)["tokens"] == ["One"]


def test_an_enju_sentence_without_a_tree_costs_no_other(tmp_path: Path, cli: CommandLine) -> None:
    def sentence(number: int, tag: str = "NN") -> str:
        token = f'<tok id="t0" pos="{tag}" base="cat">cat</tok>'
        return f'<sentence id="{number}"><cons id="c0" cat="NP" sem_head="t0">{token}</cons></sentence>'

    failed = '<sentence id="2"\n parse_status="fragmental parse">the cat</sentence>'
    name = write(
        tmp_path, f"\n<?xml version='1.0'?>\n{sentence(1)}\n{failed}\n{sentence(3)}\n{sentence(4, 'N N')}\n"
    )
    assert cli("parse", name, "--from", "enju") == 1
    out, err = cli.out, cli.err
    assert out == "(NP (NN cat))\n\n(NP (NN cat))\n\n"
    assert f"{name}:4: sentence 2: expected one tree, found 0 (parse status: fragmental parse)" in err
    assert f"{name}:7: field 'pos': sentence 4: token t0: expected a label" in err
    assert cli("parse", name, "--from", "enju", "--to", "json") == 1
    second = json.loads(cli.out.splitlines()[1])
    assert second == {"error": "sentence 2: expected one tree, found 0 (parse status: fragmental parse)"}


def test_enju_trees_are_read(tmp_path: Path, cli: CommandLine) -> None:
    xml = (
        '<sentence id="1"><cons id="c0" cat="NP" sem_head="t0">'
        '<tok id="t0" pos="NN" base="cat">cat</tok></cons></sentence>'
    )
    assert cli("parse", write(tmp_path, xml), "--from", "enju") == 0 and cli.out == "(NP (NN cat))\n"
    assert cli("parse", write(tmp_path, "<sentence>"), "--from", "enju") == 2
    assert "in.txt:1: broken XML" in cli.err


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
def test_a_resumed_run_writes_what_is_missing(to: str, source: str, tmp_path: Path, cli: CommandLine) -> None:
    name, out = write(tmp_path, SENTENCES), tmp_path / "out.txt"
    if source == "trees":
        assert cli("parse", name, "-o", tmp_path / "trees.txt") == 1
        name = str(tmp_path / "trees.txt")
    # Sixteen batches are read ahead: after 32 and 64 sentences begins a new window.
    options = ["--from", source, "--to", to, "--batch-size", "2", "-o", str(out)]
    assert cli("parse", name, *options) == 1
    whole, record = out.read_bytes(), Path(f"{out}.run").read_text()
    lines = whole.splitlines(keepends=True)
    for kept in (0, 31, 32, 33, 64, 99):
        stop_after(kept, ["parse", name, *options])
        assert out.read_bytes() == b"".join(lines[:kept])
        out.write_bytes(out.read_bytes() + lines[kept][:-1])  # the system was writing the next line
        assert cli("parse", name, *options, "--resume") == 1
        assert (out.read_bytes(), Path(f"{out}.run").read_text()) == (whole, record)
        # What failed in the first 64 sentences, which are not parsed again, was named before.
        told = cli.err.splitlines()
        named = [int(line.split(":")[3]) for line in told if ": error: " in line]
        assert named and all(number > kept // 64 * 64 for number in named)
        before = sum(line == b"\n" or b'{"error"' in line for line in lines[: kept // 64 * 64])
        summary = f"forest-align parse: {before} of the 64 lines written before could not be parsed"
        assert told[: len(told) - len(named)] == ([summary] if before else [])
    assert cli("parse", name, *options, "--resume") == 1
    assert out.read_bytes() == whole
    assert f"{out} has all 100 lines already" in cli.err


def stop_after(lines: int, arguments: list[str]) -> None:
    """Interrupt a command after so many lines of its output."""
    write_line = RunRecord.write

    def write_or_stop(record: RunRecord, *line: Any) -> None:
        if record.lines == lines:
            raise KeyboardInterrupt
        write_line(record, *line)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RunRecord, "write", write_or_stop)
        assert main(arguments) == 130


def test_a_run_over_other_input_cannot_be_resumed(tmp_path: Path, cli: CommandLine) -> None:
    name, out = write(tmp_path, SENTENCES), tmp_path / "out.txt"
    assert cli("parse", name, "-o", out, "--to", "json") == 1
    whole = out.read_bytes()
    for change, message in (
        (
            SENTENCES.replace(b"word90", b"other90"),
            "one of the sentences 1 to 100 differs from the earlier run",
        ),
        (SENTENCES[: SENTENCES.index(b"word98")], "it has 100 lines, more than there are sentences"),
    ):
        write(tmp_path, change)
        assert cli("parse", name, "-o", out, "--to", "json", "--resume") == 2
        assert f"cannot resume: {message}" in cli.err
        assert out.read_bytes() == whole
    for wrong in (["--to", "nbest", "-o", str(out)], []):
        assert cli("parse", name, *wrong, "--resume") == 2
        assert "--resume needs -o OUT, and --to trees or json" in cli.err


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (["--batch-size", "3"], "--batch-size was '2' in the earlier run, now it is '3'"),
        (["--tokenized"], "--tokenized was not given in the earlier run, now it is 'given'"),
        (["--to", "json"], "--to was 'trees' in the earlier run, now it is 'json'"),
        (["-k", "3"], "-k was '10' in the earlier run, now it is '3'"),
    ],
)
def test_a_run_with_other_options_cannot_be_resumed(
    option: list[str], message: str, tmp_path: Path, cli: CommandLine
) -> None:
    name, out = write(tmp_path, "one\n" * 100), tmp_path / "out.txt"
    arguments = ["parse", name, "--batch-size", "2", "-o", str(out)]
    stop_after(70, arguments)
    assert cli(*arguments, *option, "--resume") == 2 and f"{out}: cannot resume: {message}" in cli.err


@pytest.mark.parametrize(("to", "line"), [("trees", "(S one)\n"), ("json", '{"text": "one"}\n')])
def test_an_output_without_its_record_is_finished_or_refused(
    to: str, line: str, tmp_path: Path, cli: CommandLine
) -> None:
    name, out = write(tmp_path, "one\n" * 40), tmp_path / "out.txt"
    arguments = ["parse", name, "--to", to, "-o", str(out), "--resume"]
    out.write_text(line * 40)
    assert cli(*arguments) == 0 and out.read_text() == line * 40
    for content, message in (
        (line * 30, f"{out}: cannot resume: {out}.run, which has the earlier settings, is missing"),
        (line * 30 + line[:3], f"{out}:31: cannot resume: expected whole lines"),
        (line * 39 + "precious notes\n", f"{out}:40: cannot resume: the line is another one now"),
    ):
        out.write_text(content)
        assert cli(*arguments) == 2 and out.read_text() == content
        assert message in cli.err


@pytest.mark.parametrize(
    ("source", "text"), [("text", b"One two\n"), ("trees", DOGS.encode() + b"\n")], ids=["text", "trees"]
)
def test_what_is_typed_in_is_answered_before_the_next_line_is_read(
    source: str, text: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines, out = [text, text, b""], tmp_path / "out.txt"
    written: list[int] = []

    def readline(size: int = -1) -> bytes:
        written.append(len(out.read_text().splitlines()) if out.exists() else 0)
        return lines.pop(0)

    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=SimpleNamespace(readline=readline)))
    assert main(["parse", "-", "--from", source, "--batch-size", "1", "-o", str(out)]) == 0
    assert written == [0, 1, 2]


def test_json_can_be_read_back_with_offsets_and_probabilities(tmp_path: Path, cli: CommandLine) -> None:
    from forest_align.parsing import read_parses
    from forest_align.types import InputError, Sentence

    name, out = write(tmp_path, "One  two, three.\n\nA \ufffd b\n"), tmp_path / "out.jsonl"
    assert cli("parse", name, "--to", "json", "-o", out) == 1
    first, failed, _ = read_parses(out)
    assert isinstance(first, Sentence) and first.forest is not None
    assert [first.text[token.start : token.end] for token in first.tokens] == list(first.words)
    assert (first.forest.log_posterior[first.forest.is_constituent] <= 0).all()
    values = json.loads(out.read_text(encoding="utf-8").splitlines()[0])
    assert values["offsets"] == [[token.start, token.end] for token in first.tokens]
    assert list(values) == ["text", "tokens", "tags", "offsets", "tree", "forest"]
    assert isinstance(failed, InputError) and str(failed) == f"{out}:2: the sentence is empty"


def test_a_run_is_not_continued_on_another_kind_of_device(tmp_path: Path, cli: CommandLine) -> None:
    text, out = tmp_path / "text", tmp_path / "out"
    text.write_text("Cats sleep.\n \n")  # the second cannot be parsed, so the record stays
    arguments = ["parse", str(text), "-o", str(out), "--batch-size", "1"]
    assert cli(*arguments) == 1
    record = out.with_name("out.run")
    first, *rest = record.read_text().splitlines()
    made_with = json.loads(first)["made_with"]
    assert made_with["--device"] == ""
    made_with["--device"] = "a GPU"
    record.write_text("\n".join([json.dumps({"made_with": made_with}), *rest]) + "\n")
    assert cli(*arguments, "--resume") == 2
    assert "cannot resume: --device was 'a GPU' in the earlier run, now it is not given" in (cli.err)
