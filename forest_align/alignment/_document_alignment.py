"""The alignment of two documents: groups of sentences that say the same, with that of their words."""

from __future__ import annotations

from collections.abc import Sequence

from forest_align.alignment._document_record import DocumentRecord
from forest_align.alignment.document_html import to_page
from forest_align.alignment.html import in_frame


class DocumentAlignment(DocumentRecord):
    """The alignment of two documents; ``print`` lists the sentences that correspond.

    Attributes
    ----------
    source, target : tuple of Sentence
        The sentences, in their order; blank ones included.
    groups : tuple of SentenceGroup
        Groups of sentences, in the order of the source; a sentence is in one group at most.
    source_spans, target_spans : tuple of (int, int)
        Half-open character offsets of the sentences in their document; empty if the sentences were given.
    id : str
        Name of the pair.
    aligner : str
        Name of the aligner of words and phrases; empty if none was used.
    made_by : mapping of str to str
        As in :class:`~forest_align.Alignment`.
    warnings : tuple of str
        Messages for the user, such as that a sentence could not be read.
    error : str
        Why the documents could not be aligned; empty when they could.
    """

    __slots__ = ()

    def to_html(self) -> str:
        """A page for any browser: both documents side by side, and the words of every group."""
        return to_page([self])

    def _repr_html_(self) -> str:
        """The view for notebooks."""
        return in_frame(self.to_html())

    def __str__(self) -> str:
        if self.error:
            return f"error: {self.error}"
        lines = []
        for group in self.groups:
            sides = " ↔ ".join(_numbers(side) for side in (group.source, group.target))
            lines.append(f"{sides}  {group.probability:.2f}")
            lines += [f"  {self.source[i].text}" for i in group.source]
            lines += [f"  ↔ {self.target[j].text}" for j in group.target]
        for side, numbers in (("source", self.unaligned_source), ("target", self.unaligned_target)):
            if numbers:
                lines.append(f"{side} only: {_numbers(numbers)}")
        return "\n".join([*lines, *self.warnings])


def _numbers(sentences: Sequence[int]) -> str:
    """Numbers of sentences from 1, as people count them."""
    return ", ".join(str(number + 1) for number in sentences)
