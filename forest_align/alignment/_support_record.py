"""Which spans of a source support the spans of a summary: the data, its checks, and JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from forest_align.alignment._phrase_relation import RELATION_NAMES
from forest_align.alignment.json_objects import (
    JSON_VERSION,
    DocumentObject,
    JsonLine,
    OriginObject,
    Version,
    origin_object,
    origin_of,
)
from forest_align.types.errors import InputError
from forest_align.types.json_fields import check_number
from forest_align.types.json_records import JsonObject, Probability, Span, check_name, check_span

_KINDS = ("support", "contradiction")


class SupportingSpan(JsonObject, frozen=True):
    """A span of the source that supports or contradicts a span of the summary.

    Attributes
    ----------
    sentence : int
        Number of the sentence in the source, from 0.
    span : (int, int)
        Half-open character offsets in that sentence.
    probability : float
        Probability that it supports the span of the summary, in [0, 1]; of one that contradicts it, that
        the two correspond.
    relation : str
        How the span of the summary is related to it, one of :data:`~forest_align.alignment.RELATION_NAMES`.
    """

    sentence: int
    span: Span
    probability: Probability
    relation: str


class SummarySpan(JsonObject, frozen=True):
    """A span of the summary, with what supports it.

    Attributes
    ----------
    sentence : int
        Number of the sentence in the summary, from 0.
    span : (int, int)
        Half-open character offsets in that sentence.
    probability : float
        Probability that the source supports it, in [0, 1].
    support : tuple of SupportingSpan
        Spans of the source, the most probable first; empty for an unsupported span.
    contradiction : tuple of SupportingSpan
        Spans of the source that say the opposite or something different, the most probable first.
    """

    sentence: int
    span: Span
    probability: Probability
    support: tuple[SupportingSpan, ...] = ()
    contradiction: tuple[SupportingSpan, ...] = ()

    @property
    def is_supported(self) -> bool:
        """Whether anything supports the span."""
        return bool(self.support)

    @property
    def answer(self) -> str:
        """``"supported"``, ``"contradicted"`` if the source says something else, or ``"unsupported"``."""
        return "supported" if self.support else "contradicted" if self.contradiction else "unsupported"


class SupportReportObject(JsonObject, kw_only=True, frozen=True):
    """The JSON object of a report."""

    id: str | None = None
    version: Version | None = None
    made_by: OriginObject | None = None
    summary: DocumentObject
    source: DocumentObject
    spans: tuple[SummarySpan, ...]
    error: str | None = None


@dataclass(frozen=True, slots=True)
class SupportRecord(JsonLine):
    """The data of a report; :class:`forest_align.SupportReport` describes the fields."""

    json_object: ClassVar = SupportReportObject

    summary: tuple[str, ...]
    source: tuple[str, ...]
    spans: tuple[SummarySpan, ...] = ()
    id: str = ""
    made_by: Mapping[str, str] = field(default_factory=dict)
    error: str = ""

    def text_of(self, span: SummarySpan | SupportingSpan) -> str:
        """The text of a span of the summary or of the source."""
        sentences = self.summary if isinstance(span, SummarySpan) else self.source
        return sentences[span.sentence][slice(*span.span)]

    @property
    def unsupported(self) -> tuple[SummarySpan, ...]:
        """The spans of the summary that nothing supports, contradicted ones among them."""
        return tuple(span for span in self.spans if not span.is_supported)

    def to_object(self) -> SupportReportObject:
        """The JSON object of the report."""
        spans: Any = [self._values(one, "spans") for one in self.spans]
        return SupportReportObject(
            id=self.id,
            version=JSON_VERSION,
            made_by=origin_object(self.made_by),
            summary=DocumentObject(sentences=list(self.summary)),
            source=DocumentObject(sentences=list(self.source)),
            spans=spans,
            error=self.error or None,
        )

    def _values(self, one: SummarySpan | SupportingSpan, name: str) -> dict[str, Any]:
        """What is written of a span: its text and answer too, which follow from the other fields."""
        values: dict[str, Any] = {"sentence": one.sentence, "span": one.span, "text": self.text_of(one)}
        if isinstance(one, SummarySpan):
            values |= {"supported": one.is_supported, "answer": one.answer}
        values["probability"] = check_number(one.probability, f"{name}.probability")
        if isinstance(one, SupportingSpan):
            return values | {"relation": one.relation}
        for kind in _KINDS:
            values[kind] = [self._values(other, f"{name}.{kind}") for other in getattr(one, kind)]
        return values

    @classmethod
    def of_object(cls, listed: SupportReportObject) -> Self:
        """Build the report from its JSON object, and check what belongs together."""
        summary, source = listed.summary.sentences, listed.source.sentences
        for k, one in enumerate(listed.spans):
            _check_place(one, f"spans[{k}]", summary)
            for kind in _KINDS:
                for n, other in enumerate(getattr(one, kind)):
                    path = f"spans[{k}].{kind}[{n}]"
                    _check_place(other, path, source)
                    check_name(other.relation, RELATION_NAMES, f"{path}.relation")
        return cls(
            tuple(summary),
            tuple(source),
            listed.spans,
            listed.id or "",
            origin_of(listed.made_by),
            listed.error or "",
        )


def _check_place(one: SummarySpan | SupportingSpan, path: str, sentences: list[str]) -> None:
    if not 0 <= one.sentence < len(sentences):
        raise InputError(
            f"expected one of {len(sentences)} sentences, found {one.sentence}", field=f"{path}.sentence"
        )
    start, end = check_span(one.span, f"{path}.span")
    if end > len(sentences[one.sentence]):
        expected = f"expected a span inside {len(sentences[one.sentence])} characters"
        raise InputError(f"{expected}, found [{start}, {end}]", field=f"{path}.span")
