"""Reads and compares quantities: of two spans, and of all words of two sentences."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from forest_align.lexicon._quantity_record import (
    Part,
    Quantity,
    QuantityComparison,
    QuantityRelation,
    Reading,
)
from forest_align.lexicon._quantity_spans import read_quantities
from forest_align.lexicon.number_tables import MEASURES

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

_NUMERIC = frozenset(("cardinal", "fraction", "percent", "money", "measure", "time", "range"))
_CALENDAR = frozenset(("date", "year"))
_EQUAL, _CLOSE, _UNKNOWN = QuantityComparison.EQUAL, QuantityComparison.CLOSE, QuantityComparison.UNKNOWN
_DIFFERENT, _DIFFERENT_UNIT = QuantityComparison.OTHER, QuantityComparison.OTHER_UNIT
# Of several pairs of readings the first of these decides, of several pairs of quantities the first of those.
_PRECEDENCE = (_EQUAL, _CLOSE, _UNKNOWN, _DIFFERENT_UNIT, _DIFFERENT)
_DECIDING = (_DIFFERENT, _DIFFERENT_UNIT, _CLOSE, _UNKNOWN)
# Numbers that differ by a twentieth at most may be the same amount, rounded or converted.
_ROUNDING = Fraction(1, 20)
_SMALLEST_CLOSE = 20
# Plain integers combine much faster than flags.
_NUMBER, _SCALE, _UNIT = int(Part.NUMBER), int(Part.SCALE), int(Part.UNIT)
_DATE = int(Part.DAY | Part.MONTH | Part.YEAR)
_SAME, _SAME_UNIT = int(QuantityRelation.SAME), int(QuantityRelation.SAME_UNIT)
_OTHER, _OTHER_UNIT = int(QuantityRelation.OTHER), int(QuantityRelation.OTHER_UNIT)


def compare(one: Quantity, two: Quantity) -> QuantityComparison:
    """Compare two quantities."""
    results = {_compare_readings(left, right) for left in one.readings for right in two.readings}
    result = next((result for result in _PRECEDENCE if result in results), _UNKNOWN)
    if result is _CLOSE and one.kind == two.kind == "year":  # no year is rounded to the one before it
        result = _compare_readings(one.readings[0], two.readings[0]) or _UNKNOWN
    return result if result is _EQUAL or (one.certain and two.certain) else _UNKNOWN


def _compare_readings(one: Reading, two: Reading) -> QuantityComparison | None:
    """Compare two readings; None for kinds that have nothing in common."""
    kinds = {one.kind, two.kind}
    if kinds <= _NUMERIC:
        return _compare_ranges(one, two) if "range" in kinds else _compare_numbers(one, two)
    if kinds <= _CALENDAR:
        return _compare_dates(one, two)
    if one.kind == two.kind:
        has_century = one.kind != "decade" or min(one.value, two.value) >= 100
        return _equal(one.value == two.value if has_century else one.value % 100 == two.value % 100)
    if kinds == {"decade", "year"}:
        year, decade = (one, two) if one.kind == "year" else (two, one)
        inside = year.value - year.value % 10 == decade.value
        return _CLOSE if inside or decade.value < 100 else _DIFFERENT
    if "date" in kinds and kinds & {"ordinal", "cardinal"}:
        date, number = (one, two) if one.kind == "date" else (two, one)
        return _EQUAL if number.value and number.value in date_parts(date.value) else None
    return None


def date_parts(value: Fraction) -> tuple[int, int, int]:
    """Day, month and year of the value of a date; 0 for what it does not say."""
    year, rest = divmod(int(value), 10_000)
    return rest % 100, rest // 100, year


def _years_agree(one: int, two: int) -> bool:
    """Whether two years are equal, the century of either of them left out or not: 1998 and '98."""
    return one == two or (min(one, two) < 100 and one % 100 == two % 100)


def _equal(are_equal: bool) -> QuantityComparison:
    return _EQUAL if are_equal else _DIFFERENT


def _compare_dates(one: Reading, two: Reading) -> QuantityComparison:
    """Dates are equal if what both say is equal, and both say something."""
    left, right = (date_parts(_date_value(reading)) for reading in (one, two))
    said = [(a, b) for a, b in zip(left[:2], right[:2], strict=True) if a and b]
    if any(a != b for a, b in said):
        return _DIFFERENT
    if left[2] and right[2]:
        return _equal(_years_agree(left[2], right[2]))
    return _EQUAL if said else _UNKNOWN


def _date_value(reading: Reading) -> Fraction:
    """The value of a date, or of a year as a date."""
    return reading.value if reading.kind == "date" else reading.value * 10_000


def _compare_ranges(one: Reading, two: Reading) -> QuantityComparison | None:
    if one.unit and two.unit and one.unit != two.unit:
        return None
    if (one.value, one.high) == (two.value, two.high):
        return _EQUAL
    if one.high is not None and two.high is not None:
        return _CLOSE if one.value <= two.high and two.value <= one.high else _DIFFERENT
    range_, single = (one, two) if two.high is None else (two, one)
    assert range_.high is not None
    if single.value in (range_.value, range_.high):
        return _EQUAL
    return _CLOSE if range_.value < single.value < range_.high else _DIFFERENT


def _compare_numbers(one: Reading, two: Reading) -> QuantityComparison | None:
    if one.unit == two.unit:
        return _compare_values(one.value, two.value)
    kinds = {one.kind, two.kind}
    if kinds == {"fraction", "percent"}:
        fraction, percent = (one, two) if one.kind == "fraction" else (two, one)
        return _compare_values(fraction.value * 100, percent.value)
    if not one.unit or not two.unit:
        if "fraction" in kinds:  # "half" and "0.5"; "third" is no evidence against "2"
            return _EQUAL if one.value == two.value else None
        if "time" in kinds:
            return _equal((one.value - two.value) % 12 == 0)
        return _compare_values(one.value, two.value)
    if one.unit in MEASURES and two.unit in MEASURES:
        (dimension, factor), (other_dimension, other_factor) = MEASURES[one.unit], MEASURES[two.unit]
        if dimension == other_dimension:
            left, right = one.value * factor, two.value * other_factor
            if left == right:
                return _EQUAL
            if abs(left - right) <= _ROUNDING * max(abs(left), abs(right)):
                return _CLOSE
    if one.value == two.value:
        return _DIFFERENT_UNIT
    return _UNKNOWN if kinds == {"money"} else _DIFFERENT  # a price in another currency


def _compare_values(one: Fraction, two: Fraction) -> QuantityComparison:
    if one == two:
        return _EQUAL
    larger = max(abs(one), abs(two))
    is_rounded = larger >= _SMALLEST_CLOSE and abs(one - two) <= _ROUNDING * larger
    return _CLOSE if is_rounded and _zeros(one) != _zeros(two) else _DIFFERENT


def _zeros(value: Fraction) -> int:
    """Number of zeros at the end of a whole number; -1 for others."""
    digits = str(value)
    return len(digits) - len(digits.rstrip("0")) if value.denominator == 1 else -1


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
    lefts = _quantities_of(source, source_tags, source_span or (0, len(source)))
    others = _quantities_of(target, target_tags, target_span or (0, len(target)))
    if not lefts or not others:
        return _UNKNOWN
    if _are_ends_of_range(lefts, others) or _are_ends_of_range(others, lefts):
        return _EQUAL
    unpaired = []
    for left in lefts:
        equal = next((other for other in others if compare(left, other) is _EQUAL), None)
        if equal is None:
            unpaired.append(left)
        else:
            others.remove(equal)
    if len(unpaired) != len(others):
        return _UNKNOWN
    results = {compare(left, right) for left, right in zip(unpaired, others, strict=True)}
    return next((result for result in _DECIDING if result in results), _EQUAL)


def _quantities_of(words: Sequence[str], tags: Sequence[str], span: Span) -> list[Quantity]:
    """Quantities that a span holds or touches; where it has no other words, none of them is unclear."""
    start, end = span
    quantities = [item for item in read_quantities(words, tags) if item.start < end and start < item.end]
    covered = {place for item in quantities for place in range(item.start, item.end)}
    if covered.issuperset(range(start, end)):
        return [replace(item, certain=True) for item in quantities]
    return quantities


def _are_ends_of_range(ranges: list[Quantity], ends: list[Quantity]) -> bool:
    """Whether a range of one list has the two numbers of the other as its ends: *5-10*, *5 to 10*."""
    if len(ranges) != 1 or len(ends) != 2:
        return False
    low, high = ends
    return any(
        (reading.value, reading.high) == (low.value, high.value) and high.unit in (reading.unit, "")
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
    relations = np.zeros((len(source), len(target)), dtype=np.uint8)
    lefts = read_quantities(source, source_tags)
    for left, right in product(lefts, read_quantities(target, target_tags) if lefts else ()):
        for i, j, relation in _cells(left, right, compare(left, right)):
            relations[i, j] |= relation
    return relations


def _cells(left: Quantity, right: Quantity, comparison: QuantityComparison) -> Iterator[tuple[int, int, int]]:
    """Cells of two quantities about which something is known, each with its relations."""
    if comparison in (_UNKNOWN, _CLOSE):
        return
    is_equal = comparison is _EQUAL
    for (i, part), (j, other_part) in product(enumerate(left.parts), enumerate(right.parts)):
        shared = part & other_part
        if not shared:
            continue
        relation = 0
        if shared & _DATE:
            relation = _date_relation(left, right, shared, is_equal)
        if shared & (_NUMBER | _SCALE):
            if comparison is _DIFFERENT:
                relation |= _OTHER if shared & _NUMBER else _OTHER_UNIT
            elif is_equal and _may_write_same_number(left, right, i, j, shared):
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
        return not any(len(side.parts) > 1 and side.kind == "range" for side in (left, right))
    return not all(sum(bool(part & shared) for part in side.parts) > 1 for side in (left, right))


def _date_relation(left: Quantity, right: Quantity, shared: int, is_equal: bool) -> int:
    """Relation of two words of dates: equal months of different dates are like equal units."""
    relation = 0
    for index, part in enumerate((Part.DAY, Part.MONTH, Part.YEAR)):
        if not shared & part:
            continue
        if is_equal:
            relation |= _SAME
            continue
        # Days, months or years that the readings give.
        ours, theirs = (
            {
                date_parts(_date_value(reading))[index]
                for reading in side.readings
                if reading.kind in _CALENDAR
            }
            for side in (left, right)
        )
        agree = any(a and b and _years_agree(a, b) for a in ours for b in theirs)
        relation |= _OTHER_UNIT if agree else _OTHER
    return relation
