"""Extrinsic scores: by hand, and against enumeration or scipy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from forest_align.eval.metrics.extrinsic import (
    best_threshold,
    classify,
    coverage,
    document_frequency_weights,
    mutual_coverage,
    pearson,
    pearson_statistic,
    rank,
    weighted_coverage,
    weighted_pearson,
)
from forest_align.types import InputError

SCORES = st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=6)


def test_mutual_coverage_is_the_score_of_sultan_et_al() -> None:
    sentences = ["the", "old", "dog", "barked"], ["a", "dog", "barked", "loudly", "at", "kim"]
    # aligned content words by the harmonic mean of the numbers of content words
    assert mutual_coverage(sentences, ({0, 2, 3}, {0, 1, 2})) == pytest.approx(2 / (2 * 3 * 4 / (3 + 4)))
    # "old dog" as a whole aligned to "dog": two and a half aligned words on average
    assert mutual_coverage(sentences, ({1, 2, 3}, {1, 2})) == pytest.approx(2.5 / (2 * 3 * 4 / (3 + 4)))
    assert mutual_coverage((["dog"], []), ({0}, set())) == mutual_coverage(([], []), (set(), set())) == 0


def test_a_sentence_of_stop_words_is_judged_by_all_its_words() -> None:
    assert coverage(["to", "be"], {0}) == 0.5
    assert coverage(["dog", "’s", "’re"], {0}) == 1
    assert weighted_coverage(["to", "be"], {0: 0.5}, {"to": 3.0, "be": 1.0}) == 0.375
    assert coverage([], set()) == weighted_coverage([], {}, {}) == 0


def test_words_that_stand_everywhere_count_alike_when_there_are_no_others() -> None:
    assert weighted_coverage(["dog", "cat"], {0: 0.5}, {"dog": 0.0, "cat": 0.0}) == 0.25


def test_rare_words_weigh_more_and_a_repeated_sentence_counts_once() -> None:
    weights = document_frequency_weights([["A", "dog"], ["a", "cat", "a"], ["A", "dog"]])
    assert weights == {"a": 0.0, "dog": pytest.approx(np.log(3 / 2)), "cat": pytest.approx(np.log(3 / 2))}


@settings(deadline=None)
@given(st.lists(st.tuples(st.floats(-50, 50), st.floats(-50, 50)), min_size=2, max_size=20))
def test_pearson_equals_scipy(points) -> None:
    a, b = np.array(points).T
    if a.std() < 1e-3 or b.std() < 1e-3:
        return
    assert pearson(a, b) == pytest.approx(stats.pearsonr(a, b).statistic, abs=1e-6)


@pytest.mark.parametrize("scale", [1e-9, 1e9])
def test_the_scale_of_scores_does_not_matter(scale: float) -> None:
    assert pearson([1 * scale, 2 * scale, 4 * scale], [2 * scale, 4 * scale, 8 * scale]) == pytest.approx(1)


@pytest.mark.parametrize("value", [0.1, 1 / 3, 1.3, 1e6 + 0.1])
@pytest.mark.parametrize("count", [3, 7, 50])
def test_a_sample_of_one_item_over_and_over_has_no_correlation(value: float, count: int) -> None:
    assert pearson([value] * count, np.arange(count)) == 0
    statistic = pearson_statistic([value, 2.0, 3.0], [value, 5.0, 4.0])
    assert statistic.of_sums(statistic.contributions[0] * count) == 0


def test_pearson_of_a_constant_is_zero() -> None:
    assert pearson([1, 1, 1], [1, 2, 3]) == 0
    with pytest.raises(InputError, match="expected 1 scores"):
        pearson([1], [1, 2])


def test_weights_are_the_sizes_of_the_sets() -> None:
    found = weighted_pearson(["up"] * 3 + ["down"] * 2, [0, 1, 2, 0, 1], [0, 10, 20, 7, 6])
    assert found.value == pytest.approx((3 * 1 + 2 * -1) / 5)
    assert weighted_pearson(["x", "x"], [1, 1], [1, 2]).value == 0
    assert weighted_pearson([], [], []).value == 0


@settings(deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.integers(-9, 9), st.integers(-9, 9)), min_size=1, max_size=20))
def test_the_weighted_correlation_is_the_mean_of_those_of_the_sets(items) -> None:
    expected = 0.0
    for name in (False, True):
        of_set = [(a, b) for its_set, a, b in items if its_set == name]
        expected += len(of_set) / len(items) * pearson([a for a, _ in of_set], [b for _, b in of_set])
    sets, first, second = zip(*items, strict=True)
    assert weighted_pearson(sets, first, second).value == pytest.approx(expected, abs=1e-9)


@settings(max_examples=100, deadline=None)
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


@settings(max_examples=60, deadline=None)
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
