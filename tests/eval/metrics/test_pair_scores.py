"""Correlation, ranking, classification and coverage of sentence pairs against second implementations."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from forest_align.eval.metrics.pair_scores import (
    area,
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


@given(st.lists(st.tuples(st.floats(-50, 50), st.floats(-50, 50)), min_size=2, max_size=20))
def test_pearson_equals_scipy(points) -> None:
    a, b = np.array(points).T
    if a.std() < 1e-3 or b.std() < 1e-3:
        return
    assert pearson(a, b) == pytest.approx(stats.pearsonr(a, b).statistic, abs=1e-6)


def test_a_sample_of_one_item_over_and_over_has_no_correlation() -> None:
    for value, count in itertools.product([0.1, 1 / 3, 1.3, 1e6 + 0.1], [3, 7, 50]):
        assert pearson([value] * count, np.arange(count)) == 0
        statistic = pearson_statistic([value, 2.0, 3.0], [value, 5.0, 4.0])
        assert statistic.of_sums(statistic.contributions[0] * count) == 0


@given(st.lists(st.tuples(st.booleans(), st.integers(-9, 9), st.integers(-9, 9)), min_size=1, max_size=20))
def test_the_weighted_correlation_is_the_mean_of_those_of_the_sets(items) -> None:
    expected = 0.0
    for name in (False, True):
        of_set = [(a, b) for its_set, a, b in items if its_set == name]
        expected += len(of_set) / len(items) * pearson([a for a, _ in of_set], [b for _, b in of_set])
    sets, first, second = zip(*items, strict=True)
    assert weighted_pearson(sets, first, second).value == pytest.approx(expected, abs=1e-9)


RANKED = st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=6)


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


@given(RANKED, st.data())
def test_ties_get_the_exact_expectation_over_all_orders(scores, data) -> None:
    labels = data.draw(st.lists(st.booleans(), min_size=len(scores), max_size=len(scores)))
    # The question of a single candidate is skipped.
    found = rank(["q"] * len(scores) + ["other"], [*scores, 0.5], [*labels, True])
    if 0 < sum(labels) < len(labels):
        precision, reciprocal = naive_ranking(scores, labels)
        assert found.average_precision.mean() == pytest.approx(precision)
        assert found.reciprocal_rank.mean() == pytest.approx(reciprocal)
    else:
        assert len(found.average_precision) == 0


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


# Whether each is a content word: no function word of Sultan et al. and with a letter or digit.
IS_CONTENT = {
    "dog": True, "Dog": True, "barked": True, "Kim": True, "3": True, "U.S.": True,
    "the": False, "The": False, "of": False, "was": False, "'s": False, "n’t": False, ",": False, "--": False,
}  # fmt: skip

SENTENCE = st.lists(st.sampled_from(sorted(IS_CONTENT)), max_size=7)


def naive_counted(words: list[str]) -> list[int]:
    """Places of the content words; of all words where there is no content word."""
    places = [place for place in range(len(words)) if IS_CONTENT[words[place]]]
    return places if places else [*range(len(words))]


@given(SENTENCE, st.sets(st.integers(0, 6)))
def test_coverage_equals_a_plain_count(words, aligned) -> None:
    hit = all_of_them = 0
    for place in naive_counted(words):
        all_of_them += 1
        if place in aligned:
            hit += 1
    assert coverage(words, aligned) == pytest.approx(hit / all_of_them if words else 0)


@given(SENTENCE, SENTENCE, st.sets(st.integers(0, 6)), st.sets(st.integers(0, 6)))
def test_mutual_coverage_is_the_formula_of_sultan_et_al(source, target, ours, theirs) -> None:
    of_source, of_target = naive_counted(source), naive_counted(target)
    expected = 0.0
    if source and target:
        n, m = len(of_source), len(of_target)
        count = (len([k for k in of_source if k in ours]) + len([k for k in of_target if k in theirs])) / 2
        expected = count / (2 * n * m / (n + m))
    assert mutual_coverage((source, target), (ours, theirs)) == pytest.approx(expected)


CREDITS = st.dictionaries(st.integers(0, 6), st.sampled_from([0.0, 0.25, 0.5, 1.0]), max_size=7)

WEIGHTS = st.fixed_dictionaries(
    {word.lower(): st.sampled_from([0.0, 0.5, 1.0, 3.0]) for word in sorted(IS_CONTENT)}
)


@given(SENTENCE, CREDITS, WEIGHTS)
def test_weighted_coverage_equals_sums_over_words(words, credits, weights) -> None:
    got = most = even = 0.0
    places = naive_counted(words)
    for place in places:
        weight, credit = weights[words[place].lower()], credits.get(place, 0)
        got, most, even = got + weight * credit, most + weight, even + credit
    # Where no word has any weight, all have the same.
    expected = got / most if most else even / len(places) if places else 0
    assert weighted_coverage(words, credits, weights) == pytest.approx(expected)


@given(st.lists(SENTENCE, max_size=6))
def test_weights_equal_counts_over_different_sentences(sentences) -> None:
    different: list[list[str]] = []
    for sentence in sentences:
        if sentence not in different:
            different.append(sentence)
    expected = {}
    for word in {word.lower() for sentence in sentences for word in sentence}:
        count = sum(any(other.lower() == word for other in sentence) for sentence in different)
        expected[word] = math.log((len(different) + 1) / (count + 1))
    assert document_frequency_weights(sentences) == pytest.approx(expected)


def test_series_of_other_lengths_are_refused() -> None:
    with pytest.raises(InputError, match="expected 1 scores"):
        pearson([1], [1, 2])
    with pytest.raises(InputError, match="2 candidates, 1 scores and 2 labels"):
        rank(["a", "a"], [1.0], [True, False])
    with pytest.raises(InputError, match="expected as many scores as labels"):
        best_threshold([], [])


def test_the_area_counts_ties_half() -> None:
    assert area([0.9, 0.5, 0.5, 0.1], [True, True, False, False]) == 87.5
    assert area([0.9, 0.5], [True, True]) == 50
