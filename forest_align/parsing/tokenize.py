"""Splits raw text into Penn-style words with character offsets; the words keep the user's characters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from forest_align.parsing._full_stops import sentence_ends
from forest_align.parsing._plain_text import PlainText, plain_text
from forest_align.parsing.networks.isolated_imports import import_isolated
from forest_align.types import InputError, Token

if TYPE_CHECKING:
    from nltk.tokenize import NLTKWordTokenizer

# The tokenizer replaces one kind of double quote by another.
_DOUBLE_QUOTES = ("``", "''", '"')

# Places to split the tokenizer's words again: beside a currency sign, and between two contractions.
_CURRENCY = re.compile(r"(?<=^[£€¥₹])(?=\d)|(?<=\d)(?=[£€¥₹]$)")
_CONTRACTION = re.compile(r"(?<=\w)(?:['’]d|n['’]t)$", re.IGNORECASE)
_HAVE = re.compile(r"['’]ve\b", re.IGNORECASE)


@lru_cache(maxsize=1)
def _tokenizer() -> NLTKWordTokenizer:
    """NLTK's, with patterns of re: those of regex take longer, and fail after five seconds."""
    tokenizer = import_isolated("nltk.tokenize.destructive").NLTKWordTokenizer()
    for name in ("STARTING_QUOTES", "PUNCTUATION", "ENDING_QUOTES"):
        setattr(tokenizer, name, [_with_re(*rule) for rule in getattr(tokenizer, name)])
    for name in ("PARENS_BRACKETS", "DOUBLE_DASHES"):
        setattr(tokenizer, name, _with_re(*getattr(tokenizer, name)))
    return tokenizer


def _with_re(rule: re.Pattern[str], replacement: str) -> tuple[re.Pattern[str], str]:
    return re.compile(rule.pattern), replacement


def tokenize(text: str) -> tuple[Token, ...]:
    """Split raw text the Penn treebank's way.

    Contractions and punctuation are split off (``don't`` → ``do n't``). Characters stay as they are: no quote
    or bracket is rewritten.

    Addresses stay whole. An entity of markup (``&apos;``) is split as its character would be. Moses's mark of
    a hyphen (``@-@``) is a word.
    """
    plain = plain_text(text)
    tokens: list[Token] = []
    begun = 0
    # The tokenizer expects one sentence.
    for end in (*sentence_ends(plain.text), len(plain.text)):
        for first, last in _words(plain, begun, end):
            start, stop = plain.offsets[first], plain.offsets[last]
            tokens.append(Token(text[start:stop], start=start, end=stop))
        begun = end
    return tuple(tokens)


def _words(plain: PlainText, begun: int, end: int) -> Iterator[tuple[int, int]]:
    """Spans of the words of one sentence of a plain text."""
    sentence = plain.text[begun:end]
    at = 0
    for word in _tokenizer().tokenize(sentence):
        start, at = _locate(word, sentence, at)
        inside = _cut(sentence[start:at], sentence[at : at + 4])
        cuts = {start + inside} if inside else set()
        if plain.edges:
            cuts.update(edge - begun for edge in range(begun + start + 1, begun + at) if edge in plain.edges)
        for cut in (*sorted(cuts), at):
            yield begun + start, begun + cut
            start = cut


def _cut(word: str, following: str) -> int:
    """Where to split a word of the tokenizer again; 0 for nowhere."""
    found = _CURRENCY.search(word) or (_HAVE.match(following) and _CONTRACTION.search(word))
    return found.start() if found else 0


def _locate(word: str, text: str, at: int) -> tuple[int, int]:
    """Position of the next word; the tokenizer only adds blanks and rewrites double quotes."""
    while at < len(text) and text[at].isspace():
        at += 1
    for form in (word, *_DOUBLE_QUOTES) if word in _DOUBLE_QUOTES else (word,):
        if text.startswith(form, at):
            return at, at + len(form)
    raise InputError(
        f"cannot tokenize the text at character {at}: expected {word!r}, found {text[at : at + 20]!r}"
    )


def tokens_of_words(words: Sequence[str]) -> tuple[Token, ...]:
    """Tokens with offsets into the words joined by spaces."""
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
