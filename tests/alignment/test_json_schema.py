"""The published schema describes what is written: no less, and nothing else."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

import forest_align
from forest_align.alignment import Alignment, ArcPair
from forest_align.alignment.json_objects import AlignmentObject, DocumentAlignmentObject, alignment_schema
from forest_align.alignment.support_report import SupportReportObject
from forest_align.types.json_records import record_schemas

from .random_alignments import alignments

# The installed package is tested without it.
jsonschema = pytest.importorskip("jsonschema")


def closed(schema: Any) -> Any:
    """The schema, without room for fields that it does not name."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: closed(value) for key, value in schema.items()}
    return found | ({"additionalProperties": False} if schema.get("type") == "object" else {})


OPEN, CLOSED = (
    jsonschema.Draft202012Validator(alignment_schema()),
    jsonschema.Draft202012Validator(closed(alignment_schema())),
)


@given(alignments())
def test_every_field_of_any_alignment_is_described(alignment: Alignment) -> None:
    CLOSED.validate(json.loads(alignment.to_json()))


@pytest.mark.parametrize("name", ["forest", "contextual", "joint", "semi-markov", "sultan", "projection"])
def test_what_aligners_write_is_described(name: str) -> None:
    options: dict[str, Any] = {"alignments": 2} if name == "forest" else {}
    aligner = forest_align.load(name, **options)
    CLOSED.validate(json.loads(aligner.align("He died in 1999.", "He passed away in 1999.").to_json()))
    for failed in aligner.align_many([("", "a")]):
        assert failed.error
        CLOSED.validate(json.loads(failed.to_json()))


def example() -> dict[str, Any]:
    words = forest_align.Sentence.from_words(["a", "b"])
    node = forest_align.Node(0, 2, "S")
    pair = forest_align.PhrasePair(node, node, 0.5)
    links = forest_align.Links.of([(0, 0), (1, 1)], scores=[0.5, 1.0])
    alignment = Alignment(words, words, links, (pair,), arcs=(ArcPair((-1, 0), (-1, 0)),))
    return json.loads(replace(alignment, alternatives=(alignment,)).to_json())  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("version",), 2),
        (("words", 0), [0]),
        (("words", 0, 1), -1),
        (("word_probabilities", 0), 1.5),
        (("phrases", 0, "probability"), None),
        (("phrases", 0, "relation"), "similiar"),
        (("source", "tokens"), "a b"),
        (("unaligned", "source"), [[0, 1, 2]]),
        (("log_probability",), "-1"),
        (("arcs", 0, "source"), [-2, 0]),
        (("alternatives", 0, "words"), 1),
    ],
)
def test_a_wrong_field_is_found(place: tuple[Any, ...], value: Any) -> None:
    wrong = example()
    OPEN.validate(wrong)
    *above, last = place
    inner: Any = wrong
    for key in above:
        inner = inner[key]
    inner[last] = value
    with pytest.raises(jsonschema.ValidationError):
        OPEN.validate(wrong)


@pytest.mark.parametrize("field", ["id", "source", "target", "words", "phrases", "unaligned"])
def test_a_missing_field_is_found(field: str) -> None:
    values = {key: value for key, value in example().items() if key != field}
    with pytest.raises(jsonschema.ValidationError):
        OPEN.validate(values)


@pytest.mark.parametrize("kind", [AlignmentObject, DocumentAlignmentObject, SupportReportObject])
def test_the_page_of_formats_names_each_field_of_a_record(kind: type[Any]) -> None:
    page = (Path(__file__).parents[2] / "docs/reference/formats.md").read_text(encoding="utf-8")
    named = set(re.findall(r'`(\w+)`|"(\w+)":', page))
    fields = {field for schema in record_schemas(kind, "#/$defs/").values() for field in schema["properties"]}
    assert fields - {name for both in named for name in both} == set()
