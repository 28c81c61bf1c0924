"""Alignments as columns of an Arrow table; the schema is part of the public contract.

``docs/reference/formats.md`` describes the columns. They have the content of JSON lines that tables can use.
Evidence, arcs, alternatives and the annotation of tokens are in JSON lines only. This module needs pyarrow
(extra ``[tables]``).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, get_type_hints

import pyarrow as pa
from msgspec import UnsetType

from forest_align.alignment._record import AlignmentRecord
from forest_align.alignment.json_objects import AlignmentObject, PhrasePairObject
from forest_align.types.json_records import JsonObject

#: While it is 1, columns may be added, but none will be renamed or change its type or meaning.
_COLUMNS_VERSION = 1
#: Key of the schema's metadata under which the version of the columns is, and what made them, as JSON.
METADATA = b"forest_align"

_TYPES = {
    bool | None: pa.bool_(),
    float | None: pa.float64(),
    float | UnsetType | None: pa.float64(),
    str | None: pa.string(),
    list[str] | None: pa.list_(pa.string()),
}


def _columns_of(kind: type[JsonObject], names: Sequence[str]) -> list[tuple[str, pa.DataType]]:
    """Columns of the same names and types as fields of a JSON object."""
    types = get_type_hints(kind)
    return [(name, _TYPES[types[name] | None]) for name in names]


_PHRASE_FIELDS = (
    *("source_label", "target_label", "constituents", "compositional"),
    *("probability", "relation", "relation_probability", "changes", "similarity"),
)
_RESULTS = ("log_probability", "score", "root_aligned", "paraphrase_probability", "warnings", "error")
_WORD = pa.struct([("source", pa.int32()), ("target", pa.int32()), ("probability", pa.float64())])
_PHRASE = pa.struct(
    [
        *((f"{side}_{end}", pa.int32()) for side in ("source", "target") for end in ("start", "end")),
        *_columns_of(PhrasePairObject, _PHRASE_FIELDS),
    ]
)
#: The columns of an alignment.
ALIGNMENT_COLUMNS = pa.schema(
    [
        ("source_tokens", pa.list_(pa.string())),
        ("target_tokens", pa.list_(pa.string())),
        ("source_tree", pa.string()),
        ("target_tree", pa.string()),
        ("words", pa.list_(_WORD)),
        ("phrases", pa.list_(_PHRASE)),
        *_columns_of(AlignmentObject, _RESULTS),
    ]
)
#: The same as one line of JSON.
JSON_COLUMNS = pa.schema([("alignment", pa.string()), ("error", pa.string())])
#: The columns of a file: id and texts of each pair, and its alignment.
FILE_COLUMNS = pa.schema(
    [("id", pa.string()), ("source", pa.string()), ("target", pa.string()), *ALIGNMENT_COLUMNS]
)


def metadata_of(made_by: Mapping[str, str], **more: Any) -> dict[bytes, bytes]:
    """Metadata of a schema: version of the columns, what made them, and more JSON values."""
    values = {"columns_version": _COLUMNS_VERSION, "made_by": dict(made_by), **more}
    return {METADATA: json.dumps(values).encode()}


def arrow_table(rows: Sequence[Mapping[str, Any]], schema: pa.Schema) -> pa.Table:
    """A table of rows; characters that cannot be encoded (half of a surrogate pair) are escaped."""
    try:
        return pa.Table.from_pylist(rows, schema=schema)
    except UnicodeEncodeError:
        return pa.Table.from_pylist([_encodable(row) for row in rows], schema=schema)


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, Mapping):
        return {name: _encodable(part) for name, part in value.items()}
    return [_encodable(part) for part in value] if isinstance(value, list) else value


def file_row(values: Mapping[str, Any]) -> dict[str, Any]:
    """The cells of :data:`FILE_COLUMNS` for the JSON values of an alignment."""
    texts = {side: values[side]["text"] for side in ("source", "target")}
    return {"id": values["id"], **texts, **alignment_row(values)}


def json_row(alignment: AlignmentRecord) -> dict[str, Any]:
    """The cells of :data:`JSON_COLUMNS` for an alignment; raises InputError if a number is not finite."""
    return {"alignment": alignment.to_json(), "error": alignment.error}


def alignment_row(values: Mapping[str, Any]) -> dict[str, Any]:
    """The cells of :data:`ALIGNMENT_COLUMNS` for the JSON values of an alignment."""
    words = values["words"]
    probabilities = values.get("word_probabilities", [None] * len(words))
    return {
        **{f"{side}_tokens": values[side]["tokens"] for side in ("source", "target")},
        **{f"{side}_tree": values[side].get("tree", "") for side in ("source", "target")},
        "words": [
            {"source": i, "target": j, "probability": probability}
            for (i, j), probability in zip(words, probabilities, strict=True)
        ],
        "phrases": [_phrase(pair) for pair in values["phrases"]],
        **{name: values.get(name) for name in _RESULTS},
        "warnings": values.get("warnings", []),
        "error": values.get("error", ""),
    }


def _phrase(pair: Mapping[str, Any]) -> dict[str, Any]:
    (source_start, source_end), (target_start, target_end) = pair["source"], pair["target"]
    return {
        "source_start": source_start,
        "source_end": source_end,
        "target_start": target_start,
        "target_end": target_end,
        **{name: pair.get(name) for name in _PHRASE_FIELDS},
        "changes": pair.get("changes", []),
    }
