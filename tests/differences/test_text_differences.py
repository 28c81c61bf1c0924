"""Differences of words follow links, similarities and relations, as worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from forest_align import Alignment, InputError, Links, PhrasePair, PhraseRelation, Sentence
from forest_align.alignment import AtomicRelation
from forest_align.differences import DifferingWords, differences_of, differences_to_html, differences_to_text
from forest_align.types import Node

SOURCE, TARGET = ["the", "red", "dog", "barked", "at", "night", "."], ["the", "blue", "dog", "sang", "."]
LINKS = ((0, 0), (1, 1), (2, 2), (3, 3), (6, 4))


def aligned(*phrases: PhrasePair, scores: float = 1.0, vectors: bool = False) -> Alignment:
    sides = [Sentence.from_words(words) for words in (SOURCE, TARGET)]
    if vectors:
        numbers = [np.eye(8, dtype=np.float32)[: len(words)] for words in (SOURCE, TARGET)]
        sides = [
            Sentence(side.tokens, vectors=table, text=side.text)
            for side, table in zip(sides, numbers, strict=True)
        ]
    return Alignment(sides[0], sides[1], Links.of(LINKS, scores=[scores] * len(LINKS)), phrases, id="7")


def pair(
    source: tuple[int, int], target: tuple[int, int], similarity: float, relation: str = "equivalent"
) -> PhrasePair:
    nodes = Node(*source, "X"), Node(*target, "X")
    return PhrasePair(*nodes, 1.0, True, PhraseRelation(relation, 0.9), similarity)


def test_words_without_links_differ_and_punctuation_does_not() -> None:
    differences = differences_of(aligned())
    assert differences.source == pytest.approx((0, 0.2, 0, 0.2, 1, 1, 0))
    assert differences.target == pytest.approx((0, 0.2, 0, 0.2, 0))
    (span,) = differences.spans
    assert (span.side, span.span, span.text, span.difference) == ("source", (4, 6), "at night", 1.0)
    assert aligned().source.text[slice(*span.characters)] == "at night"


def test_the_smallest_phrase_pair_says_how_similar_linked_words_are() -> None:
    outer, inner = (
        replace(one, relation=None) for one in (pair((0, 3), (0, 3), 4.0), pair((1, 2), (1, 2), 1.0))
    )
    assert differences_of(aligned(outer, inner)).source[:3] == pytest.approx((0.2, 0.8, 0.2))


@pytest.mark.parametrize(("relation", "difference"), [("opposite", 1.0), ("different", 0.8)])
def test_what_is_known_to_say_something_else_differs_however_similar(
    relation: str, difference: float
) -> None:
    atom = AtomicRelation((1, 2), (1, 2), relation, "a rule")
    around = replace(pair((1, 2), (1, 2), 4.9), relation=PhraseRelation(relation, evidence=(atom,)))
    differences = differences_of(aligned(around))
    assert differences.source[1] == differences.target[1] == difference
    assert differences.pairs[0] == DifferingWords((1, 2), (1, 2), relation, "a rule", difference)


def test_word_vectors_are_a_share_of_the_difference() -> None:
    # Word k of one text has the vector of word k of the other; the last two have none like theirs.
    differences = differences_of(aligned(vectors=True))
    assert differences.source == pytest.approx((0, 0.14, 0, 0.14, 0.7, 1, 0))


def test_a_failed_pair_has_no_differences() -> None:
    with pytest.raises(InputError, match="too long"):
        Alignment.failed("too long").differences()


def test_the_method_and_the_values_of_json_agree() -> None:
    found = aligned().differences()
    values = found.to_dict()
    assert values["source_differences"] == list(found.source)
    assert values["spans"] == [
        {"side": "source", "span": [4, 6], "characters": [19, 27], "text": "at night", "difference": 1.0}
    ]


def test_views_show_spans_and_words() -> None:
    one = aligned()
    assert differences_to_text(one, one.differences()).splitlines() == [
        "pair 7",
        *("0.20  red ↔ blue  other words", "0.20  barked ↔ sang  other words", "1.00  at night ↔ –"),
    ]
    page = differences_to_html(one, one.differences())
    assert page.count('class="d"') == len(SOURCE) + len(TARGET) and 'title="1.00">night<' in page
