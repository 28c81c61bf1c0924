"""Tables with a header line, CSV or tab-separated, whose columns are recognised by name."""

from __future__ import annotations

import csv
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from forest_align.data.formats.fields import plain_sentence
from forest_align.data.formats.format import Format, PairError, SentencePair, reading_pair
from forest_align.data.text.csv_rows import csv_rows
from forest_align.data.text.lines import InputLines
from forest_align.types import InputError, InputWarning

#: Names that corpora give to the columns of the two sentences, the most specific first. Letter case, blanks,
#: hyphens and underscores are ignored.
COLUMN_NAMES = (
    ("source", "target"),
    ("src", "tgt"),
    ("src", "trg"),
    ("sentence1", "sentence2"),
    ("sentencea", "sentenceb"),
    ("sent1", "sent2"),
    ("s1", "s2"),
    ("text1", "text2"),
    ("texta", "textb"),
    ("string1", "string2"),
    ("phrase1", "phrase2"),
    ("question1", "question2"),
    ("complex", "simple"),
    ("normal", "simple"),
    ("original", "simple"),
    ("original", "simplified"),
    ("original", "simplification"),
    ("source", "simplified"),
    ("source", "simplification"),
    ("text", "simplified"),
    ("text", "simplification"),
    ("original", "paraphrase"),
    ("sentence", "paraphrase"),
    ("text", "paraphrase"),
    ("premise", "hypothesis"),
    ("text", "hypothesis"),
    ("reference", "hypothesis"),
    ("reference", "candidate"),
    ("reference", "prediction"),
    ("question", "answer"),
    ("question", "sentence"),
    ("text", "summary"),
    ("input", "output"),
)
_ID_NAMES = ("id", "pairid")
# Labels of paraphrases; a column of other labels is skipped.
_LABELS = {"0": False, "1": True, "false": False, "true": True}
_JOINTS = re.compile(r"[\s_-]+")


class TextColumns(NamedTuple):
    """Positions of the columns that are read, None if there is none."""

    source: int
    target: int
    id: int | None
    label: int | None


class _Header(NamedTuple):
    """The columns that are read, the names of all, as written, and whether the line is certainly a header."""

    columns: TextColumns
    names: Sequence[str]
    is_certain: bool


def read(lines: InputLines, tokenized: bool) -> Iterator[SentencePair | InputError]:
    """Yield one pair a row, from the columns that :data:`COLUMN_NAMES` names, ``id`` and ``label``, if there.

    A label is 0 or 1, ``false`` or ``true``; anything else is none. Other columns are skipped. The id of a
    row without one is its number, from 1 below the header. Quotes are special only in comma-separated tables;
    in tab-separated ones they are text.

    Raises
    ------
    InputError
        If the first line does not name the columns, or repeats the name of one that is read.

    Warns
    -----
    InputWarning
        If the header could also be a pair of two words.
    """
    first = next(lines, None)
    if first is None:
        return
    header = _header(first)
    if header is None:
        raise lines.error(f"expected a header line with the columns source and target, found {first[:60]!r}")
    try:
        check_names(header.columns, header.names)
    except InputError as error:
        raise lines.error(error.message) from None
    if not header.is_certain:
        source, target = (header.names[place] for place in header.columns[:2])
        message = (
            f"{lines.name}:1: taken for a header line that calls the source {source!r} and the "
            f"target {target!r}; --from tsv takes it for a pair"
        )
        warnings.warn(InputWarning(message), stacklevel=2)
    for number, (begun, row) in enumerate(csv_rows(lines, **_dialect(first)), 1):
        try:
            if isinstance(row, InputError):
                raise PairError(row, str(number))
            yield replace(_pair(row, header, str(number), tokenized), place=(lines.name, begun))
        except InputError as error:
            yield error.at(file=lines.name, line=begun)


def _pair(row: list[str], header: _Header, number: str, tokenized: bool) -> SentencePair:
    source, target, name = (
        row[place] if place is not None and place < len(row) else "" for place in header.columns[:3]
    )
    name = name.strip() or number
    with reading_pair(name, source, target):
        if len(row) != len(header.names):
            raise InputError(f"expected {len(header.names)} columns as in the header, found {len(row)}")
        return SentencePair(
            name,
            plain_sentence(source, tokenized, "source"),
            plain_sentence(target, tokenized, "target"),
            label=None if header.columns.label is None else label_of(row[header.columns.label]),
        )


def label_of(cell: str) -> bool | None:
    """The label of a pair: whether it is a paraphrase; None for labels of another kind."""
    return _LABELS.get(cell.strip().lower())


def _dialect(header: str) -> dict[str, Any]:
    """Options for the csv module; the header shows the separator of columns."""
    return {"delimiter": "\t", "quoting": csv.QUOTE_NONE} if "\t" in header else {"strict": True}


def _cells(line: str) -> list[str]:
    try:
        return [cell.strip() for cell in next(csv.reader([line], **_dialect(line)), [])]
    except csv.Error:
        return []


def _key(name: str) -> str:
    """Normalise a column's name, so that different spellings are equal."""
    return _JOINTS.sub("", name).lower()


def _header(line: str) -> _Header | None:
    """Read a line as a header; None if it is not one."""
    names = _cells(line)
    columns = text_columns(names)
    if columns is None:
        return None
    # In a tab-separated table, names of columns could be a pair of words.
    usual = (names[columns.source].lower(), names[columns.target].lower()) == COLUMN_NAMES[0]
    return _Header(columns, names, "\t" not in line or usual)


def text_columns(names: Sequence[str]) -> TextColumns | None:
    """Find the columns of two sentences by their names; None if there are none."""
    places = {_key(name): place for place, name in enumerate(names)}
    for pair in COLUMN_NAMES:
        if all(name in places for name in pair):
            source, target = (places[name] for name in pair)
            id_place = next((places[name] for name in _ID_NAMES if name in places), None)
            return TextColumns(source, target, id_place, places.get("label"))
    return None


def check_names(columns: TextColumns, names: Sequence[str]) -> None:
    """Make sure that no other column has the name of one that is read.

    Raises
    ------
    InputError
        If one has.
    """
    keys = [_key(name) for name in names]
    for place in columns[:3]:
        if place is not None and keys.count(keys[place]) > 1:
            raise InputError(f"expected one column {names[place]!r} in the header, found several")


def matches(head: Sequence[str]) -> bool:
    """Whether the first line names the columns of two sentences, and the file is not a list of words."""
    header = _header(head[0]) if head else None
    if header is None:
        return False
    below = head[1:]
    return header.is_certain or not below or any(" " in line.strip() for line in below)


FORMAT = Format(
    "table",
    "CSV or tab-separated, with a header line: source and target (or complex, simple, …), perhaps id",
    read,
    matches,
)
