"""Tests by resampling sentence pairs: whether one system is better, and how certain a score is."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from forest_align.eval.metrics.scores import Statistic
from forest_align.types import InputError

# Numbers drawn at a time: limits memory for any size of corpus (32 MiB of float64).
_CHUNK = 4_000_000


@dataclass(frozen=True, slots=True)
class Comparison:
    """A paired comparison of two systems.

    Attributes
    ----------
    difference : float
        Score of the first system minus that of the second.
    p_value : float
        Two-sided, in (0, 1].
    samples : int
        Number of shuffles.
    """

    difference: float
    p_value: float
    samples: int


def approximate_randomization(
    first: Statistic, second: Statistic, *, samples: int = 10_000, seed: int = 0
) -> Comparison:
    """Test whether two systems differ, by swapping their outputs pair by pair at random.

    Noreen 1989; Riezler and Maxwell 2005, with B = 10,000 as in Arase and Tsujii 2017, §6.3. If the systems
    were equally good, swapping their outputs on any sentence pair would change nothing:
    p = (1 + n) / (1 + B), where n shuffles have an absolute difference of at least the observed one.

    Parameters
    ----------
    first, second : Statistic
        The same score of two systems on the same pairs in the same order.
    samples, seed : int
        B, the number of shuffles, and their seed; the same seed gives the same p.

    Raises
    ------
    InputError
        If the two do not have the same pairs.
    """
    if first.contributions.shape != second.contributions.shape:
        sizes = f"{len(first.contributions)} and {len(second.contributions)}"
        raise InputError(f"expected scores on the same pairs, found {sizes}")
    total_first, total_second = first.contributions.sum(axis=0), second.contributions.sum(axis=0)
    change = second.contributions - first.contributions
    differing = change[change.any(axis=1)]
    observed = float(first.of_sums(total_first) - first.of_sums(total_second))
    # Swapped rows are summed in another order than the observed ones: allow for rounding.
    threshold = abs(observed) - 1e-12 * max(1.0, abs(observed))
    extreme = 0
    generator = np.random.default_rng(seed)
    for size in _chunks(samples, len(differing)):
        swapped = generator.integers(0, 2, (size, len(differing)), np.int8).astype(float) @ differing
        shuffled = first.of_sums(total_first + swapped) - first.of_sums(total_second - swapped)
        extreme += int((np.abs(shuffled) >= threshold).sum())
    return Comparison(observed, (1 + extreme) / (1 + samples), samples)


def bootstrap_interval(
    statistic: Statistic, *, confidence: float = 0.95, samples: int = 10_000, seed: int = 0
) -> tuple[float, float]:
    """Percentile interval of a score, by drawing sentence pairs with replacement (Efron and Tibshirani 1993).

    Parameters
    ----------
    statistic : Statistic
        The score.
    confidence : float
        Share of resampled scores inside the interval, in (0, 1).
    samples, seed : int
        Number of resamples, and their seed; the same seed gives the same interval.

    Raises
    ------
    InputError
        If there are no pairs or ``confidence`` is not in (0, 1).
    """
    if not 0 < confidence < 1:
        raise InputError(f"expected a confidence between 0 and 1, found {confidence}")
    rows = statistic.contributions
    if not len(rows):
        raise InputError("expected at least one pair to resample, found none")
    generator = np.random.default_rng(seed)
    shares = np.full(len(rows), 1 / len(rows))
    values = [
        statistic.of_sums(generator.multinomial(len(rows), shares, size).astype(float) @ rows)
        for size in _chunks(samples, len(rows))
    ]
    tail = (1 - confidence) / 2
    low, high = np.quantile(np.concatenate(values), [tail, 1 - tail])
    return float(low), float(high)


def _chunks(samples: int, width: int) -> Iterator[int]:
    most = max(1, _CHUNK // max(width, 1))
    while samples > 0:
        yield min(samples, most)
        samples -= most


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
