"""Which spans of a source support the spans of a summary, as users meet it."""

from __future__ import annotations

from forest_align.alignment._support_record import SupportRecord
from forest_align.alignment.html import in_frame
from forest_align.alignment.support_html import report_page


class SupportReport(SupportRecord):
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

    def _repr_html_(self) -> str:
        """The view for notebooks."""
        return in_frame(self.to_html())

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
