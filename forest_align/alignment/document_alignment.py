"""The alignment of two documents as users meet it, and the page that shows them side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from forest_align.alignment._document_record import DocumentRecord
from forest_align.alignment.html import PAGE_END, WithPage, page_start, section_body
from forest_align.alignment.page_style import escaped, page_colour


class DocumentAlignment(DocumentRecord, WithPage):
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


_STYLE = """
.s { border-left: 4px solid var(--c, #8884); padding-left: .6em; margin: .35em 0; }
.s a { color: inherit; text-decoration: none; } .s.un { color: var(--unaligned); }
"""
DOCUMENTS_START = page_start("Aligned documents", _STYLE)
DOCUMENTS_END = PAGE_END


def to_page(alignments: Iterable[DocumentRecord]) -> str:
    """Make a whole page; use :func:`documents_section` for streaming."""
    return DOCUMENTS_START + "".join(map(documents_section, alignments)) + DOCUMENTS_END


def documents_section(alignment: DocumentRecord) -> str:
    """Two documents in two columns, then a ``<section>`` for each group with an alignment of its words."""
    name = escaped(alignment.id)
    body = [f"<h2>Documents {name}</h2>"]
    if alignment.error:
        body.append(f'<p class="error">{escaped(alignment.error)}</p>')
    body += [f'<p class="note">{escaped(warning)}</p>' for warning in alignment.warnings]
    columns = [f"<div>\n{_column(alignment, side)}\n</div>" for side in (0, 1)]
    body += ['<div class="two">', *columns, "</div>"]
    parts = ["\n".join(["<section>", *body, "</section>\n"])]
    for number, group in enumerate(alignment.groups):
        if group.alignment is not None:
            anchor = escaped(_anchor(alignment, number))
            parts.append(f'<section id="{anchor}">\n{section_body(group.alignment)}\n</section>\n')
    return "".join(parts)


def _anchor(alignment: DocumentRecord, group: int) -> str:
    # An id of an element holds no blanks.
    return f"{'_'.join(alignment.id.split())}-group-{group + 1}"


def _column(alignment: DocumentRecord, side: int) -> str:
    group_of = {
        number: place
        for place, group in enumerate(alignment.groups)
        for number in (group.source, group.target)[side]
    }
    lines = []
    for number, sentence in enumerate((alignment.source, alignment.target)[side]):
        name, text = _name(side, number), escaped(sentence.text)
        place = group_of.get(number)
        if place is None:
            lines.append(f'<div class="s un" data-w="{name}" title="only here">{text}</div>')
            continue
        group = alignment.groups[place]
        lights = " ".join(
            _name(k, one) for k, side_ in enumerate((group.source, group.target)) for one in side_
        )
        if group.alignment is not None:
            text = f'<a href="#{escaped(_anchor(alignment, place))}">{text}</a>'
        lines.append(
            f'<div class="s" style="--c:{page_colour(place)}" data-w="{name}" data-with="{lights}" '
            f'title="{place + 1}: {group.probability:.2f}">{text}</div>'
        )
    return "\n".join(lines)


def _name(side: int, number: int) -> str:
    return f"{'st'[side]}{number}"
