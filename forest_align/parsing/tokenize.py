"""Splits raw text into Penn-style words with character offsets; the words keep the user's characters."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from forest_align.parsing._full_stops import sentence_ends
from forest_align.parsing.networks.isolated_imports import import_isolated
from forest_align.types import InputError, Token

if TYPE_CHECKING:
    from nltk.tokenize import NLTKWordTokenizer


# Apostrophes that the tokenizer does not know, in places where they are unambiguous.
_OTHER_APOSTROPHE = re.compile(r"(?<=\w)[’´`ʼ′＇](?=\w)|(?<=\s)[’´ʼ′＇](?=(?:s|m|d|re|ve|ll)\b)")
# What an address may hold: a bracket only together with its partner, and no mark of a sentence at its end.
_INSIDE = r"(?:(?!['’]s\b)[^\s<>()\"“”«»\[\]{}|…\u2012-\u2015]|\([^\s<>()\"“”«»]*\)|\[[^\s<>()\"“”«»]*\])"
_TO_ITS_END = rf"{_INSIDE}*(?:[\w/=&\#~+$%-]|(?<=[)\]]))"
# Words that the tokenizer would split, although treebanks do not.
_WHOLE = rf"""
    (?<![^\W_])(?:[A-Za-z][A-Za-z\d+.-]{{1,15}}://|mailto:|doi:(?=\d)|www\.){_TO_ITS_END}
    # A host without any of these needs a slash or a query.
    | (?<![\w.@-])(?:[^\W_][\w-]{{0,62}}\.){{1,8}}[^\W\d_]{{2,24}}(?::\d{{1,5}})?
        (?:/|\?(?=\w+=))(?:{_TO_ITS_END})?
    # The look-behind lets a mail address begin only where its name does: a long word is read once, not from
    # each of its letters.
    | (?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+
    | (?<!\w)[A-Z]+(?:&(?:amp;)?[A-Z]+)+[\w-]*  # AT&T
    | (?<!\w)[\#@][^\W\d]\w*(?![\w-]|\.\w)  # tags and names of users
    | (?<!\w)(?:US|HK|NZ|[AC])\$(?=\s?\d)  # dollars with a country's letters
    | (?<![\w.,])\d[\d.,]*%-[^\W\d][\w-]*  # 62%-owned
    | (?<![\w'’])['’](?:\d\ds?|em|til|cause|cuz|bout)(?![\w'’])  # '80s, 'em
    | (?<!\S)['’][nN]['’](?!\S)  # rock 'n' roll
    | (?<!\S)@\S@(?!\S)  # @-@, as Moses marks hyphens that it splits off
"""
_ENTITY = r"&(?:[A-Za-z]{2,8}|\#\d{1,6}|\#[xX][\dA-Fa-f]{1,5});"
_SPECIAL = re.compile(
    rf"(?P<whole>{_WHOLE})|(?P<entity>{_ENTITY})|(?P<accented>[^\W\d_][\u0300-\u036f]+)", re.VERBOSE
)


@dataclass(frozen=True, slots=True)
class _PlainText:
    """A text in which every character is one that the tokenizer knows."""

    # Words that must not be split are letters only. Entities of markup (`&apos;`) and letters with combining
    # accents are one character, apostrophes and ellipses are the plain ones.
    text: str
    offsets: Sequence[int]  # Where each character begins in the raw text, and the length of the raw text
    # Offsets into `text` where words must be split: the edges of the words that must not be split
    edges: frozenset[int]


def _plain_text(raw: str) -> _PlainText:
    """Rewrite a raw text for the tokenizer."""
    pieces: list[str] = []
    offsets: list[int] = []
    edges: set[int] = set()
    at = 0
    for found in _SPECIAL.finditer(raw):
        start, end = found.span()
        written = _written(found)
        if written is None:
            continue
        pieces += (raw[at:start], written)
        offsets.extend(range(at, start))
        if found.lastgroup == "whole":
            edges |= {len(offsets), len(offsets) + len(written)}
        offsets.extend(range(start, start + len(written)))
        at = end
    pieces.append(raw[at:])
    offsets.extend(range(at, len(raw) + 1))
    # As long as before, so that offsets hold. The tokenizer does not know the ellipsis as one character: a
    # dollar sign is split off alike, and a sentence may begin with it.
    text = _OTHER_APOSTROPHE.sub("'", "".join(pieces)).replace("…", "$")
    return _PlainText(text, offsets, frozenset(edges))


def _written(found: re.Match[str]) -> str | None:
    """What stands for a special part of the text: its letters, or one character; None to keep it."""
    if found.lastgroup == "whole":
        return "a" * len(found[0])
    if found.lastgroup == "entity":
        character = html.unescape(found[0])
        return character if len(character) == 1 and character.isprintable() and character != " " else None
    composed = unicodedata.normalize("NFC", found[0])
    return composed if len(composed) == 1 else found[0][0]


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
    plain = _plain_text(text)
    tokens: list[Token] = []
    begun = 0
    # The tokenizer expects one sentence.
    for end in (*sentence_ends(plain.text), len(plain.text)):
        for first, last in _words(plain, begun, end):
            start, stop = plain.offsets[first], plain.offsets[last]
            tokens.append(Token(text[start:stop], start=start, end=stop))
        begun = end
    return tuple(tokens)


def _words(plain: _PlainText, begun: int, end: int) -> Iterator[tuple[int, int]]:
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
