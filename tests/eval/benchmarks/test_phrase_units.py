"""Figures of typed phrase units."""

from __future__ import annotations

import pytest

from forest_align.alignment import Alignment, Links, PhrasePair
from forest_align.data.formats.format import PhraseUnit
from forest_align.eval.benchmarks.phrase_units import unit_scorer
from forest_align.types import Node, Sentence

NAMES, CONTEXT, ORDER = "Substitution (named ent.)", "substitution (contextual)", "Change of order"
GOLD = [
    [
        PhraseUnit((0, 1), (0,), NAMES),
        PhraseUnit((2, 3), (2, 3), ORDER),
        PhraseUnit((4,), (), "Addition/Deletion"),
    ],
    [PhraseUnit((0, 1), (0, 1), NAMES), PhraseUnit((2, 3), (2,), CONTEXT), PhraseUnit((4,), (4,), CONTEXT)],
]


def aligned(links: str, *phrases: tuple[tuple[int, int], tuple[int, int]]) -> Alignment:
    pairs = tuple(PhrasePair(Node(*ours, "X"), Node(*theirs, "X"), 1.0) for ours, theirs in phrases)
    sentence = Sentence.from_words(["a", "b", "c", "d", "e"])
    return Alignment(sentence, sentence, Links.from_pharaoh(links), pairs)


def test_there_is_a_table_of_all_substitutions_and_one_of_each_type_and_of_the_others() -> None:
    runs = [aligned("0-0 4-4", ((0, 2), (0, 1)), ((2, 4), (2, 4))), aligned("0-0 1-3", ((0, 2), (3, 5)))]
    found = {figures.table: figures.values for figures in unit_scorer(GOLD)(runs)}
    assert set(found) == {"etpc", f"etpc {NAMES}", f"etpc {CONTEXT}", "etpc other types"}
    assert {table: values["units"] for table, values in found.items()} == {
        "etpc": 3,
        f"etpc {NAMES}": 2,
        f"etpc {CONTEXT}": 1,
        "etpc other types": 1,
    }
    names, everything = found[f"etpc {NAMES}"], found["etpc"]
    # The link 1-3 leads out of the second unit, and the link 0-0 alone is a quarter of it and no half.
    assert (names["exact"], names["near"], names["linked"], names["clean"]) == (50, 100, 100, 50)
    assert (everything["exact"], everything["near"]) == pytest.approx((100 / 3, 200 / 3))
    assert (everything["left_alone"], everything["phrase_precision"]) == (0, pytest.approx(200 / 3))
    assert found["etpc other types"]["exact"] == 100
    assert "left_alone" not in names


def test_an_aligner_without_phrases_has_no_precision_of_phrases() -> None:
    (figures, *_) = unit_scorer(GOLD)([aligned("0-0"), aligned("4-4")])
    assert "phrase_precision" not in figures.values
    assert (figures.values["near"], figures.values["left_alone"]) == (pytest.approx(100 / 3), 100)
