"""The threshold of a classification and its scores: naive second implementations."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_align.eval.metrics.pair_scores import best_threshold, classify
from forest_align.types import InputError

ITEMS = st.lists(
    st.tuples(st.sampled_from([-0.5, 0.0, 0.25, 0.5, 1.0]), st.booleans()), min_size=1, max_size=8
)


def naive_right(items: list[tuple[float, bool]], threshold: float) -> int:
    return sum((score >= threshold) == label for score, label in items)


@given(ITEMS)
def test_the_lowest_of_the_best_thresholds_wins(items) -> None:
    scores = sorted({score for score, _ in items})
    # From everything positive, over the points half-way between neighbours, to nothing positive.
    candidates = [scores[0]]
    candidates += [(one + other) / 2 for one, other in itertools.pairwise(scores)]
    candidates += [float("inf")]
    most = max(naive_right(items, threshold) for threshold in candidates)
    expected = next(threshold for threshold in candidates if naive_right(items, threshold) == most)
    assert best_threshold([score for score, _ in items], [label for _, label in items]) == expected


@given(ITEMS, st.sampled_from([-1.0, 0.0, 0.3, 0.5, 2.0]))
def test_classification_equals_a_table_of_four_counts(items, threshold) -> None:
    table = {(positive, label): 0 for positive in (True, False) for label in (True, False)}
    for score, label in items:
        table[score >= threshold, label] += 1
    found, wanted = table[True, True] + table[True, False], table[True, True] + table[False, True]
    precision = table[True, True] / found if found else 1
    recall = table[True, True] / wanted if wanted else 1
    result = classify([score for score, _ in items], [label for _, label in items], threshold)
    assert result.accuracy == pytest.approx((table[True, True] + table[False, False]) / len(items))
    assert (result.scores.precision, result.scores.recall) == pytest.approx((precision, recall))
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0
    assert result.scores.f1 == pytest.approx(f1)
    assert result.threshold == threshold


@given(st.lists(st.tuples(st.sampled_from([0.0, 0.3, 0.5, 0.9]), st.booleans()), min_size=1, max_size=10))
def test_no_threshold_is_better_than_the_best(items) -> None:
    scores, labels = [x[0] for x in items], [x[1] for x in items]
    best = classify(scores, labels, best_threshold(scores, labels)).accuracy
    for threshold in [-1, 0, 0.1, 0.3, 0.4, 0.5, 0.7, 0.9, 2]:
        assert classify(scores, labels, threshold).accuracy <= best + 1e-12


def test_classification_by_hand() -> None:
    found = classify([0.9, 0.8, 0.1, 0.7], [True, False, True, True], 0.7)
    assert found.accuracy == 0.5
    assert (found.scores.precision, found.scores.recall) == (pytest.approx(2 / 3), pytest.approx(2 / 3))
    with pytest.raises(InputError, match="expected as many scores as labels"):
        best_threshold([], [])
