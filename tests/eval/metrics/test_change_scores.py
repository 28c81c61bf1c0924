"""Edits and differing spans scored by hand; the pairing of spans against all permutations."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_align.eval.metrics.change_scores import (
    difference_statistics,
    edit_counts,
    edit_f1,
    edit_statistics,
    score_sentence,
    unsupported_statistics,
)
from forest_align.eval.metrics.scores import Scores

DELETED, INSERTED, REPLACED = ((1, 2), None), (None, (2, 3)), ((1, 3), (1, 3))


def test_the_version_with_the_highest_f1_counts() -> None:
    versions = [frozenset({DELETED, INSERTED}), frozenset({REPLACED})]
    assert edit_counts({DELETED}, versions) == (1, 1, 2)
    assert edit_counts({REPLACED}, versions) == (1, 1, 1)
    assert edit_counts(set(), [frozenset(), *versions]) == (0, 0, 0)


def test_f1_is_over_all_edits_of_a_corpus() -> None:
    assert edit_f1([(1, 1, 2), (1, 3, 1), (0, 0, 0)]) == pytest.approx(4 / 7)
    assert edit_f1([]) == 1.0


def test_the_figures_of_a_corpus() -> None:
    found = [{DELETED}, {REPLACED, INSERTED}, set()]
    versions = [[{DELETED, INSERTED}], [{REPLACED}], [set()]]
    values = {name: one.value for name, one in edit_statistics(found, versions).items()}
    assert values == pytest.approx(
        {
            "precision": 2 / 3,
            "recall": 2 / 3,
            "f1": 2 / 3,
            "replace.f1": 1.0,
            "delete.f1": 1.0,
            "insert.f1": 0.0,
            "exact": 1 / 3,
        }
    )


WORDS = ["the", "red", "dog", ",", "the", "cat", "and", "a", "bird", "sang"]


def test_spans_share_words() -> None:
    found = score_sentence(WORDS, [(1, 3)], [(2, 6)])
    # "dog , the cat": one of its three words is in "red dog"
    assert (found.precision, found.recall, found.f1) == pytest.approx((1 / 3, 1 / 2, 0.4))


def test_nothing_wanted_and_nothing_found_is_right() -> None:
    assert score_sentence(WORDS, [], []) == Scores(1, 1, 1)
    assert score_sentence(WORDS, [(0, 1)], []) == score_sentence(WORDS, [], [(0, 1)]) == Scores(0, 0, 0)


# Spans that do not overlap: the even places begin and the odd ones end them.
SPANS = st.lists(st.integers(0, 10), unique=True, max_size=8).map(
    lambda places: list(zip(*(sorted(places)[k : len(places) // 2 * 2 : 2] for k in (0, 1)), strict=True))
)


@given(SPANS, SPANS)
def test_spans_are_paired_so_that_their_ends_are_nearest(wanted, found) -> None:
    if len(wanted) > len(found):
        wanted, found = found, wanted
    costs = {
        order: sum(abs(a - c) + abs(b - d) for (a, b), (c, d) in zip(wanted, order, strict=True))
        for order in permutations(found, len(wanted))
    }
    best = [order for order, cost in costs.items() if cost == min(costs.values())]
    possible = {
        round(sum(score_sentence(WORDS, [a], [b]).f1 for a, b in zip(wanted, order, strict=True)), 9)
        for order in best
    }
    total = score_sentence(WORDS, wanted, found).f1 * max(len(found), 1)
    assert round(total, 9) in (possible if found else {1.0})


def test_figures_come_for_all_pairs_and_for_those_that_differ_or_not() -> None:
    right, wrong = Scores(1, 1, 1), Scores(0, 0, 0)
    pairs = [(right, right), (right, wrong), (wrong, wrong)]
    found = {name: one.value for name, one in difference_statistics(pairs, [False, True, True]).items()}
    assert found == {"precision": 0.5, "recall": 0.5, "f1": 0.5, "same.f1": 1, "different.f1": 0.25}


def test_figures_of_unsupported_words_are_means_over_claims() -> None:
    wanted = [np.array([True, True, False, False]), np.array([True, False])]
    found = [np.array([True, False, True, False]), np.array([False, False])]
    figures = {name: statistic.value for name, statistic in unsupported_statistics(wanted, found).items()}
    assert figures == pytest.approx({"precision": 0.25, "recall": 0.25, "f1": 0.25})
    nothing = [np.zeros(3, bool)]
    assert unsupported_statistics(nothing, nothing)["f1"].value == 1
