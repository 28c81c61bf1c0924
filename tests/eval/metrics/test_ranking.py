"""Rankings: by hand, and against enumeration of all orders."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_align.eval.metrics.pair_scores import rank
from forest_align.types import InputError

SCORES = st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=6)


def naive_ranking(scores: list[float], labels: list[bool]) -> tuple[float, float]:
    """Mean over all orders in which equal scores may stand."""
    precisions, reciprocals = [], []
    for order in itertools.permutations(range(len(scores))):
        if any(scores[a] < scores[b] for a, b in itertools.pairwise(order)):
            continue
        ranks = [k for k, item in enumerate(order, start=1) if labels[item]]
        precisions.append(np.mean([(n + 1) / k for n, k in enumerate(ranks)]))
        reciprocals.append(1 / ranks[0])
    return float(np.mean(precisions)), float(np.mean(reciprocals))


@given(SCORES, st.data())
def test_ties_get_the_exact_expectation_over_all_orders(scores, data) -> None:
    labels = data.draw(st.lists(st.booleans(), min_size=len(scores), max_size=len(scores)))
    found = rank(["q"] * len(scores), scores, labels)
    if 0 < sum(labels) < len(labels):
        precision, reciprocal = naive_ranking(scores, labels)
        assert found.mean_average_precision == pytest.approx(precision)
        assert found.mean_reciprocal_rank == pytest.approx(reciprocal)
    else:
        assert len(found.average_precision) == 0


def test_ranking_by_hand_over_two_questions() -> None:
    found = rank(["a", "a", "b", "b", "c"], [0.9, 0.1, 0.2, 0.3, 0.5], [True, False, True, False, True])
    assert found.mean_average_precision == 0.75
    assert found.mean_reciprocal_rank == 0.75
    with pytest.raises(InputError, match="2 candidates, 1 scores and 2 labels"):
        rank(["a", "a"], [1.0], [True, False])
