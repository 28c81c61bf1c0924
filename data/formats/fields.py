"""The fields of pairs: which columns hold them, and how readers parse and writers format their text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from forest_align.alignment import Links
from forest_align.data.formats.format import ColumnNames, SentencePair
from forest_align.types import InputError, Sentence

#: Names that corpora give to the columns of the two sentences, the most specific first. Letter case, blanks,
#: hyphens and underscores are ignored.
COLUMN_NAMES = tuple(
    tuple(names.split())
    for names in (
        *("source target", "src tgt", "src trg", "sentence1 sentence2", "sentencea sentenceb", "sent1 sent2"),
        *("s1 s2", "text1 text2", "texta textb", "string1 string2", "phrase1 phrase2", "question1 question2"),
        *("complex simple", "normal simple", "original simple", "original simplified"),
        *("original simplification", "source simplified", "source simplification", "text simplified"),
        *("text simplification", "original paraphrase", "sentence paraphrase", "text paraphrase"),
        *("premise hypothesis", "text hypothesis", "reference hypothesis", "reference candidate"),
        *("reference prediction", "question answer", "question sentence", "before after", "text summary"),
        "input output",
    )
)
# Labels of paraphrases; a column of other labels is skipped.
_LABELS = {"0": False, "1": True, "false": False, "true": True}
_JOINTS = re.compile(r"[\s_-]+")
_SHOWN = 20
_SEPARATOR = re.compile(r"[\t\r\n]")
_BLANK = re.compile(r"[ \t\r\n]")


class TextColumns(NamedTuple):
    """Positions of the columns that are read, None if there is none."""

    source: int
    target: int
    id: int | None
    label: int | None
    links: int | None


def text_columns(names: Sequence[str], wanted: ColumnNames | None = None) -> TextColumns | None:
    """Find the columns of two sentences by the wanted names, or by usual ones; None if there are none."""
    places = {_key(name): place for place, name in enumerate(names)}
    known = COLUMN_NAMES if wanted is None else [tuple(map(_key, wanted))]
    for pair in known:
        if all(name in places for name in pair):
            source, target = (places[name] for name in pair)
            others = places.get("id", places.get("pairid")), places.get("label"), places.get("links")
            return TextColumns(source, target, *others)
    return None


def require_columns(
    names: Sequence[str], wanted: ColumnNames | None = None, *, what: str = "columns"
) -> TextColumns:
    """Find the columns of two sentences, see :func:`text_columns`; ``what`` they are, for the message.

    Raises InputError if there are none, or another column has the name of one that is read; lists the
    columns.
    """
    columns = text_columns(names, wanted)
    if columns is None:
        shown = ", ".join([repr(name[:40]) for name in names[:_SHOWN]] + ["…"] * (len(names) > _SHOWN))
        if wanted is not None:
            raise InputError(f"expected the {what} {wanted[0]!r} and {wanted[1]!r}, found {shown or 'none'}")
        raise InputError(
            f"expected {what} with the names source and target, or such, found {shown or 'none'}; "
            "--columns SOURCE TARGET names others"
        )
    keys = [_key(name) for name in names]
    for place in columns[:3]:
        if place is not None and keys.count(keys[place]) > 1:
            raise InputError(f"expected one column {names[place]!r} in the header, found several")
    return columns


def label_of(cell: str) -> bool | None:
    """The label of a pair: whether it is a paraphrase; None for labels of another kind."""
    return _LABELS.get(cell.strip().lower())


def _key(name: str) -> str:
    """Normalise a column's name, so that different spellings are equal."""
    return _JOINTS.sub("", name).lower()


def plain_sentence(text: str, tokenized: bool, field: str) -> Sentence:
    """A sentence of raw text, or of tokens split on spaces.

    Raises InputError if the text is blank; ``field`` names the column.
    """
    if not text.strip():
        raise InputError("expected a sentence, found nothing", field=field)
    return split_sentence(text) if tokenized else Sentence((), text=text)


def plain_sentences(
    texts: Sequence[str], tokenized: bool, fields: tuple[str, str] = ("source", "target")
) -> tuple[Sentence, Sentence]:
    """Source and target, see :func:`plain_sentence`."""
    source, target = texts
    return plain_sentence(source, tokenized, fields[0]), plain_sentence(target, tokenized, fields[1])


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

    Raises InputError if the line is blank or has fewer than ``least`` columns; ``expected`` lists them.
    """
    if not line.strip():
        raise InputError(f"blank line; expected {expected}")
    row = line.split("\t")
    if len(row) < least:
        raise InputError(f"expected {least} columns ({expected}), found {len(row)}")
    return row


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
