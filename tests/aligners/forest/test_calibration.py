"""Probabilities of phrase pairs are made of posteriors and word links, and rise with both."""

from __future__ import annotations

import math
from itertools import product
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.aligners.forest.calibration import PhraseCalibration, log_agreement
from forest_align.aligners.words.candidate import Candidate
from forest_align.aligners.words.lexical import GivenCandidates
from forest_align.alignment import Links
from forest_align.cext.alignment_arrays import AlignmentArrays
from forest_align.parsing import sentence_from_bracket
from forest_align.types import InputError

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
        {"posterior_power": True},
        {"posterior_power": 10**400},
    ],
)
def test_numbers_out_of_range_are_refused(values: dict[str, float]) -> None:
    with pytest.raises(InputError, match=next(iter(values))):
        PhraseCalibration(**values)


@pytest.mark.parametrize("seed", range(8))
def test_agreement_is_the_share_of_sets_of_links_that_agree(seed: int) -> None:
    random = np.random.default_rng(seed)
    source = sentence_from_bracket("(S (NP (NNS Sales)) (, ,) (VP (VBD fell)) (. .))")
    target = sentence_from_bracket("(S (NP (NNS Cats)) (VP (VBP sleep)) (. .))")
    assert source.forest is not None and target.forest is not None
    nodes = np.argwhere(np.ones((len(source.forest.start), len(target.forest.start)), bool))
    cells = random.permutation(np.argwhere(np.ones((4, 3), bool)))[:7].tolist()
    cells = sorted({(0, 0), (1, 2), (3, 2), *map(tuple, cells)})  # a comma and a stop, two stops
    candidates = [Candidate((i, i + 1), (j, j + 1), random.uniform(0.05, 0.95)) for i, j in cells]
    candidates.append(Candidate((0, 2), (0, 2), 0.5))  # says nothing that its words do not say
    fields = ["source", "target"]
    arrays = cast(AlignmentArrays, SimpleNamespace(**dict(zip(fields, nodes.T, strict=True))))
    found = np.exp(log_agreement(source, target, arrays, candidates))
    assert found.min() == pytest.approx(1e-9), "finite, even where nothing is linked"
    stops = {(3, 2), (1, 2), *((i, 2) for i in range(4)), *((i, j) for i in (1, 3) for j in range(3))}
    for (first, second), probability in zip(nodes.tolist(), found, strict=True):
        rows = range(source.forest.start[first], source.forest.end[first])
        columns = range(target.forest.start[second], target.forest.end[second])
        has_words = any(i in (0, 2) for i in rows) and any(j in (0, 1) for j in columns)
        expected = 0.0
        for kept in product((False, True), repeat=len(cells)):
            links = [cell for cell, is_kept in zip(cells, kept, strict=True) if is_kept]
            inside = [cell for cell in links if cell[0] in rows and cell[1] in columns]
            outward = any((i in rows) != (j in columns) for i, j in links)
            counted = [cell for cell in inside if not has_words or cell not in stops]
            if counted and not outward:
                expected += math.prod(
                    one.score if is_kept else 1 - one.score
                    for one, is_kept in zip(candidates[:-1], kept, strict=True)
                )
        assert probability == pytest.approx(max(expected, 1e-9), abs=1e-8)


def test_a_group_without_word_candidates_links_all_of_its_words() -> None:
    source = sentence_from_bracket("(NP (NNP New) (NNP York))")
    target = sentence_from_bracket("(NP (NNP NYC))")
    arrays = cast(AlignmentArrays, SimpleNamespace(source=np.array([2]), target=np.array([0])))
    (found,) = np.exp(log_agreement(source, target, arrays, [Candidate((0, 2), (0, 1), 0.6)]))
    assert found == pytest.approx(1 - 0.4 * 0.4)


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
