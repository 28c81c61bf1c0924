"""The JSON schema of an alignment, as :meth:`~forest_align.Alignment.to_json` writes it (version 1)."""

from __future__ import annotations

from typing import Any

from forest_align.alignment.json_objects import AlignmentObject
from forest_align.types.json_records import record_schemas

Schema = dict[str, Any]

# What the best alignment of a pair alone has, and what further ones alone have.
_NAMES = ("id", "aligner", "version", "source", "target", "alternatives")
_TREES = ("source_tree", "target_tree")


def alignment_schema() -> Schema:
    """The schema of one line of ``forest-align align``, in JSON Schema 2020-12.

    It allows fields that it does not name, because later versions may add some.
    """
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Alignment",
        "$ref": "#/$defs/Alignment",
        "$defs": schemas_by_name("#/$defs/"),
    }


def schemas_by_name(place: str) -> dict[str, Schema]:
    """The schema of an alignment and of its parts, by name; they refer to each other below ``place``."""
    schemas = record_schemas(AlignmentObject, place)
    both = schemas["Alignment"]
    best, further = _without(both, _TREES), _without(both, _NAMES)
    best["properties"]["alternatives"]["items"] = {"$ref": f"{place}AlternativeAlignment"}
    further["description"] = "Another alignment of the same two sentences."
    return schemas | {"Alignment": best, "AlternativeAlignment": further}


def _without(schema: Schema, names: tuple[str, ...]) -> Schema:
    properties = {name: part for name, part in schema["properties"].items() if name not in names}
    required = [name for name in schema["required"] if name not in names]
    return {**schema, "properties": properties, "required": required}
