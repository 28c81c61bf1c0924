"""Tells a misspelled word from another word: only one of the two is a word of English."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align.lexicon.function_words import is_content_word
from forest_align.lexicon.tables import number_value

if TYPE_CHECKING:
    from forest_align.lexicon.lexicon import Lexicon, WordProfile

# Letters of a word in which one and two mistakes are allowed.
_ONE_MISTAKE, _TWO_MISTAKES = 3, 7


def is_misspelling(one: WordProfile, two: WordProfile, lexicon: Lexicon) -> bool:
    """Whether one of two words is no word of English and looks like a form of the other one, which is.

    The first letter must be the same, or exchanged with the second one. Names that the lexicon lacks are no
    misspellings of each other.
    """
    known = [_is_known(word, lexicon) for word in (one, two)]
    if known[0] == known[1]:
        return False
    wrong, right = (two, one) if known[0] else (one, two)
    return any(_looks_like(wrong.lower, form) for form in {right.lower, right.lemma})


def _is_known(word: WordProfile, lexicon: Lexicon) -> bool:
    """Whether a word is in the lexicon, or nothing that could be there: a function word, a number, a sign."""
    return (
        not word.lower.isalpha()
        or word.is_function
        or not is_content_word(word.lower)
        or word.lemma in lexicon.store.ids
        or word.lower in lexicon.store.ids
        or bool(number_value(word.lower))
    )


def _looks_like(one: str, two: str) -> bool:
    shorter = min(len(one), len(two))
    if shorter < _ONE_MISTAKE or one[0] not in two[:2] or two[0] not in one[:2]:
        return False
    return mistakes_between(one, two) <= (2 if shorter >= _TWO_MISTAKES else 1)


def mistakes_between(one: str, two: str) -> int:
    """Letters that are inserted, left out, replaced or exchanged with the next one (Damerau 1964)."""
    before, last = [0] * (len(two) + 1), list(range(len(two) + 1))
    for i, letter in enumerate(one, 1):
        current = [i]
        for j, other in enumerate(two, 1):
            cost = min(last[j] + 1, current[j - 1] + 1, last[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == two[j - 2] and one[i - 2] == other:
                cost = min(cost, before[j - 2] + 1)
            current.append(cost)
        before, last = last, current
    return last[-1]
