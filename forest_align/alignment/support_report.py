"""Which spans of a source support the spans of a summary: data, checks, JSON, and the page of both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from forest_align.alignment._phrase_relation import RELATION_NAMES
from forest_align.alignment.html import PAGE_END, in_frame, page_start
from forest_align.alignment.json_objects import (
    JSON_VERSION,
    DocumentObject,
    JsonLine,
    OriginObject,
    Version,
    origin_object,
    origin_of,
)
from forest_align.alignment.page_style import CONTRADICTED, UNSUPPORTED, escaped
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
class SupportReport(JsonLine):
    """What a source says for each span of a summary; ``print`` lists the spans.

    Attributes
    ----------
    summary, source : tuple of str
        The sentences of both texts.
    spans : tuple of SummarySpan
        The spans of the summary in their order, each with what supports it.
    id : str
        Name of the pair.
    made_by : mapping of str to str
        As in :class:`~forest_align.Alignment`.
    error : str
        Why the texts could not be compared; empty when they could.
    """

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
        spans: Any = [self._values(span, "spans") for span in self.spans]
        return SupportReportObject(
            id=self.id,
            version=JSON_VERSION,
            made_by=origin_object(self.made_by),
            summary=DocumentObject(sentences=list(self.summary)),
            source=DocumentObject(sentences=list(self.source)),
            spans=spans,
            error=self.error or None,
        )

    def _values(self, span: SummarySpan | SupportingSpan, name: str) -> dict[str, Any]:
        """What is written of a span: its text and answer too, which follow from the other fields."""
        values: dict[str, Any] = {"sentence": span.sentence, "span": span.span, "text": self.text_of(span)}
        if isinstance(span, SummarySpan):
            values |= {"supported": span.is_supported, "answer": span.answer}
        values["probability"] = check_number(span.probability, f"{name}.probability")
        if isinstance(span, SupportingSpan):
            return values | {"relation": span.relation}
        for kind in _KINDS:
            values[kind] = [self._values(support, f"{name}.{kind}") for support in getattr(span, kind)]
        return values

    @classmethod
    def of_object(cls, listed: SupportReportObject) -> Self:
        """Build the report from its JSON object, and check what belongs together."""
        summary, source = listed.summary.sentences, listed.source.sentences
        for k, span in enumerate(listed.spans):
            _check_place(span, f"spans[{k}]", summary)
            for kind in _KINDS:
                for n, support in enumerate(getattr(span, kind)):
                    path = f"spans[{k}].{kind}[{n}]"
                    _check_place(support, path, source)
                    check_name(support.relation, RELATION_NAMES, f"{path}.relation")
        return cls(
            tuple(summary),
            tuple(source),
            listed.spans,
            listed.id or "",
            origin_of(listed.made_by),
            listed.error or "",
        )

    def to_html(self) -> str:
        """A page for any browser: both texts side by side, unsupported spans marked."""
        return REPORTS_START + report_section(self) + REPORTS_END

    def _repr_html_(self) -> str:
        """The view for notebooks."""
        return in_frame(self.to_html())

    def __str__(self) -> str:
        if self.error:
            return f"error: {self.error}"
        lines = [f"pair {self.id}"] if self.id else []
        for span in self.spans:
            partners = [
                f"{self.text_of(other)} ({other.sentence + 1}, {other.probability:.2f}, {other.relation})"
                for other in span.support or span.contradiction
            ]
            shown = f"  ←  {'; '.join(partners)}" if partners else f"  ({span.probability:.2f})"
            answer = "" if span.is_supported else f"  {span.answer}"
            lines.append(self.text_of(span) + answer + shown)
        return "\n".join(lines)


def _check_place(span: SummarySpan | SupportingSpan, path: str, sentences: list[str]) -> None:
    if not 0 <= span.sentence < len(sentences):
        message = f"expected one of {len(sentences)} sentences, found {span.sentence}"
        raise InputError(message, field=f"{path}.sentence")
    start, end = check_span(span.span, f"{path}.span")
    if end > len(sentences[span.sentence]):
        expected = f"expected a span inside {len(sentences[span.sentence])} characters"
        raise InputError(f"{expected}, found [{start}, {end}]", field=f"{path}.span")


_STYLE = f"""
.c {{ border-bottom: 3px solid var(--c2); border-radius: 3px; }} .c.weak {{ border-bottom-style: dashed; }}
.c.no {{ border-bottom: 3px double var(--c5); background: {CONTRADICTED}22; }}
.c.un {{ border-bottom: 3px solid var(--c1); background: {UNSUPPORTED}22; }} \
.e {{ border-bottom: 1px dotted; }}
"""
# Supported spans below this probability have a dashed line.
_SURE = 0.8
REPORTS_START = page_start("Support", _STYLE)
REPORTS_END = PAGE_END


def report_section(report: SupportReport) -> str:
    """One report as a ``<section>`` with the summary on the left and the source on the right."""
    count = len(report.unsupported)
    against = sum(span.answer == "contradicted" for span in report.spans)
    note = f"{count} of {len(report.spans)} spans unsupported, {against} of them contradicted"
    body = [f'<h2>Summary {escaped(report.id)} <span class="note">{note}</span></h2>']
    if report.error:
        body.append(f'<p class="error">{escaped(report.error)}</p>')
    body += ['<div class="two">', f"<div>{_summary(report)}</div>", f"<div>{_source(report)}</div>", "</div>"]
    legend = f"green: supported; dashed: below {_SURE:.2f}; red: unsupported; double line: contradicted"
    body.append(f'<p class="note">{legend}</p>')
    return "\n".join(["<section>", *body, "</section>\n"])


def _summary(report: SupportReport) -> str:
    marks: dict[int, dict[tuple[int, int], str]] = {}
    for number, span in enumerate(report.spans):
        partners = span.support or span.contradiction
        names = " ".join([f"m{number}", *(_source_name(other.sentence, other.span) for other in partners)])
        title = f"{span.probability:.2f}" if span.is_supported else f"{span.answer}, {span.probability:.2f}"
        kind = {"contradicted": "c no", "unsupported": "c un"}.get(span.answer)
        kind = kind or ("c" if span.probability >= _SURE else "c weak")
        tag = f'<span class="{kind}" data-w="m{number}" data-with="{names}" title="{title}">'
        marks.setdefault(span.sentence, {})[span.span] = tag
    return _paragraphs(report.summary, marks)


def _source(report: SupportReport) -> str:
    lights: dict[tuple[int, tuple[int, int]], list[str]] = {}
    for number, span in enumerate(report.spans):
        for other in span.support or span.contradiction:
            lights.setdefault((other.sentence, other.span), []).append(f"m{number}")
    marks: dict[int, dict[tuple[int, int], str]] = {}
    for (sentence, place), names in lights.items():
        name = _source_name(sentence, place)
        tag = f'<span class="e" data-w="{name}" data-with="{" ".join([name, *names])}">'
        marks.setdefault(sentence, {})[place] = tag
    return _paragraphs(report.source, marks)


def _source_name(sentence: int, span: tuple[int, int]) -> str:
    return f"f{sentence}-{span[0]}-{span[1]}"


def _paragraphs(sentences: Iterable[str], marks: Mapping[int, Mapping[tuple[int, int], str]]) -> str:
    """Sentences with spans marked; a span that overlaps one before it is left out."""
    lines = []
    for number, text in enumerate(sentences):
        parts, place = [], 0
        for (start, end), tag in sorted(marks.get(number, {}).items()):
            if start >= place:
                parts += [escaped(text[place:start]), tag, escaped(text[start:end]), "</span>"]
                place = end
        lines.append(f"<p>{''.join(parts)}{escaped(text[place:])}</p>")
    return "\n".join(lines)
