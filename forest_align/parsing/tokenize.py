"""Splits raw text into Penn-style words with character offsets; the words keep the user's characters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from forest_align.types import InputError, Token

if TYPE_CHECKING:
    from nltk.tokenize import NLTKWordTokenizer

# The tokenizer writes one kind of double quote for another.
_DOUBLE_QUOTES = ("``", "''", '"')

_TYPOGRAPHIC_APOSTROPHE = re.compile(r"(?<=\w)’(?=\w)")
_PLAIN_WORD = re.compile(r"([^\W_]*[^\W\d_A-Z]{2}|\d{2,})\.")
_BEFORE_SENTENCE = " \t\"'`“‘(["
# Words whose full stop belongs to them even before a capital letter.
_ABBREVIATIONS = frozenset(
    """mr mrs ms messrs dr prof st mt ft inc corp co cos ltd bros jr sr gen sen sens rep reps gov lt col sgt
    capt cmdr adm rev hon pres supt jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat
    sun vs etc no nos fig figs vol ed eds pp ca approx dept univ assn ave blvd rd""".split()  # noqa: SIM905
)


@lru_cache(maxsize=1)
def _tokenizer() -> NLTKWordTokenizer:
    from nltk.tokenize import NLTKWordTokenizer

    return NLTKWordTokenizer()


def tokenize(text: str) -> tuple[Token, ...]:
    """Split raw text the Penn treebank's way.

    Contractions and punctuation are split off (``don't`` → ``do n't``). Characters stay as they are: no
    quote or bracket is rewritten.

    Parameters
    ----------
    text : str
        Best one sentence; where more follow, their full stops are split off if they are plain to see.

    Returns
    -------
    tuple of Token
        With offsets into ``text``; empty when there is nothing but blanks.
    """
    # Of the same length as the text, so that offsets hold for both.
    plain = _TYPOGRAPHIC_APOSTROPHE.sub("'", text)
    tokens: list[Token] = []
    at = 0
    for word in _tokenizer().tokenize(plain):
        start, end = _locate(word, plain, at)
        at = end
        if _ends_sentence(word, text[end : end + 5].lstrip(_BEFORE_SENTENCE)):
            tokens.append(Token(text[start : end - 1], start=start, end=end - 1))
            start = end - 1
        tokens.append(Token(text[start:end], start=start, end=end))
    return tuple(tokens)


def _ends_sentence(word: str, following: str) -> bool:
    """Whether the full stop at the end of a word is one, though more text follows."""
    return (
        word.endswith(".")
        and bool(_PLAIN_WORD.fullmatch(word))
        and word[:-1].lower() not in _ABBREVIATIONS
        and following[:1].isupper()
    )


def _locate(word: str, text: str, at: int) -> tuple[int, int]:
    """Where the next word stands; the tokenizer only adds blanks and rewrites double quotes."""
    while at < len(text) and text[at].isspace():
        at += 1
    for form in (word, *_DOUBLE_QUOTES) if word in _DOUBLE_QUOTES else (word,):
        if text.startswith(form, at):
            return at, at + len(form)
    raise InputError(
        f"cannot tokenize the text at character {at}: expected {word!r}, found {text[at : at + 20]!r}"
    )


def tokens_of_words(words: Sequence[str]) -> tuple[Token, ...]:
    """Tokens with offsets into the words joined by spaces.

    Raises
    ------
    InputError
        If a word is empty or holds blanks, which no output format could hold.
    """
    tokens, at = [], 0
    for word in words:
        if word.split() != [word]:
            raise InputError(f"expected words without blanks, found {word!r}")
        tokens.append(Token(word, start=at, end=at + len(word)))
        at += len(word) + 1
    return tuple(tokens)


def space_after(tokens: Sequence[Token]) -> list[bool]:
    """Whether blanks follow each token in the raw text."""
    following = [*(token.start for token in tokens[1:]), -1]
    return [token.end < start for token, start in zip(tokens, following, strict=True)]
