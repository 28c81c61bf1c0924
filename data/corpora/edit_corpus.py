"""Reads arXivEdits (Jiang et al. 2022): two versions of sentences, with the edits that people marked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from forest_align.types import InputError, Sentence
from forest_align.types.json_fields import Fields, check_integer, check_list

#: The two token spans of an edit; None where the edit has no words.
EditSpans = tuple[tuple[int, int] | None, tuple[int, int] | None]

_TYPES = {(True, True): "Substitute", (True, False): "Deletion", (False, True): "Insertion"}
_SIDES = (1, 2)


class EditedPair(NamedTuple):
    """Two sentences, tokens separated by blanks, and their edits."""

    id: str
    source: Sentence
    target: Sentence
    versions: tuple[frozenset[EditSpans], ...]  # right divisions of the changes, at least one


def read_edited_pairs(path: Path) -> Iterator[EditedPair]:
    """Read a file of arXivEdits.

    Raises InputError if it is not JSON, or a pair is not as expected: names file, pair and field.
    """
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError(f"expected JSON: {error}", file=str(path)) from None
    if not isinstance(values, dict):
        raise InputError("expected one object with a pair for each key", file=str(path))
    for name, pair in values.items():
        try:
            yield _pair(name, Fields(pair, name))
        except InputError as error:
            raise error.at(file=str(path)) from None


def _pair(name: str, fields: Fields) -> EditedPair:
    sides = [Sentence.from_words(fields.text(f"sentence-{side}").split()) for side in _SIDES]
    lengths = len(sides[0]), len(sides[1])
    versions = []
    for number in range(3):
        key = f"edits-combination-{number}"
        edits = fields.raw(key, {})
        # Later ones are empty where there is one way only.
        if number == 0 or edits:
            versions.append(frozenset(_edits(edits, fields.name(key), lengths)))
    return EditedPair(name, sides[0], sides[1], tuple(versions))


def _edits(values: Any, path: str, lengths: tuple[int, int]) -> Iterator[EditSpans]:
    if not isinstance(values, dict):
        raise InputError("expected an object of edits", field=path)
    for key, value in values.items():
        fields = Fields(value, f"{path}.{key}")
        source, target = (
            _span(fields, f"sentence-{side}-token-indices", length)
            for side, length in zip(_SIDES, lengths, strict=True)
        )
        expected = _TYPES.get((source is not None, target is not None))
        if fields.text("type") != expected:
            raise InputError(f"expected the type {expected} for these spans", field=fields.name("type"))
        yield source, target


def _span(fields: Fields, key: str, length: int) -> tuple[int, int] | None:
    if fields.raw(key, None) is None:
        return None
    name = fields.name(key)
    start, end = (check_integer(x, name) for x in check_list(fields.raw(key), name, 2))
    if not 0 <= start < end <= length:
        raise InputError(f"expected a span inside {length} tokens, found [{start}, {end}]", field=name)
    return start, end
