"""Expected calibration error."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_align.eval.metrics.scores import calibrate
from forest_align.types import InputError


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1), st.integers(1, 20))
def test_error_equals_a_loop_over_bins(items, bins) -> None:
    total = 0.0
    for b in range(bins):
        inside = [x for x in items if min(int(x[0] * bins), bins - 1) == b]
        if inside:
            gap = np.mean([x[1] for x in inside]) - np.mean([x[0] for x in inside])
            total += len(inside) / len(items) * abs(gap)
    found = calibrate([x[0] for x in items], [x[1] for x in items], bins=bins).expected_error
    assert found == pytest.approx(total)


def test_numbers_that_are_no_probabilities_are_errors() -> None:
    with pytest.raises(InputError, match=r"from 0 to 1, found 1\.5"):
        calibrate([0.5, 1.5], [True, True])
    with pytest.raises(InputError, match="found nan"):
        calibrate([float("nan")], [True])
    with pytest.raises(InputError, match="expected 1 outcomes"):
        calibrate([0.5], [])
    with pytest.raises(InputError, match="at least 1 bin, found 0"):
        calibrate([0.5], [True], bins=0)
