"""Tables with a header line, CSV or tab-separated, whose columns are recognised by name."""

from __future__ import annotations

import csv
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from forest_align.alignment import Links
from forest_align.data.formats.column_names import (
    COLUMN_NAMES,
    ColumnNames,
    TextColumns,
    label_of,
    require_columns,
    text_columns,
)
from forest_align.data.formats.fields import plain_sentence
from forest_align.data.formats.format import Format, PairError, SentencePair, reading_pair
from forest_align.data.formats.pharaoh import check_links
from forest_align.data.text.csv_rows import csv_rows
from forest_align.data.text.lines import InputLines
from forest_align.types import InputError, InputWarning

# Options for the csv module. A list of words between semicolons is hardly a row between commas.
_TABS = {"delimiter": "\t", "quoting": csv.QUOTE_NONE}
_COMMAS = {"delimiter": ",", "strict": True}
_SEMICOLONS = {"delimiter": ";", "strict": True}


class _Header(NamedTuple):
    """The columns that are read, the names of all, the dialect of rows, and whether it is certainly one."""

    columns: TextColumns
    names: Sequence[str]
    dialect: dict[str, Any]
    is_certain: bool


def read(
    lines: InputLines, tokenized: bool, wanted: ColumnNames | None = None
) -> Iterator[SentencePair | InputError]:
    """Yield one pair per row, from the wanted columns, or from some of :data:`COLUMN_NAMES`.

    The columns ``id`` and ``label`` are read if there. Links count tokens, so the column ``links`` (``0-0
    1-2``) is read only if the text is tokenized.

    A label is 0 or 1, ``false`` or ``true``; anything else is none. Other columns are skipped. The id of a
    row without one is its number, from 1 below the header. Columns are separated by commas, semicolons or
    tabs. Quotes are special except in tab-separated tables, where they are text. Raises InputError if the
    first line does not name the columns, or repeats the name of one that is read. Warns InputWarning if the
    header could also be a pair of two words.
    """
    first = next(lines, None)
    if first is None:
        return
    try:
        header = _header(first, wanted)
    except InputError as error:
        raise lines.error(error.message) from None
    if not header.is_certain:
        source, target = (header.names[place] for place in header.columns[:2])
        message = (
            f"{lines.name}:1: taken for a header line that calls the source {source!r} and the "
            f"target {target!r}; --from tsv takes it for a pair"
        )
        warnings.warn(InputWarning(message), stacklevel=2)
    for number, (begun, row) in enumerate(csv_rows(lines, **header.dialect), 1):
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
        first, second = (
            plain_sentence(source, tokenized, "source"),
            plain_sentence(target, tokenized, "target"),
        )
        links = None
        if tokenized and header.columns.links is not None:
            links = check_links(
                Links.from_pharaoh(row[header.columns.links]), len(first.tokens), len(second.tokens)
            )
        return SentencePair(
            name,
            first,
            second,
            links=links,
            label=None if header.columns.label is None else label_of(row[header.columns.label]),
        )


def _dialect(line: str, wanted: ColumnNames | None) -> dict[str, Any]:
    """How the rows are written: the separator is that which divides the header into columns of sentences."""
    if "\t" in line:
        return _TABS
    if ";" in line and text_columns(_cells(line, _SEMICOLONS), wanted) is not None:
        return _SEMICOLONS
    return _SEMICOLONS if line.count(";") > line.count(",") else _COMMAS


def _cells(line: str, dialect: dict[str, Any]) -> list[str]:
    try:
        return [cell.strip() for cell in next(csv.reader([line], **dialect), [])]
    except csv.Error:
        return []


def _header(line: str, wanted: ColumnNames | None = None) -> _Header:
    """Read a line as a header.

    Raises InputError if it does not name the columns, or repeats the name of one that is read.
    """
    dialect = _dialect(line, wanted)
    names = _cells(line, dialect)
    columns = require_columns(names, wanted)
    # In a tab-separated table, names of columns could be a pair of words.
    usual = (names[columns.source].lower(), names[columns.target].lower()) == COLUMN_NAMES[0]
    return _Header(columns, names, dialect, wanted is not None or dialect is not _TABS or usual)


def matches(head: Sequence[str]) -> bool:
    """Whether the first line names the columns of two sentences, and the file is not a list of words."""
    if not head or text_columns(_cells(head[0], _dialect(head[0], None))) is None:
        return False
    try:
        is_certain = _header(head[0]).is_certain
    except InputError:  # a repeated name
        return True
    below = head[1:]
    return is_certain or not below or any(" " in line.strip() for line in below)


FORMAT = Format(
    "table",
    "CSV or tab-separated, with a header line: source and target (or complex, simple, …), perhaps id",
    read,
    matches,
    read_columns=read,
)
