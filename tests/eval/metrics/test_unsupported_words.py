from __future__ import annotations

import numpy as np
import pytest

from forest_align.eval.metrics.pair_scores import area
from forest_align.eval.metrics.span_differences import unsupported_statistics


def test_figures_are_means_over_claims() -> None:
    wanted = [np.array([True, True, False, False]), np.array([True, False])]
    found = [np.array([True, False, True, False]), np.array([False, False])]
    figures = {name: one.value for name, one in unsupported_statistics(wanted, found).items()}
    assert figures == pytest.approx({"precision": 0.25, "recall": 0.25, "f1": 0.25})
    nothing = [np.zeros(3, bool)]
    assert unsupported_statistics(nothing, nothing)["f1"].value == 1


def test_the_area_counts_ties_half() -> None:
    assert area([0.9, 0.5, 0.5, 0.1], [True, True, False, False]) == 87.5
    assert area([0.9, 0.5], [True, True]) == 50
