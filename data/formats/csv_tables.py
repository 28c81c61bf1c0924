"""The formats of CSV and of tables with named columns: what an unclosed quote takes in is read again."""

from __future__ import annotations

import csv
import io
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from forest_align.alignment import Links
from forest_align.data.formats.fields import (
    COLUMN_NAMES,
    TextColumns,
    label_of,
    need_texts,
    plain_sentences,
    require_columns,
    text_columns,
    text_of,
)
from forest_align.data.formats.format import (
    ColumnNames,
    Format,
    PairError,
    SentencePair,
    Writer,
    reading_pair,
)
from forest_align.data.formats.pharaoh import check_links
from forest_align.data.text.lines import InputLines
from forest_align.types import InputError, InputWarning

_Line = tuple[int, str | InputError]


def csv_rows(lines: InputLines, **dialect: Any) -> Iterator[tuple[int, list[str] | InputError]]:
    """Yield rows with the numbers of their first lines; a broken row yields an error.

    A quoted text may span several lines. If a row is broken, only its first line is dropped: the lines after
    an open quote are read again as separate rows.
    """
    numbered = lines.numbered(blank_end=False)
    again: deque[_Line] = deque()
    # A row that reaches one of the lines of a broken row inside of quotes, as that row did, ends as it did.
    failed_until, failure = 0, ""
    while True:
        taken: list[_Line] = []
        try:
            texts = _texts(again, numbered, taken, failed_until)
            row: list[str] | InputError | None = next(csv.reader(texts, **dialect), None)
        except _FailsAgainError:
            row = _broken(failure, lines.name, taken[0][0])
        except (csv.Error, InputError) as error:
            if len(taken) == 1:
                row = error if isinstance(error, InputError) else _broken(f"{error}", lines.name, taken[0][0])
            else:
                # The unreadable line is reported separately when it is reached.
                unread = isinstance(error, InputError)
                what = f"line {taken[-1][0]} cannot be read" if unread else f"{error}"
                failed_until, failure = taken[-1][0], f"{what}; a quote that is not closed?"
                row = _broken(failure, lines.name, taken[0][0])
            again.extendleft(reversed(taken[1:]))
            del taken[1:]
        if row is None:
            return
        yield taken[0][0], row


class _FailsAgainError(Exception):
    """A row continues into a row that has failed."""


def _texts(
    again: deque[_Line], numbered: Iterator[_Line], taken: list[_Line], failed_until: int
) -> Iterator[str]:
    """Lines for the csv module, each recorded in ``taken``; lines to be read again come first."""
    while True:
        if taken and again and again[0][0] <= failed_until:
            raise _FailsAgainError
        line = again.popleft() if again else next(numbered, None)
        if line is None:
            return
        taken.append(line)
        if isinstance(line[1], InputError):
            raise line[1]
        yield f"{line[1]}\n"


def _broken(what: str, name: str, line: int) -> InputError:
    return InputError(f"broken CSV: {what}", file=name, line=line)


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


def _read_table(
    lines: InputLines, tokenized: bool, wanted: ColumnNames | None = None
) -> Iterator[SentencePair | InputError]:
    """Yield one pair per row, from the wanted columns, or from some of :data:`COLUMN_NAMES`.

    The columns ``id`` and ``label`` are read if there. Links count tokens, so the column ``links`` is read
    only if the text is tokenized. A row without id is named by its number, from 1 below the header. Quotes
    are text in tab-separated tables. Raises InputError if the first line does not name the columns, or
    repeats the name of one that is read. Warns InputWarning if the header could be a pair of two words.
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
    columns = header.columns
    *texts, name = (row[place] if place is not None and place < len(row) else "" for place in columns[:3])
    name = name.strip() or number
    with reading_pair(name, *texts):
        if len(row) != len(header.names):
            raise InputError(f"expected {len(header.names)} columns as in the header, found {len(row)}")
        source, target = plain_sentences(texts, tokenized)
        links = None
        if tokenized and columns.links is not None:
            links = check_links(Links.from_pharaoh(row[columns.links]), len(source), len(target))
        label = None if columns.label is None else label_of(row[columns.label])
        return SentencePair(name, source, target, links, label)


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


def _is_table(head: Sequence[str]) -> bool:
    """Whether the first line names the columns of two sentences, and the file is not a list of words."""
    if not head or text_columns(_cells(head[0], _dialect(head[0], None))) is None:
        return False
    try:
        is_certain = _header(head[0]).is_certain
    except InputError:  # a repeated name
        return True
    below = head[1:]
    return is_certain or not below or any(" " in line.strip() for line in below)


TABLE = Format(
    "table",
    "CSV or tab-separated, with a header line: source and target (or complex, simple, …), perhaps id",
    _read_table,
    _is_table,
    read_columns=_read_table,
)

_QA_HEADER = "qtext,label,atext"


def _answer_numbers() -> Callable[[str], str]:
    """A function that numbers the rows by their questions; rows with one question follow each other."""
    last: str | None = None
    number = answer = 0

    def id_of(question: str) -> str:
        nonlocal last, number, answer
        if question != last:
            last, number, answer = question, number + 1, 0
        answer += 1
        return f"{number}.{answer}"

    return id_of


def _read_qa(lines: InputLines, tokenized: bool) -> Iterator[SentencePair | InputError]:
    """Yield one answer at a time: source is the question, target the answer; ``group`` is the question.

    The id is the numbers of the question and of the answer, joined by a point. A row with other columns has
    the number of its line as id.
    """
    id_of = _answer_numbers()
    for begun, row in csv_rows(lines, strict=True):
        if begun == 1 and row == _QA_HEADER.split(","):
            continue
        try:
            if isinstance(row, InputError):
                raise row
            texts = (*row, "", "", "")[0:3:2]
            name = id_of(row[0]) if len(row) == 3 else str(begun)
            with reading_pair(name, *texts):
                if len(row) != 3 or row[1] not in ("0", "1"):
                    found = f"found {len(row)} columns: {row!r:.80}"
                    raise InputError(f"expected question, 0 or 1, answer; {found}")
                sides = plain_sentences(texts, tokenized, ("qtext", "atext"))
            place = (lines.name, begun)
            yield SentencePair(name, *sides, label=row[1] == "1", group=texts[0], place=place)
        except InputError as error:
            yield error.at(file=lines.name, line=begun)


def _write_qa(pair: SentencePair) -> str:
    if pair.label is None:
        raise InputError(f"pair {pair.id!r} has no label, which format qa needs")
    question, answer = need_texts(pair, "qa")
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow([question, int(pair.label), answer])
    return out.getvalue()


def _qa_numbering() -> Callable[[SentencePair], str]:
    id_of = _answer_numbers()
    return lambda pair: id_of(text_of(pair.source))


#: Answer sentence selection; the answers to one question are a group.
QA = Format(
    "qa",
    "answer selection, CSV: question, 0 or 1, answer",
    _read_qa,
    lambda head: bool(head) and head[0] == _QA_HEADER,
    writer=Writer(_write_qa, frozenset({"label"}), header=f"{_QA_HEADER}\n", numbering=_qa_numbering),
)
