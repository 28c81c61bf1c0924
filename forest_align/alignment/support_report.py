"""Which spans of a source support a summary, as users meet it, and the page that shows both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from forest_align.alignment._support_record import SummarySpan, SupportRecord
from forest_align.alignment.html import PAGE_END, WithPage, page_start
from forest_align.alignment.page_style import CONTRADICTED, UNSUPPORTED, escaped


class SupportReport(SupportRecord, WithPage):
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

    __slots__ = ()

    def to_html(self) -> str:
        """A page for any browser: both texts side by side, unsupported spans marked."""
        return report_page([self])

    def __str__(self) -> str:
        if self.error:
            return f"error: {self.error}"
        lines = [f"pair {self.id}"] if self.id else []
        for span in self.spans:
            found = [
                f"{self.text_of(one)} ({one.sentence + 1}, {one.probability:.2f}, {one.relation})"
                for one in span.support or span.contradiction
            ]
            shown = f"  ←  {'; '.join(found)}" if found else f"  ({span.probability:.2f})"
            answer = "" if span.is_supported else f"  {span.answer}"
            lines.append(self.text_of(span) + answer + shown)
        return "\n".join(lines)


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


def report_page(reports: Iterable[SupportRecord]) -> str:
    """Make a whole page; use :func:`report_section` for streaming."""
    return REPORTS_START + "".join(map(report_section, reports)) + REPORTS_END


def report_section(report: SupportRecord) -> str:
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


def _summary(report: SupportRecord) -> str:
    marks: dict[int, dict[tuple[int, int], str]] = {}
    for number, span in enumerate(report.spans):
        partners = span.support or span.contradiction
        names = " ".join([f"m{number}", *(_source_name(one.sentence, one.span) for one in partners)])
        title = f"{span.probability:.2f}" if span.is_supported else f"{span.answer}, {span.probability:.2f}"
        tag = f'<span class="{_class(span)}" data-w="m{number}" data-with="{names}" title="{title}">'
        marks.setdefault(span.sentence, {})[span.span] = tag
    return _paragraphs(report.summary, marks)


def _class(span: SummarySpan) -> str:
    if not span.is_supported:
        return "c no" if span.contradiction else "c un"
    return "c" if span.probability >= _SURE else "c weak"


def _source(report: SupportRecord) -> str:
    lights: dict[tuple[int, tuple[int, int]], list[str]] = {}
    for number, span in enumerate(report.spans):
        for one in span.support or span.contradiction:
            lights.setdefault((one.sentence, one.span), []).append(f"m{number}")
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
        parts, at = [], 0
        for (start, end), tag in sorted(marks.get(number, {}).items()):
            if start >= at:
                parts += [escaped(text[at:start]), tag, escaped(text[start:end]), "</span>"]
                at = end
        lines.append(f"<p>{''.join(parts)}{escaped(text[at:])}</p>")
    return "\n".join(lines)
