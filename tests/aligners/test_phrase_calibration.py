"""Probabilities of phrase pairs are made of posteriors and word links, and rise with both."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_align.aligners.forest import ForestAligner
from forest_align.aligners.phrase_calibration import PhraseCalibration
from forest_align.lexicon.candidates import GivenCandidates
from forest_align.parsing import sentence_from_bracket
from forest_align.types import InputError, Links

LOGS = st.floats(-1e4, 0)
POWERS = st.floats(0, 3)


@given(one=LOGS, two=LOGS, posterior_power=POWERS, link_power=POWERS)
def test_probabilities_lie_above_0_and_up_to_1(
    one: float, two: float, posterior_power: float, link_power: float
) -> None:
    found = PhraseCalibration(2.0, posterior_power, link_power).probabilities(
        np.array([one]), np.array([two])
    )
    assert 0 < found[0] <= 1


@given(logs=st.lists(LOGS, min_size=2, max_size=2), other=LOGS, posterior_power=POWERS, link_power=POWERS)
def test_probabilities_rise_with_both_kinds_of_evidence(
    logs: list[float], other: float, posterior_power: float, link_power: float
) -> None:
    calibration = PhraseCalibration(1.0, posterior_power, link_power)
    low_and_high, constant = np.array(sorted(logs)), np.full(2, other)
    for arguments in ((low_and_high, constant), (constant, low_and_high)):
        low, high = calibration.probabilities(*arguments)
        assert low <= high


def test_without_calibration_the_probability_is_the_posterior() -> None:
    posterior = np.log([0.25, 1.0])
    found = PhraseCalibration().probabilities(posterior, np.array([-3.0, -4.0]))
    assert found == pytest.approx(np.exp(posterior))


def test_powers_weigh_the_evidence() -> None:
    found = PhraseCalibration(4.0, 0.5, 2.0).probabilities(np.log([0.25]), np.log([0.5]))
    assert found == pytest.approx([0.5 * 0.25])


@pytest.mark.parametrize(
    "values",
    [
        {"temperature": 0},
        {"temperature": -1.0},
        {"temperature": math.inf},
        {"link_power": math.nan},
        {"posterior_power": -0.1},
        {"link_power": "much"},
    ],
)
def test_numbers_out_of_range_are_refused(values: dict[str, float]) -> None:
    with pytest.raises(InputError, match=next(iter(values))):
        PhraseCalibration(**values)


def test_a_full_stop_alone_does_not_make_two_sentences_a_probable_pair() -> None:
    source = sentence_from_bracket("(S (NP (NNS Sales)) (VP (VBD fell)) (. .))")
    target = sentence_from_bracket("(S (NP (NNS Cats)) (VP (VBP sleep)) (. .))")

    def of_the_whole_and_of_the_stops(links: Links) -> tuple[float, float]:
        alignment = ForestAligner.load(candidates=GivenCandidates(links)).align(source, target)
        found = {(one.source_node.start, one.target_node.start): one for one in alignment.phrases}
        assert alignment.root_aligned
        return found[0, 0].probability, found[2, 2].probability

    whole, stops = of_the_whole_and_of_the_stops(Links.of([(2, 2)], scores=[0.98]))
    assert whole < 0.001 and stops > 0.9
    whole, stops = of_the_whole_and_of_the_stops(Links.of([(1, 1), (2, 2)], scores=[0.98, 0.98]))
    assert whole > 0.9 and stops > 0.9
