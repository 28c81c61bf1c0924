"""What the benchmarks of the contextual aligner measure."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import contextual_quality as quality
import pytest

from forest_align.aligners.sultan.parameters import MODULES
from forest_align.alignment import Links
from forest_align.lexicon.pair_table import PairTable


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Two pairs of three and four words, and one of 20."""
    items = [
        {"source": "a b c", "target": "a b c d", "sureAlign": "0-0 1-1", "possibleAlign": "2-2"},
        {"source": "a b c", "target": "a b c d", "sureAlign": "0-0", "possibleAlign": ""},
        {"source": "x " * 20, "target": "y " * 20, "sureAlign": "", "possibleAlign": ""},
    ]
    path = tmp_path / "linked.json"
    path.write_text(json.dumps([{"id": str(k), **item} for k, item in enumerate(items)]))
    return path


def test_rows_of_quality_are_scores_of_sure_links_and_last_of_all_links(
    corpus: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = Links.of([(0, 0), (2, 2)])
    told = SimpleNamespace(
        align_prepared=lambda *sides: SimpleNamespace(words=found if len(sides[0]) == 3 else Links(()))
    )
    monkeypatch.setattr(quality, "rows", lambda options, table: [("told", told)])
    monkeypatch.setattr(
        quality, "parse", lambda pairs, parser: [(pair.source, pair.target) for pair in pairs]
    )
    quality.main([str(corpus)])
    # Sure: P ½, ½, 1; R ½, 1, 1. With possible links: P 1, ½, 1; R ⅔, 1, 1.
    rows = [row for row in capsys.readouterr().out.splitlines() if row.startswith("| told")]
    assert rows == ["| told | 66.7 | 83.3 | 74.1 | 33.3 | 86.0 |"]


def test_rows_of_the_ablation_lack_what_they_say() -> None:
    options = argparse.Namespace(model=None, spacy=False, ablation=True)
    table = PairTable([("a", "b")])
    rows: dict[str, Any] = dict(quality.rows(options, table))
    tables = {name: aligner.ppdb for name, aligner in rows.items()}
    assert {name for name, given in tables.items() if given is None} == {"contextual", "sultan, no PPDB"}
    assert len(tables.pop("sultan (-) word similarity")) == 0
    assert all(given is table for given in tables.values() if given is not None)
    assert all(name.startswith(aligner.name) for name, aligner in rows.items())
    lacking = {
        name.removeprefix("sultan "): MODULES - aligner.parameters.modules
        for name, aligner in rows.items()
        if aligner.name == "sultan"
    }
    assert {name: parts for name, parts in lacking.items() if parts} == {
        "(-) contextual evidence": {"sequences", "dependencies", "text"},
        "(-) dependencies": {"dependencies"},
        "(-) text neighbourhood": {"text"},
        "(-) stop words": {"stop words"},
        "(-) entities": {"entities"},
    }
    few = argparse.Namespace(model=None, spacy=False, ablation=False)
    assert [name for name, _ in quality.rows(few, None)] == [
        "contextual",
        "sultan, no PPDB",
        "sultan (-) word similarity",
    ]
