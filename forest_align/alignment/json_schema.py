"""The JSON schema of an alignment, as :meth:`~forest_align.Alignment.to_json` writes it (version 1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from forest_align.alignment._json_line import JSON_VERSION
from forest_align.alignment._phrase_pair import MOST_SIMILAR
from forest_align.alignment._phrase_relation import CHANGE_NAMES, RELATION_NAMES

Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_FLAG: Schema = {"type": "boolean"}
_NUMBER: Schema = {"type": "number"}
_INDEX: Schema = {"type": "integer", "minimum": 0}
_PROBABILITY: Schema = {"type": "number", "minimum": 0, "maximum": 1}


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
    """The schema of an alignment and of its parts, by name.

    Parameters
    ----------
    place : str
        Where the schemas stand in their document, such as ``"#/$defs/"``; they refer to each other.
    """
    span = _pair_of(_INDEX, "Half-open span of tokens: first token, token after the last.")
    link = _pair_of(_INDEX, "Source token and target token, from 0.")
    results: Schema = {
        "words": _list_of(link, "Word links, ascending."),
        "word_probabilities": _list_of(_PROBABILITY, "One a link."),
        "word_sure": _list_of(_FLAG, "One a link; false for a possible one."),
        "word_evidence": _list_of(_list_of(_TEXT), "For each link the names of its evidence."),
        "outside": _list_of(link, "Links that the phrase pairs leave out."),
        "phrases": _list_of({"$ref": f"{place}PhrasePair"}, "Phrases that correspond."),
        "arcs": _list_of({"$ref": f"{place}ArcPair"}, "Dependency arcs that correspond."),
        "unaligned": _object(
            {"source": _list_of(span), "target": _list_of(span)}, "Maximal spans that align to nothing."
        ),
        "log_probability": {"type": ["number", "null"]},
        "score": _NUMBER,
        "root_aligned": _FLAG,
        "paraphrase_probability": _PROBABILITY,
        "warnings": _list_of(_TEXT),
        "error": {**_TEXT, "description": "Why the pair could not be aligned."},
    }
    always = ("words", "phrases", "unaligned", "log_probability", "root_aligned")
    trees = {"source_tree": _TEXT, "target_tree": _TEXT}
    origin = {name: _TEXT for name in ("version", "model", "digest")}
    alignment: Schema = {
        "id": {**_TEXT, "description": "Name of the pair."},
        "aligner": _TEXT,
        "version": {"const": JSON_VERSION},
        "made_by": _object(origin, "What made the alignment.", ()),
        "source": {"$ref": f"{place}Sentence"},
        "target": {"$ref": f"{place}Sentence"},
        **results,
        "alternatives": _list_of(
            {"$ref": f"{place}AlternativeAlignment"}, "Further alignments, the next best first."
        ),
    }
    return {
        "Alignment": _object(
            alignment,
            "The alignment of two sentences.",
            ("id", "aligner", "version", "source", "target", *always),
        ),
        "AlternativeAlignment": _object(
            {**trees, "made_by": _object(origin, "", ()), **results},
            "Another alignment of the same two sentences.",
            always,
        ),
        "Sentence": _sentence(span),
        "PhrasePair": _phrase_pair(span),
        "ArcPair": _arc_pair(),
    }


def _sentence(span: Schema) -> Schema:
    fields = {
        "text": _TEXT,
        "tokens": _list_of(_TEXT),
        "tags": _list_of(_TEXT, "One a token."),
        "lemmas": _list_of(_TEXT, "One a token."),
        "offsets": _list_of(
            _pair_of({"type": "integer", "minimum": -1}, "Characters of text; -1 if unknown."), "One a token."
        ),
        "sentences": _list_of(span, "If there are several sentences."),
        "tree": {**_TEXT, "description": "The tree that the alignment chose, in Penn brackets."},
    }
    return _object(fields, "A sentence, or a text of several.", ("text", "tokens"))


def _phrase_pair(span: Schema) -> Schema:
    relation = {"enum": list(RELATION_NAMES)}
    evidence = {"rule": _TEXT, "relation": relation, "source": span, "target": span}
    fields = {
        "source": span,
        "target": span,
        "source_label": _TEXT,
        "target_label": _TEXT,
        "source_head": _INDEX,
        "target_head": _INDEX,
        "constituents": _FLAG,
        "source_constituent": _FLAG,
        "target_constituent": _FLAG,
        "probability": _PROBABILITY,
        "compositional": _FLAG,
        "relation": relation,
        "relation_probability": _PROBABILITY,
        "changes": _list_of({"enum": list(CHANGE_NAMES)}),
        "relation_evidence": _list_of(
            _object(evidence, "Why they are not equivalent.", ("rule", "relation"))
        ),
        "similarity": {"type": "number", "minimum": 0, "maximum": MOST_SIMILAR},
    }
    needed = ("source_label", "target_label", "constituents", "probability", "compositional")
    return _object(fields, "Two phrases that correspond.", ("source", "target", *needed))


def _arc_pair() -> Schema:
    arc = _pair_of({"type": "integer", "minimum": -1}, "Governor (-1 for a root) and dependent.")
    fields = {"source": arc, "target": arc, "source_relation": _TEXT, "target_relation": _TEXT}
    return _object(fields, "Two dependency arcs that correspond.")


def _object(
    fields: Mapping[str, Schema], description: str, required: tuple[str, ...] | None = None
) -> Schema:
    needed = list(fields if required is None else required)
    return {
        "type": "object",
        **({"description": description} if description else {}),
        "properties": dict(fields),
        **({"required": needed} if needed else {}),
    }


def _list_of(item: Schema, description: str = "") -> Schema:
    return {"type": "array", **({"description": description} if description else {}), "items": item}


def _pair_of(item: Schema, description: str) -> Schema:
    return {"description": description, **_list_of(item), "minItems": 2, "maxItems": 2}
