"""The alignment of two documents: its sentences and groups of them, JSON, and the page that shows both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import ClassVar, Self

from forest_align.alignment._alignment import Alignment
from forest_align.alignment.html import PAGE_END, in_frame, page_start, section_body
from forest_align.alignment.json_objects import (
    JSON_VERSION,
    DocumentAlignmentObject,
    DocumentObject,
    GroupObject,
    JsonLine,
    origin_object,
    origin_of,
)
from forest_align.alignment.page_style import escaped, page_colour
from forest_align.types.errors import InputError
from forest_align.types.json_fields import check_number
from forest_align.types.json_records import check_length, check_span
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

    def to_object(self) -> GroupObject:
        """The JSON object of the group."""
        return GroupObject(
            source=list(self.source),
            target=list(self.target),
            probability=check_number(self.probability, "groups.probability"),
            alignment=None if self.alignment is None else self.alignment.to_object(),
        )

    @classmethod
    def of_object(cls, listed: GroupObject, source_count: int, target_count: int) -> SentenceGroup:
        """Build the group from its JSON object, with the numbers of sentences to check it."""
        source = _check_numbers("source", listed.source, source_count)
        target = _check_numbers("target", listed.target, target_count)
        alignment = None
        if listed.alignment is not None:
            try:
                alignment = Alignment.of_object(listed.alignment)
            except InputError as error:
                raise error.inside("alignment") from None
        return cls(source, target, listed.probability, alignment)


@dataclass(frozen=True, slots=True)
class DocumentAlignment(JsonLine):
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

    json_object: ClassVar = DocumentAlignmentObject

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
        inside = {number for group in self.groups for number in group.source}
        return tuple(number for number in range(len(self.source)) if number not in inside)

    @property
    def unaligned_target(self) -> tuple[int, ...]:
        """Numbers of the target sentences in no group."""
        inside = {number for group in self.groups for number in group.target}
        return tuple(number for number in range(len(self.target)) if number not in inside)

    def to_object(self) -> DocumentAlignmentObject:
        """The JSON object of the alignment."""
        sides = ((self.source, self.source_spans), (self.target, self.target_spans))
        source, target = (
            DocumentObject(sentences=[sentence.text for sentence in sentences], spans=list(spans) or None)
            for sentences, spans in sides
        )
        return DocumentAlignmentObject(
            id=self.id,
            aligner=self.aligner,
            version=JSON_VERSION,
            made_by=origin_object(self.made_by),
            source=source,
            target=target,
            groups=[group.to_object() for group in self.groups],
            unaligned={"source": self.unaligned_source, "target": self.unaligned_target},
            warnings=list(self.warnings) or None,
            error=self.error or None,
        )

    @classmethod
    def of_object(cls, listed: DocumentAlignmentObject) -> Self:
        """Build the alignment from its JSON object, and check what belongs together."""
        source, source_spans = _side_of("source", listed.source)
        target, target_spans = _side_of("target", listed.target)
        groups = []
        for k, group in enumerate(listed.groups):
            try:
                groups.append(SentenceGroup.of_object(group, len(source), len(target)))
            except InputError as error:
                raise error.inside(f"groups[{k}]") from None
        for side in _SIDES:
            numbers = [number for group in groups for number in getattr(group, side)]
            if len(set(numbers)) < len(numbers):
                raise InputError(f"expected every {side} sentence in one group at most", field="groups")
        return cls(
            source,
            target,
            tuple(groups),
            source_spans,
            target_spans,
            listed.id or "",
            listed.aligner or "",
            origin_of(listed.made_by),
            tuple(listed.warnings or ()),
            listed.error or "",
        )

    def to_html(self) -> str:
        """A page for any browser: both documents side by side, and the words of every group."""
        return DOCUMENTS_START + documents_section(self) + DOCUMENTS_END

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


def _side_of(side: str, listed: DocumentObject) -> tuple[tuple[Sentence, ...], tuple[tuple[int, int], ...]]:
    spans = check_length(listed.spans, len(listed.sentences), f"{side}.spans") or []
    for k, (before, span) in enumerate(pairwise(((0, 0), *spans))):
        name = f"{side}.spans[{k}]"
        if before[1] > check_span(span, name)[0]:
            raise InputError(f"expected spans in order, found {list(span)}", field=name)
    return tuple(Sentence((), text=text) for text in listed.sentences), tuple(spans)


def _check_numbers(side: str, numbers: list[int], count: int) -> tuple[int, ...]:
    if not numbers or numbers != sorted(set(numbers)) or not 0 <= numbers[0] <= numbers[-1] < count:
        raise InputError(f"expected ascending numbers of {count} sentences, found {numbers}", field=side)
    return tuple(numbers)


def _numbers(sentences: Sequence[int]) -> str:
    """Numbers of sentences from 1, as people count them."""
    return ", ".join(str(number + 1) for number in sentences)


_STYLE = """
.s { border-left: 4px solid var(--c, #8884); padding-left: .6em; margin: .35em 0; }
.s a { color: inherit; text-decoration: none; } .s.un { color: var(--unaligned); }
"""
DOCUMENTS_START = page_start("Aligned documents", _STYLE)
DOCUMENTS_END = PAGE_END


def documents_section(alignment: DocumentAlignment) -> str:
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


def _anchor(alignment: DocumentAlignment, group: int) -> str:
    # An id of an element holds no blanks.
    return f"{'_'.join(alignment.id.split())}-group-{group + 1}"


def _column(alignment: DocumentAlignment, side: int) -> str:
    group_of = {
        number: place
        for place, group in enumerate(alignment.groups)
        for number in (group.source, group.target)[side]
    }
    lines = []
    for number, sentence in enumerate((alignment.source, alignment.target)[side]):
        name, text = f"{'st'[side]}{number}", escaped(sentence.text)
        place = group_of.get(number)
        if place is None:
            lines.append(f'<div class="s un" data-w="{name}" title="only here">{text}</div>')
            continue
        group = alignment.groups[place]
        lights = " ".join([*(f"s{i}" for i in group.source), *(f"t{j}" for j in group.target)])
        if group.alignment is not None:
            text = f'<a href="#{escaped(_anchor(alignment, place))}">{text}</a>'
        lines.append(
            f'<div class="s" style="--c:{page_colour(place)}" data-w="{name}" data-with="{lights}" '
            f'title="{place + 1}: {group.probability:.2f}">{text}</div>'
        )
    return "\n".join(lines)
