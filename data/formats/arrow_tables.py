"""Sentence pairs of Arrow tables: of Parquet files, and of the tables and frames of other libraries.

Tables are known by what they can do. No library is imported but pyarrow and narwhals (extra ``[tables]``),
and these only for a table.
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from forest_align.data.formats.fields import label_of, plain_sentence, require_columns
from forest_align.data.formats.format import ColumnNames, Format, PairError, SentencePair
from forest_align.data.text.lines import STANDARD_INPUT, InputLines
from forest_align.system.remote_files import open_anywhere
from forest_align.types import ForestAlignError, InputError, Sentence

if TYPE_CHECKING:
    import pyarrow as pa

#: A table or frame: an object with ``__arrow_c_stream__`` or ``__arrow_c_array__``, or one of ``datasets``.
Table = Any
#: Names of columns, and a function that returns the cells of the column in a place.
_Part = tuple[Sequence[str], Callable[[int], list[Any]]]
_NEEDS_MORE = "tables and Parquet need more packages: pip install 'forest-align[tables]'"
_ROWS = 1024


def is_table(value: object) -> bool:
    """Whether an object is a table, and not pairs."""
    has_arrow = hasattr(value, "__arrow_c_stream__") or hasattr(value, "__arrow_c_array__")
    return has_arrow or all(hasattr(value, name) for name in ("column_names", "with_format", "iter"))


def is_parquet(path: str | Path) -> bool:
    """Whether a file has the name of a Parquet file."""
    return Path(path).suffix.lower() == ".parquet"


def read_table(
    table: Table, *, tokenized: bool = False, wanted: ColumnNames | None = None
) -> Iterator[SentencePair | InputError]:
    """Yield one pair per row; see :func:`forest_align.data.read_pairs`.

    Raises InputError if it is no table, or does not name the columns of two sentences.
    """
    if not is_table(table):
        raise InputError(f"expected a path or a table, found {type(table).__name__}")
    yield from _pairs(_parts(table), tokenized, wanted)


def read_parquet(
    path: str | Path,
    *,
    tokenized: bool = False,
    wanted: ColumnNames | None = None,
    rows: range | None = None,
) -> Iterator[SentencePair | InputError]:
    """Yield one pair per row of a Parquet file or address; see :func:`forest_align.data.read_pairs`.

    ``rows`` limits reading to these rows, from 0. Raises OSError if the file cannot be opened, InputError if
    it is not Parquet or does not name the columns of two sentences.
    """
    if str(path) == STANDARD_INPUT:
        raise InputError("Parquet cannot be read from standard input: name a file", file="standard input")
    with _parquet_file(path) as whole:
        names = whole.schema_arrow.names
        chosen = [names[place] for place in require_columns(names, wanted) if place is not None]
        rows = range(whole.metadata.num_rows) if rows is None else rows
        batches = _batches(whole, rows, chosen)
        yield from _pairs(map(_part, batches), tokenized, wanted, str(path), rows.start)


def parquet_rows(path: str | Path, wanted: ColumnNames | None = None) -> int:
    """The number of rows of a Parquet file; raises the same errors as :func:`read_parquet`."""
    with _parquet_file(path) as whole:
        require_columns(whole.schema_arrow.names, wanted)
        return int(whole.metadata.num_rows)


@contextmanager
def _parquet_file(path: str | Path) -> Iterator[Any]:
    """An open file of pyarrow; its errors name the path."""
    pa = import_pyarrow()
    import pyarrow.parquet as pq

    try:
        with open_anywhere(str(path), unpack=False) as file:
            yield pq.ParquetFile(file)
    except (pa.ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise InputError(f"cannot be read as Parquet: {error}", file=str(path)) from None
    except InputError as error:
        raise error.at(file=str(path)) from None


def _batches(whole: Any, wanted: range, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """The wanted rows; row groups without any of them are not read."""
    start, groups, place = 0, [], 0
    for number in range(whole.num_row_groups):
        end = start + whole.metadata.row_group(number).num_rows
        if start < wanted.stop and wanted.start < end:
            groups.append(number)
        elif end <= wanted.start:
            place = end
        start = end
    for batch in whole.iter_batches(_ROWS, row_groups=groups, columns=names) if groups else ():
        first, last = max(wanted.start - place, 0), min(wanted.stop - place, len(batch))
        place += len(batch)
        if first < last:
            yield batch.slice(first, last - first)


def import_pyarrow() -> Any:
    """Return the module. Raises ForestAlignError if it or narwhals is not installed."""
    try:
        import narwhals  # noqa: F401
        import pyarrow
    except ImportError as error:
        raise ForestAlignError(f"{error}; {_NEEDS_MORE}") from None
    return pyarrow


def _parts(table: Table) -> Iterator[_Part]:
    pa = import_pyarrow()
    import narwhals as nw

    frame = nw.from_native(table, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        # Only the cells that are read: a frame may have columns that Arrow cannot hold.
        names = frame.columns
        yield list(map(str, names)), lambda place: frame_cells(frame[names[place]])
        return
    try:
        if hasattr(table, "__arrow_c_stream__"):
            yield from map(_part, pa.RecordBatchReader.from_stream(table))
        elif hasattr(table, "__arrow_c_array__"):
            yield _part(pa.record_batch(table))
        else:
            for part in table.with_format("arrow").iter(_ROWS):
                yield from map(_part, part.to_batches())
    except (pa.ArrowException, TypeError) as error:
        raise InputError(f"the table cannot be converted to Arrow: {error}") from None


def frame_cells(column: Any) -> list[Any]:
    """The cells of a column of narwhals; texts that are not UTF-8 stay bytes."""
    try:
        return list(column.to_list())
    except UnicodeDecodeError:
        return cells_of(column.to_arrow())


def _part(batch: pa.RecordBatch) -> _Part:
    return batch.schema.names, lambda place: cells_of(batch.column(place))


def cells_of(column: pa.Array | pa.ChunkedArray) -> list[Any]:
    """The cells of a column; texts that are not UTF-8 stay bytes."""
    try:
        return list(column.to_pylist())
    except UnicodeDecodeError:
        import pyarrow as pa

        return [_decoded(cell) for cell in column.cast(pa.binary()).to_pylist()]


def _decoded(cell: bytes | None) -> str | bytes | None:
    try:
        return cell.decode() if cell is not None else None
    except UnicodeDecodeError:
        return cell


def _pairs(
    parts: Iterator[_Part],
    tokenized: bool,
    wanted: ColumnNames | None,
    file: str | None = None,
    number: int = 0,
) -> Iterator[SentencePair | InputError]:
    for names, column in parts:
        places = require_columns(names, wanted)[:4]
        columns = [None if place is None else column(place) for place in places]
        nothing = [None] * len(columns[0] or ())
        for row in zip(*(nothing if cells is None else cells for cells in columns), strict=True):
            number += 1
            try:
                pair = _pair(row, number, tokenized)
            except InputError as error:
                yield error.at(file=file, line=number)
            else:
                yield replace(pair, place=(file, number)) if file is not None else pair


def _pair(row: Sequence[Any], number: int, tokenized: bool) -> SentencePair:
    source, target, name, label = row
    id = str(number) if name is None else str(name)
    try:
        return SentencePair(
            id,
            _sentence(source, tokenized, "source"),
            _sentence(target, tokenized, "target"),
            label=None if label is None else label_of(str(label)),
        )
    except InputError as error:
        texts = [cell if isinstance(cell, str) else "" for cell in (source, target)]
        raise PairError(error, id, *texts) from None


def _sentence(cell: Any, tokenized: bool, field: str) -> Sentence:
    if isinstance(cell, str):
        return plain_sentence(cell, tokenized, field)
    if isinstance(cell, list):
        return Sentence.from_words(cell)
    raise wrong_cell(cell, field)


def wrong_cell(cell: Any, field: str) -> InputError:
    """The error for a cell that has neither a text nor tokens, such as null and NaN."""
    is_missing = cell is None or (isinstance(cell, float) and math.isnan(cell))
    found = "nothing" if is_missing else reprlib.repr(cell)
    return InputError(f"expected a text or tokens, found {found}", field=field)


def _read(
    lines: InputLines, tokenized: bool, wanted: ColumnNames | None = None
) -> Iterator[SentencePair | InputError]:
    raise InputError("Parquet cannot be read as text: name a file", file=lines.name)


FORMAT = Format(
    "parquet",
    "Parquet, with columns named as in a table; a cell has a text, or a list of tokens",
    _read,
    lambda head: False,
    (".parquet",),
    read_columns=_read,
)
