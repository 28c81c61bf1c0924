from __future__ import annotations

import json
from pathlib import Path

import pytest

from forest_align.alignment import SupportReport
from forest_align.cli import main

from ...alignment.html_page import Page


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    monkeypatch.chdir(tmp_path)
    Path("summary.txt").write_text("Two men sold cars in Oslo.\n", encoding="utf-8")
    Path("article.txt").write_text("It rained. Two men sold cars.\n", encoding="utf-8")
    return "summary.txt", "article.txt"


def test_two_files_are_printed_as_text(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["support", *files]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "pair 1"
    assert out[1].startswith("Two men  ←  Two men (2, ")
    assert out[-1].startswith("in Oslo  unsupported  (")


def test_a_list_of_pairs_gives_a_line_a_pair(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [{"id": "x", "summary": "It rained.", "source": ["It rained."]}, {"source": "It rained."}]
    Path("pairs.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
    assert main(["support", "pairs.jsonl", "-o", "out.jsonl", "--sentences", "1"]) == 1
    found = [SupportReport.from_json(line) for line in Path("out.jsonl").read_text("utf-8").splitlines()]
    assert [one.id for one in found] == ["x", "2"]
    assert found[0].spans and not found[0].unsupported
    assert found[1].error.startswith("pairs.jsonl:2: field 'summary'")
    assert "forest-align support: pair 2: pairs.jsonl:2" in capsys.readouterr().err


def test_the_page_has_both_texts(files: tuple[str, str]) -> None:
    assert main(["support", *files, "-o", "out.html"]) == 0
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
def test_bad_usage_is_explained(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert main(["support", *arguments]) == 2
    assert message in capsys.readouterr().err
