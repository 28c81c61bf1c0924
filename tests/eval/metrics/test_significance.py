"""Resampling tests against enumeration, Wilcoxon's test against published tables and scipy."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from itertools import product

import numpy as np
import pytest
from scipy import stats

from forest_align.eval.metrics.scores import MatchCounts, Statistic, mean
from forest_align.eval.metrics.significance import approximate_randomization, bootstrap_interval, wilcoxon
from forest_align.types import InputError


def exact_p(first: list[float], second: list[float]) -> float:
    """Share of all 2^N ways to swap that differ at least as much as the observed one."""
    observed = abs(np.mean(first) - np.mean(second))
    signs = itertools.product([1, -1], repeat=len(first))
    gaps = [abs(np.mean(np.array(s) * (np.array(first) - np.array(second)))) for s in signs]
    return float(np.mean([gap >= observed - 1e-12 for gap in gaps]))


def test_p_value_approaches_the_exact_one() -> None:
    first, second = [1.0, 0.8, 0.9, 0.7, 0.6, 0.9], [0.5, 0.9, 0.6, 0.6, 0.2, 0.9]
    found = approximate_randomization(mean(first), mean(second), samples=20_000)
    assert found.difference == pytest.approx(np.mean(first) - np.mean(second))
    assert found.p_value == pytest.approx(exact_p(first, second), abs=0.01)


def test_the_smallest_p_is_one_in_b_plus_one() -> None:
    found = approximate_randomization(mean(np.ones(200)), mean(np.zeros(200)), samples=999)
    assert found.p_value == 1 / 1000


def test_a_seed_fixes_p_and_chunks_do_not_change_the_verdict() -> None:
    rng = np.random.default_rng(5)
    a, b = (MatchCounts.of(rng.integers(1, 5, (300, 4)) + np.array([0, 5, 0, 5])) for _ in range(2))
    first, second = a.micro_statistics()["f1"], b.micro_statistics()["f1"]
    once = approximate_randomization(first, second, seed=3)
    assert once == approximate_randomization(first, second, seed=3)
    swapped = approximate_randomization(second, first, seed=3)
    assert swapped.difference == pytest.approx(-once.difference)
    assert swapped.p_value == pytest.approx(once.p_value, abs=0.03)


def test_pooled_f1_is_recomputed_for_each_shuffle() -> None:
    a, b = MatchCounts.of([[3, 4, 3, 6], [1, 1, 1, 1]]), MatchCounts.of([[1, 5, 1, 6], [1, 2, 1, 1]])
    observed = abs(a.micro().f1 - b.micro().f1)
    gaps = []
    for swap in itertools.product([False, True], repeat=2):
        one = [b.rows[k] if swap[k] else a.rows[k] for k in range(2)]
        other = [a.rows[k] if swap[k] else b.rows[k] for k in range(2)]
        gaps.append(abs(MatchCounts.of(one).micro().f1 - MatchCounts.of(other).micro().f1))
    exact = np.mean([gap >= observed - 1e-12 for gap in gaps])
    found = approximate_randomization(a.micro_statistics()["f1"], b.micro_statistics()["f1"])
    assert found.p_value == pytest.approx(exact, abs=0.02)


def test_bad_arguments_are_errors() -> None:
    with pytest.raises(InputError, match="same pairs, found 1 and 2"):
        approximate_randomization(mean([1]), mean([1, 0]))
    with pytest.raises(InputError, match="at least one pair"):
        bootstrap_interval(mean([]))
    with pytest.raises(InputError, match="between 0 and 1"):
        bootstrap_interval(mean([1]), confidence=95)


Row = tuple[int, int, int]


def naive_micro(rows: Sequence[Row]) -> float:
    right, found, wanted = (sum(row[k] for row in rows) for k in range(3))
    return 2 * right / (found + wanted)


def naive_macro(rows: Sequence[Row]) -> float:
    precision = sum(row[0] / row[1] for row in rows) / len(rows)
    recall = sum(row[0] / row[2] for row in rows) / len(rows)
    return 2 * precision * recall / (precision + recall) if precision + recall else 0


def micro(counts: MatchCounts) -> Statistic:
    return counts.micro_statistics()["f1"]


def macro(counts: MatchCounts) -> Statistic:
    return counts.macro_statistics()["f1"]


@pytest.mark.parametrize(("score", "naive"), [(micro, naive_micro), (macro, naive_macro)])
@pytest.mark.parametrize("seed", range(2))
def test_the_interval_has_the_right_share_of_all_resamples_on_either_side(
    seed: int, score: Callable[[MatchCounts], Statistic], naive: Callable[[Sequence[Row]], float]
) -> None:
    random = np.random.default_rng(seed)
    found, wanted = random.integers(1, 9, (2, 5))
    right = random.integers(0, np.minimum(found, wanted) + 1)
    rows = list(zip(right.tolist(), found.tolist(), wanted.tolist(), strict=True))
    counts = MatchCounts.of([(r, f, r, w) for r, f, w in rows])
    # Every way to draw five pairs out of five, each as likely as the others.
    scores = np.array([naive(drawn) for drawn in itertools.product(rows, repeat=5)])
    for confidence in (0.5, 0.8, 0.95):
        low, high = bootstrap_interval(score(counts), confidence=confidence, seed=seed)
        tail = (1 - confidence) / 2
        # Five standard errors of a share of 10,000 resamples.
        tolerance = 5 * (tail * (1 - tail) / 10_000) ** 0.5
        assert np.mean(scores < low - 1e-9) <= tail + tolerance
        assert np.mean(scores <= low + 1e-9) >= tail - tolerance
        assert np.mean(scores > high + 1e-9) <= tail + tolerance
        assert np.mean(scores >= high - 1e-9) >= tail - tolerance


#: Largest sum of ranks that is significant at 0.05, two-sided, for this number of differences (Wilcoxon and
#: Wilcox 1964; the table that text books print).
CRITICAL = {6: 0, 7: 2, 8: 3, 9: 5, 10: 8, 12: 13, 15: 25, 20: 52, 25: 89, 30: 137, 40: 264, 50: 434}


def differences(number: int, negative: int) -> np.ndarray:
    """Differences 1 to ``number`` of which the negative ones have this sum of ranks."""
    change = np.arange(1, number + 1).astype(float)
    for k in range(number, 0, -1):
        if k <= negative:
            change[k - 1], negative = -float(k), negative - k
    return change


def test_p_values_are_those_of_the_published_table() -> None:
    for number, critical in CRITICAL.items():
        zeros = np.zeros(number)
        result = wilcoxon(differences(number, critical), zeros)
        assert (result.negative, result.differences) == (critical, number)
        assert result.p_value <= 0.05 < wilcoxon(differences(number, critical + 1), zeros).p_value


def test_shared_ranks_are_tested_exactly() -> None:
    change = np.array([0.0, 1, 1, -1, 2, -2, 3, 0])
    ranks = np.array([2, 2, 2, 4.5, 4.5, 6])
    sums = [
        sum(rank for rank, sign in zip(ranks, signs, strict=True) if sign)
        for signs in product((0, 1), repeat=6)
    ]
    found = wilcoxon(change, np.zeros(8))
    assert (found.positive, found.negative, found.differences) == (14.5, 6.5, 6)
    assert found.p_value == pytest.approx(min(1, 2 * np.mean(np.array(sums) >= 14.5)))


@pytest.mark.parametrize("seed", range(6))
def test_large_samples_agree_with_scipy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    one = rng.integers(0, 9, 300) / 8
    other = np.clip(one + rng.integers(-2, 3, 300) / 8 - 0.03 * seed, 0, 1)
    expected = stats.wilcoxon(
        np.round(one - other, 12), zero_method="wilcox", correction=False, method="approx"
    )
    assert wilcoxon(one, other).p_value == pytest.approx(expected.pvalue, rel=1e-9)


def test_scores_of_other_pairs_are_refused() -> None:
    with pytest.raises(InputError, match="found 2 and 3"):
        wilcoxon(np.zeros(2), np.zeros(3))
    with pytest.raises(InputError, match="finite"):
        wilcoxon(np.array([np.nan]), np.zeros(1))
