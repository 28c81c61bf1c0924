"""Find the words that an acronym or a sign abbreviates: NYC and New York City, % and per cent."""

from __future__ import annotations

from functools import lru_cache
from itertools import chain, pairwise
from typing import TYPE_CHECKING

from forest_align.lexicon.abbreviations import abbreviation_spans

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: Small words that an acronym may omit.
_SKIPPED = frozenset(("of", "and", "the", "for", "in", "on", "to", "de", "&", "-"))
#: Signs that mean several words, and these words.
_SIGNS = dict.fromkeys(("%", "pct", "pct."), ("per", "cent"))
_LONGEST = 6
# Two small initials that are an acronym by chance are frequent, three are not.
_SHORTEST_IN_SMALL_LETTERS = 3


@lru_cache(maxsize=100_000)
def acronym_letters(word: str) -> str:
    """Letters of an acronym (``"U.S."`` and ``"S&P"`` give two); empty if the word is not like an acronym."""
    letters = word.replace(".", "").replace("&", "")
    if 2 <= len(letters) <= _LONGEST and letters.isalpha() and letters.isupper():
        return letters
    return ""


def acronym_spans(acronyms: Sequence[str], words: Sequence[str]) -> Iterator[tuple[int, tuple[int, int]]]:
    """Find the words that spell out acronyms, abbreviations and signs."""
    yield from abbreviation_spans(acronyms, words)
    initials, larger = "", [0]
    for index, word in enumerate(acronyms):
        if word in _SIGNS:
            spelled_out = _SIGNS[word]
            for start, both in enumerate(pairwise(map(str.lower, words))):
                if both == spelled_out:
                    yield index, (start, start + 2)
            continue
        letters = acronym_letters(word)
        if not letters:
            continue
        if not initials:
            initials, larger = "".join(word[0] if word else " " for word in words), _larger_words(words)
        is_short = len(letters) < _SHORTEST_IN_SMALL_LETTERS
        for start, first in enumerate(initials):
            if first != letters[0] and (is_short or first.upper() != letters[0] or larger[start] != start):
                continue
            if len(words[start]) > 1:
                end = _spelled_out(letters, start, words, initials, larger)
                if end:
                    yield index, (start, end)


def _larger_words(words: Sequence[str]) -> list[int]:
    """For each position, and the end, the next word from there that is not a small word."""
    found = [len(words)]
    for index in range(len(words) - 1, -1, -1):
        found.append(found[-1] if words[index].lower() in _SKIPPED else index)
    return found[::-1]


def _spelled_out(letters: str, start: int, words: Sequence[str], initials: str, larger: Sequence[int]) -> int:
    """End of the words from ``start`` on that spell the letters; 0 if they do not.

    A small word spells a letter only if the next larger word does not: *UO* is *University of Oregon*.
    """
    end = start + 1
    for letter in letters[1:]:
        places = chain((larger[end],), range(end, larger[end]))
        place = next((k for k in places if initials[k : k + 1].upper() == letter), len(words))
        if place == len(words) or len(words[place]) < 2:
            return 0
        end = place + 1
    return end
