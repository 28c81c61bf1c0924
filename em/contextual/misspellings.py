"""Misspells words as hasty writers do: letters are swapped, left out, doubled or mistyped."""

from __future__ import annotations

import random
from collections.abc import Sequence

#: Words shorter than this are not misspelled, as the result would often be another word.
SHORTEST = 5
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def misspelled_word(word: str, chance: random.Random) -> str:
    """The word with one mistake; its first and last letters stay."""
    at = chance.randrange(1, len(word) - 2)
    before, letter, after = word[:at], word[at], word[at + 1 :]
    kind = chance.choice(("exchanged", "left out", "doubled", "mistyped"))
    if kind == "exchanged":
        return before + after[0] + letter + after[1:]
    if kind == "left out":
        return before + after
    return before + (letter + letter if kind == "doubled" else chance.choice(_LETTERS)) + after


def can_be_misspelled(word: str) -> bool:
    """Whether the word is long enough and consists only of letters."""
    return len(word) >= SHORTEST and word.isalpha() and word.isascii()


def misspelled_sentence(words: Sequence[str], chance: random.Random) -> tuple[str, ...]:
    """The sentence with one word misspelled, or unchanged if no word can be."""
    found = list(words)
    places = [place for place, word in enumerate(words) if can_be_misspelled(word)]
    if places:
        place = chance.choice(places)
        found[place] = misspelled_word(found[place], chance)
    return tuple(found)
