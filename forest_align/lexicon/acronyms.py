"""Finds the words that an acronym stands for, such as NYC and New York City."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: Small words that an acronym may leave out.
_SKIPPED = frozenset(("of", "and", "the", "for", "in", "on", "to", "de", "&", "-"))
_LONGEST = 6


@lru_cache(maxsize=100_000)
def acronym_letters(word: str) -> str:
    """Letters of an acronym (``"U.S."`` and ``"S&P"`` give two), empty if the word does not look like one."""
    letters = word.replace(".", "").replace("&", "")
    if 2 <= len(letters) <= _LONGEST and letters.isalpha() and letters.isupper():
        return letters
    return ""


def acronym_spans(acronyms: Sequence[str], words: Sequence[str]) -> Iterator[tuple[int, tuple[int, int]]]:
    """Find the words that spell out acronyms.

    Parameters
    ----------
    acronyms : sequence of str
        Words of one sentence, some of which may be acronyms.
    words : sequence of str
        Words of the other sentence.

    Yields
    ------
    (int, (int, int))
        Index of the acronym and half-open span in ``words`` of what it stands for. The span starts with
        a capital; small words inside may have no letter in the acronym.
    """
    initials = ""
    for index, word in enumerate(acronyms):
        letters = acronym_letters(word)
        if not letters:
            continue
        initials = initials or "".join(word[0] if word else " " for word in words)
        for start, first in enumerate(initials):
            if first == letters[0]:
                end = _spelled_out(letters, start, words, initials)
                if end:
                    yield index, (start, end)


def _spelled_out(letters: str, start: int, words: Sequence[str], initials: str) -> int:
    """End of the words from ``start`` on that spell the letters; 0 if they do not."""
    at = start
    for letter in letters:
        while at < len(words) and initials[at].upper() != letter and words[at].lower() in _SKIPPED:
            at += 1
        if at == len(words) or initials[at].upper() != letter or len(words[at]) < 2:
            return 0
        at += 1
    return at
