"""The script that measures the paper's system with and without EM."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import measure_published
import pytest

from forest_align.aligners.forest.model import ForestModel
from forest_align.em.corpus.corpus import CorpusReader

from ..em.forest.test_calibrate import cells
from ..em.forest.test_dev_set import gold_pairs, parse_many


@pytest.fixture
def readers(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What each reader was made with; they read two pairs from any file, without word vectors."""
    made_with = []

    def reader(model: ForestModel, parser: str, **options: Any) -> CorpusReader:
        made_with.append({"candidates": model.words, "dictionary": model.dictionary, **options})
        made = CorpusReader("toy", candidates="dictionary")
        monkeypatch.setattr(made, "_parser", parse_many)
        return made

    monkeypatch.setattr(measure_published, "CorpusReader", SimpleNamespace(for_model=reader))
    monkeypatch.setattr(measure_published, "read_pairs", lambda path: gold_pairs())
    return made_with


def test_there_is_a_table_for_each_file_and_one_for_all(
    readers: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    measure_published.main(["x/a", "x/b", "--skip", "1"])
    tables = [cells(table) for table in capsys.readouterr().out.strip().split("\n\n")]
    assert [table[0][0] for table in tables] == ["x a (1 pairs)", "x b (1 pairs)", "all (2 pairs)"]
    assert all([row[0] for row in table[2:]] == ["trained", "without EM", "projection"] for table in tables)
