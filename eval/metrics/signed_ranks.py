"""Wilcoxon's signed-rank test (1945), with which Thadani et al. (2012, §6) compare the F1 of pairs."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from forest_align.types import InputError

# For more differences than these, the normal distribution is as good as the exact one.
_EXACT = 50


@dataclass(frozen=True, slots=True)
class SignedRanks:
    """The result of a test.

    Attributes
    ----------
    positive, negative : float
        Sum of the ranks of the differences above 0, and of those below 0.
    differences : int
        Number of differences other than 0.
    p_value : float
        Two-sided, in (0, 1].
    """

    positive: float
    negative: float
    differences: int
    p_value: float


def wilcoxon(first: np.ndarray, second: np.ndarray) -> SignedRanks:
    """Test whether the paired differences of two systems' scores are symmetric around 0.

    Differences of 0 are dropped, and equal ones share their mean rank. Up to 50 differences the p-value is
    exact, also for shared ranks. For more it is that of the normal distribution, with the variance corrected
    for shared ranks and without correction for continuity.

    Parameters
    ----------
    first, second : numpy.ndarray
        float, shape (N,): a score of each of the same N pairs, in the same order.

    Raises
    ------
    InputError
        If the two differ in length, or a score is not finite.
    """
    one, other = np.asarray(first, float).ravel(), np.asarray(second, float).ravel()
    if len(one) != len(other):
        raise InputError(f"expected scores of the same pairs, found {len(one)} and {len(other)}")
    change = one - other
    if not np.isfinite(change).all():
        raise InputError("expected finite scores")
    # Differences that rounding alone makes are none, and differences that differ by it alone are equal.
    change = np.round(change, 12)
    change = change[change != 0]
    ranks = _ranks(np.abs(change))
    positive = float(ranks[change > 0].sum())
    negative = float(ranks[change < 0].sum())
    p_value = _exact(ranks, positive) if len(ranks) <= _EXACT else _normal(ranks, positive)
    return SignedRanks(positive, negative, len(ranks), p_value)


def _ranks(values: np.ndarray) -> np.ndarray:
    """Ranks from 1; equal values share their mean."""
    _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)
    return np.asarray((last - (sizes - 1) / 2)[group], float)


def _exact(ranks: np.ndarray, positive: float) -> float:
    """Share of all assignments of signs whose sum of positive ranks is at least as far from the mean."""
    doubled = np.rint(2 * ranks).astype(int)
    ways = np.zeros(int(doubled.sum()) + 1)
    ways[0] = 1.0
    for rank in doubled:
        ways[rank:] += ways[: len(ways) - rank].copy()
    place = round(2 * positive)
    tail = min(ways[: place + 1].sum(), ways[place:].sum()) / 2.0 ** len(ranks)
    return float(min(1.0, 2 * tail))


def _normal(ranks: np.ndarray, positive: float) -> float:
    mean = ranks.sum() / 2
    deviation = math.sqrt(float((ranks**2).sum()) / 4)
    return max(math.erfc(abs(positive - mean) / deviation / math.sqrt(2)), math.ulp(0.0))
