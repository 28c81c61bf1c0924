"""Counts of matches per sentence pair, scores that are functions of their sums, and calibration.

Every metric here reduces to one idea: each sentence pair contributes a row of numbers, and the score is a
function of the column sums. Point estimates, randomization tests and bootstrap intervals then need one
implementation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from forest_align.types import InputError


def safe_divide(
    numerator: np.ndarray | float, denominator: np.ndarray | float, when_empty: float = 1.0
) -> np.ndarray:
    """Divide elementwise; ``when_empty`` where the denominator is 0."""
    top, bottom = np.broadcast_arrays(np.asarray(numerator, float), np.asarray(denominator, float))
    result: np.ndarray = np.full(bottom.shape, when_empty)
    np.divide(top, bottom, out=result, where=bottom != 0)
    return result


def harmonic_mean(first: np.ndarray | float, second: np.ndarray | float) -> np.ndarray:
    """2ab / (a + b) elementwise, such as F1 of precision and recall; 0 where both are 0."""
    a, b = np.asarray(first, float), np.asarray(second, float)
    return safe_divide(2 * a * b, a + b, when_empty=0.0)


@dataclass(frozen=True, slots=True)
class Scores:
    """Precision, recall and F1, each a fraction in [0, 1]."""

    precision: float
    recall: float
    f1: float

    @classmethod
    def of(cls, precision: float, recall: float) -> Scores:
        """F1 is the harmonic mean of the two."""
        return cls(float(precision), float(recall), float(harmonic_mean(precision, recall)))


@dataclass(frozen=True, slots=True, eq=False)
class Statistic:
    """A corpus score that is a function of sums over sentence pairs."""

    contributions: np.ndarray  # float64, (N, K), for N pairs
    # Column sums (..., K) -> scores (...); the same for both systems.
    of_sums: Callable[[np.ndarray], np.ndarray]

    @property
    def value(self) -> float:
        """The score of the whole corpus."""
        return float(self.of_sums(self.contributions.sum(axis=0)))


def mean(values: Sequence[float] | np.ndarray) -> Statistic:
    """The plain mean of one number per pair; 1 over no pairs."""
    return share(values, np.ones(len(values)))


def share(found: Sequence[float] | np.ndarray, totals: Sequence[float] | np.ndarray) -> Statistic:
    """The share of items that were found, pooled over pairs, each float (N,); 1 over no items."""
    rows = np.stack([np.asarray(found, float), np.asarray(totals, float)], axis=1)
    return Statistic(rows, lambda sums: safe_divide(sums[..., 0], sums[..., 1]))


@dataclass(frozen=True, slots=True, eq=False)
class PooledScores:
    """Precision and recall as functions of sums over N sentence pairs."""

    rows: np.ndarray  # float64, (N, K)
    ratios: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]  # column sums -> precision and recall

    @property
    def scores(self) -> Scores:
        """Precision, recall and F1 over all pairs."""
        precision, recall = self.ratios(self.rows.sum(axis=0))
        return Scores.of(float(precision), float(recall))

    def statistics(self) -> dict[str, Statistic]:
        """The figures by name, ready for significance tests."""
        return {
            "precision": Statistic(self.rows, lambda sums: self.ratios(sums)[0]),
            "recall": Statistic(self.rows, lambda sums: self.ratios(sums)[1]),
            "f1": Statistic(self.rows, lambda sums: harmonic_mean(*self.ratios(sums))),
        }


@dataclass(frozen=True, slots=True, eq=False)
class MatchCounts:
    """Numbers of predicted, wanted and matching items of N sentence pairs.

    ``rows``, float64 (N, 4): right predictions, predictions, wanted items found, wanted items. Precision and
    recall have numerators of their own because they are often judged against different sets (precision on
    *possible*, recall on *sure*).
    """

    rows: np.ndarray

    @classmethod
    def of(cls, rows: Sequence[Sequence[float]]) -> MatchCounts:
        """Build from rows of four numbers, one for each pair."""
        return cls(np.asarray(rows, float).reshape(-1, 4))

    @classmethod
    def of_tables(cls, tables: Iterable[tuple[np.ndarray, np.ndarray]]) -> MatchCounts:
        """Count the links of each pair in two tables, bool (n, m): those made, and those wanted."""
        rows = [((made & wanted).sum(), made.sum(), wanted.sum()) for made, wanted in tables]
        return cls.of([(right, made, right, wanted) for right, made, wanted in rows])

    def pair_precision(self) -> np.ndarray:
        """Precision of each pair, shape (N,); 1 where nothing was predicted."""
        return _match_ratios(self.rows)[0]

    def pair_recall(self) -> np.ndarray:
        """Recall of each pair, shape (N,); 1 where nothing was wanted."""
        return _match_ratios(self.rows)[1]

    def pair_f1(self) -> np.ndarray:
        """F1 of each pair, shape (N,)."""
        return harmonic_mean(*_match_ratios(self.rows))

    def macro(self) -> Scores:
        """Means of the pairs' precision and recall; F1 is that of the two means, not the mean of F1s."""
        return Scores.of(mean(self.pair_precision()).value, mean(self.pair_recall()).value)

    def micro(self) -> Scores:
        """Precision, recall and F1 of the counts pooled over all pairs."""
        return PooledScores(self.rows, _match_ratios).scores

    def macro_statistics(self) -> dict[str, Statistic]:
        """The macro-averaged figures, ready for significance tests."""
        precision, recall = _match_ratios(self.rows)
        both = np.stack([precision, recall, np.ones_like(precision)], axis=1)
        return {"precision": mean(precision), "recall": mean(recall), "f1": Statistic(both, _f1_of_means)}

    def micro_statistics(self) -> dict[str, Statistic]:
        """The pooled figures, ready for significance tests."""
        return PooledScores(self.rows, _match_ratios).statistics()


def _match_ratios(sums: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return safe_divide(sums[..., 0], sums[..., 1]), safe_divide(sums[..., 2], sums[..., 3])


def _f1_of_means(sums: np.ndarray) -> np.ndarray:
    return harmonic_mean(safe_divide(sums[..., 0], sums[..., 2]), safe_divide(sums[..., 1], sums[..., 2]))


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """Predicted probability against observed frequency, in bins of equal width."""

    predicted: np.ndarray  # float64, (B,): mean probability; NaN for empty bins
    observed: np.ndarray  # float64, (B,): share of right items; NaN for empty bins
    count: np.ndarray  # int64, (B,): items in [b/B, (b+1)/B), the last also 1

    @property
    def expected_error(self) -> float:
        """Mean of |observed − predicted| over items (Naeini et al. 2015); 0 over no items."""
        total = self.count.sum()
        return float(np.nansum(np.abs(self.observed - self.predicted) * self.count) / total) if total else 0.0


def calibrate(
    probabilities: Sequence[float] | np.ndarray, right: Sequence[bool] | np.ndarray, *, bins: int = 10
) -> Calibration:
    """Compare probabilities with outcomes.

    Parameters
    ----------
    probabilities : array of float, shape (N,)
        Predicted probability of each item, in [0, 1].
    right : array of bool, shape (N,)
        Whether the item is in the gold.
    bins : int
        Number of bins of equal width.

    Raises
    ------
    InputError
        If the shapes differ, a probability is outside [0, 1] or there is no bin.
    """
    if bins < 1:
        raise InputError(f"expected at least 1 bin, found {bins}", field="bins")
    predicted, outcome = np.asarray(probabilities, float).ravel(), np.asarray(right, float).ravel()
    if len(predicted) != len(outcome):
        raise InputError(f"expected {len(predicted)} outcomes, one a probability, found {len(outcome)}")
    if len(wrong := predicted[~((predicted >= 0) & (predicted <= 1))]):
        raise InputError(f"expected probabilities from 0 to 1, found {wrong[0]}")
    index = np.minimum((predicted * bins).astype(int), bins - 1)
    count = np.bincount(index, minlength=bins)
    with np.errstate(invalid="ignore"):
        means, shares = (np.bincount(index, values, bins) / count for values in (predicted, outcome))
    return Calibration(means, shares, count)
