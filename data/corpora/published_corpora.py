"""Prepares corpora as published papers did: collapsed names and true case."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from forest_align.alignment import Links
from forest_align.data.formats.format import Span


def collapse(words: Sequence[str], names: Sequence[Span]) -> tuple[tuple[str, ...], list[int]]:
    """Join the words of each name with underscores; also return the new token of each word.

    Names are half-open spans in order that do not overlap.
    """
    ends = {start: end for start, end in names}
    tokens: list[str] = []
    places: list[int] = []
    at = 0
    while at < len(words):
        end = ends.get(at, at + 1)
        places += [len(tokens)] * (end - at)
        tokens.append("_".join(words[at:end]))
        at = end
    return tuple(tokens), places


def collapsed_links(links: Links, source: Sequence[int], target: Sequence[int]) -> Links:
    """Links of the new tokens (see :func:`collapse`); a link is sure if one of its words' links is."""
    return Links.of([(source[i], target[j]) for i, j in links], sure=links.sure)


# A word after one of these begins a sentence too.
_BEGIN = frozenset({".", "!", "?", ":", ";", "``", "`", '"', "“", "‘", "-lrb-", "(", "--", "..."})


@dataclass(frozen=True, slots=True)
class Truecaser:
    """The usual form of each lower-cased word where the sentence does not ask for a capital.

    Of equally frequent forms, the first in the order of characters.
    """

    forms: dict[str, str]

    @classmethod
    def of(cls, sentences: Iterable[Sequence[str]]) -> Truecaser:
        """Count the forms of words inside sentences; sentences in capitals say nothing."""
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for words in sentences:
            if _in_capitals(words):
                continue
            for place, word in enumerate(words):
                if not _begins(words, place):
                    counts[word.lower()][word] += 1
        return cls({key: min(found, key=lambda form: (-found[form], form)) for key, found in counts.items()})

    def apply(self, words: Sequence[str]) -> tuple[str, ...]:
        """The words of a sentence in their usual forms.

        Only words at beginnings change, and all words of a sentence in capitals. Words that were never seen
        stay as they are; in a sentence in capitals they become small. Names of brackets (``-LRB-``) never
        change, nor do words with a capital after the first letter (*US*) in other sentences.
        """
        capitals = _in_capitals(words)
        return tuple(
            self.forms.get(word.lower(), word.lower() if capitals else word)
            if word[0].isalnum() and (capitals or (_begins(words, place) and _is_plain(word)))
            else word
            for place, word in enumerate(words)
        )


def _begins(words: Sequence[str], place: int) -> bool:
    """Whether all that stands before a word is punctuation, or a mark after which sentences begin."""
    return words[place - 1].lower() in _BEGIN or not any(map(_has_letter, words[:place])) if place else True


def _in_capitals(words: Sequence[str]) -> bool:
    letters = [letter for word in words for letter in word if letter.isalpha()]
    return len(letters) > 1 and all(letter.isupper() for letter in letters)


def _has_letter(word: str) -> bool:
    return any(letter.isalnum() for letter in word) and not word.startswith("-")


def _is_plain(word: str) -> bool:
    """Whether a word has no capital after its first letter."""
    return not any(letter.isupper() for letter in word[1:])
