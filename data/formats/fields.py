"""Sentences and links as the fields of text formats: how readers parse and writers format them."""

from __future__ import annotations

import re

from forest_align.alignment import Links
from forest_align.data.formats.format import SentencePair
from forest_align.types import InputError, Sentence

_SEPARATOR = re.compile(r"[\t\r\n]")
_BLANK = re.compile(r"[ \t\r\n]")


def plain_sentence(text: str, tokenized: bool, field: str) -> Sentence:
    """A sentence of raw text, or of tokens split on spaces.

    Raises InputError if the text is blank; ``field`` names the column.
    """
    if not text.strip():
        raise InputError("expected a sentence, found nothing", field=field)
    return split_sentence(text) if tokenized else Sentence((), text=text)


def split_sentence(text: str) -> Sentence:
    """A sentence of tokens split on spaces only (a no-break space stays in its token)."""
    return Sentence.from_words([word for word in text.split(" ") if word])


def text_of(sentence: Sentence) -> str:
    """The sentence as one field of a raw-text format: its text on one line, or else its tokens."""
    return one_line(sentence.text or tokens_of(sentence))


def tokens_of(sentence: Sentence) -> str:
    """The sentence as one field of a token format, its tokens joined by spaces; see :func:`need_links`."""
    return " ".join(sentence.words)


def one_line(text: str) -> str:
    """A text as one field of a line: tabs and line ends become spaces."""
    return _SEPARATOR.sub(" ", text)


def cells(line: str, count: int) -> list[str]:
    """The first columns of a line, even of a broken one; missing columns are empty."""
    return [*line.split("\t"), *[""] * count][:count]


def columns(line: str, least: int, expected: str) -> list[str]:
    """Split a line at tabs.

    Raises
    ------
    InputError
        If the line is blank or has fewer than ``least`` columns; ``expected`` lists them.
    """
    if not line.strip():
        raise InputError(f"blank line; expected {expected}")
    found = line.split("\t")
    if len(found) < least:
        raise InputError(f"expected {least} columns ({expected}), found {len(found)}")
    return found


def need_texts(pair: SentencePair, format_name: str) -> tuple[str, str]:
    """Source and target, each as :func:`text_of` gives it.

    Raises InputError if one of them is blank, as in an alignment of a pair that could not be read.
    """
    texts = text_of(pair.source), text_of(pair.target)
    if not all(text.strip() for text in texts):
        raise InputError(f"pair {pair.id!r} lacks a sentence, which format {format_name} needs")
    return texts


def need_links(pair: SentencePair, format_name: str) -> Links:
    """The pair's word links.

    Raises InputError if it has none or could not be aligned, its text is not tokenized, or a token is empty
    or contains a blank.
    """
    if pair.error:
        raise InputError(f"pair {pair.id!r} could not be aligned: {pair.error}")
    if pair.links is None:
        raise InputError(f"pair {pair.id!r} has no word links, which format {format_name} needs")
    if not (pair.source.tokens and pair.target.tokens):
        raise InputError(f"pair {pair.id!r} is not tokenized, which format {format_name} needs")
    for word in (*pair.source.words, *pair.target.words):
        if not word or _BLANK.search(word):
            raise InputError(
                f"pair {pair.id!r} has the token {word!r}, which format {format_name} cannot hold"
            )
    return pair.links


def split_links(links: Links) -> tuple[str, str]:
    """Sure and possible links, each as ``"0-0 1-2"``."""
    sure = links.only_sure()
    possible = Links.of(set(links.pairs) - set(sure.pairs))
    return sure.to_pharaoh(), possible.to_pharaoh()


def join_links(sure: str, possible: str, names: tuple[str, str], lengths: tuple[int, int]) -> Links:
    """The opposite of :func:`split_links`; a link listed as both is sure.

    Raises InputError if an item is not a link, or points beyond a sentence; ``names`` are the two fields.
    """
    pairs: list[tuple[int, int]] = []
    classes: list[bool] = []
    for text, name, is_sure in ((sure, names[0], True), (possible, names[1], False)):
        try:
            found = Links.from_pharaoh(text).check(*lengths)
        except InputError as error:
            raise InputError(error.message, field=name) from None
        pairs.extend(found)
        classes.extend([is_sure] * len(found))
    return Links.of(pairs, sure=None if all(classes) else classes)
