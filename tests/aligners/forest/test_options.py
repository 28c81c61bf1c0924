"""Options of the search and numbers of the calibration: bounds, what is refused, probabilities."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_align.aligners.forest import features as phrase_features
from forest_align.aligners.forest import prepared_pair
from forest_align.aligners.forest.aligner import ForestAligner, bundled_model
from forest_align.aligners.forest.model import ForestModel
from forest_align.aligners.forest.options import BOUNDS, ForestOptions, PhraseCalibration
from forest_align.aligners.words.lexical import GivenCandidates
from forest_align.alignment import Links
from forest_align.cext.alignment_arrays import SideArrays
from forest_align.em.tuning.forest_sweep import MORE, SPACE
from forest_align.parsing import sentence_from_bracket
from forest_align.types import InputError, ModelError


def test_each_option_that_is_a_number_has_bounds_that_hold_its_default() -> None:
    numbers = {one.name: one.default for one in fields(ForestOptions) if type(one.default) in (int, float)}
    assert BOUNDS.keys() == numbers.keys()
    for name, default in numbers.items():
        assert BOUNDS[name][0] <= default <= BOUNDS[name][1], name
    for name, wanted in {**SPACE, **MORE}.items():
        assert BOUNDS[name][0] <= wanted.low < wanted.high <= BOUNDS[name][1], name
        assert wanted.integer == isinstance(numbers[name], int), name


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"strict": 1}, "strict"),
        ({"null_penalty": math.nan}, "'null_penalty': expected a number of at least 0, found nan"),
        ({"beam": 0}, "'beam': expected a whole number of at least 1, found 0"),
        ({"beam": True}, "'beam': expected a whole number of at least 1, found True"),
        ({"generation_gap": 101}, "'generation_gap': expected at most 100, found 101"),
    ],
)
def test_options_out_of_range_are_refused_by_name(option: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        ForestOptions(**option)


def test_options_may_be_at_their_bounds_and_of_types_of_numpy() -> None:
    assert ForestOptions(parser_weight=1.0, generation_gap=100).generation_gap == 100
    assert ForestOptions(beam=np.int64(3), link_weight=np.float32(0.5)).beam == 3  # type: ignore[arg-type]


LOGS = st.floats(-1e4, 0)
POWERS = st.floats(0, 3)


@given(logs=st.lists(LOGS, min_size=2, max_size=2), other=LOGS, posterior_power=POWERS, link_power=POWERS)
def test_probabilities_are_above_0_and_rise_with_both_kinds_of_evidence_up_to_1(
    logs: list[float], other: float, posterior_power: float, link_power: float
) -> None:
    calibration = PhraseCalibration(1.0, posterior_power, link_power)
    low_and_high, constant = np.array(sorted(logs)), np.full(2, other)
    for arguments in ((low_and_high, constant), (constant, low_and_high)):
        low, high = calibration.probabilities(*arguments)
        assert 0 < low <= high <= 1


def test_powers_weigh_the_evidence_and_by_default_the_probability_is_the_posterior() -> None:
    posterior, agreement = np.log([0.25, 1.0]), np.log([0.5, 0.1])
    assert PhraseCalibration().probabilities(posterior, agreement) == pytest.approx([0.25, 1.0])
    probabilities = PhraseCalibration(4.0, 0.5, 2.0).probabilities(posterior, agreement)
    assert probabilities == pytest.approx([0.5 * 0.25, 0.01])


@pytest.mark.parametrize(
    "values",
    [
        *({"temperature": value} for value in (0, -1.0, math.inf)),
        *({"link_power": value} for value in (math.nan, "much")),
        *({"posterior_power": value} for value in (-0.1, True, 10**400)),
    ],
)
def test_numbers_out_of_range_are_refused(values: dict[str, float]) -> None:
    with pytest.raises(InputError, match=next(iter(values))):
        PhraseCalibration(**values)


SHORT = "(S (NP (PRP They)) (VP (VBD won)))"
LONG = "(S (NP (DT The) (JJ old) (NN cat)) (VP (VBD sat) (PP (IN on) (NP (DT the) (NN mat)))))"


def aligner() -> ForestAligner:
    return ForestAligner(bundled_model(), candidates=GivenCandidates(Links.of([(0, 0), (1, 1)])))


def pairs() -> list[Any]:
    short, long = sentence_from_bracket(SHORT), sentence_from_bracket(LONG)
    return [(short, short), (short, long), (short, short)]


@pytest.mark.parametrize(
    ("name", "most"),
    [
        ("generation_gap", 100),
        ("beam", 2**31 - 1),
    ],
)
def test_options_have_an_upper_bound(name: str, most: int, tmp_path: Path) -> None:
    options = ForestOptions(**{name: most})
    short = sentence_from_bracket(SHORT)
    alignment = ForestAligner(
        ForestModel(bundled_model().weights, options=options),
        candidates=GivenCandidates(Links.of([(0, 0), (1, 1)])),
    ).align(short, short)
    assert alignment.root_aligned and not alignment.error
    with pytest.raises(InputError, match=f"{name}.*at most {most}, found {most + 1}"):
        ForestOptions(**{name: most + 1})
    bundled_model().save(tmp_path)
    card = json.loads((tmp_path / "model.json").read_text(encoding="utf-8"))
    card["options"][name] = 10**10
    (tmp_path / "model.json").write_text(json.dumps(card), encoding="utf-8")
    with pytest.raises(ModelError, match=f"{name}.*at most {most}"):
        ForestModel.load(tmp_path)


def test_a_forest_too_large_is_the_error_of_its_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(phrase_features, "MOST_NODES", 10)
    found = list(aligner().align_many(pairs()))
    assert "'forest': expected a forest of at most 10 nodes, found 13" in found[1].error
    assert [one.error for one in found[::2]] == ["", ""]


@pytest.mark.parametrize(
    ("refusal", "message"),
    [
        (MemoryError("std::bad_alloc"), "not enough memory to align forests of 3 and 13 nodes"),
        (ValueError("target: too large"), "target: too large"),
    ],
)
def test_what_the_kernel_refuses_is_the_error_of_its_pair(
    refusal: Exception, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run: Callable[..., Any] = prepared_pair.kernel.align

    def refuse_long(source: SideArrays, target: SideArrays, *rest: Any) -> Any:
        if len(target.start) > 10:
            raise refusal
        return run(source, target, *rest)

    monkeypatch.setattr(prepared_pair.kernel, "align", refuse_long)
    found = list(aligner().align_many(pairs()))
    assert [one.error for one in found] == ["", message, ""]
    with pytest.raises(InputError, match=message):
        aligner().align(*pairs()[1])
