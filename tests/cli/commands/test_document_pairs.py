"""The commands that read pairs of documents: ``documents`` and ``support``."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from forest_align.aligners.documents import DocumentAligner
from forest_align.alignment import DocumentAlignment, SupportReport
from forest_align.cli import main

from ...alignment.html_page import Page
from ...command_line import CommandLine


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("It rained. He bought\na car.\n", encoding="utf-8")
    Path("b.txt").write_text("He purchased a car. Nobody saw it.\n", encoding="utf-8")
    return "a.txt", "b.txt"


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_two_files_are_printed_as_text(files: tuple[str, str], cli: CommandLine) -> None:
    assert cli("documents", *files, "--aligner", "contextual") == 0
    out = cli.out.splitlines()
    assert out[0].startswith("2 ↔ 1  ")
    assert out[1:3] == ["  He bought", "a car."]
    assert out[-2:] == ["source only: 1", "target only: 2"]


def test_lines_are_sentences_on_request(files: tuple[str, str], cli: CommandLine) -> None:
    Path("a.txt").write_text("\nIt rained. He bought a car.\nNobody saw it\n", encoding="utf-8")
    assert cli("documents", *files, "--sentences-only", "--lines", "--to", "jsonl") == 0
    (found,) = lines(cli.out)
    assert found["source"] == {"sentences": ["", "It rained. He bought a car.", "Nobody saw it"]}
    assert found["target"] == {"sentences": ["He purchased a car. Nobody saw it."]}


def test_a_list_of_files_gives_a_line_a_pair(files: tuple[str, str], cli: CommandLine) -> None:
    Path("pairs.tsv").write_text(
        "a.txt\tb.txt\tfirst\na.txt\tnone.txt\na.txt\nb.txt\tb.txt\n\n", encoding="utf-8"
    )
    assert cli("documents", "pairs.tsv", "-o", "out.jsonl.gz", "--aligner", "contextual") == 1
    with gzip.open("out.jsonl.gz", "rt", encoding="utf-8") as file:
        found = [DocumentAlignment.from_json(line) for line in file]
    assert [one.id for one in found] == ["first", "2", "3", "4"]
    assert [len(one.groups) for one in found] == [1, 0, 0, 2]
    assert found[1].error == "pairs.tsv:2: there is no file 'none.txt'"
    assert found[2].error.startswith("pairs.tsv:3: expected two paths")
    err = cli.err
    assert "pair 2: pairs.tsv:2: there is no file" in err


def test_json_lines_hold_texts_or_sentences(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    given = [
        {"id": "x", "source": "It rained. Dogs barked.", "target": ["Dogs barked.", ""]},
        {"source": [{"tokens": ["It", "rained"]}], "target": ["It rained"]},
        {"id": 5, "source": [3], "target": ""},
    ]
    text = "".join(json.dumps(one) + "\n" for one in given) + "{\n"
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(text.encode())))
    assert cli("documents", "-", "--sentences-only") == 1
    found = lines(cli.out)
    assert [one["id"] for one in found] == ["x", "2", "5", "4"]
    assert [[(g["source"], g["target"]) for g in one["groups"]] for one in found] == [
        [([1], [0])], [([0], [0])], [], [],
    ]  # fmt: skip
    assert "standard input:3: field 'source[0]'" in found[2]["error"]
    assert "standard input:4: not JSON" in found[3]["error"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a.txt", "b.txt", "--resume"], "--resume needs -o OUT, and --to jsonl"),
        (["a.txt", "b.txt", "-o", "out.html", "--resume"], "--resume needs -o OUT, and --to jsonl"),
        (["a.txt", "none.txt"], "none.txt: No such file"),
        (["none.tsv"], "none.tsv: No such file"),
        (["-", "-"], "standard input can be read but once"),
        (["a.txt", "b.txt", "-o", "a.txt"], "a.txt"),
        (["a.txt", "b.txt", "-o", "x.pharaoh"], "there is no output format 'pharaoh'"),
        (
            ["a.txt", "b.txt", "--sentences-only", "--aligner", "forest"],
            "--aligner cannot be combined with --sentences-only",
        ),
        (
            ["a.txt", "b.txt", "--sentences-only", "--links", "all"],
            "--links cannot be combined with --sentences-only",
        ),
        (["a.txt", "b.txt", "--sentences-only", "--threshold", "7"], "threshold"),
    ],
)
def test_bad_usage_is_explained(
    files: tuple[str, str], cli: CommandLine, arguments: list[str], message: str
) -> None:
    assert cli("documents", *arguments) == 2 and message in cli.err
    assert Path("a.txt").read_text(encoding="utf-8") == "It rained. He bought\na car.\n"


def test_a_run_that_stopped_is_resumed(
    files: tuple[str, str], monkeypatch: pytest.MonkeyPatch, cli: CommandLine
) -> None:
    texts = ["It rained.", "He bought a car.", "Dogs barked.", "Nobody saw it."]
    given = [{"source": text, "target": f"Yes. {text}"} for text in texts]
    broken = [*given[:2], {"source": 3}, *given[2:]]
    Path("in.jsonl").write_text("".join(json.dumps(one) + "\n" for one in broken), encoding="utf-8")
    command = ["documents", "in.jsonl", "--sentences-only", "-o"]
    assert cli(*command, "whole.jsonl.gz") == 1
    align, aligned = DocumentAligner.align, []

    def killed(self: DocumentAligner, source: Any, target: Any, **more: Any) -> DocumentAlignment:
        if source == "Dogs barked.":
            raise KeyboardInterrupt
        return align(self, source, target, **more)

    def counting(self: DocumentAligner, source: Any, target: Any, **more: Any) -> DocumentAlignment:
        aligned.append(source)
        return align(self, source, target, **more)

    monkeypatch.setattr(DocumentAligner, "align", killed)
    assert cli(*command, "part.jsonl.gz") == 130
    assert cli(*command, "part.jsonl.gz", "--threshold", "0.6", "--resume") == 2
    assert "--threshold was '0.5' in the earlier run" in cli.err
    monkeypatch.setattr(DocumentAligner, "align", counting)
    assert cli(*command, "part.jsonl.gz", "--resume") == 1
    assert "forest-align documents: resuming after line 3" in cli.err
    assert aligned == texts[2:]
    assert Path("part.jsonl.gz").read_bytes() == Path("whole.jsonl.gz").read_bytes()
    Path("in.jsonl").write_text(json.dumps(given[1]) + "\n", encoding="utf-8")
    assert cli(*command, "part.jsonl.gz", "--resume") == 2 and "differs from the earlier run" in cli.err


@pytest.fixture
def summary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    monkeypatch.chdir(tmp_path)
    Path("summary.txt").write_text("Two men sold cars in Oslo.\n", encoding="utf-8")
    Path("article.txt").write_text("It rained. Two men sold cars.\n", encoding="utf-8")
    return "summary.txt", "article.txt"


def test_a_summary_and_its_source_are_printed_as_text(summary: tuple[str, str], cli: CommandLine) -> None:
    assert cli("support", *summary) == 0
    out = cli.out.splitlines()
    assert out[0] == "pair 1"
    assert out[1].startswith("Two men  ←  Two men (2, ")
    assert out[-1].startswith("in Oslo  unsupported  (")


def test_a_list_of_pairs_gives_a_line_a_pair(summary: tuple[str, str], cli: CommandLine) -> None:
    lines = [{"id": "x", "summary": "It rained.", "source": ["It rained."]}, {"source": "It rained."}]
    Path("pairs.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
    assert cli("support", "pairs.jsonl", "-o", "out.jsonl", "--sentences", "1") == 1
    found = [SupportReport.from_json(line) for line in Path("out.jsonl").read_text("utf-8").splitlines()]
    assert [one.id for one in found] == ["x", "2"]
    assert found[0].spans and not found[0].unsupported
    assert found[1].error.startswith("pairs.jsonl:2: field 'summary'")
    assert "forest-align support: pair 2: pairs.jsonl:2" in cli.err


def test_the_page_of_a_summary_has_both_texts(summary: tuple[str, str]) -> None:
    assert main(["support", *summary, "-o", "out.html"]) == 0
    text = Page(Path("out.html").read_text(encoding="utf-8")).text
    assert "Two men sold cars in Oslo." in text and "It rained." in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["summary.txt", "none.txt"], "none.txt: No such file"),
        (["summary.txt", "article.txt", "-o", "article.txt"], "article.txt"),
        (["summary.txt", "article.txt", "--threshold", "2"], "threshold"),
    ],
)
def test_bad_usage_of_support_is_explained(
    summary: tuple[str, str], cli: CommandLine, arguments: list[str], message: str
) -> None:
    assert cli("support", *arguments) == 2 and message in cli.err
