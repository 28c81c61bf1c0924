"""The JSON objects of a sentence and of its forest."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from forest_align.types.json_records import JsonObject, Span, Written

Int32 = Annotated[int, Meta(ge=-(2**31), le=2**31 - 1)]
Offsets = Annotated[
    tuple[Annotated[int, Meta(ge=-1)], Annotated[int, Meta(ge=-1)]],
    Meta(description="Characters of text; -1 if unknown."),
]
PerToken = Meta(description="One a token.")


class SentenceObject(JsonObject, kw_only=True, frozen=True):
    """A sentence, or a text of several."""

    text: Written[str] = None
    tokens: list[str]
    tags: Annotated[list[str] | None, PerToken] = None
    lemmas: Annotated[list[str] | None, PerToken] = None
    offsets: Annotated[list[Offsets] | None, PerToken] = None
    sentences: Annotated[list[Span] | None, Meta(description="If there are several sentences.")] = None
    tree: Annotated[str | None, Meta(description="The tree that the alignment chose, in Penn brackets.")] = (
        None
    )


class ForestObject(JsonObject, kw_only=True, frozen=True):
    """A packed forest: lists with an item per node, and with one per hyperedge."""

    version: int
    start: list[Int32]
    end: list[Int32]
    labels: list[str]
    is_constituent: list[bool]
    head: list[Int32]
    log_marginal: list[float]
    edges: list[tuple[Int32, Int32, Int32]]
    edge_log_marginal: list[float]
    roots: list[Int32]
    best_edge: list[Int32]
    log_posterior: list[float | None] | None = None


class ParsedSentenceObject(SentenceObject, kw_only=True, frozen=True):
    """A sentence with its forest."""

    forest: ForestObject | None = None
