"""The JSON objects of alignments, in the order of the public contract (version 1)."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from msgspec import UNSET, Meta, UnsetType

from forest_align.alignment._arc_pair import ArcPair
from forest_align.alignment._phrase_relation import CHANGE_NAMES, RELATION_NAMES
from forest_align.types.json_records import Index, JsonObject, Probability, Span, Written
from forest_align.types.sentence_objects import SentenceObject

JSON_VERSION: Final = 1
#: Similarity of phrases that mean the same.
MOST_SIMILAR = 5.0

Version = Literal[1]
Link = Annotated[tuple[Index, Index], Meta(description="Source token and target token, from 0.")]
Relation = Annotated[str, Meta(extra_json_schema={"enum": list(RELATION_NAMES)})]
Change = Annotated[str, Meta(extra_json_schema={"enum": list(CHANGE_NAMES)})]
Head = Annotated[int, Meta(extra_json_schema={"minimum": 0})]
PerLink = Meta(description="One a link.")


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
    word_probabilities: Annotated[list[Probability] | None, PerLink] = None
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
