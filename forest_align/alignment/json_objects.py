"""The JSON objects and the schema of alignments, in the order of the public contract (version 1)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Final, Literal, Self

import msgspec
from msgspec import UNSET, Meta, UnsetType, structs

from forest_align.alignment._links import ArcPair
from forest_align.alignment._phrase_relation import CHANGE_NAMES, RELATION_NAMES
from forest_align.types.errors import InputError
from forest_align.types.json_fields import Fields
from forest_align.types.json_records import (
    Index,
    JsonObject,
    Probability,
    Span,
    Written,
    convert_record,
    read_record,
    record_schemas,
    record_text,
    record_values,
)
from forest_align.types.sentence import SentenceObject

JSON_VERSION: Final = 1
#: Similarity of phrases that mean the same.
MOST_SIMILAR = 5.0

Version = Literal[1]
Link = Annotated[tuple[Index, Index], Meta(description="Source token and target token, from 0.")]
Relation = Annotated[str, Meta(extra_json_schema={"enum": list(RELATION_NAMES)})]
Change = Annotated[str, Meta(extra_json_schema={"enum": list(CHANGE_NAMES)})]
Head = Annotated[int, Meta(extra_json_schema={"minimum": 0})]
_PerLink = Meta(description="One a link.")


class OriginObject(JsonObject, frozen=True):
    """What made a record."""

    version: str | None = None
    model: str | None = None
    digest: str | None = None


class EvidenceObject(JsonObject, kw_only=True, frozen=True):
    """Why two phrases are not equivalent."""

    rule: str
    relation: Relation
    source: Span | None = None
    target: Span | None = None


class PhrasePairObject(JsonObject, kw_only=True, frozen=True):
    """Two phrases that correspond."""

    source: Span
    target: Span
    source_label: Written[str] = None
    target_label: Written[str] = None
    constituents: Written[bool] = None
    probability: Probability
    compositional: Written[bool] = None
    source_constituent: bool | None = None
    source_head: Head | None = None
    target_constituent: bool | None = None
    target_head: Head | None = None
    relation: Relation | None = None
    relation_probability: Probability | None = None
    changes: list[Change] | None = None
    relation_evidence: list[EvidenceObject] | None = None
    similarity: Annotated[float, Meta(ge=0, le=MOST_SIMILAR)] | None = None


class UnalignedObject(JsonObject, frozen=True):
    """Maximal spans that align to nothing."""

    source: Written[list[Span]] = None
    target: Written[list[Span]] = None


class AlignmentObject(JsonObject, kw_only=True, frozen=True):
    """The alignment of two sentences.

    Another alignment of the same two sentences has no names and sentences, but ``source_tree`` and
    ``target_tree``.
    """

    id: Annotated[Written[str], Meta(description="Name of the pair.")] = None
    aligner: Written[str] = None
    version: Written[Version] = None
    source_tree: str | None = None
    target_tree: str | None = None
    made_by: OriginObject | None = None
    source: Written[SentenceObject] = None
    target: Written[SentenceObject] = None
    words: Annotated[list[Link], Meta(description="Word links, ascending.")]
    word_probabilities: Annotated[list[Probability] | None, _PerLink] = None
    word_sure: Annotated[list[bool] | None, Meta(description="One a link; false for a possible one.")] = None
    word_evidence: Annotated[
        list[list[str]] | None, Meta(description="For each link the names of its evidence.")
    ] = None
    outside: Annotated[list[Link] | None, Meta(description="Links that the phrase pairs leave out.")] = None
    phrases: Annotated[Written[list[PhrasePairObject]], Meta(description="Phrases that correspond.")] = None
    arcs: Annotated[list[ArcPair] | None, Meta(description="Dependency arcs that correspond.")] = None
    unaligned: Written[UnalignedObject] = None
    log_probability: Annotated[float | UnsetType | None, Meta(extra_json_schema={"written": True})] = UNSET
    score: float | None = None
    root_aligned: Written[bool] = None
    paraphrase_probability: Probability | None = None
    warnings: list[str] | None = None
    error: Annotated[str | None, Meta(description="Why the pair could not be aligned.")] = None
    alternatives: Annotated[
        list[AlignmentObject] | None, Meta(description="Further alignments, the next best first.")
    ] = None


class DocumentObject(JsonObject, kw_only=True, frozen=True):
    """The sentences of one of two documents."""

    sentences: list[str]
    spans: list[Span] | None = None


class GroupObject(JsonObject, kw_only=True, frozen=True):
    """Sentences that say the same, at least in part."""

    source: list[int]
    target: list[int]
    probability: Probability
    alignment: AlignmentObject | None = None


class DocumentAlignmentObject(JsonObject, kw_only=True, frozen=True):
    """The alignment of two documents."""

    id: str | None = None
    aligner: str | None = None
    version: Version | None = None
    made_by: OriginObject | None = None
    source: DocumentObject
    target: DocumentObject
    groups: list[GroupObject]
    unaligned: Any = None  # follows from the groups; not read
    warnings: list[str] | None = None
    error: str | None = None


class JsonLine:
    """A record that is written as one line of JSON, and read from it."""

    __slots__ = ()
    #: The class of its JSON object.
    json_object: ClassVar[type[msgspec.Struct]]

    @abstractmethod
    def to_object(self) -> msgspec.Struct:
        """The JSON object; see :meth:`to_dict`."""

    @classmethod
    @abstractmethod
    def of_object(cls, listed: Any) -> Self:
        """Build the record from its JSON object, and check what belongs together."""

    def to_dict(self) -> dict[str, Any]:
        """JSON values, in the order of the public contract (version 1), without forests and word vectors.

        Raises InputError if a score or probability is not finite; JSON cannot hold that.
        """
        return record_values(self.to_object())

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Read what :meth:`to_dict` wrote; see :meth:`from_json`."""
        # Another version may have other fields, so it is named first.
        version = Fields(values).integer("version", JSON_VERSION)
        if version != JSON_VERSION:
            raise InputError(
                f"expected version {JSON_VERSION}, found {version}: made by a newer forest-align",
                field="version",
            )
        return cls.of_object(convert_record(cls.json_object, values))

    def to_json(self) -> str:
        """One line of JSON, without the line end; the format is documented in ``docs/reference/formats.md``.

        A log-probability that is not finite is written as null. Raises InputError if another number is not
        finite.
        """
        return record_text(self.to_object())

    @classmethod
    def from_json(cls, text: str, *, file: str | None = None, line: int | None = None) -> Self:
        """Read one line of JSON that :meth:`to_json` wrote; unknown keys are ignored.

        Raises InputError if it is not JSON, or a field is missing, of a wrong type or out of range; names the
        field.
        """
        return read_record(text, cls.json_object, cls.of_object, cls.from_dict, file, line)


def origin_object(made_by: Mapping[str, str]) -> OriginObject | None:
    """The JSON object of what made a record; None if that is not known."""
    return OriginObject(*map(made_by.get, OriginObject.__struct_fields__)) if made_by else None


def origin_of(listed: OriginObject | None) -> dict[str, str]:
    """What made a record, from the JSON object."""
    return {} if listed is None else {key: text for key, text in structs.asdict(listed).items() if text}


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
