"""Compares the quantities of two sentences whose words are linked."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

from forest_align.alignment import AtomicRelation, Span
from forest_align.lexicon.quantities import Quantity, QuantityComparison, compare, date_parts, read_quantities
from forest_align.meaning._read_sentence import Cell, LinkedSentences, ReadSentence
from forest_align.meaning.meaning_words import VALUES
from forest_align.meaning.relation_algebra import DIFFERENT, GENERAL, SPECIFIC

# *Rose to 5 percent*, *rose by 5 percent*
_TO_AND_BY = (["to"], ["by"])


class _ValueComparison(NamedTuple):
    """What the quantities of two sentences say."""

    relations: list[AtomicRelation]
    # settled, open: links between quantities that were compared, and between those that cannot be
    settled: set[Cell]
    open: set[Cell]
    equal: set[Cell]  # The words of equal quantities, each of one with each of the other
    words: tuple[set[int], set[int]]  # The words of quantities that were compared
    compared: list[tuple[Span, Span]]  # The quantities that were compared


def compared_values(pair: LinkedSentences) -> _ValueComparison:
    """Compare each two quantities that links join, or that count linked words."""
    (source, target), partners = pair
    found = _ValueComparison([], set(), set(), set(), (set(), set()), [])
    lefts = read_quantities(source.words, source.tags)
    rights = read_quantities(target.words, target.tags) if lefts else ()
    for one, other in product(lefts, rights):
        spans = (one.start, _end(source, one)), (other.start, _end(target, other))
        words = range(*spans[0]), range(*spans[1])
        cells = {(i, j) for i in words[0] for j in partners[0].get(i, ()) if j in words[1]}
        if not cells and not _count_the_same(pair, one, other):
            continue
        # *Down 13 cents* and *down 1.5 percent* may be one loss.
        are_amounts = {one.kind, other.kind} == {"money", "percent"}
        comparison = QuantityComparison.UNKNOWN if are_amounts else compare(one, other)
        are_points = [span[1] > quantity.end for span, quantity in zip(spans, (one, other), strict=True)]
        if are_points[0] != are_points[1]:
            comparison = QuantityComparison.OTHER
        if comparison is not QuantityComparison.UNKNOWN:
            found.words[0].update(words[0])
            found.words[1].update(words[1])
            found.compared.append(spans)
        if comparison is QuantityComparison.EQUAL:
            found.settled.update(cells)
            found.equal.update(product(*words))
            before = source.lower[one.start - 1 : one.start], target.lower[other.start - 1 : other.start]
            if before in (_TO_AND_BY, _TO_AND_BY[::-1]):
                places = (one.start - 1, one.start), (other.start - 1, other.start)
                found.relations.append(AtomicRelation(*places, DIFFERENT, VALUES))
            parts = _parts_of_date(one), _parts_of_date(other)
            if all(parts) and parts[0] != parts[1]:  # *April 2015*, *2015*
                relation = SPECIFIC if parts[0] > parts[1] else GENERAL
                found.relations.append(AtomicRelation(*spans, relation, VALUES))
        # One number and two units that cannot be compared: *-5 °C*, *-5 °F*
        elif comparison is QuantityComparison.OTHER or (
            one.value == other.value and one.unit and other.unit and one.unit != other.unit
        ):
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


def _count_the_same(pair: LinkedSentences, one: Quantity, other: Quantity) -> bool:
    """Whether linked words stand behind two quantities without links: *500 cars*, *400 cars*."""
    is_free = not any(
        partners.get(word)
        for partners, quantity in zip(pair.partners, (one, other), strict=True)
        for word in range(quantity.start, quantity.end)
    )
    return is_free and other.end in pair.partners[0].get(one.end, ())


def _end(read: ReadSentence, quantity: Quantity) -> int:
    """The end of a quantity with what makes it a difference of percentages: *5 percentage points*."""
    are_points = quantity.kind == "percent" and read.lemmas[quantity.end : quantity.end + 1] == ["point"]
    return quantity.end + are_points
