"""Calibration of probabilities: expected calibration error of links and phrases."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from forest_align.alignment import Links
from forest_align.types import InputError


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
    if not np.all((predicted >= 0) & (predicted <= 1)):
        worst = predicted[~((predicted >= 0) & (predicted <= 1))][0]
        raise InputError(f"expected probabilities from 0 to 1, found {worst}")
    index = np.minimum((predicted * bins).astype(int), bins - 1)
    count = np.bincount(index, minlength=bins)
    with np.errstate(invalid="ignore"):
        return Calibration(
            np.bincount(index, predicted, bins) / count, np.bincount(index, outcome, bins) / count, count
        )


def calibrate_links(pairs: Iterable[tuple[Links, Links]]) -> Calibration:
    """Compare probabilities of predicted word links with their frequency in the gold, whose links all count.

    Raises InputError if predicted links have no scores, or scores that are not probabilities.
    """
    probabilities: list[float] = []
    right: list[bool] = []
    for predicted, gold in pairs:
        if predicted.scores is None and len(predicted):
            raise InputError("expected predicted links with probabilities, found none", field="scores")
        wanted = set(gold.pairs)
        probabilities += predicted.scores or ()
        right += [pair in wanted for pair in predicted.pairs]
    return calibrate(probabilities, right)
