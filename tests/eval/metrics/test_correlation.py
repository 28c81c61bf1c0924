"""Correlations: by hand, and against scipy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from forest_align.eval.metrics.pair_scores import pearson, pearson_statistic, weighted_pearson
from forest_align.types import InputError


@given(st.lists(st.tuples(st.floats(-50, 50), st.floats(-50, 50)), min_size=2, max_size=20))
def test_pearson_equals_scipy(points) -> None:
    a, b = np.array(points).T
    if a.std() < 1e-3 or b.std() < 1e-3:
        return
    assert pearson(a, b) == pytest.approx(stats.pearsonr(a, b).statistic, abs=1e-6)


@pytest.mark.parametrize("value", [0.1, 1 / 3, 1.3, 1e6 + 0.1])
@pytest.mark.parametrize("count", [3, 7, 50])
def test_a_sample_of_one_item_over_and_over_has_no_correlation(value: float, count: int) -> None:
    assert pearson([value] * count, np.arange(count)) == 0
    statistic = pearson_statistic([value, 2.0, 3.0], [value, 5.0, 4.0])
    assert statistic.of_sums(statistic.contributions[0] * count) == 0


def test_pearson_of_a_constant_is_zero() -> None:
    assert pearson([1, 1, 1], [1, 2, 3]) == 0
    with pytest.raises(InputError, match="expected 1 scores"):
        pearson([1], [1, 2])


@given(st.lists(st.tuples(st.booleans(), st.integers(-9, 9), st.integers(-9, 9)), min_size=1, max_size=20))
def test_the_weighted_correlation_is_the_mean_of_those_of_the_sets(items) -> None:
    expected = 0.0
    for name in (False, True):
        of_set = [(a, b) for its_set, a, b in items if its_set == name]
        expected += len(of_set) / len(items) * pearson([a for a, _ in of_set], [b for _, b in of_set])
    sets, first, second = zip(*items, strict=True)
    assert weighted_pearson(sets, first, second).value == pytest.approx(expected, abs=1e-9)
