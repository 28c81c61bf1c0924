"""A callable that aligns the pairs of a batch of rows, and returns the batch with more columns.

Engines for large data (Ray Data, Spark, Dask, ``datasets``) hand over batches of many kinds, and want
the same kind back. This module needs pyarrow and narwhals (extra ``[tables]``).
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

try:
    import narwhals as nw
    import pyarrow as pa
except ImportError as error:
    raise ImportError(f"{error}; tables need more packages: pip install 'forest-align[tables]'") from None

from forest_align.aligners import Aligner, load
from forest_align.aligners.base import BATCH_SIZE
from forest_align.alignment import Alignment
from forest_align.alignment.arrow_columns import (
    ALIGNMENT_COLUMNS,
    JSON_COLUMNS,
    alignment_row,
    arrow_table,
    json_row,
    metadata_of,
)
from forest_align.data.formats.arrow_tables import frame_cells, wrong_cell
from forest_align.system.processes import check_counts
from forest_align.types import InputError, Sentence

# The columns of an output, and the cells of an alignment in them.
_OUTPUTS: dict[str, tuple[pa.Schema, Callable[[Alignment], dict[str, Any]]]] = {
    "columns": (ALIGNMENT_COLUMNS, lambda alignment: alignment_row(alignment.to_dict())),
    "json": (JSON_COLUMNS, json_row),
}
_SIDES = ("source", "target")


class AlignBatch:
    """Aligns the pairs in a batch of rows.

    Parameters
    ----------
    model : str or Path or Aligner
        The aligner, or its name or folder.
    columns : (str, str) or (str, str, str)
        Names of the columns of source and target, and perhaps that of the ids. A cell has a text, or a list
        of tokens. A row with anything else, such as null or NaN, gets an error.
    output : {"columns", "json"}
        Whether to add the columns of :data:`~forest_align.alignment.arrow_columns.ALIGNMENT_COLUMNS`, or the
        two of :data:`~forest_align.alignment.arrow_columns.JSON_COLUMNS`: the JSON line in one cell, and the
        error.
    batch_size : int
        Number of pairs that are parsed together.
    **options
        Options for :func:`forest_align.load`, if ``model`` is a name or a folder.

    Attributes
    ----------
    aligner : Aligner
        The aligner.
    schema : pyarrow.Schema
        The columns that are added. Its metadata has the version of the columns and the origin of the aligner.

    Raises
    ------
    InputError
        If an argument is wrong, or there are options beside an aligner.
    ModelError
        If there is no such model.

    Examples
    --------
    >>> batch = {"source": ["He died.", None], "target": ["He passed away.", "He died."], "year": [1, 2]}
    >>> found = AlignBatch("contextual")(batch)
    >>> [(one["source"], one["target"]) for one in found["words"][0]], found["year"]
    ([(0, 0), (1, 1), (1, 2), (2, 3)], [1, 2])
    >>> found["error"]
    ['', "field 'source': expected a text or tokens, found nothing"]
    """

    def __init__(
        self,
        model: str | Path | Aligner = "forest",
        columns: Sequence[str] = _SIDES,
        output: str = "columns",
        *,
        batch_size: int = BATCH_SIZE,
        **options: Any,
    ) -> None:
        check_counts(batch_size=batch_size)
        if isinstance(columns, str) or len(columns) not in (2, 3):
            found = reprlib.repr(columns)
            raise InputError(f"expected the names of two or three columns, found {found}", field="columns")
        if output not in _OUTPUTS:
            raise InputError(f"expected one of {', '.join(_OUTPUTS)}, found {output!r}", field="output")
        if options and isinstance(model, Aligner):
            raise InputError(f"expected a name beside the options {', '.join(options)}, found an aligner")
        self.aligner = model if isinstance(model, Aligner) else load(model, **options)
        self.columns, self.output, self.batch_size = tuple(columns), output, batch_size

    @property
    def schema(self) -> pa.Schema:
        """The columns that are added."""
        return _OUTPUTS[self.output][0].with_metadata(metadata_of(self.aligner.made_by))

    def __call__(self, batch: Any) -> Any:
        """Align the pairs of a batch.

        Parameters
        ----------
        batch : pyarrow.Table or pyarrow.RecordBatch or mapping of str to list or array or data frame
            Rows. A data frame is one that narwhals knows: pandas, polars.

        Returns
        -------
        of the same kind
            All columns of the batch, followed by those of :attr:`schema`. For a mapping this is a dict. Its
            new columns are lists, or arrays if a column of the batch is an array.

        Raises
        ------
        InputError
            If the batch is of another kind, lacks a column, or has a column that would be added.
        """
        if isinstance(batch, Mapping):
            return self._with_mapping(batch)
        if isinstance(batch, pa.RecordBatch):
            table = self(pa.Table.from_batches([batch]))
            arrays = [column.combine_chunks() for column in table.columns]
            return pa.RecordBatch.from_arrays(arrays, schema=table.schema)
        try:
            frame = nw.from_native(batch, eager_only=True)
        except TypeError:
            raise InputError(f"expected a table of rows, found {type(batch).__name__}") from None
        self._check_names(frame.columns)
        added = self._align({name: frame_cells(frame[name]) for name in self.columns})
        parts = nw.from_arrow(added, backend=frame.implementation)
        native = frame.with_columns(*[parts[name] for name in added.column_names]).to_native()
        if isinstance(native, pa.Table):
            return native.replace_schema_metadata({**(batch.schema.metadata or {}), **self.schema.metadata})
        return native

    def _with_mapping(self, batch: Mapping[str, Any]) -> dict[str, Any]:
        self._check_names(list(batch))
        cells = {name: list(batch[name]) for name in self.columns}
        sizes = {name: len(column) for name, column in cells.items()}
        if len(set(sizes.values())) > 1:
            raise InputError(f"expected columns of one length, found {sizes}")
        added = self._align(cells)
        if any(isinstance(batch[name], np.ndarray) for name in batch):
            return {**batch, **{name: added[name].to_numpy() for name in added.column_names}}
        return {**batch, **added.to_pydict()}

    def _check_names(self, names: Sequence[str]) -> None:
        for name in self.columns:
            if name not in names:
                raise InputError(f"expected a column {name!r}, found {', '.join(map(str, names)) or 'none'}")
        if taken := [name for name in self.schema.names if name in names]:
            raise InputError(f"the batch has columns already that would be added: {', '.join(taken)}")

    def _align(self, cells: Mapping[str, Sequence[Any]]) -> pa.Table:
        """The new columns of a batch, for the cells of its columns."""
        rows = list(zip(*(cells[name] for name in self.columns), strict=True))
        pairs = [self._pair(row) for row in rows]
        alignments = self.aligner.align_many(pairs, batch_size=self.batch_size)
        cells_of = [self._cells(alignment, row) for alignment, row in zip(alignments, rows, strict=True)]
        return arrow_table(cells_of, _OUTPUTS[self.output][0])

    def _pair(self, row: Sequence[Any]) -> tuple[str | Sentence, str | Sentence] | InputError:
        source, target, *_ = self.columns
        try:
            return _text(row[0], source), _text(row[1], target)
        except InputError as error:
            return error

    def _cells(self, alignment: Alignment, row: Sequence[Any]) -> dict[str, Any]:
        name = str(row[2]) if len(row) == 3 and row[2] is not None else ""
        if alignment.error and not (alignment.source.text or alignment.target.text):
            sides = [Sentence((), text=cell if isinstance(cell, str) else "") for cell in row[:2]]
            alignment = replace(alignment, source=sides[0], target=sides[1])
        cells_of = _OUTPUTS[self.output][1]
        try:
            return cells_of(replace(alignment, id=name))
        except InputError as error:  # a score that is not finite
            failed = Alignment.failed(str(error), id=name, aligner=alignment.aligner)
            return cells_of(replace(failed, made_by=alignment.made_by))


def _text(cell: Any, column: str) -> str | Sentence:
    """The sentence of a cell: a text, or tokens."""
    tokens = cell.tolist() if isinstance(cell, np.ndarray) else cell
    if isinstance(tokens, str):
        return tokens
    if isinstance(tokens, list | tuple):
        return Sentence.from_words(tokens)
    raise wrong_cell(cell, column)
