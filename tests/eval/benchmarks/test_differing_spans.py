"""Which spans of an alignment differ."""

from __future__ import annotations

import pytest

from forest_align.alignment import Alignment, Links, PhrasePair, PhraseRelation
from forest_align.eval.benchmarks._differing_spans import Differences, difference_scorer, differing_spans
from forest_align.types import Node, Sentence


def aligned(links: str, *phrases: tuple[tuple[int, int], tuple[int, int], str | None]) -> Alignment:
    source, target = (
        Sentence.from_words(text.split()) for text in ("a red dog , sang", "one red fish , sang")
    )
    pairs = tuple(
        PhrasePair(
            Node(*ours, "X"),
            Node(*theirs, "X"),
            1.0,
            relation=None if relation is None else PhraseRelation(relation, 0.9),
        )
        for ours, theirs, relation in phrases
    )
    return Alignment(source, target, Links.from_pharaoh(links), pairs)


def test_words_without_links_differ_and_punctuation_does_not() -> None:
    assert differing_spans(aligned("1-1 4-4")) == Differences([(0, 1), (2, 3)], [(0, 1), (2, 3)])
    assert differing_spans(aligned("4-4")) == Differences([(0, 3)], [(0, 3)])


def test_spans_are_those_that_differences_mark() -> None:
    one = aligned("1-1 4-4", ((0, 5), (0, 5), None))
    marked = [span.span for span in one.differences().spans if span.side == "target"]
    assert differing_spans(one).target == marked != []
    equivalent = aligned("1-1 4-4", ((0, 5), (0, 5), "equivalent"))
    assert differing_spans(equivalent) == Differences([], [])


def test_figures_are_those_of_both_sentences() -> None:
    gold = [Differences([(2, 3)], [(2, 3)]), Differences([], [])]
    runs = [aligned("0-0 1-1 4-4"), aligned("0-0 1-1 2-2 4-4")]
    (figures,) = difference_scorer(gold)(runs)
    assert figures.table == "ssd"
    assert {figures.values[name] for name in ("f1", "same.f1", "different.f1")} == {100}
    (figures,) = difference_scorer(gold)(runs[::-1])
    assert figures.values["f1"] == pytest.approx(0)
