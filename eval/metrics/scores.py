"""Counts of matches per sentence pair, and the scores that are functions of their sums.

Every metric here reduces to one idea: each sentence pair contributes a row of numbers, and the score is a
function of the column sums. Point estimates, randomization tests and bootstrap intervals then need one
implementation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np


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
    """The plain mean of one number a pair; 1 over no pairs."""
    column = np.asarray(values, float).reshape(-1, 1)
    return Statistic(np.hstack([column, np.ones_like(column)]), _mean_of_sums)


def share(found: Sequence[float] | np.ndarray, totals: Sequence[float] | np.ndarray) -> Statistic:
    """The share of items that were found, pooled over pairs, each float (N,); 1 over no items."""
    rows = np.stack([np.asarray(found, float), np.asarray(totals, float)], axis=1)
    return Statistic(rows, _mean_of_sums)


def _mean_of_sums(sums: np.ndarray) -> np.ndarray:
    return safe_divide(sums[..., 0], sums[..., 1])


def _f1_of_means(sums: np.ndarray) -> np.ndarray:
    return harmonic_mean(safe_divide(sums[..., 0], sums[..., 2]), safe_divide(sums[..., 1], sums[..., 2]))


def _pooled_precision(sums: np.ndarray) -> np.ndarray:
    return safe_divide(sums[..., 0], sums[..., 1])


def _pooled_recall(sums: np.ndarray) -> np.ndarray:
    return safe_divide(sums[..., 2], sums[..., 3])


def _pooled_f1(sums: np.ndarray) -> np.ndarray:
    return harmonic_mean(_pooled_precision(sums), _pooled_recall(sums))


def ratio_statistics(
    rows: np.ndarray, ratios: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
) -> dict[str, Statistic]:
    """Precision, recall and F1 by name, ready for significance tests.

    ``rows`` are float64 (N, K) for N sentence pairs; ``ratios`` computes precision and recall from column
    sums.
    """
    return {
        "precision": Statistic(rows, lambda sums: ratios(sums)[0]),
        "recall": Statistic(rows, lambda sums: ratios(sums)[1]),
        "f1": Statistic(rows, lambda sums: harmonic_mean(*ratios(sums))),
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

    def pair_precision(self) -> np.ndarray:
        """Precision of each pair, shape (N,); 1 where nothing was predicted."""
        return _pooled_precision(self.rows)

    def pair_recall(self) -> np.ndarray:
        """Recall of each pair, shape (N,); 1 where nothing was wanted."""
        return _pooled_recall(self.rows)

    def macro(self) -> Scores:
        """Means of the pairs' precision and recall; F1 is that of the two means, not the mean of F1s."""
        return Scores.of(mean(self.pair_precision()).value, mean(self.pair_recall()).value)

    def micro(self) -> Scores:
        """Precision, recall and F1 of the counts pooled over all pairs."""
        return Scores.of(
            Statistic(self.rows, _pooled_precision).value, Statistic(self.rows, _pooled_recall).value
        )

    def macro_statistics(self) -> dict[str, Statistic]:
        """The macro-averaged figures, ready for significance tests."""
        precision, recall = self.pair_precision(), self.pair_recall()
        both = np.stack([precision, recall, np.ones_like(precision)], axis=1)
        return {"precision": mean(precision), "recall": mean(recall), "f1": Statistic(both, _f1_of_means)}

    def micro_statistics(self) -> dict[str, Statistic]:
        """The pooled figures, ready for significance tests."""
        return {
            "precision": Statistic(self.rows, _pooled_precision),
            "recall": Statistic(self.rows, _pooled_recall),
            "f1": Statistic(self.rows, _pooled_f1),
        }
