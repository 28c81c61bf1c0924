"""The k best alignments are those that an enumeration of all derivations finds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forest_align.aligners.forest_kbest import k_best
from forest_align.cext import alignment

from ..cext import alignment_cases as cases


@settings(max_examples=100, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10**6))
def test_k_best_are_the_best_of_all_derivations(seed: int) -> None:
    case = cases.random_case(seed, 5, 1, density=0.35)
    options = {
        "null_penalty": 1.2,
        "noncompositional_penalty": 0.7,
        "generation_gap": 3,
        "allow_noncompositional": True,
        "allow_single_support": seed % 2 == 0,
    }
    unlimited = {"beam": 10**9, "opened_supports": 10**9, "max_items": 10**9}
    found = alignment.align(*case, **options, **unlimited, packed=True)
    got = list(k_best(found, case[2], case[9], 10))
    scores = [one.log_score for one in got]
    assert scores == pytest.approx(cases.best_scores(case, options)[: len(scores)])
    assert len(scores) == min(10, len(cases.best_scores(case, options)))
    if got:
        for name in ("source", "target", "kind", "parent", "absorbed", "source_edges", "source_nulls"):
            assert np.array_equal(getattr(got[0], name), getattr(found, name)), name


def test_the_packed_forest_is_needed() -> None:
    case = cases.random_case(1, 4, 1)
    with pytest.raises(ValueError, match="packed"):
        k_best(alignment.align(*case), case[2], case[9])
