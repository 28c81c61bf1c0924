"""Abbreviations of notes, Latin and messages, and the words that they stand for."""

from __future__ import annotations

import pytest

from forest_align.lexicon._abbreviations import (
    _abbreviation_table,
    _read_abbreviations,
    abbreviation_spans,
    acronym_letters,
    acronym_spans,
)
from forest_align.lexicon.evidence import lexical_evidence
from forest_align.lexicon.groups import lexical_groups
from forest_align.lexicon.lexicon import Evidence, load_lexicon
from forest_align.types import Sentence


def spans(text: str, other: str) -> list[tuple[str, str]]:
    """The abbreviations of a text, each with the words of the other one that it stands for."""
    words, others = text.split(), other.split()
    return [(words[i], " ".join(others[slice(*span)])) for i, span in abbreviation_spans(words, others)]


@pytest.mark.parametrize(
    ("text", "other", "expected"),
    [
        ("tid", "Three times a day", [("tid", "Three times a day")]),
        ("T.I.D.", "three times daily", [("T.I.D.", "three times daily")]),
        ("q6h", "every six hours", [("q6h", "every six hours")]),
        ("q6h", "every 6 hours", [("q6h", "every 6 hours")]),
        ("LOL", "laughing out loud", [("LOL", "laughing out loud")]),
        ("MI", "two heart attacks", [("MI", "heart attacks")]),
        ("mi", "two heart attacks", []),
        ("MI", "the heart and an attack", []),
        ("WHO", "who is it", []),
        ("btw", "by the way", [("btw", "by the way")]),
        ("p.a.", "a year", [("p.a.", "a year")]),
        ("per capita", "a person", [("per", "a"), ("capita", "person")]),
        ("et al", "and others", [("et", "and"), ("al", "others")]),
        ("inter alia", "among other things", [(word, "among other things") for word in ("inter", "alia")]),
        ("per hour", "a person", []),
        ("NHS", "the N H S", [("NHS", "N H S")]),
        ("MSc", "an M Sc", [("MSc", "M Sc")]),
        ("C.S.", "C. S. Lowe", [("C.S.", "C. S.")]),
        ("NHS", "the N S H", []),
        ("", "", []),
    ],
)
def test_an_abbreviation_stands_for_words_that_follow_each_other(
    text: str, other: str, expected: list[tuple[str, str]]
) -> None:
    assert spans(text, other) == expected


def test_an_abbreviation_of_one_word_is_evidence_in_either_order() -> None:
    left, right = Sentence.from_words(["Her", "hx", "u"]), Sentence.from_words(["history", "you", "Her"])
    found = lexical_evidence(left, right, load_lexicon())
    assert found[1, 0] & Evidence.ABBREVIATION
    assert found[2, 1] & Evidence.ABBREVIATION
    assert not found[1, 1] & Evidence.ABBREVIATION
    assert (lexical_evidence(right, left, load_lexicon()) == found.T).all()


def test_an_abbreviation_and_several_words_are_a_group() -> None:
    left, right = Sentence.from_words(["imo", "et", "al."]), Sentence.from_words(["in", "my", "opinion"])
    groups = lexical_groups(left, right, load_lexicon())
    assert [(group.source, group.target, group.kind) for group in groups] == [((0, 1), (0, 3), "acronym")]
    others = Sentence.from_words(["and", "others"])
    assert all(
        max(g.source[1] - g.source[0], g.target[1] - g.target[0]) > 1
        for g in lexical_groups(left, others, load_lexicon())
    )


def test_the_table_is_read_with_comments_and_repeated_forms() -> None:
    table = _read_abbreviations("# a = b\n\nab = one | two words\nA.B. = three\nab = four\nin re = about\n")
    assert table.expansions == {
        "ab": (("one",), ("two", "words"), ("four",)),
        "AB": (("three",),),
        "in re": (("about",),),
    }
    assert table.long_forms == {"in": [("in", "re")]}
    assert table.single_words == {"one", "three", "four", "about"}


def test_the_bundled_table_is_in_small_letters_and_says_nothing_twice() -> None:
    table = _abbreviation_table()
    assert len(table.expansions) > 400
    for form, expansions in table.expansions.items():
        assert expansions, form
        assert len(set(expansions)) == len(expansions), form
        assert all(words and (form.lower(),) != words for words in expansions), form
        assert all(word == word.lower() for words in expansions for word in words), form


def test_letters_of_words_that_look_like_acronyms() -> None:
    cases = "NYC=NYC U.S.=US S&P=SP UNESCO=UNESCO UNICEFS= A= A.= Nyc= nyc= F16= ="
    for word, letters in (case.split("=") for case in cases.split()):
        assert acronym_letters(word) == letters


@pytest.mark.parametrize(
    ("acronym", "text", "expected"),
    [
        ("NYC", "in New York City", ["New York City"]),
        ("DOJ", "the Department of Justice", ["Department of Justice"]),
        ("DJ", "the Department of Justice", ["Department of Justice"]),
        ("MIT", "Massachusetts Institute of Technology", ["Massachusetts Institute of Technology"]),
        ("AT&T", "American Telephone & Telegraph", ["American Telephone & Telegraph"]),
        # A small word spells a letter only where the next larger word does not.
        ("UO", "the University of Oregon", ["University of Oregon"]),
        ("TOS", "the Treaty on Open Skies", ["Treaty on Open Skies"]),
        ("FFF", "Friends for the Forest of France", ["Friends for the Forest of France"]),
        ("THC", "The Hague Court", ["The Hague Court"]),
        ("US", "US and United States", ["United States"]),
        ("BA", "bank America", []),
        ("BA", "Bank north America", []),
        ("BA", "Bank of", []),
        ("BA", "B. A BA", ["B. A"]),
        ("FBA", "the fourth big apple", ["fourth big apple"]),
        ("FBA", "for big apples", []),
        ("BA", "Big B Apple", []),
        ("BB", "Big B", []),
        ("NBA", "Big Apple", []),
        ("BA", "", []),
        ("BA", "Big Apple Big Apes", ["Big Apple", "Big Apes"]),
    ],
)
def test_words_that_spell_an_acronym(acronym: str, text: str, expected: list[str]) -> None:
    words = text.split()
    found = [" ".join(words[slice(*span)]) for _, span in acronym_spans(["x", acronym], words)]
    assert found == expected


@pytest.mark.parametrize("sign", ["%", "pct", "pct."])
def test_words_that_a_sign_stands_for(sign: str) -> None:
    text = "Five Per cent of it , and six per cent per year , per capita cent per"
    assert list(acronym_spans(["x", sign], text.split())) == [(1, (1, 3)), (1, (8, 10))]
    assert list(acronym_spans([sign], ["percent", "per"])) == []
