"""The script that tunes the options of each row of the ablation anew."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tuned_ablation

from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.aligners.forest.model import ForestModel
from forest_align.em.corpus.corpus import CorpusReader
from forest_align.em.forest.dev_set import DevSet

from ..em.forest.test_dev_set import gold_pairs, parse_many
from ..em.forest.test_model_making import cells


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int, int | None]]:
    """Reads two pairs from any file; notes which part was asked for."""
    asked = []

    def dev_set(path: str, model: ForestModel, arguments: Any) -> DevSet:
        asked.append((path, arguments.skip, arguments.limit))
        reader = CorpusReader("toy", candidates="dictionary")
        monkeypatch.setattr(reader, "_parser", parse_many)
        return DevSet(reader.read(gold_pairs())[0])

    monkeypatch.setattr(tuned_ablation, "dev_set", dev_set)
    return asked


@pytest.mark.parametrize("model", ["forest", "forest-published"])
def test_each_row_is_tuned_on_the_first_pairs_and_judged_on_others(
    model: str,
    read: list[tuple[str, int, int | None]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    tuned, started = tuned_ablation.tuned, []

    def noted(start: ForestModel, dev: DevSet, trials: int, seed: int) -> ForestModel:
        started.append((start, len(dev), trials))
        return tuned(start, dev, trials, seed)

    monkeypatch.setattr(tuned_ablation, "tuned", noted)
    tuned_ablation.main(["x/a", "y/b", "--model", model, "--trials", "2", "--tune", "7", "--limit", "9"])
    assert read == [("x/a", 0, 7), ("y/b", 0, 7), ("x/a", 7, 9), ("y/b", 7, 9)]
    one, two, both, options = capsys.readouterr().out.strip().split("\n\n")
    names = ["full", "monotonic", "without EM", "1-best", "projection"]
    assert [[row[0] for row in cells(table)[2:]] for table in (one, two, both)] == [names] * 3
    assert [line.split(":")[0] for line in options.splitlines()] == names
    full, monotonic, without_em, best = (start for start, *_ in started)
    assert [rest for _, *rest in started] == [[4, 2]] * 4
    own = ForestAligner.load(model).model
    assert full.options == without_em.options == best.options == own.options
    assert not monotonic.options.noncompositional and np.array_equal(monotonic.weights, own.weights)
    assert not without_em.weights.any() and not without_em.lexical
    for line in options.splitlines()[:4]:
        assert "null_penalty" in line and "'beam'" not in line
        assert ("parser_weight" in line) == (model == "forest-published")


def test_the_projection_takes_the_best_of_the_probabilities_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []

    def rows(dev: object, likely: float) -> float:
        tried.append(likely)
        return -abs(likely - 0.3)

    monkeypatch.setattr(tuned_ablation, "projection_rows", rows)
    monkeypatch.setattr(tuned_ablation, "objective_value", lambda value, objective: value)
    found = tuned_ablation.tuned_threshold(None, 20)  # type: ignore[arg-type]
    assert len(tried) == 20 and tried[0] == 0.5 and abs(found - 0.3) < 0.05
