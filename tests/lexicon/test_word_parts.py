"""Contractions, hashtags, and acronyms that look like another word."""

from __future__ import annotations

import pytest

from forest_align.lexicon.word_parts import acronym_clashes, part_relations, words_within


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        ("She 's gim me", [("she",), ("'s",), ("give",), ("me",)]),
        ("Got ta", [("got",), ("to",)]),
        ("na gon", [("na",), ("gon",)]),
        ("woulda", [("would", "have")]),
        ("C’mon", [("come", "on")]),
        ("#GameOfThrones", [("game", "of", "thrones")]),
        ("#USElection2020", [("us", "election", "2020")]),
        ("#save_the_whales", [("save", "the", "whales")]),
        ("#throwback", [("throwback",)]),
        ("#savewater", [("save", "water")]),
        ("#xqzvk", [("xqzvk",)]),
        ("#", [("#",)]),
        ("# 1", [("#",), ("1",)]),
    ],
)
def test_words_within_tokens_are_found(tokens: str, expected: list[tuple[str, ...]]) -> None:
    assert words_within(tokens.split()) == expected


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("We gon na win", "We are going to win", {(1, 2), (2, 3)}),
        ("I dunno", "I do not know", {(1, 1), (1, 2), (1, 3)}),
        ("The #StarTrek film", "The star film of Trek", {(1, 1), (1, 4)}),
        ("He got it", "He got it", set()),
    ],
)
def test_tokens_are_related_to_the_words_that_they_stand_for(
    source: str, target: str, expected: set[tuple[int, int]]
) -> None:
    one, two = source.split(), target.split()
    found = part_relations(one, two)
    assert set(zip(*(axis.tolist() for axis in found.nonzero()), strict=True)) == expected
    assert (part_relations(two, one) == found.T).all()


@pytest.mark.parametrize(
    ("source", "target", "tags", "expected"),
    [
        ("The WHO said", "the man who said", "", {(1, 2)}),
        ("US shares", "They told us", "", {(0, 2)}),
        ("IT firms and it", "it", "", {(0, 0)}),
        ("It aids NATO", "AIDS is bad", "", {(1, 0)}),
        ("NATO met", "nato met", "", set()),
        ("US firms", "Us firms", "NNP NNS", set()),
        ("WHO SAID THAT", "the man who said", "", set()),
        ("IT", "IT", "", set()),
    ],
)
def test_an_acronym_is_not_the_word_that_it_is_spelled_like(
    source: str, target: str, tags: str, expected: set[tuple[int, int]]
) -> None:
    one, two = source.split(), target.split()
    found = acronym_clashes(one, two, (), tags.split())
    assert set(zip(*(axis.tolist() for axis in found.nonzero()), strict=True)) == expected
    assert (acronym_clashes(two, one, tags.split(), ()) == found.T).all()
