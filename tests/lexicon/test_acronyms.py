from __future__ import annotations

import pytest

from forest_align.lexicon.abbreviations import acronym_letters, acronym_spans


@pytest.mark.parametrize(
    ("word", "letters"),
    [
        ("NYC", "NYC"),
        ("U.S.", "US"),
        ("S&P", "SP"),
        ("UNESCO", "UNESCO"),
        ("UNICEFS", ""),
        ("A", ""),
        ("A.", ""),
        ("Nyc", ""),
        ("nyc", ""),
        ("F16", ""),
        ("", ""),
    ],
)
def test_letters_of_words_that_look_like_acronyms(word: str, letters: str) -> None:
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
