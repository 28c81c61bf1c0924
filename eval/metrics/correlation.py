"""Correlation of scores with human judgements of similarity."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from forest_align.eval.metrics.scores import Statistic, safe_divide
from forest_align.types import InputError


def pearson(first: Sequence[float], second: Sequence[float]) -> float:
    """Correlation of two series; 0 if one of them is constant. Raises InputError if they differ in length."""
    if len(first) != len(second):
        raise InputError(f"expected {len(first)} scores, one an item, found {len(second)}")
    return pearson_statistic(first, second).value


def pearson_statistic(first: Sequence[float] | np.ndarray, second: Sequence[float] | np.ndarray) -> Statistic:
    """Correlation as a function of sums, ready for significance tests.

    Both series are first standardised to mean 0 and variance 1, which does not change the correlation.
    Rounding errors then do not depend on the mean or the scale.
    """
    a, b = _standard(first), _standard(second)
    return Statistic(np.stack([np.ones_like(a), a, b, a * a, b * b, a * b], axis=1), _pearson_of_sums)


def _pearson_of_sums(sums: np.ndarray) -> np.ndarray:
    n, a, b, aa, bb, ab = np.moveaxis(sums, -1, 0)
    spread = (n * aa - a * a) * (n * bb - b * b)
    # After rounding, a constant series can have a spread of about 1e-16 of its size.
    is_constant = spread <= 1e-12 * (n * aa) * (n * bb)
    return safe_divide(n * ab - a * b, np.sqrt(np.where(is_constant, 0, spread)), when_empty=0.0)


def weighted_pearson(
    sets: Sequence[Hashable], predicted: Sequence[float], gold: Sequence[float]
) -> Statistic:
    """Average the correlations of several sets, weighted by their sizes (*SEM 2013 STS).

    Scores are standardised to mean 0 and variance 1 within each set, so that the randomization test may swap
    those of two systems.
    """
    names = list(dict.fromkeys(sets))
    rows = np.zeros((len(sets), len(names), 6))
    for place, name in enumerate(names):
        of_set = np.array([its_set == name for its_set in sets])
        a, b = (np.asarray(values, float)[of_set] for values in (predicted, gold))
        rows[of_set, place] = pearson_statistic(a, b).contributions

    def of_sums(sums: np.ndarray) -> np.ndarray:
        by_set = sums.reshape(*sums.shape[:-1], len(names), 6)
        sizes = by_set[..., 0]
        return safe_divide((sizes * _pearson_of_sums(by_set)).sum(-1), sizes.sum(-1), when_empty=0.0)

    return Statistic(rows.reshape(len(sets), 6 * len(names)), of_sums)


def _standard(series: Sequence[float] | np.ndarray) -> np.ndarray:
    """Values standardised to mean 0 and variance 1; all 0 if the series is constant."""
    values = np.asarray(series, float)
    if not len(values) or values.min() == values.max():
        return np.zeros_like(values)
    centred = values - values.mean()
    result: np.ndarray = centred / centred.std()
    return result
