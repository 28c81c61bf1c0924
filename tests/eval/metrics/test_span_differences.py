"""Spans that differ, scored by hand, and the pairing of spans against all permutations."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_align.eval.metrics.scores import Scores
from forest_align.eval.metrics.span_differences import (
    difference_statistics,
    score_sentence,
    unsupported_statistics,
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
