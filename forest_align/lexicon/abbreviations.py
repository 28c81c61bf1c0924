"""Finds the words that abbreviations of notes and messages stand for: *prn*, *as needed*; *B B C*, *BBC*."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib import resources
from typing import TYPE_CHECKING, NamedTuple

from forest_align.lexicon.number_tables import CARDINAL_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Words = tuple[str, ...]

ABBREVIATIONS_FILE = "abbreviations.txt"
_LONGEST_INITIALS = 6
# q4h, q2wk
_INTERVAL = re.compile("q([1-9][0-9]?)(h|d|wk|min)")
_INTERVAL_UNITS = {"h": "hours", "d": "days", "wk": "weeks", "min": "minutes"}


class AbbreviationTable(NamedTuple):
    """What abbreviations stand for."""

    # Lower-cased expansions by form, without stops. A form with a capital is read as it is written.
    expansions: dict[str, tuple[Words, ...]]
    long_forms: dict[str, list[Words]]  # Forms of several words, by their first word
    single_words: frozenset[str]


def read_abbreviations(text: str) -> AbbreviationTable:
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
    return AbbreviationTable(expansions, long_forms, frozenset(single))


@cache
def abbreviation_table() -> AbbreviationTable:
    """The table that comes with the package."""
    file = resources.files("forest_align.data") / "resources" / ABBREVIATIONS_FILE
    return read_abbreviations(file.read_text(encoding="utf-8"))


@lru_cache(maxsize=100_000)
def expansions_of(word: str) -> tuple[Words, ...]:
    """What a word may stand for; empty for nearly all words."""
    plain = word.replace(".", "")
    table = abbreviation_table().expansions
    found = table.get(plain, ())
    if len(plain) > 1 and plain != plain.lower():  # a single capital is an initial
        found += table.get(plain.lower(), ())
    interval = _INTERVAL.fullmatch(plain.lower())
    if interval is not None:
        number, unit = interval[1], _INTERVAL_UNITS[interval[2]]
        numbers = (number, *CARDINAL_WORDS[int(number) : int(number) + 1])
        found += tuple(("every", said, unit) for said in numbers)
    return found


@lru_cache(maxsize=100_000)
def single_word_keys(word: str) -> tuple[str, ...]:
    """The single words that a word may stand for; the word itself if another one may stand for it."""
    keys = tuple(words[0] for words in expansions_of(word) if len(words) == 1)
    lower = word.lower()
    return (*keys, lower) if lower in abbreviation_table().single_words else keys


def abbreviation_spans(words: Sequence[str], others: Sequence[str]) -> Iterator[tuple[int, tuple[int, int]]]:
    """Find words of one sentence that stand for several words of the other."""
    table = abbreviation_table()
    lower: list[str] = []
    letters: list[str] = []
    for index, word in enumerate(words):
        expansions = expansions_of(word)
        first = word.lower()
        if expansions or first in table.long_forms:
            lower = lower or [other.lower() for other in others]
            for expansion in expansions:
                if len(expansion) > 1:
                    yield from ((index, span) for span in _places(expansion, lower))
            for form in table.long_forms.get(first, ()):
                yield from _of_long_form(form, index, words, lower)
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


def _of_long_form(
    form: Words, index: int, words: Sequence[str], lower: Sequence[str]
) -> Iterator[tuple[int, tuple[int, int]]]:
    size = len(form)
    if tuple(word.lower().replace(".", "") for word in words[index : index + size]) != form:
        return
    for expansion in abbreviation_table().expansions[" ".join(form)]:
        for start, end in _places(expansion, lower):
            for k in range(size):
                yield index + k, (start + k, start + k + 1) if size == len(expansion) else (start, end)


@lru_cache(maxsize=100_000)
def _has_two_capitals(word: str) -> bool:
    plain = word.replace(".", "")
    is_short = 2 <= len(plain) <= _LONGEST_INITIALS
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
