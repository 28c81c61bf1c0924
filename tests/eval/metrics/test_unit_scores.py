"""Units that people marked, looked for in phrase pairs and links made by hand."""

from __future__ import annotations

import pytest

from forest_align.alignment import Links
from forest_align.data.formats.format import PhraseUnit
from forest_align.eval.metrics.unit_scores import (
    UnitFindings,
    core_calibration_error,
    core_statistics,
    count_contradicted,
    count_left_alone,
    is_near,
    is_phrase_unit,
    judge_core,
    judge_unit,
)
from forest_align.types.spans import is_different

DIED = PhraseUnit((1,), (1, 2), "Same Polarity Substitution (habitual)")


def found(unit: PhraseUnit, phrases: list = [], links: str = "") -> list[str]:  # noqa: B006
    findings: UnitFindings = judge_unit(unit, phrases, Links.from_pharaoh(links))
    return [name for name in ("exact", "near", "linked", "clean") if getattr(findings, name)]


@pytest.mark.parametrize(
    ("phrase", "near"),
    [
        (((1, 2), (1, 2)), True),  # one of two words
        (((0, 2), (1, 3)), True),  # one of two
        (((0, 2), (0, 4)), True),  # one of two, two of four
        (((0, 3), (1, 3)), False),  # one of three
        (((1, 2), (2, 5)), False),  # one of the four words that either has
        (((1, 2), (3, 5)), False),
    ],
)
def test_near_is_half_of_the_words_of_either_on_each_side(phrase: tuple, near: bool) -> None:
    assert ("near" in found(DIED, [phrase])) == near


def test_a_link_out_of_the_unit_makes_it_unclean() -> None:
    assert found(DIED, links="1-1 0-2") == ["near", "linked"]
    assert found(DIED, links="0-0") == ["clean"]


def test_a_unit_with_a_gap_can_be_near_but_not_exact() -> None:
    gap = PhraseUnit((0, 2), (1, 2), "Same Polarity Substitution (contextual)")
    assert found(gap, [((0, 3), (1, 3))]) == ["near", "clean"]


@pytest.mark.parametrize(
    ("unit", "expected"),
    [
        (DIED, True),
        (PhraseUnit((1,), (1,), "x"), False),
        (PhraseUnit((1, 2), (), "Addition/Deletion"), False),
        (PhraseUnit((0, 1), (0, 1), "Identity"), False),
    ],
)
def test_phrases_have_several_words_on_one_side_and_some_on_the_other(
    unit: PhraseUnit, expected: bool
) -> None:
    assert is_phrase_unit(unit) == expected


@pytest.mark.parametrize(
    ("phrase", "kept"),
    [
        (((0, 2), (0, 1)), (0, 1)),  # "died" as a whole, nothing of "passed away"
        (((0, 1), (1, 3)), (0, 1)),  # the other way round
        (((0, 2), (0, 2)), (1, 1)),  # a part of "passed away" is enough
        (((0, 1), (1, 2)), (0, 0)),  # single words do not count
        (((0, 1), (2, 4)), (1, 1)),  # only a part of "passed away"
        (((4, 6), (4, 6)), (1, 1)),  # where nothing is marked
    ],
)
def test_a_pair_is_contradicted_by_a_unit_with_one_side_inside_and_the_other_outside(phrase, kept) -> None:
    assert count_contradicted([phrase], [DIED, PhraseUnit((4,), (7,), "Identity")]) == kept


def test_added_and_deleted_words_are_left_alone_if_they_have_no_link() -> None:
    units = [
        DIED,
        PhraseUnit((3, 4), (), "Addition/Deletion"),
        PhraseUnit((), (4,), "x"),
        PhraseUnit((), (), "y"),
    ]
    assert count_left_alone(units, Links.from_pharaoh("1-1 3-4")) == (1, 3)
    assert count_left_alone(units, Links.from_pharaoh("1-1 5-3")) == (3, 3)


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
