"""The data of an alignment of two documents: their sentences, groups of them, and JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Self

from forest_align.alignment._alignment import Alignment
from forest_align.alignment._json_line import JSON_VERSION, JsonLine, check_version, read_origin
from forest_align.types.errors import InputError
from forest_align.types.json_fields import (
    Fields,
    check_integer,
    check_number,
    check_span,
    check_texts,
)
from forest_align.types.sentence import Sentence

_SIDES = ("source", "target")


@dataclass(frozen=True, slots=True)
class SentenceGroup:
    """Sentences of two documents that say the same, at least in part.

    Attributes
    ----------
    source, target : tuple of int
        Numbers of the sentences, from 0, ascending; at least one on each side.
    probability : float
        Probability that all of them belong together, in [0, 1].
    alignment : Alignment or None
        Words and phrases of the sentences, each side joined to one text; None if they were not aligned.
    """

    source: tuple[int, ...]
    target: tuple[int, ...]
    probability: float
    alignment: Alignment | None = None

    @property
    def links(self) -> Iterator[tuple[int, int]]:
        """Every source sentence with every target sentence."""
        return ((i, j) for i in self.source for j in self.target)

    def to_dict(self) -> dict[str, Any]:
        """JSON values of the group."""
        values: dict[str, Any] = {
            "source": list(self.source),
            "target": list(self.target),
            "probability": check_number(self.probability, "groups.probability"),
        }
        return values | ({} if self.alignment is None else {"alignment": self.alignment.to_dict()})

    @classmethod
    def from_dict(cls, values: Any, path: str, source_count: int, target_count: int) -> SentenceGroup:
        """Read what :meth:`to_dict` wrote.

        Parameters
        ----------
        values : mapping
            JSON object.
        path : str
            Name of the object in the document, for messages.
        source_count, target_count : int
            Numbers of sentences, to check the group.

        Raises
        ------
        InputError
            If a field is missing or wrong, or a sentence does not exist; names the field.
        """
        fields = Fields(values, path)
        source = _read_numbers(fields, "source", source_count)
        target = _read_numbers(fields, "target", target_count)
        alignment = None
        if fields.has("alignment"):
            try:
                alignment = Alignment.from_dict(fields.raw("alignment"))
            except InputError as error:
                name = fields.name("alignment")
                where = f"{name}.{error.field}" if error.field else name
                raise InputError(error.message, field=where) from None
        return cls(source, target, fields.probability("probability"), alignment)


@dataclass(frozen=True, slots=True)
class DocumentRecord(JsonLine):
    """The data of one alignment; :class:`forest_align.DocumentAlignment` describes the fields."""

    source: tuple[Sentence, ...]
    target: tuple[Sentence, ...]
    groups: tuple[SentenceGroup, ...] = ()
    source_spans: tuple[tuple[int, int], ...] = ()
    target_spans: tuple[tuple[int, int], ...] = ()
    id: str = ""
    aligner: str = ""
    made_by: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    error: str = ""

    @property
    def unaligned_source(self) -> tuple[int, ...]:
        """Numbers of the source sentences in no group."""
        return _others(len(self.source), [group.source for group in self.groups])

    @property
    def unaligned_target(self) -> tuple[int, ...]:
        """Numbers of the target sentences in no group."""
        return _others(len(self.target), [group.target for group in self.groups])

    def to_dict(self) -> dict[str, Any]:
        """JSON values, in the order of the public contract (version 1)."""
        values: dict[str, Any] = {"id": self.id, "aligner": self.aligner, "version": JSON_VERSION}
        if self.made_by:
            values["made_by"] = dict(self.made_by)
        sides = ((self.source, self.source_spans), (self.target, self.target_spans))
        for side, (sentences, spans) in zip(_SIDES, sides, strict=True):
            values[side] = {"sentences": [sentence.text for sentence in sentences]}
            if spans:
                values[side]["spans"] = [list(span) for span in spans]
        values["groups"] = [group.to_dict() for group in self.groups]
        values["unaligned"] = {"source": list(self.unaligned_source), "target": list(self.unaligned_target)}
        if self.warnings:
            values["warnings"] = list(self.warnings)
        if self.error:
            values["error"] = self.error
        return values

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Read what :meth:`to_dict` wrote; see :meth:`from_json`."""
        fields = Fields(values)
        check_version(fields)
        (source, source_spans), (target, target_spans) = (_read_side(fields.fields(side)) for side in _SIDES)
        groups = tuple(
            SentenceGroup.from_dict(group, f"groups[{k}]", len(source), len(target))
            for k, group in enumerate(fields.items("groups"))
        )
        for side in _SIDES:
            numbers = [number for group in groups for number in getattr(group, side)]
            if len(set(numbers)) < len(numbers):
                raise InputError(f"expected every {side} sentence in one group at most", field="groups")
        return cls(
            source,
            target,
            groups,
            source_spans,
            target_spans,
            fields.text("id", ""),
            fields.text("aligner", ""),
            read_origin(fields),
            tuple(check_texts(fields.items("warnings", []), "warnings")),
            fields.text("error", ""),
        )


def _others(count: int, taken: Sequence[Sequence[int]]) -> tuple[int, ...]:
    inside = {number for numbers in taken for number in numbers}
    return tuple(number for number in range(count) if number not in inside)


def _read_side(fields: Fields) -> tuple[tuple[Sentence, ...], tuple[tuple[int, int], ...]]:
    texts = check_texts(fields.items("sentences"), fields.name("sentences"))
    spans = fields.items("spans", [], len(texts) if fields.has("spans") else None)
    name = fields.name("spans")
    found = tuple(check_span(span, f"{name}[{k}]") for k, span in enumerate(spans))
    for k, (before, span) in enumerate(pairwise(((0, 0), *found))):
        if before[1] > span[0]:
            raise InputError(f"expected spans in order, found {list(span)}", field=f"{name}[{k}]")
    return tuple(Sentence((), text=text) for text in texts), found


def _read_numbers(fields: Fields, side: str, count: int) -> tuple[int, ...]:
    name = fields.name(side)
    numbers = tuple(check_integer(number, name) for number in fields.items(side))
    if not numbers or list(numbers) != sorted(set(numbers)) or not 0 <= numbers[0] <= numbers[-1] < count:
        raise InputError(
            f"expected ascending numbers of {count} sentences, found {list(numbers)}", field=name
        )
    return numbers
