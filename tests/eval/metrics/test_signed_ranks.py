"""Wilcoxon's test against published tables, an enumeration of all signs, and scipy."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from forest_align.eval.metrics.significance import wilcoxon
from forest_align.types import InputError

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


@pytest.mark.parametrize(("number", "critical"), CRITICAL.items())
def test_p_values_are_those_of_the_published_table(number: int, critical: int) -> None:
    zeros = np.zeros(number)
    found = wilcoxon(differences(number, critical), zeros)
    assert (found.negative, found.differences) == (critical, number)
    assert found.p_value <= 0.05 < wilcoxon(differences(number, critical + 1), zeros).p_value


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
