"""The relations that phrase pairs of an alignment get."""

from __future__ import annotations

import pytest

from forest_align.aligners.phrases.related import JudgedRelations, with_relations
from forest_align.alignment import Alignment, Links, PhrasePair
from forest_align.meaning.relation_algebra import SentenceRelations
from forest_align.types import Node, Sentence


@pytest.mark.parametrize(
    ("source", "target", "relation"),
    [
        ("over Monday", "on Monday", "equivalent"),
        ("over", "on", None),
        ("on", "on", "equivalent"),
        (".", ";", None),
        ("big", "large", "equivalent"),
    ],
)
def test_function_words_that_differ_have_no_relation_alone(
    source: str, target: str, relation: str | None
) -> None:
    sides = [Sentence.from_words(text.split()) for text in (source, target)]
    whole = PhrasePair(Node(0, len(sides[0]), ""), Node(0, len(sides[1]), ""), 0.9)
    links = [(k, k) for k in range(len(sides[0]))]
    alignment = Alignment(*sides, words=Links(tuple(links)), phrases=(whole,))
    (pair,) = with_relations(alignment, JudgedRelations(SentenceRelations([], []), {})).phrases
    assert (pair.relation and pair.relation.name) == relation


def test_nothing_is_said_of_phrases_that_may_not_correspond() -> None:
    sides = [Sentence.from_words([word]) for word in ("big", "large")]
    pairs = tuple(PhrasePair(Node(0, 1, ""), Node(0, 1, ""), probability) for probability in (0.4, 0.9))
    alignment = Alignment(*sides, words=Links(((0, 0),)), phrases=pairs)
    unlikely, likely = with_relations(alignment, JudgedRelations(SentenceRelations([], []), {})).phrases
    assert unlikely.relation is None and likely.relation is not None


def test_a_phrase_whose_word_is_linked_elsewhere_is_not_equivalent() -> None:
    """*A boy is sliding, a tube*, *a sliding tube*: the link of *sliding* leads out of the tubes."""
    sides = Sentence.from_words(["sliding", "a", "tube"]), Sentence.from_words(["a", "sliding", "tube"])
    tubes = PhrasePair(Node(1, 3, "NP"), Node(0, 3, "NP"), 0.9)
    links = Links(((0, 1), (1, 0), (2, 2)))
    for outside, expected in (((), "equivalent"), (((0, 1),), None)):
        alignment = Alignment(*sides, words=links, phrases=(tubes,), outside=outside)
        (found,) = with_relations(alignment, JudgedRelations(SentenceRelations([], []), {})).phrases
        assert (found.relation and found.relation.name) == expected
