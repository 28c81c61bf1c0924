"""The description of the service as an OpenAPI 3.1 document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from forest_align._version import __version__
from forest_align.alignment.json_objects import schemas_by_name
from forest_align.service.settings import ServiceLimits

_Document = dict[str, Any]

_SCHEMAS = "#/components/schemas/"
_ALIGNMENT: _Document = {"$ref": f"{_SCHEMAS}Alignment"}
_PAIR: _Document = {"$ref": f"{_SCHEMAS}Pair"}
_ERROR: _Document = {"$ref": f"{_SCHEMAS}Error"}
_JSON, _ROWS, _HTML, _TEXT = "application/json", "application/x-ndjson", "text/html", "text/plain"

#: What each status of an error is about.
ERRORS = {
    400: "Broken JSON, a missing or wrong field, an empty sentence, an aligner that does not exist.",
    403: "A name in Host that is not one of this machine, or a page of another site.",
    404: "An address, or a pair of the file, that does not exist.",
    405: "A method that the address does not support.",
    408: "A body that did not come in time.",
    413: "A body, a list or a sentence that is too long.",
    415: "A body that is compressed.",
    422: "A pair that cannot be aligned.",
    431: "A head of a request that is too long.",
    500: "A fault of the program.",
    503: "An aligner that cannot be loaded, or too many requests at the same time.",
    504: "A pair that took too long.",
}


def openapi_document(names: Sequence[str], default: str, limits: ServiceLimits) -> _Document:
    """Describe a service with aligners ``names``; ``default`` is for pairs that name none."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "forest-align",
            "version": __version__,
            "description": "Phrase and word alignment of English sentence pairs.",
        },
        "paths": {
            "/align": {"post": _align(names, limits)},
            "/health": {"get": _health()},
            "/version": {"get": _get("Version, and aligners with their models.", _JSON, _version())},
            "/metrics": {"get": _get("Counters for Prometheus.", _TEXT, {"type": "string"})},
            "/alignment.schema.json": {
                "get": _get("JSON schema of an alignment.", _JSON, {"type": "object"})
            },
            "/openapi.json": {"get": _get("This document.", _JSON, {"type": "object"})},
            "/pairs/{line}": {"get": _pair_of_file()},
            "/": {"get": _get("Page with a form for two sentences.", _HTML, {"type": "string"})},
            "/docs": {"get": _get("Page that describes the service.", _HTML, {"type": "string"})},
            "/pairs": {"get": _get("Page with pairs of the file.", _HTML, {"type": "string"}, 404)},
        },
        "components": {
            "schemas": {
                **schemas_by_name(_SCHEMAS),
                "Pair": _pair(names, default, limits),
                "Error": {
                    "type": "object",
                    "properties": {"error": {"type": "string"}},
                    "required": ["error"],
                },
            }
        },
    }


def _align(names: Sequence[str], limits: ServiceLimits) -> _Document:
    lists: _Document = {"type": "array", "items": _PAIR, "maxItems": limits.pairs}
    return {
        "summary": "Align a pair, a list of pairs, or a stream of pairs.",
        "description": (
            "In a list or a stream, a pair that cannot be aligned gives an alignment with an error in its "
            "place. Answers have the order of the pairs. The rows of a stream are answered while further "
            "ones come in."
        ),
        "parameters": [
            {
                "name": "aligner",
                "in": "query",
                "description": "Aligner of the pairs that name none.",
                "schema": {"enum": list(names)},
            }
        ],
        "requestBody": {
            "required": True,
            "content": {_JSON: {"schema": {"oneOf": [_PAIR, lists]}}, _ROWS: {"schema": _PAIR}},
        },
        "responses": {
            "200": {
                "description": "The alignment, or one for each pair.",
                "content": {
                    _JSON: {"schema": {"oneOf": [_ALIGNMENT, {"type": "array", "items": _ALIGNMENT}]}},
                    _ROWS: {"schema": _ALIGNMENT},
                },
            },
            **_errors(400, 403, 408, 413, 415, 422, 431, 500, 503, 504),
        },
    }


def _pair(names: Sequence[str], default: str, limits: ServiceLimits) -> _Document:
    text: _Document = {"type": "string", "minLength": 1, "maxLength": limits.characters}
    return {
        "type": "object",
        "properties": {
            "source": text,
            "target": text,
            "aligner": {"enum": list(names), "default": default},
            "id": {
                "type": ["string", "integer"],
                "description": "Name of the pair; in a list or a stream its number, if it has none.",
            },
            "alignments": {
                "type": "integer",
                "minimum": 1,
                "maximum": limits.alignments,
                "default": 1,
                "description": "How many of the best alignments to find (forest aligners).",
            },
        },
        "required": ["source", "target"],
    }


def _health() -> _Document:
    fields: _Document = {
        "status": {"enum": ["ok", "starting", "failed"]},
        "workers": {"type": "integer"},
        "ready_workers": {"type": "integer"},
        "error": {"type": "string"},
    }
    content = {_JSON: {"schema": {"type": "object", "properties": fields}}}
    return {
        "summary": "Whether the service can align.",
        "responses": {
            "200": {"description": "A worker has loaded its models.", "content": content},
            "503": {"description": "None has, yet.", "content": content},
        },
    }


def _version() -> _Document:
    text: _Document = {"type": "string"}
    aligner = {name: text for name in ("name", "kind", "model", "digest")}
    fields = {
        "version": text,
        "default": text,
        "aligners": {"type": "array", "items": {"type": "object", "properties": aligner}},
    }
    return {"type": "object", "properties": fields, "required": list(fields)}


def _pair_of_file() -> _Document:
    line: _Document = {"name": "line", "in": "path", "required": True, "schema": {"type": "integer"}}
    answers = _get("The alignment in a line of the file, from 1.", _JSON, _ALIGNMENT, 404)
    return {**answers, "parameters": [line]}


def _get(summary: str, kind: str, schema: _Document, *errors: int) -> _Document:
    answer = {"description": summary, "content": {kind: {"schema": schema}}}
    return {"summary": summary, "responses": {"200": answer, **_errors(*errors)}}


def _errors(*statuses: int) -> _Document:
    content = {_JSON: {"schema": _ERROR}}
    return {str(status): {"description": ERRORS[status], "content": content} for status in statuses}
