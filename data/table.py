"""Tables with a header line, CSV or tab-separated: which columns are meant is told by their names."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence

from forest_align.data.lines import CsvLines, InputLines
from forest_align.data.pair_types import Format, SentencePair, plain_sentence, reading_pair
from forest_align.types import InputError


def read(lines: InputLines, tokenized: bool) -> Iterator[SentencePair | InputError]:
    """Yield one pair a row, from the columns ``source``, ``target`` and, if there is one, ``id``.

    Others are passed over. The id of a row without one is the number of its line (of its last, where a
    quoted text goes over several). Quotes have a meaning between commas only; between tabs they are text.

    Raises
    ------
    InputError
        If the first line does not name the columns.
    """
    first = next(lines, None)
    if first is None:
        return
    header = _names(first)
    if not {"source", "target"} <= set(header):
        raise lines.error(f"expected a header line with the columns source and target, found {first[:60]!r}")
    rows = _rows(CsvLines(lines), first)
    while True:
        try:
            row = next(rows, None)
            if row is None:
                return
            yield _pair(row, header, str(lines.number), tokenized)
        except InputError as error:
            yield error.at(file=lines.name, line=lines.number)
        except csv.Error as error:
            yield lines.error(f"broken CSV: {error}")


def _pair(row: list[str], header: list[str], number: str, tokenized: bool) -> SentencePair:
    values = dict(zip(header, row, strict=False))
    name = values.get("id", "").strip() or number
    source, target = values.get("source", ""), values.get("target", "")
    with reading_pair(name, source, target):
        if len(row) != len(header):
            raise InputError(f"expected {len(header)} columns as in the header, found {len(row)}")
        return SentencePair(
            name, plain_sentence(source, tokenized, "source"), plain_sentence(target, tokenized, "target")
        )


def _rows(lines: Iterable[str], header: str) -> Iterator[list[str]]:
    """Rows of lines; the header tells what stands between their columns."""
    if "\t" in header:
        return csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
    return csv.reader(lines, strict=True)


def _names(header: str) -> list[str]:
    try:
        return [name.strip().lower() for name in next(_rows([header], header), [])]
    except csv.Error:
        return []


def matches(head: Sequence[str]) -> bool:
    """Whether the first line names a source and a target."""
    return bool(head) and {"source", "target"} <= set(_names(head[0]))


FORMAT = Format(
    "table", "CSV or tab-separated, with a header line: columns source, target and perhaps id", read, matches
)
