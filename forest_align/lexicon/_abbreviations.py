"""Abbreviations, acronyms and signs, and the words that they stand for: *NYC* and *New York City*."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib import resources
from itertools import chain, pairwise
from typing import TYPE_CHECKING, NamedTuple

from forest_align.lexicon.number_tables import CARDINAL_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Words = tuple[str, ...]

_ABBREVIATIONS_FILE = "abbreviations.txt"
# q4h, q2wk
_INTERVAL = re.compile("q([1-9][0-9]?)(h|d|wk|min)")
_INTERVAL_UNITS = {"h": "hours", "d": "days", "wk": "weeks", "min": "minutes"}


class _AbbreviationTable(NamedTuple):
    """What abbreviations stand for."""

    # Lower-cased expansions by form, without stops. A form with a capital is read as it is written.
    expansions: dict[str, tuple[Words, ...]]
    long_forms: dict[str, list[Words]]  # Forms of several words, by their first word
    single_words: frozenset[str]


def _read_abbreviations(text: str) -> _AbbreviationTable:
    """Read lines such as ``qd = daily | every day``; ``#`` starts a comment."""
    expansions: dict[str, tuple[Words, ...]] = {}
    for line in text.splitlines():
        form, sign, wordings = line.partition(" = ")
        if not sign or form[0] == "#":
            continue
        key = form.replace(".", "")
        words = tuple(tuple(wording.split()) for wording in wordings.split(" | "))
        expansions[key] = tuple(dict.fromkeys((*expansions.get(key, ()), *words)))
    long_forms: dict[str, list[Words]] = {}
    for form in expansions:
        first, blank, _ = form.partition(" ")
        if blank:
            long_forms.setdefault(first, []).append(tuple(form.split()))
    single = {words[0] for several in expansions.values() for words in several if len(words) == 1}
    return _AbbreviationTable(expansions, long_forms, frozenset(single))


@cache
def _abbreviation_table() -> _AbbreviationTable:
    """The table that comes with the package."""
    file = resources.files("forest_align.data") / "resources" / _ABBREVIATIONS_FILE
    return _read_abbreviations(file.read_text(encoding="utf-8"))


@lru_cache(maxsize=100_000)
def _expansions_of(word: str) -> tuple[Words, ...]:
    """What a word may stand for; empty for nearly all words."""
    plain = word.replace(".", "")
    table = _abbreviation_table().expansions
    expansions = table.get(plain, ())
    if len(plain) > 1 and plain != plain.lower():  # a single capital is an initial
        expansions += table.get(plain.lower(), ())
    interval = _INTERVAL.fullmatch(plain.lower())
    if interval is not None:
        number, unit = interval[1], _INTERVAL_UNITS[interval[2]]
        numbers = (number, *CARDINAL_WORDS[int(number) : int(number) + 1])
        expansions += tuple(("every", said, unit) for said in numbers)
    return expansions


@lru_cache(maxsize=100_000)
def single_word_keys(word: str) -> tuple[str, ...]:
    """The single words that a word may stand for; the word itself if another one may stand for it."""
    keys = tuple(words[0] for words in _expansions_of(word) if len(words) == 1)
    lower = word.lower()
    return (*keys, lower) if lower in _abbreviation_table().single_words else keys


def abbreviation_spans(words: Sequence[str], others: Sequence[str]) -> Iterator[tuple[int, tuple[int, int]]]:
    """Find words of one sentence that stand for several words of the other."""
    table = _abbreviation_table()
    lower: list[str] = []
    letters: list[str] = []
    for index, word in enumerate(words):
        expansions = _expansions_of(word)
        first = word.lower()
        if expansions or first in table.long_forms:
            lower = lower or [other.lower() for other in others]
            for expansion in expansions:
                if len(expansion) > 1:
                    yield from ((index, span) for span in _places(expansion, lower))
            for form in table.long_forms.get(first, ()):
                size = len(form)
                if tuple(part.lower().replace(".", "") for part in words[index : index + size]) != form:
                    continue
                for expansion in table.expansions[" ".join(form)]:
                    for start, end in _places(expansion, lower):
                        for k in range(size):
                            same_size = size == len(expansion)
                            yield index + k, (start + k, start + k + 1) if same_size else (start, end)
        if _has_two_capitals(word):
            letters = letters or [other.replace(".", "") for other in others]
            yield from ((index, span) for span in _spelled_apart(word.replace(".", ""), letters))


def _places(expansion: Words, lower: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Spans of words that are the expansion, whose last word may be a plural."""
    size, last = len(expansion), expansion[-1]
    for start, word in enumerate(lower[: len(lower) - size + 1]):
        if word == expansion[0] and tuple(lower[start : start + size - 1]) == expansion[:-1]:
            end = lower[start + size - 1]
            if end == last or end == last + "s":
                yield start, start + size


@lru_cache(maxsize=100_000)
def _has_two_capitals(word: str) -> bool:
    plain = word.replace(".", "")
    is_short = 2 <= len(plain) <= _LONGEST
    return is_short and plain.isalpha() and sum(map(str.isupper, plain)) > 1


def _spelled_apart(letters: str, others: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Spans of words of one or two letters that together are the letters: *B B C*, *Ph D*."""
    for start, first in enumerate(others):
        if not first or len(first) > 2 or not letters.startswith(first):
            continue
        together, end = first, start + 1
        while end < len(others) and len(together) < len(letters) and len(others[end]) <= 2:
            together += others[end]
            end += 1
            if together == letters:
                yield start, end


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
    return letters if 2 <= len(letters) <= _LONGEST and letters.isalpha() and letters.isupper() else ""


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
            initials = "".join(word[0] if word else " " for word in words)
            # For each position, and the end, the next word from there that is not a small word.
            backwards = [len(words)]
            for place in range(len(words) - 1, -1, -1):
                backwards.append(backwards[-1] if words[place].lower() in _SKIPPED else place)
            larger = backwards[::-1]
        is_short = len(letters) < _SHORTEST_IN_SMALL_LETTERS
        for start, first in enumerate(initials):
            if first != letters[0] and (is_short or first.upper() != letters[0] or larger[start] != start):
                continue
            if len(words[start]) > 1:
                end = _end_of_spelled(letters, start, words, initials, larger)
                if end:
                    yield index, (start, end)


def _end_of_spelled(
    letters: str, start: int, words: Sequence[str], initials: str, larger: Sequence[int]
) -> int:
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
