"""The JSON objects of a sentence and of its forest, and the spans of tokens in them."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta

from forest_align.types.errors import InputError
from forest_align.types.json_records import JsonObject, Span, Written, check_length

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def usual_offsets(words: Sequence[str], text: str) -> Iterator[tuple[int, int]]:
    """Offsets of words joined by single spaces; unknown (-1) if the text is anything else."""
    known, at = " ".join(words) == text, 0
    for word in words:
        yield (at, at + len(word)) if known else (-1, -1)
        at += len(word) + 1


def starts_of(spans: Sequence[tuple[int, int]], count: int) -> tuple[int, ...]:
    """Where further sentences begin, from the spans of all of them."""
    starts = tuple(start for start, _ in spans[1:])
    if spans and (spans != list(pairwise((0, *starts, count))) or any(start >= end for start, end in spans)):
        raise InputError(
            f"expected spans that follow each other through all {count} tokens", field="sentences"
        )
    return starts


def check_offsets(
    offsets: list[tuple[int, int]] | None, count: int, length: int
) -> list[tuple[int, int]] | None:
    """Check the offsets of ``count`` tokens in a text of ``length`` characters; -1 and -1 are unknown."""
    for place, (start, end) in enumerate(check_length(offsets, count, "offsets") or ()):
        if (start, end) != (-1, -1) and not 0 <= start <= end <= length:
            raise InputError(
                f"expected offsets inside a text of {length} characters, found [{start}, {end}]",
                field=f"offsets[{place}]",
            )
    return offsets


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
