"""Options of the forest aligner's search: their bounds, and what is refused."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from forest_align.aligners.forest.options import BOUNDS, ForestOptions
from forest_align.em.tuning.forest_sweep import MORE, SPACE
from forest_align.types import InputError


def test_each_option_that_is_a_number_has_bounds_that_hold_its_default() -> None:
    numbers = {one.name: one.default for one in fields(ForestOptions) if type(one.default) in (int, float)}
    assert BOUNDS.keys() == numbers.keys()
    for name, default in numbers.items():
        assert BOUNDS[name][0] <= default <= BOUNDS[name][1], name
    for name, wanted in {**SPACE, **MORE}.items():
        assert BOUNDS[name][0] <= wanted.low < wanted.high <= BOUNDS[name][1], name
        assert wanted.integer == isinstance(numbers[name], int), name


def test_options_out_of_range_are_refused_by_name() -> None:
    with pytest.raises(InputError, match="strict"):
        ForestOptions(strict=1)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"'null_penalty': expected a number of at least 0, found nan"):
        ForestOptions(null_penalty=float("nan"))
    with pytest.raises(InputError, match=r"'beam': expected a whole number of at least 1, found 0"):
        ForestOptions(beam=0)
    with pytest.raises(InputError, match=r"'beam': expected a whole number of at least 1, found True"):
        ForestOptions(beam=True)
    with pytest.raises(InputError, match=r"'generation_gap': expected at most 100, found 101"):
        ForestOptions(generation_gap=101)
    assert ForestOptions(parser_weight=1.0, generation_gap=100).generation_gap == 100
    assert ForestOptions(beam=np.int64(3), link_weight=np.float32(0.5)).beam == 3  # type: ignore[arg-type]
