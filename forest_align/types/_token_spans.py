"""Spans of tokens and of sentences in JSON."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from forest_align.types.errors import InputError
from forest_align.types.json_records import check_length

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
