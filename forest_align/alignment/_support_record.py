"""Which spans of a source support the spans of a summary: the data, its checks, and JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from forest_align.alignment._json_line import JSON_VERSION, JsonLine, check_version, read_origin
from forest_align.alignment._phrase_relation import RELATION_NAMES
from forest_align.types.errors import InputError
from forest_align.types.json_fields import (
    Fields,
    check_number,
    check_span,
    check_texts,
    describe,
)


@dataclass(frozen=True, slots=True)
class SupportingSpan:
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
    span: tuple[int, int]
    probability: float
    relation: str


@dataclass(frozen=True, slots=True)
class SummarySpan:
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
    span: tuple[int, int]
    probability: float
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


@dataclass(frozen=True, slots=True)
class SupportRecord(JsonLine):
    """The data of a report; :class:`forest_align.SupportReport` describes the fields."""

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

    def to_dict(self) -> dict[str, Any]:
        """JSON values, in the order of the public contract (version 1)."""
        values: dict[str, Any] = {"id": self.id, "version": JSON_VERSION}
        if self.made_by:
            values["made_by"] = dict(self.made_by)
        values["summary"] = {"sentences": list(self.summary)}
        values["source"] = {"sentences": list(self.source)}
        values["spans"] = [
            {
                "sentence": one.sentence,
                "span": list(one.span),
                "text": self.text_of(one),
                "supported": one.is_supported,
                "answer": one.answer,
                "probability": check_number(one.probability, "spans.probability"),
                "support": [self._source_values(other, "support") for other in one.support],
                "contradiction": [self._source_values(other, "contradiction") for other in one.contradiction],
            }
            for one in self.spans
        ]
        return values | ({"error": self.error} if self.error else {})

    def _source_values(self, one: SupportingSpan, name: str) -> dict[str, Any]:
        return {
            "sentence": one.sentence,
            "span": list(one.span),
            "text": self.text_of(one),
            "probability": check_number(one.probability, f"spans.{name}.probability"),
            "relation": one.relation,
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Read what :meth:`to_dict` wrote; see :meth:`from_json`."""
        fields = Fields(values)
        check_version(fields)
        summary, source = (
            tuple(check_texts(side.items("sentences"), side.name("sentences")))
            for side in map(fields.fields, ("summary", "source"))
        )
        return cls(
            summary,
            source,
            tuple(
                _read_span(Fields(one, f"spans[{k}]"), summary, source)
                for k, one in enumerate(fields.items("spans"))
            ),
            fields.text("id", ""),
            read_origin(fields),
            fields.text("error", ""),
        )


def _read_span(fields: Fields, summary: tuple[str, ...], source: tuple[str, ...]) -> SummarySpan:
    sentence, span = _read_place(fields, summary)
    support, contradiction = (_read_spans(fields, name, source) for name in ("support", "contradiction"))
    return SummarySpan(sentence, span, fields.probability("probability"), support, contradiction)


def _read_spans(fields: Fields, name: str, source: tuple[str, ...]) -> tuple[SupportingSpan, ...]:
    spans = [Fields(one, f"{fields.name(name)}[{k}]") for k, one in enumerate(fields.items(name, []))]
    return tuple(
        SupportingSpan(*_read_place(one, source), one.probability("probability"), _read_name(one))
        for one in spans
    )


def _read_place(fields: Fields, sentences: tuple[str, ...]) -> tuple[int, tuple[int, int]]:
    sentence = fields.integer("sentence")
    if not 0 <= sentence < len(sentences):
        raise InputError(
            f"expected one of {len(sentences)} sentences, found {sentence}", field=fields.name("sentence")
        )
    name = fields.name("span")
    start, end = check_span(fields.raw("span"), name)
    if end > len(sentences[sentence]):
        expected = f"expected a span inside {len(sentences[sentence])} characters"
        raise InputError(f"{expected}, found [{start}, {end}]", field=name)
    return sentence, (start, end)


def _read_name(fields: Fields) -> str:
    name: str = fields.text("relation")
    if name not in RELATION_NAMES:
        expected = ", ".join(RELATION_NAMES)
        raise InputError(f"expected one of {expected}, found {describe(name)}", field=fields.name("relation"))
    return name
