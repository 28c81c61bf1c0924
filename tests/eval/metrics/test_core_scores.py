"""Core pairs and units made by hand."""

from __future__ import annotations

import pytest

from forest_align.data.formats.format import PhraseUnit
from forest_align.eval.metrics.unit_scores import core_calibration_error, core_statistics, is_near, judge_core
from forest_align.types.spans import is_different

SOURCE = ["the", "firm", "is", "composed", "of", "ten", "teams", "now"]
TARGET = ["the", "firm", "has", "ten", "units"]
UNIT = PhraseUnit((2, 3, 4), (2,), "")
WORDS = PhraseUnit((6,), (4,), "")
RULE = ((2, 5), (2, 3))
VERB_PHRASE = ((2, 7), (2, 5))
TEAMS = ((6, 7), (4, 5))


def judged(*pairs: tuple, probability: float = 0.8, units: tuple = (UNIT, WORDS)):
    return judge_core((SOURCE, TARGET), units, dict.fromkeys(pairs, probability))


def test_a_pair_around_a_smaller_difference_is_no_core_pair() -> None:
    assert judged(VERB_PHRASE).near == (False,)
    assert judged(VERB_PHRASE, RULE).near == (True,)
    # A pair of two single words is no core pair, yet the pair around it is none either.
    assert judged(VERB_PHRASE, TEAMS).near == ()


def test_pairs_of_equal_or_left_out_words_and_whole_sentences_are_no_core_pairs() -> None:
    assert judged(((0, 2), (0, 2)), ((5, 7), (3, 4)), ((0, 8), (0, 5))).near == ()
    assert is_different(["ten", "teams"], ["ten", "units"])
    assert not is_different(["ten"], ["ten", "teams"])


@pytest.mark.parametrize(
    ("pair", "near"), [(RULE, True), (((2, 6), (2, 3)), True), (((2, 4), (2, 4)), True), (VERB_PHRASE, False)]
)
def test_near_is_half_of_the_union_on_both_sides(pair: tuple, near: bool) -> None:
    assert is_near(pair, RULE) == near
    assert judged(pair, units=(UNIT,)).near_units == near


def test_units_of_one_word_count_for_precision_alone_and_long_or_broken_ones_not_at_all() -> None:
    assert judged(RULE).units == 1
    assert (judged(((6, 8), (4, 5))).near, judged(((6, 8), (4, 5))).exact) == ((True,), (False,))
    long = PhraseUnit(tuple(range(9)), (0,), "")
    broken, alike, identity = (
        PhraseUnit((2, 4), (2,), ""),
        PhraseUnit((0, 1), (0, 1), ""),
        PhraseUnit((2, 3), (2,), "Identity"),
    )
    assert judged(RULE, units=(long, broken, alike, identity)).units == 0


def test_figures_pool_counts_and_compare_probabilities_with_near_pairs() -> None:
    findings = [judged(RULE), judged(VERB_PHRASE)]
    values = {name: statistic.value for name, statistic in core_statistics(findings).items()}
    assert values == {
        "near_precision": 0.5,
        "near_recall": 0.5,
        "near_f1": 0.5,
        "exact_precision": 0.5,
        "exact_recall": 0.5,
        "exact_f1": 0.5,
    }
    assert core_calibration_error(findings) == pytest.approx(0.3)
