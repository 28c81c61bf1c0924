"""Reads and compares quantities: of two spans, and of all words of two sentences."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from forest_align.lexicon._quantity_comparison import compare, date_parts, years_agree
from forest_align.lexicon._quantity_record import (
    Part,
    Quantity,
    QuantityComparison,
    QuantityRelation,
    Reading,
)
from forest_align.lexicon._quantity_spans import read_quantities

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Span = tuple[int, int]

__all__ = [
    "Part",
    "Quantity",
    "QuantityComparison",
    "QuantityRelation",
    "Reading",
    "compare",
    "compare_values",
    "date_parts",
    "quantity_relations",
    "read_quantities",
]

# Plain integers combine much faster than flags.
_NUMBER, _SCALE, _UNIT = int(Part.NUMBER), int(Part.SCALE), int(Part.UNIT)
# Of several differences, the first of these is reported.
_DECIDING = (
    QuantityComparison.OTHER,
    QuantityComparison.OTHER_UNIT,
    QuantityComparison.CLOSE,
    QuantityComparison.UNKNOWN,
)
_DATE = int(Part.DAY | Part.MONTH | Part.YEAR)
_SAME, _SAME_UNIT = int(QuantityRelation.SAME), int(QuantityRelation.SAME_UNIT)
_OTHER, _OTHER_UNIT = int(QuantityRelation.OTHER), int(QuantityRelation.OTHER_UNIT)


def compare_values(
    source: Sequence[str],
    target: Sequence[str],
    source_span: Span | None = None,
    target_span: Span | None = None,
    source_tags: Sequence[str] = (),
    target_tags: Sequence[str] = (),
) -> QuantityComparison:
    """Compare the quantities of two spans of words, or of two whole texts.

    Quantities are read in their sentences, so a span may hold a part of one: *mg* of *5 mg*. Quantities that
    both spans give are equal in any order; the others are compared in order. Other words do not count.
    Swapped texts give the same result.

    Examples
    --------
    >>> compare_values("a quarter to eight".split(), ["7:45"])
    <QuantityComparison.EQUAL: 'equal'>
    >>> compare_values("Take 5 mg daily".split(), "Take 5 g daily".split(), (2, 3), (2, 3))
    <QuantityComparison.OTHER_UNIT: 'different unit'>
    """
    sides = [
        _quantities_of(words, tags, span or (0, len(words)))
        for words, tags, span in ((source, source_tags, source_span), (target, target_tags, target_span))
    ]
    if not all(sides):
        return QuantityComparison.UNKNOWN
    return _compare_lists(*sides)


def _quantities_of(words: Sequence[str], tags: Sequence[str], span: Span) -> list[Quantity]:
    """Quantities that a span holds or touches; where it has no other words, none of them is unclear."""
    start, end = span
    found = [one for one in read_quantities(words, tags) if one.start < end and start < one.end]
    covered = {k for one in found for k in range(one.start, one.end)}
    is_all = covered.issuperset(range(start, end))
    return [replace(one, certain=True) if is_all else one for one in found]


def _compare_lists(lefts: list[Quantity], rights: list[Quantity]) -> QuantityComparison:
    """Compare the quantities that are left when equal ones have been paired."""
    ends = _ends_of_range(lefts, rights) or _ends_of_range(rights, lefts)
    if ends:
        return QuantityComparison.EQUAL
    others = list(rights)
    unpaired = []
    for left in lefts:
        equal = next((one for one in others if compare(left, one) is QuantityComparison.EQUAL), None)
        if equal is None:
            unpaired.append(left)
        else:
            others.remove(equal)
    if len(unpaired) != len(others):
        return QuantityComparison.UNKNOWN
    found = {compare(left, right) for left, right in zip(unpaired, others, strict=True)}
    return next((one for one in _DECIDING if one in found), QuantityComparison.EQUAL)


def _ends_of_range(ranges: list[Quantity], ends: list[Quantity]) -> bool:
    """Whether a range of one list has the two numbers of the other as its ends: *5-10*, *5 to 10*."""
    if len(ranges) != 1 or len(ends) != 2:
        return False
    return any(
        reading.high is not None
        and ends[0].value == reading.value
        and ends[1].value == reading.high
        and ends[1].unit in (reading.unit, "")
        for reading in ranges[0].readings
    )


def quantity_relations(
    source: Sequence[str],
    target: Sequence[str],
    source_tags: Sequence[str] = (),
    target_tags: Sequence[str] = (),
) -> np.ndarray:
    """Find the words that give equal or different quantities. Shapes: returns uint8 (n, m).

    The result for swapped sentences is the transpose.
    """
    found = np.zeros((len(source), len(target)), dtype=np.uint8)
    lefts = read_quantities(source, source_tags)
    if not lefts:
        return found
    rights = read_quantities(target, target_tags)
    for left in lefts:
        for right in rights:
            comparison = compare(left, right)
            for i, j, relation in _cells(left, right, comparison):
                found[i, j] |= relation
    return found


def _cells(left: Quantity, right: Quantity, comparison: QuantityComparison) -> Iterator[tuple[int, int, int]]:
    """Cells of two quantities about which something is known, each with its relations."""
    if comparison in (QuantityComparison.UNKNOWN, QuantityComparison.CLOSE):
        return
    is_equal = comparison is QuantityComparison.EQUAL
    is_same_number = comparison is QuantityComparison.OTHER_UNIT
    for i, part in enumerate(left.parts):
        for j, other_part in enumerate(right.parts):
            shared = part & other_part
            if not shared:
                continue
            relation = 0
            if shared & _DATE:
                relation = _date_relation(left, right, shared, is_equal)
            if shared & (_NUMBER | _SCALE):
                if is_same_number:
                    pass
                elif not is_equal:
                    relation |= _OTHER if shared & _NUMBER else _OTHER_UNIT
                elif _may_write_same_number(left, right, i, j, shared):
                    relation |= _SAME
            if shared & _UNIT:
                relation |= _SAME_UNIT if is_equal else _OTHER_UNIT
            if relation:
                yield left.start + i, right.start + j, relation


def _may_write_same_number(left: Quantity, right: Quantity, i: int, j: int, shared: int) -> bool:
    """False for two words of numbers of several words: *twenty* and *one* of *twenty one*."""
    if left.values[i] == right.values[j]:
        return True
    if (left.kind == "range") is not (right.kind == "range"):
        return not any(len(one.parts) > 1 and one.kind == "range" for one in (left, right))
    several = all(sum(bool(part & shared) for part in one.parts) > 1 for one in (left, right))
    return not several


def _date_relation(left: Quantity, right: Quantity, shared: int, is_equal: bool) -> int:
    """Relation of two words of dates: equal months of different dates are like equal units."""
    found = 0
    for part, index in ((Part.DAY, 0), (Part.MONTH, 1), (Part.YEAR, 2)):
        if shared & part:
            one, two = _date_values(left, index), _date_values(right, index)
            if is_equal:
                found |= _SAME
            elif any(years_agree(a, b) for a in one for b in two):
                found |= _OTHER_UNIT
            else:
                found |= _OTHER
    return found


def _date_values(quantity: Quantity, index: int) -> set[int]:
    """Days, months or years that the readings of a quantity give."""
    values = {
        date_parts(reading.value if reading.kind == "date" else reading.value * 10_000)[index]
        for reading in quantity.readings
        if reading.kind in ("date", "year")
    }
    return values - {0}
