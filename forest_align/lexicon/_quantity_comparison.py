"""Compares two quantities: equal, nearly so, different in value or unit, or not comparable."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from forest_align.lexicon._quantity_record import QuantityComparison
from forest_align.lexicon.number_tables import MEASURES

if TYPE_CHECKING:
    from forest_align.lexicon._quantity_record import Quantity, Reading

_NUMERIC = frozenset(("cardinal", "fraction", "percent", "money", "measure", "time", "range"))
_CALENDAR = frozenset(("date", "year"))
# Numbers that differ by a twentieth at most may be the same amount, rounded or converted.
_EQUAL, _CLOSE, _UNKNOWN = (
    QuantityComparison.EQUAL,
    QuantityComparison.CLOSE,
    QuantityComparison.UNKNOWN,
)
_OTHER, _OTHER_UNIT = QuantityComparison.OTHER, QuantityComparison.OTHER_UNIT
# Of several pairs of readings, the first of these decides.
_PRECEDENCE = (_EQUAL, _CLOSE, _UNKNOWN, _OTHER_UNIT, _OTHER)
_ROUNDING = Fraction(1, 20)
_SMALLEST_CLOSE = 20


def compare(one: Quantity, two: Quantity) -> QuantityComparison:
    """Compare two quantities."""
    signs = {_compare_readings(left, right) for left in one.readings for right in two.readings}
    found = next((sign for sign in _PRECEDENCE if sign in signs), _UNKNOWN)
    if found is _CLOSE and one.kind == two.kind == "year":  # no year is rounded to the one before it
        found = _compare_readings(one.readings[0], two.readings[0]) or _UNKNOWN
    return found if found is _EQUAL or (one.certain and two.certain) else _UNKNOWN


def _compare_readings(one: Reading, two: Reading) -> QuantityComparison | None:
    """Compare two readings; None for kinds that have nothing in common."""
    kinds = {one.kind, two.kind}
    if kinds <= _NUMERIC:
        if "range" in kinds:
            return _compare_ranges(one, two)
        return _compare_numbers(one, two)
    if kinds <= _CALENDAR:
        return _compare_dates(one, two)
    if one.kind == two.kind:
        return _compare_same_kind(one, two)
    if kinds == {"decade", "year"}:
        year, decade = (one, two) if one.kind == "year" else (two, one)
        inside = year.value - year.value % 10 == decade.value
        return _CLOSE if inside or decade.value < 100 else _OTHER
    if "date" in kinds and kinds & {"ordinal", "cardinal"}:
        date, number = (one, two) if one.kind == "date" else (two, one)
        return _EQUAL if number.value and number.value in date_parts(date.value) else None
    return None


def date_parts(value: Fraction) -> tuple[int, int, int]:
    """Day, month and year of the value of a date; 0 for what it does not say."""
    year, rest = divmod(int(value), 10_000)
    return rest % 100, rest // 100, year


def years_agree(one: int, two: int) -> bool:
    """Whether two years are equal, the century of either of them left out or not: 1998 and '98."""
    return one == two or (min(one, two) < 100 and one % 100 == two % 100)


def _compare_same_kind(one: Reading, two: Reading) -> QuantityComparison:
    if one.kind == "decade" and min(one.value, two.value) < 100:
        return _equal(one.value % 100 == two.value % 100)
    return _equal(one.value == two.value)


def _equal(are_equal: bool) -> QuantityComparison:
    return _EQUAL if are_equal else _OTHER


def _compare_dates(one: Reading, two: Reading) -> QuantityComparison:
    """Dates are equal if what both say is equal, and both say something."""
    left, right = (
        date_parts(reading.value if reading.kind == "date" else reading.value * 10_000)
        for reading in (one, two)
    )
    said = [(a, b) for a, b in zip(left[:2], right[:2], strict=True) if a and b]
    if any(a != b for a, b in said):
        return _OTHER
    if left[2] and right[2]:
        return _equal(years_agree(left[2], right[2]))
    return _EQUAL if said else _UNKNOWN


def _compare_ranges(one: Reading, two: Reading) -> QuantityComparison | None:
    if one.unit and two.unit and one.unit != two.unit:
        return None
    if one.high is None or two.high is None:
        range_, single = (one, two) if two.high is None else (two, one)
        assert range_.high is not None
        if single.value in (range_.value, range_.high):
            return _EQUAL
        return _CLOSE if range_.value < single.value < range_.high else _OTHER
    if (one.value, one.high) == (two.value, two.high):
        return _EQUAL
    return _CLOSE if one.value <= two.high and two.value <= one.high else _OTHER


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
        return _OTHER_UNIT
    return _UNKNOWN if kinds == {"money"} else _OTHER  # a price in another currency


def _compare_values(one: Fraction, two: Fraction) -> QuantityComparison:
    if one == two:
        return _EQUAL
    larger = max(abs(one), abs(two))
    is_rounded = larger >= _SMALLEST_CLOSE and abs(one - two) <= _ROUNDING * larger
    return _CLOSE if is_rounded and _zeros(one) != _zeros(two) else _OTHER


def _zeros(value: Fraction) -> int:
    """Number of zeros at the end of a whole number; -1 for others."""
    digits = str(value)
    return len(digits) - len(digits.rstrip("0")) if value.denominator == 1 else -1
