"""Sums over the pairs of an epoch."""

from __future__ import annotations

import numpy as np

from forest_align.em.forest.expectation import PairExpectation, Totals


def test_sums_over_pairs() -> None:
    reached = PairExpectation(np.array([1]), -4.0, True, 2, 9)
    missed = PairExpectation(np.zeros(0, np.int64), 0.0, False, 7, 9)
    totals = Totals.of(reached) + Totals.of(missed) + Totals.of(reached)
    assert totals == Totals(3, 2, -8.0, 11, 27)
    assert (totals.reachability, totals.null_share) == (2 / 3, 11 / 27)
    assert (Totals().reachability, Totals().null_share) == (0, 0)
