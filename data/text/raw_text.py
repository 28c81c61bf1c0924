"""Finds the tokens of a sentence in its raw text, if a file gives both but no offsets."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import replace

from msgspec import structs

from forest_align.types import InputError, Sentence
from forest_align.types.brackets import unescape

# Programs may replace typographic quotes by plain ones.
_PLAIN = str.maketrans("“”‘’", "\"\"''")
# Quotes as treebanks write them.
_QUOTES = {"``": '"', "''": '"', "`": "'"}


def with_raw_text(sentence: Sentence, text: str, field: str) -> Sentence:
    """The sentence with its raw text and the offsets of its tokens in that text.

    Blanks and letter case are ignored, and an accent may be part of its letter or a character of its own.
    Brackets and quotes may be written as in treebanks or as in the text. Tokens are kept unchanged. Raises
    InputError if the text has other words, or a token ends inside one of its characters.
    """
    rest, places = _folded(text)
    tokens, at = [], 0
    for token in sentence.tokens:
        size = next((len(form) for form in _forms(token.text) if rest.startswith(form, at)), None)
        if size is None or (0 < at < len(places) and size and places[at - 1] == places[at]):
            break
        start = places[at] if at < len(places) else len(text)
        end = max(places[at : at + size]) + 1 if size else start
        tokens.append(structs.replace(token, start=start, end=end))
        at += size
    if len(tokens) < len(sentence) or at < len(rest):
        raise InputError(
            f"expected the text of the tokens {' '.join(sentence.words)[:80]!r}, found {text[:80]!r}",
            field=field,
        )
    return replace(sentence, tokens=tuple(tokens), text=text)


def _forms(word: str) -> Iterator[str]:
    """Possible spellings of a token in a text, without blanks."""
    for form in (word, unescape(word), _QUOTES.get(word, word)):
        yield _folded(form)[0]


def _folded(text: str) -> tuple[str, list[int]]:
    """A text without blanks, case and composed letters, and the offset that each character comes from.

    Folding a character may give several: *İ* becomes *i* and a dot above.
    """
    found: list[tuple[str, int]] = []
    for place, character in enumerate(text):
        if not character.isspace():
            folded = unicodedata.normalize("NFD", character.translate(_PLAIN).casefold())
            found += [(letter, place) for letter in folded]
    if not text.isascii():
        _order_marks(found)
    return "".join(letter for letter, _ in found), [place for _, place in found]


def _order_marks(found: list[tuple[str, int]]) -> None:
    """Put the marks of each letter into the canonical order (Unicode §3.11), whoever wrote them."""
    begun = 0
    for end in range(len(found) + 1):
        if end == len(found) or not unicodedata.combining(found[end][0]):
            if end - begun > 1:
                found[begun:end] = sorted(found[begun:end], key=lambda one: unicodedata.combining(one[0]))
            begun = end + 1
