"""Resampling tests against exact enumeration and hand-computed cases."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from forest_align.eval.metrics.scores import MatchCounts, mean
from forest_align.eval.metrics.significance import approximate_randomization, bootstrap_interval
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
