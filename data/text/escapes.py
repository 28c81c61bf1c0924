"""Undoes how the tools of Moses (Koehn et al. 2007) write some characters of tokenized text."""

from __future__ import annotations

import re
from dataclasses import replace

from msgspec import structs

from forest_align.data.text.raw_text import with_raw_text
from forest_align.types import Sentence

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
    found = replace(sentence, tokens=tokens, text=plain.text)
    return with_raw_text(found, unescape_text(sentence.text), field) if is_raw else found


def _characters(text: str) -> str:
    # In one pass, so that "&amp;lt;" is "&lt;".
    return _ESCAPED.sub(lambda found: _CHARACTERS[found[0]], text)
