"""Pairs of Parquet files, and of tables and frames of other libraries."""

# ruff: noqa: E402

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow", reason="needs the extra [tables]")
pytest.importorskip("narwhals", reason="needs the extra [tables]")

import pyarrow.parquet as pq

from forest_align.aligners.base import Aligner
from forest_align.data import PairError, read_pairs
from forest_align.data.formats.arrow_tables import is_table
from forest_align.types import InputError

from ...aligners.test_base import Splitter

ROWS: dict[str, list[Any]] = {
    "ID": ["a", None, "c", "d"],
    "Complex": ["He died.", None, "It rained.", " "],
    "simple": ["He passed away.", "x", "It was wet.", "y"],
    "label": ["1", "0", "other", None],
    "more": [1, 2, 3, 4],
}
EXPECTED = [
    ("a", "He died.", "He passed away.", True),
    "field 'source': expected a text or tokens, found nothing",
    ("c", "It rained.", "It was wet.", None),
    "field 'source': expected a sentence, found nothing",
]


NAMES = "expected columns with the names source and target, or such"
ONE = "expected one column 'Source' in the header"


class Capsules:
    """A table of a library that nobody knows, with Arrow's interface."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


KINDS: dict[str, Callable[[Any], Any]] = {
    "table": lambda table: table,
    "record batch": lambda table: table.combine_chunks().to_batches()[0],
    "reader": lambda table: pa.RecordBatchReader.from_batches(table.schema, table.to_batches(2)),
    "unknown": Capsules,
    "pandas": lambda table: pytest.importorskip("pandas") and table.to_pandas(),
    "polars": lambda table: pytest.importorskip("polars").from_arrow(table),
}


def seen(found: Any) -> Any:
    if isinstance(found, InputError):
        assert isinstance(found, PairError)
        return found.at().message if found.field is None else f"field {found.field!r}: {found.message}"
    return found.id, found.source.text, found.target.text, found.label


@pytest.mark.parametrize("kind", KINDS)
def test_the_rows_of_every_kind_of_table_are_pairs(kind: str) -> None:
    table = KINDS[kind](pa.table(ROWS))
    assert is_table(table)
    found = list(read_pairs(table))
    assert list(map(seen, found)) == EXPECTED
    assert [one.line for one in found if isinstance(one, InputError)] == [2, 4]


@pytest.mark.engine
@pytest.mark.parametrize("streaming", [False, True])
def test_the_rows_of_a_data_set_are_pairs(streaming: bool) -> None:
    datasets = pytest.importorskip("datasets", reason="needs datasets")
    found = datasets.Dataset.from_dict(ROWS)
    found = found.to_iterable_dataset() if streaming else found
    assert is_table(found) and list(map(seen, read_pairs(found))) == EXPECTED
    assert len(list(Splitter().align_many(found))) == 4


@pytest.mark.parametrize("rows", [1, 2, 1000])
def test_the_rows_of_a_parquet_file_are_pairs_with_their_place(rows: int, tmp_path: Path) -> None:
    path = tmp_path / "pairs.parquet"
    pq.write_table(pa.table(ROWS), path, row_group_size=rows)
    found = list(read_pairs(path))
    assert list(map(seen, found)) == EXPECTED
    assert [str(one) for one in found if isinstance(one, InputError)] == [
        f"{path}:2: {EXPECTED[1]}",
        f"{path}:4: {EXPECTED[3]}",
    ]
    assert [one.place for one in found if not isinstance(one, InputError)] == [(str(path), 1), (str(path), 3)]
    path.rename(tmp_path / "other")
    assert list(map(seen, read_pairs(tmp_path / "other", "parquet"))) == EXPECTED


def test_a_text_that_is_not_utf_8_is_an_error_of_its_row(tmp_path: Path) -> None:
    texts = pa.array([b"good", b"b\xe4d", None], pa.binary()).view(pa.string())
    table = pa.table({"source": texts, "target": ["x", "y", "z"]})
    pq.write_table(table, tmp_path / "pairs.parquet")
    for where in (table, table.to_batches()[0], tmp_path / "pairs.parquet"):
        first, *others = read_pairs(where)
        assert not isinstance(first, InputError) and first.source.text == "good"
        assert [str(one).rpartition("found ")[2] for one in others] == ["b'b\\xe4d'", "nothing"]


def test_a_cell_may_have_tokens_or_a_text_of_tokens() -> None:
    table = pa.table({"source": [["Mr.", "X"]], "target": [["He", None]]})
    (broken,) = read_pairs(table)
    assert isinstance(broken, InputError) and "found None among them" in str(broken)
    (pair,) = read_pairs(table.set_column(1, "target", pa.array(["Mr. X"])), tokenized=True)
    assert not isinstance(pair, InputError) and pair.source.words == pair.target.words == ("Mr.", "X")


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (pa.table({"a": ["x"]}), f"{NAMES}, found 'a'; --columns SOURCE TARGET names others"),
        (pa.table({name: ["x"] for name in ("source", "Source", "target")}), f"{ONE}, found several"),
        (7, "expected a path or a table, found int"),
        (["a"], "expected a path or a table, found list"),
    ],
)
def test_what_is_no_table_of_pairs_is_refused(table: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        list(read_pairs(table))
    assert str(refused.value) == message
    if isinstance(table, pa.Table):
        path = tmp_path / "pairs.parquet"
        pq.write_table(table, path)
        with pytest.raises(InputError) as refused:
            list(read_pairs(path))
        assert str(refused.value) == f"{path}: {message}"


def test_a_file_that_is_not_parquet_or_damaged_is_refused_with_its_name(tmp_path: Path) -> None:
    path = tmp_path / "pairs.parquet"
    pq.write_table(pa.table({"source": ["some text"] * 500, "target": ["x"] * 500}), path)
    damaged = bytearray(path.read_bytes())
    damaged[4:60] = b"\xff" * 56
    for content in (b"", b"source\ttarget\n", b"PAR1" * 20, damaged):
        path.write_bytes(content)
        with pytest.raises(InputError, match=r"pairs\.parquet: cannot be read as Parquet: "):
            list(read_pairs(path))
    with pytest.raises(FileNotFoundError):
        list(read_pairs(tmp_path / "none.parquet"))
    with pytest.raises(InputError, match="standard input"):
        list(read_pairs("-", "parquet"))


def test_an_aligner_takes_a_table() -> None:
    aligner: Aligner = Splitter()
    found = list(aligner.align_many(pa.table(ROWS), batch_size=2))
    assert [one.source.text for one in found] == ["He died.", "", "It rained.", ""]
    assert [bool(one.error) for one in found] == [False, True, False, True]
