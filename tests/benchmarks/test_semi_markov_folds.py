"""The script that compares kinds of the semi-Markov aligner's models on held-out pairs."""

from __future__ import annotations

from typing import Any

import pytest
import semi_markov_folds

from ..em.forest.test_model_making import cells
from ..em.semi_markov.test_training import PAIRS


@pytest.fixture
def two_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Six times the same pairs from any file."""
    monkeypatch.setattr(semi_markov_folds, "read_gold_files", lambda paths: [*PAIRS[1:4]] * 6)
    monkeypatch.setattr(semi_markov_folds, "read_gold_pairs", lambda pairs, cache: (pairs, []))


def test_every_pair_is_judged_by_a_model_that_has_not_seen_its_group(
    two_files: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sizes = []
    examples_of = semi_markov_folds.examples_of

    def noted(pairs: Any, *args: Any, **options: Any) -> Any:
        sizes.append(len(pairs))
        return examples_of(pairs, *args, **options)

    monkeypatch.setattr(semi_markov_folds, "examples_of", noted)
    semi_markov_folds.main(["x/a", "y/b", "--iterations", "5", "--rows", "plain", "longest null 3"])
    head, _, first, second = cells(capsys.readouterr().out.strip())
    assert head[1::2] == ["x a (18 pairs): P / R / F1", "y b (18 pairs): P / R / F1"]
    assert (first[0], second[0]) == ("plain", "longest null 3")
    assert first[2] == first[4] == "" and 0 < float(second[2]) <= 1
    # Groups of four pairs in turn: 4 + 4, 4 + 4 and 4 + 2 of 18 are held out of both files.
    assert sizes == [2 * (18 - 8), 2 * (18 - 6), 2 * (18 - 4)] * 2


def test_one_fold_may_be_held_out_alone(two_files: None, capsys: pytest.CaptureFixture[str]) -> None:
    semi_markov_folds.main(["x/a", "--iterations", "2", "--rows", "resources", "--fold", "2"])
    head, _, row = cells(capsys.readouterr().out.strip())
    assert head[1] == "x a (4 pairs): P / R / F1" and row[0] == "resources"
