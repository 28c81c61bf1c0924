"""Batches of every kind, aligned row by row as the aligner itself aligns pairs."""

# ruff: noqa: E402

from __future__ import annotations

import json
import math
import pickle
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pa = pytest.importorskip("pyarrow", reason="needs the extra [tables]")
pytest.importorskip("narwhals", reason="needs the extra [tables]")

from forest_align.aligners.base import Aligner
from forest_align.aligners.pair import Text
from forest_align.alignment import Alignment
from forest_align.alignment.arrow_columns import ALIGNMENT_COLUMNS, FILE_COLUMNS, JSON_COLUMNS
from forest_align.batches import AlignBatch
from forest_align.types import InputError, Sentence

ROWS: dict[str, list[Any]] = {
    "number": [10, 20, 30, 40, 50],
    "source": ["The cat sat on the mat.", None, "He died.", "", "He was ill."],
    "target": ["A cat was sitting on the mats.", "He died.", "He passed away.", "He died.", None],
}
TEXTS = [pair for pair in zip(ROWS["source"], ROWS["target"], strict=True) if None not in pair]


@pytest.fixture(scope="module")
def forest() -> AlignBatch:
    return AlignBatch("forest")


def of_pandas(rows: dict[str, list[Any]]) -> Any:
    return pytest.importorskip("pandas").DataFrame(rows, index=list("vwxyz")[: len(rows["source"])])


def of_polars(rows: dict[str, list[Any]]) -> Any:
    return pytest.importorskip("polars").DataFrame(rows, schema_overrides={"source": str, "target": str})


def of_arrow(rows: dict[str, list[Any]]) -> Any:
    types = {"number": pa.int64(), "source": pa.string(), "target": pa.string()}
    return pa.table(rows, schema=pa.schema(types.items(), metadata={"kept": "yes"}))


def of_record_batch(rows: dict[str, list[Any]]) -> Any:
    table = of_arrow(rows)
    return pa.RecordBatch.from_arrays(
        [column.combine_chunks() for column in table.columns], schema=table.schema
    )


def of_arrays(rows: dict[str, list[Any]]) -> Any:
    return {name: np.array(column, dtype=object) for name, column in rows.items()}


KINDS: dict[str, tuple[Callable[[dict[str, list[Any]]], Any], Callable[[Any, str], list[Any]]]] = {
    "lists": (dict, lambda found, name: found[name]),
    "arrays": (of_arrays, lambda found, name: found[name].tolist()),
    "pandas": (of_pandas, lambda found, name: found[name].tolist()),
    "polars": (of_polars, lambda found, name: found[name].to_list()),
    "arrow": (of_arrow, lambda found, name: found[name].to_pylist()),
    "record batch": (of_record_batch, lambda found, name: found.column(name).to_pylist()),
}


def plain(value: Any) -> Any:
    """Cells without the arrays that pandas and numpy make of lists."""
    if isinstance(value, list | np.ndarray):
        return [plain(part) for part in value]
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items()}
    return None if isinstance(value, float) and math.isnan(value) else value


@pytest.mark.parametrize("kind", KINDS)
def test_a_batch_of_every_kind_keeps_its_columns_and_gets_those_of_the_alignments(
    kind: str, forest: AlignBatch
) -> None:
    make, column = KINDS[kind]
    batch = make(ROWS)
    found = forest(batch)
    assert type(found) is type(batch)
    assert [plain(column(found, name)) for name in ROWS] == list(ROWS.values())
    expected = forest(dict(ROWS))
    for name in ALIGNMENT_COLUMNS.names:
        assert plain(column(found, name)) == expected[name], name
    names = list(found) if isinstance(found, dict) else list(getattr(found, "column_names", found.columns))
    assert names == [*ROWS, *ALIGNMENT_COLUMNS.names]


def test_a_table_keeps_its_types_and_metadata(forest: AlignBatch) -> None:
    for found in (
        forest(of_arrow(ROWS)),
        forest(of_record_batch(ROWS)),
        forest(of_arrow({n: [] for n in ROWS})),
    ):
        kept, added = found.schema[:3] if False else list(found.schema)[:3], list(found.schema)[3:]
        assert [field.type for field in kept] == [pa.int64(), pa.string(), pa.string()]
        assert added == list(ALIGNMENT_COLUMNS)
        assert found.schema.metadata[b"kept"] == b"yes"
        about = json.loads(found.schema.metadata[b"forest_align"])
        assert about == {"columns_version": 1, "made_by": forest.aligner.made_by}


def test_the_columns_say_what_the_lines_say(forest: AlignBatch) -> None:
    pairs = [("The price of oil rose by 3%.", "Oil became 3% more expensive."), *TEXTS]
    found = forest({"source": [one for one, _ in pairs], "target": [other for _, other in pairs]})
    for place, alignment in enumerate(forest.aligner.align_many(pairs)):
        line, row = alignment.to_dict(), {name: found[name][place] for name in ALIGNMENT_COLUMNS.names}
        assert [row["source_tokens"], row["target_tokens"]] == [
            line[s]["tokens"] for s in ("source", "target")
        ]
        assert [row["source_tree"], row["target_tree"]] == [
            line[s].get("tree", "") for s in ("source", "target")
        ]
        assert [[link["source"], link["target"]] for link in row["words"]] == line["words"]
        assert [link["probability"] for link in row["words"]] == line.get("word_probabilities", [])
        assert len(row["phrases"]) == len(line["phrases"])
        for ours, theirs in zip(row["phrases"], line["phrases"], strict=True):
            assert [ours["source_start"], ours["source_end"]] == theirs["source"]
            assert [ours["target_start"], ours["target_end"]] == theirs["target"]
            for name in ("source_label", "target_label", "constituents", "compositional", "probability"):
                assert ours[name] == theirs[name]
            for name in ("relation", "relation_probability", "similarity"):
                assert ours[name] == theirs.get(name)
            assert ours["changes"] == theirs.get("changes", [])
        for name in ("log_probability", "root_aligned"):
            assert row[name] == line[name]
        assert row["paraphrase_probability"] == line.get("paraphrase_probability")
        assert row["error"] == line.get("error", "")


def test_with_json_a_cell_is_the_line_of_the_aligner() -> None:
    batch = AlignBatch("contextual", ("source", "target", "number"), "json")
    found = batch({name: [column[k] for k in (0, 2, 3)] for name, column in ROWS.items()})
    expected = list(batch.aligner.align_many(TEXTS))
    lines = [replace(one, id=name).to_json() for one, name in zip(expected, ("10", "30", "40"), strict=True)]
    assert found["alignment"] == lines
    assert found["error"] == [one.error for one in expected]
    assert batch.schema.names == JSON_COLUMNS.names == [name for name in found if name not in ROWS]


def test_a_row_that_cannot_be_read_keeps_the_text_that_it_has() -> None:
    found = AlignBatch("contextual", output="json")({"source": [None], "target": ["He died."]})
    (line,) = map(json.loads, found["alignment"])
    assert (line["source"]["text"], line["target"]["text"]) == ("", "He died.")
    assert line["error"] == found["error"][0] == "field 'source': expected a text or tokens, found nothing"


def test_a_cell_may_have_tokens() -> None:
    batch = AlignBatch("contextual")
    tokens = [["He", "died", "."], ["He", 7]]
    rows = {"source": tokens, "target": ["He died."] * 2}
    found = batch(rows)
    assert found["source_tokens"] == [["He", "died", "."], []]
    assert found["error"][1] == "field 'words': expected words, found 7 among them"
    assert (
        batch(of_arrays({"source": tokens, "target": ["He died."] * 2}))["error"].tolist() == found["error"]
    )


def test_missing_values_of_every_library_are_errors_of_their_rows() -> None:
    batch = AlignBatch("contextual")
    pandas = pytest.importorskip("pandas")
    missing = [None, math.nan, np.float64("nan"), pandas.NA, pandas.NaT, 3, b"bytes"]
    found = batch({"source": missing, "target": ["He died."] * len(missing)})
    expected = "field 'source': expected a text or tokens, found "
    assert [error.removeprefix(expected) for error in found["error"]] == [
        *["nothing"] * 3,
        *("<NA>", "NaT", "3", "b'bytes'"),
    ]
    assert all(words == [] for words in found["words"])


def test_a_text_that_is_not_utf_8_is_an_error_of_its_row() -> None:
    texts = pa.array([b"He died.", b"b\xe4d"], pa.binary()).view(pa.string())
    found = AlignBatch("contextual")(pa.table({"source": texts, "target": ["He died."] * 2}))
    assert found["error"].to_pylist() == ["", "field 'source': expected a text or tokens, found b'b\\xe4d'"]
    assert found["source"].combine_chunks().equals(texts)


class Infinite(Aligner):
    """Gives scores that no line can hold."""

    name = "infinite"

    def prepare(self, sentences: Sequence[Text], batch_size: int) -> list[Sentence | InputError]:
        return [Sentence.from_words(str(text).split()) for text in sentences]

    def align_prepared(self, source: Sentence, target: Sentence) -> Alignment:
        return Alignment(source, target, score=math.inf if len(source) > 1 else 1.0)

    @classmethod
    def load(cls, name_or_path: str | Path) -> Infinite:
        return cls()

    def save(self, path: str | Path) -> None: ...


@pytest.mark.parametrize("output", ["columns", "json"])
def test_a_score_that_is_not_finite_is_an_error_of_its_row(output: str) -> None:
    found = AlignBatch(Infinite(), output=output)({"source": ["a b", "a"], "target": ["a", "a"]})
    assert ["score" in error for error in found["error"]] == [True, False]


def test_it_is_pickled_by_the_origin_of_its_aligner() -> None:
    batch = AlignBatch("contextual", output="json", threshold=0.3)
    unused = pickle.dumps(batch)
    expected = batch(ROWS)
    assert pickle.dumps(batch) == unused and len(unused) < 1000
    again = pickle.loads(unused)
    assert again.aligner is batch.aligner and again(ROWS) == expected


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"columns": "source"},
            "field 'columns': expected the names of two or three columns, found 'source'",
        ),
        ({"columns": ["a"]}, "field 'columns': expected the names of two or three columns, found ['a']"),
        ({"output": "rows"}, "field 'output': expected one of columns, json, found 'rows'"),
        ({"batch_size": 0}, "field 'batch_size': expected at least 1, found 0"),
        (
            {"model": Infinite(), "threshold": 1},
            "expected a name beside the options threshold, found an aligner",
        ),
    ],
)
def test_wrong_arguments_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as refused:
        AlignBatch(**{"model": "projection", **arguments})
    assert str(refused.value) == message


@pytest.mark.parametrize(
    ("batch", "message"),
    [
        ({"source": ["a"]}, "expected a column 'target', found source"),
        ({}, "expected a column 'source', found none"),
        (
            {"source": ["a"], "target": ["a"], "error": [1]},
            "the batch has columns already that would be added: error",
        ),
        ({"source": ["a"], "target": []}, "expected columns of one length, found {'source': 1, 'target': 0}"),
        ([("a", "b")], "expected a table of rows, found list"),
    ],
)
def test_batches_that_do_not_fit_are_refused(batch: Any, message: str) -> None:
    with pytest.raises(InputError) as refused:
        AlignBatch(Infinite())(batch)
    assert str(refused.value) == message


def test_the_schema_is_the_published_one() -> None:
    page = (Path(__file__).parents[2] / "docs/reference/formats.md").read_text()
    section = page.partition("## Arrow and Parquet")[2].partition("\n## ")[0]
    for field in FILE_COLUMNS:
        assert f"`{field.name}`" in section
    for name in ("words", "phrases"):
        for part in ALIGNMENT_COLUMNS.field(name).type.value_type:
            assert f"`{part.name}`" in section
