"""Engines for large data give what the aligner gives, row by row, from processes of their own."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from typing import Any

import pytest

import forest_align

pytestmark = pytest.mark.engine

MODEL = "semi-markov"  # the one that is loaded the fastest
TEXTS = ["He died in 1999.", "The firm was bought.", "She bought 3 books.", "It didn't rain."]
ROWS: list[dict[str, Any]] = [
    {"number": number, "source": TEXTS[number % 4], "target": TEXTS[number % 3] if number % 5 else None}
    for number in range(12)
]


@pytest.fixture(scope="module")
def expected() -> list[str]:
    """The line of each row, the empty ones apart."""
    pairs = [(row["source"], row["target"]) for row in ROWS if row["target"] is not None]
    return [one.to_json() for one in forest_align.load(MODEL).align_many(pairs)]


def check(rows: Iterator[Any], expected: list[str]) -> None:
    found = sorted(map(dict, rows), key=lambda row: int(row["number"]))
    assert [(row["number"], row["source"]) for row in found] == [(r["number"], r["source"]) for r in ROWS]
    assert [row["alignment"] for row in found if not row["error"]] == expected
    wrong = [row["number"] for row in found if row["error"].startswith("field 'target': expected a text")]
    assert wrong == [0, 5, 10]


def batch() -> Any:
    pytest.importorskip("pyarrow", reason="needs the extra [tables]")
    from forest_align.batches import AlignBatch

    return AlignBatch(MODEL, output="json")


@pytest.mark.parametrize("form", ["arrow", None])
def test_datasets(expected: list[str], form: str | None) -> None:
    datasets = pytest.importorskip("datasets", reason="needs datasets")
    align = batch()
    data = datasets.Dataset.from_list(ROWS).with_format(form)
    before = datasets.fingerprint.Hasher.hash(align)
    found = data.map(align, batched=True, batch_size=5, num_proc=2)
    check(iter(found.with_format(None)), expected)
    here = data.map(align, batched=True, batch_size=5)
    check(iter(here.with_format(None)), expected)
    assert datasets.fingerprint.Hasher.hash(align) == before
    assert here._fingerprint == data.map(align, batched=True, batch_size=5)._fingerprint


def test_dask(expected: list[str]) -> None:
    frames = pytest.importorskip("dask.dataframe", reason="needs dask[dataframe]")
    pandas = pytest.importorskip("pandas", reason="needs pandas")
    align = batch()
    data = frames.from_pandas(pandas.DataFrame(ROWS), npartitions=3)
    found = data.map_partitions(align, meta=align(data.head(0, npartitions=-1)))
    assert list(found.columns) == ["number", "source", "target", "alignment", "error"]
    check(iter(found.compute(scheduler="processes", num_workers=2).to_dict("records")), expected)


def test_spark(expected: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    sql = pytest.importorskip("pyspark.sql", reason="needs pyspark")
    pytest.importorskip("pandas", reason="needs pandas")
    if shutil.which("java") is None:
        pytest.skip("needs Java")
    from pyspark.sql.pandas.types import from_arrow_schema
    from pyspark.sql.types import StructType

    monkeypatch.setitem(os.environ, "PYSPARK_PYTHON", sys.executable)
    align = batch()
    spark = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    try:
        data = spark.createDataFrame(ROWS, "number int, source string, target string").repartition(3)
        schema = StructType([*data.schema, *from_arrow_schema(align.schema)])
        found = data.mapInPandas(lambda parts: map(align, parts), schema)
        check((row.asDict() for row in found.collect()), expected)
    finally:
        spark.stop()
