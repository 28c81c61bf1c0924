"""The script that measures what each part of the forest aligner contributes."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import ablation as ablation_script
import numpy as np
import pytest

from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.em.corpus.corpus import CorpusReader
from forest_align.em.forest.dev_set import DevSet

from ..em.forest.test_calibrate import cells
from ..em.forest.test_dev_set import gold_pairs, parse_many


@pytest.fixture
def ablation(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Reads two pairs from any file."""

    def reader(parser: str, forest_size: int, candidates: str, cache: Path | None) -> CorpusReader:
        made = CorpusReader("toy", forest_size=forest_size, candidates="dictionary")
        monkeypatch.setattr(made, "_parser", parse_many)
        return made

    module = ablation_script
    monkeypatch.setattr(module, "CorpusReader", reader)
    monkeypatch.setattr(module, "read_pairs", lambda path: gold_pairs())
    return module


def test_the_ablation_has_a_table_for_each_file_and_one_for_all(
    ablation: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    models = ["--untrained", "uniform", "--by-hand", "fixed"]
    ablation.main(["x/a", "x/b", *models, "--skip", "1"])
    first, second, both = (cells(table) for table in capsys.readouterr().out.strip().split("\n\n"))
    titles = [table[0][0] for table in (first, second, both)]
    assert titles == ["x a (1 pairs)", "x b (1 pairs)", "all (2 pairs)"]
    assert [row[0] for row in first[2:]] == [
        *("full", "monotonic", "without EM", "by hand", "1-best", "no links", "no parse", "projection"),
    ]
    assert [row[1:-1] for row in first[2:]] == [row[1:-1] for row in both[2:]]


def ablation_options(**changes: Any) -> argparse.Namespace:
    names = {"model": "forest", "untrained": "uniform", "by_hand": "fixed"}
    options = {"parser": "toy", "forest_size": 10, "forests": None, "skip": 0, "limit": None, "rows": None}
    return argparse.Namespace(**{**names, **options, **changes})


def test_systems_are_what_their_names_say(ablation: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    made: dict[str, DevSet] = {}
    prepare = ablation.dev_set

    def noted(path: str, options: argparse.Namespace, candidates: str) -> DevSet:
        made[candidates] = prepare(path, options, candidates)
        return made[candidates]

    monkeypatch.setattr(ablation, "dev_set", noted)
    monkeypatch.setattr(ablation, "rows_of", lambda dev, model, name: (dev, model))
    monkeypatch.setattr(ablation, "projection_rows", lambda dev: (dev, None))
    systems = ablation.measure("x/a", ablation_options())
    assert systems.pop("projection") == (made["contextual"], None)
    full = ForestAligner.load().model
    changed = {
        "monotonic": {"noncompositional_penalty": None},
        "no links": {"link_weight": 0.0},
        "no parse": {"tree_weight": 0.0},
    }
    models = {"without EM": "uniform", "by hand": "fixed"}
    for name, (dev, model) in systems.items():
        expected = ForestAligner.load(models.get(name, "forest")).model
        assert model.options == replace(expected.options, **changed.get(name, {})), name
        assert (model.weights == expected.weights).all(), name
        assert all(getattr(full.options, key) != value for key, value in changed.get(name, {}).items())
        if name == "1-best":
            assert dev not in made.values()
        else:
            assert dev is made[name if name in made else "contextual"], name
    other_trees = [(6, [(0, 6), (1, 3)]), (7, [(0, 7)]), (5, [(0, 5), (2, 4)]), (4, [(0, 4)])]
    parses = SimpleNamespace(read=lambda path: SimpleNamespace(constituents=lambda: other_trees))
    monkeypatch.setattr(ablation, "StanfordParses", parses)
    for name, (dev, _) in ablation.measure("x/a", ablation_options(), "trees.xml").items():
        spans = [one.projection.source_spans.tolist() for one in dev.pairs]
        assert spans == [[[0, 6], [1, 3]], [[0, 5], [2, 4]]], name


def test_an_asterisk_marks_what_is_significant_and_p_is_that_of_constituent_f1(ablation: Any) -> None:
    row = [4, 4, 4, 4] + [4, 4, 4, 4] + [1] + [0] * 4
    full = np.array([row] * 40, float)
    worse = full.copy()
    worse[:, 0] = worse[:, 2] = 2  # constituents
    some, few = full.copy(), full.copy()
    some[:6, [0, 2]] = few[:5, [0, 2]] = 2  # p of 1/32 and of 1/16
    systems = {"full": full, "same": full, "worse": worse, "some": some, "few": few}
    same, other, *close = cells(ablation.table("toy", systems))[3:]
    assert same == ["same", "100.00", "100.00", "100.00", "100.00", "100.00", "1.0000"]
    assert other == ["worse", "50.00*", "50.00*", "50.00*", "100.00", "100.00", "0.0001"]
    assert [row[1:4] for row in close] == [["92.50*"] * 3, ["93.75"] * 3]
