"""Compares the quantities of two sentences whose words are linked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from forest_align.alignment import AtomicRelation
from forest_align.lexicon.quantities import QuantityComparison, compare, date_parts, read_quantities
from forest_align.meaning.meaning_words import VALUES
from forest_align.meaning.relation_algebra import DIFFERENT, GENERAL, SPECIFIC

if TYPE_CHECKING:
    from forest_align.alignment import Span
    from forest_align.lexicon.quantities import Quantity
    from forest_align.meaning._read_sentence import ReadSentence

# *Rose to 5 percent*, *rose by 5 percent*
_TO_AND_BY = (["to"], ["by"])

Cells = set[tuple[int, int]]
_Partners = tuple[Mapping[int, Sequence[int]], Mapping[int, Sequence[int]]]


class _ValueComparison(NamedTuple):
    """What the quantities of two sentences say."""

    relations: list[AtomicRelation]
    # settled, open: links between quantities that were compared, and between those that cannot be
    settled: Cells
    open: Cells
    equal: Cells  # The words of equal quantities, each of one with each of the other
    words: tuple[set[int], set[int]]  # The words of quantities that were compared
    compared: list[tuple[Span, Span]]  # The quantities that were compared


def compared_values(source: ReadSentence, target: ReadSentence, partners: _Partners) -> _ValueComparison:
    """Compare each two quantities that links join, or that count linked words."""
    found = _ValueComparison([], set(), set(), set(), (set(), set()), [])
    lefts = read_quantities(source.words, source.tags)
    rights = read_quantities(target.words, target.tags) if lefts else ()
    for one, other in product(lefts, rights):
        cells = {
            (i, j)
            for i in range(one.start, _end(source, one))
            for j in partners[0].get(i, ())
            if other.start <= j < _end(target, other)
        }
        if not cells and not _count_the_same(one, other, partners):
            continue
        spans = (one.start, _end(source, one)), (other.start, _end(target, other))
        # *Down 13 cents* and *down 1.5 percent* may be one loss.
        are_amounts = {one.kind, other.kind} == {"money", "percent"}
        comparison = QuantityComparison.UNKNOWN if are_amounts else compare(one, other)
        are_points = [span[1] > quantity.end for span, quantity in zip(spans, (one, other), strict=True)]
        if are_points[0] != are_points[1]:
            comparison = QuantityComparison.OTHER
        if comparison is not QuantityComparison.UNKNOWN:
            found.words[0].update(range(*spans[0]))
            found.words[1].update(range(*spans[1]))
            found.compared.append(spans)
        if comparison is QuantityComparison.EQUAL:
            found.settled.update(cells)
            found.equal.update(product(range(*spans[0]), range(*spans[1])))
            before = source.lower[one.start - 1 : one.start], target.lower[other.start - 1 : other.start]
            if before in (_TO_AND_BY, _TO_AND_BY[::-1]):
                places = (one.start - 1, one.start), (other.start - 1, other.start)
                found.relations.append(AtomicRelation(*places, DIFFERENT, VALUES))
            parts = _parts_of_date(one), _parts_of_date(other)
            if all(parts) and parts[0] != parts[1]:  # *April 2015*, *2015*
                relation = SPECIFIC if parts[0] > parts[1] else GENERAL
                found.relations.append(AtomicRelation(*spans, relation, VALUES))
        elif comparison is QuantityComparison.OTHER or _have_other_units(one, other):
            found.settled.update(cells)
            found.relations.append(AtomicRelation(*spans, DIFFERENT, VALUES))
        else:
            found.open.update(cells)
    return found


def _parts_of_date(quantity: Quantity) -> int:
    """How much a date says: a year, a month and a day count alike; 0 for other quantities."""
    reading = quantity.readings[0]
    if reading.kind == "year":
        return 1
    return sum(map(bool, date_parts(reading.value))) if reading.kind == "date" else 0


def _count_the_same(one: Quantity, other: Quantity, partners: _Partners) -> bool:
    """Whether linked words stand behind two quantities without links: *500 cars*, *400 cars*."""
    is_free = not any(
        partners[side].get(word)
        for side, quantity in enumerate((one, other))
        for word in range(quantity.start, quantity.end)
    )
    return is_free and other.end in partners[0].get(one.end, ())


def _end(read: ReadSentence, quantity: Quantity) -> int:
    """The end of a quantity with what makes it a difference of percentages: *5 percentage points*."""
    are_points = quantity.kind == "percent" and read.lemmas[quantity.end : quantity.end + 1] == ["point"]
    return quantity.end + are_points


def _have_other_units(one: Quantity, other: Quantity) -> bool:
    """Whether two quantities have one number and two units that cannot be compared: *-5 °C*, *-5 °F*."""
    return one.value == other.value and bool(one.unit and other.unit) and one.unit != other.unit
