"""Rewrites raw text into plain characters for the tokenizer, and keeps where each of them stands."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

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
class PlainText:
    """A text in which every character is one that the tokenizer knows."""

    # Words that must not be split are letters only. Entities of markup (`&apos;`) and letters with combining
    # accents are one character, apostrophes and ellipses are the plain ones.
    text: str
    offsets: Sequence[int]  # Where each character begins in the raw text, and the length of the raw text
    # Offsets into `text` where words must be split: the edges of the words that must not be split
    edges: frozenset[int]


def plain_text(raw: str) -> PlainText:
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
    return PlainText(text, offsets, frozenset(edges))


def _written(found: re.Match[str]) -> str | None:
    """What stands for a special part of the text: its letters, or one character; None to keep it."""
    if found.lastgroup == "whole":
        return "a" * len(found[0])
    if found.lastgroup == "entity":
        character = html.unescape(found[0])
        return character if len(character) == 1 and character.isprintable() and character != " " else None
    composed = unicodedata.normalize("NFC", found[0])
    return composed if len(composed) == 1 else found[0][0]
