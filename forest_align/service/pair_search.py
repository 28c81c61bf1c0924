"""Finds pairs of a file by their text and by what became of them, some lines at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from forest_align.alignment import Alignment

#: What can be shown: name in addresses -> name for readers.
FILTERS = {"all": "all pairs", "errors": "errors", "unlinked": "no links", "unsure": "links below 0.50"}
#: Lines that are read for one page at most: about a second's work.
MOST_LINES = 1000
_UNSURE = 0.5


@dataclass(frozen=True, slots=True)
class PairQuery:
    """Which pairs of a file to show."""

    text: str = ""  # part of the id or a sentence, in any case; empty for any
    show: str = "all"  # one of FILTERS

    def __bool__(self) -> bool:
        """Whether it leaves pairs out."""
        return bool(self.text) or self.show != "all"

    def matches(self, alignment: Alignment) -> bool:
        """Whether a pair is to be shown."""
        if self.show == "errors" and not alignment.error:
            return False
        if self.show == "unlinked" and (alignment.error or len(alignment.words)):
            return False
        if self.show == "unsure" and not any(score < _UNSURE for score in alignment.words.scores or ()):
            return False
        texts = alignment.id, alignment.source.text, alignment.target.text, alignment.error
        return any(self.text.casefold() in text.casefold() for text in texts)


@dataclass(frozen=True, slots=True)
class FoundPairs:
    """Some pairs of a file."""

    pairs: tuple[tuple[int, Alignment], ...]  # each with its line, counted from 1
    first: int  # lines looked at
    last: int


def find_pairs(
    read: Callable[[int], Alignment], query: PairQuery, first: int, total: int, size: int
) -> FoundPairs:
    """Look from line ``first`` on for pairs that match, until a page is full or enough lines were read."""
    found: list[tuple[int, Alignment]] = []
    last = first - 1
    while last < min(total, first + MOST_LINES - 1) and len(found) < size:
        last += 1
        alignment = read(last)
        if query.matches(alignment):
            found.append((last, alignment))
    return FoundPairs(tuple(found), first, last)
