"""Finds the tokens of a sentence in its raw text, and undoes the escapes of Moses (Koehn et al. 2007)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from operator import itemgetter

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
    letters, places = _folded(text)
    tokens, read = [], 0  # read: letters
    for token in sentence.tokens:
        size = next((len(form) for form in _forms(token.text) if letters.startswith(form, read)), None)
        if size is None or (0 < read < len(places) and size and places[read - 1] == places[read]):
            break
        start = places[read] if read < len(places) else len(text)
        end = max(places[read : read + size]) + 1 if size else start
        tokens.append(structs.replace(token, start=start, end=end))
        read += size
    if len(tokens) < len(sentence) or read < len(letters):
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
    letters: list[tuple[str, int]] = []
    for place, character in enumerate(text):
        if not character.isspace():
            folded = unicodedata.normalize("NFD", character.translate(_PLAIN).casefold())
            letters += [(letter, place) for letter in folded]
    if not text.isascii():
        _order_marks(letters)
    return "".join(letter for letter, _ in letters), [place for _, place in letters]


def _order_marks(letters: list[tuple[str, int]]) -> None:
    """Put the marks of each letter into the canonical order (Unicode §3.11), whoever wrote them."""
    classes = [unicodedata.combining(letter) for letter, _ in letters]
    begun = 0
    for end, combining in enumerate([*classes, 0]):
        if not combining:
            marks = zip(classes[begun:end], letters[begun:end], strict=True)
            letters[begun:end] = [letter for _, letter in sorted(marks, key=itemgetter(0))]
            begun = end + 1


#: Names of the ways to escape that readers know.
ESCAPES = ("moses",)

# What escape-special-chars.perl writes, and two older names of it.
_CHARACTERS = {
    "&#124;": "|",
    "&bar;": "|",
    "&lt;": "<",
    "&gt;": ">",
    "&apos;": "'",
    "&quot;": '"',
    "&#91;": "[",
    "&bra;": "[",
    "&#93;": "]",
    "&ket;": "]",
    "&amp;": "&",
}
_ESCAPED = re.compile("|".join(_CHARACTERS))
# tokenizer.perl -a writes "well-known" as "well @-@ known".
_MARKED = re.compile(r"(?<!\S)@(\S)@(?!\S)")
_JOINING = re.compile(r"(?<=\S) @(\S)@ (?=\S)")


def unescape_text(text: str) -> str:
    """A raw text without escapes: ``well @-@ known`` becomes ``well-known``."""
    return _characters(_MARKED.sub(r"\1", _JOINING.sub(r"\1", text)))


def unescape_token(word: str) -> str:
    """A token without escapes: ``@-@`` becomes ``-``."""
    return _characters(_MARKED.sub(r"\1", word))


def unescape_sentence(sentence: Sentence, field: str) -> Sentence:
    """A sentence without escapes; its tokens stay as many as they were.

    Raises InputError if the raw text without escapes has other words than the tokens.
    """
    if not sentence.tokens:
        return replace(sentence, text=unescape_text(sentence.text))
    plain = Sentence.from_words(map(unescape_token, sentence.words))
    tokens = tuple(
        structs.replace(token, text=other.text, start=other.start, end=other.end)
        for token, other in zip(sentence.tokens, plain.tokens, strict=True)
    )
    is_raw = sentence.text != " ".join(sentence.words)
    unescaped = replace(sentence, tokens=tokens, text=plain.text)
    return with_raw_text(unescaped, unescape_text(sentence.text), field) if is_raw else unescaped


def _characters(text: str) -> str:
    # In one pass, so that "&amp;lt;" is "&lt;".
    return _ESCAPED.sub(lambda escape: _CHARACTERS[escape[0]], text)
