"""Spans of tokens and of sentences in JSON."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from forest_align.types.errors import InputError
from forest_align.types.json_fields import Fields, check_integer, check_list

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def usual_offsets(words: Sequence[str], text: str) -> Iterator[tuple[int, int]]:
    """Offsets of words joined by single spaces; unknown (-1) if the text is anything else."""
    known, at = " ".join(words) == text, 0
    for word in words:
        yield (at, at + len(word)) if known else (-1, -1)
        at += len(word) + 1


def read_starts(fields: Fields, count: int) -> tuple[int, ...]:
    """Where further sentences begin, from the spans of all of them."""
    name = fields.name("sentences")
    spans = [
        tuple(check_integer(x, f"{name}[{k}]") for x in check_list(pair, f"{name}[{k}]", 2))
        for k, pair in enumerate(fields.items("sentences") if fields.has("sentences") else ())
    ]
    starts = tuple(start for start, _ in spans[1:])
    if spans and (spans != list(pairwise((0, *starts, count))) or any(start >= end for start, end in spans)):
        raise InputError(f"expected spans that follow each other through all {count} tokens", field=name)
    return starts


def read_offset(value: Any, field: str, length: int) -> tuple[int, int]:
    """Read the offsets of a token in a text of ``length`` characters; -1 and -1 are unknown."""
    start, end = (check_integer(x, field) for x in check_list(value, field, 2))
    if (start, end) != (-1, -1) and not 0 <= start <= end <= length:
        raise InputError(
            f"expected offsets inside a text of {length} characters, found [{start}, {end}]", field=field
        )
    return start, end
