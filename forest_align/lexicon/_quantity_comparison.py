"""Compares two quantities: equal, different, or not comparable."""

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
_ROUNDING = Fraction(1, 20)
_SMALLEST_ROUNDED = 20


def compare(one: Quantity, two: Quantity) -> QuantityComparison:
    """Compare two quantities.

    Parameters
    ----------
    one, two : Quantity
        Quantities of the same sentence or of two sentences.

    Returns
    -------
    QuantityComparison
        ``EQUAL`` if one reading of each is equal; units are converted, and a number without a unit equals the
        same number with any unit. ``OTHER`` if they measure the same thing and their values differ in all
        readings. ``UNKNOWN`` otherwise: kinds that cannot be compared (*two*, *second*), a rounded number,
        a year of a decade, words that may be no quantity.
    """
    found = QuantityComparison.UNKNOWN
    is_unclear = not (one.certain and two.certain)
    for left in one.readings:
        for right in two.readings:
            sign = _compare_readings(left, right)
            if sign == 1:
                return QuantityComparison.EQUAL
            if sign == 0:
                is_unclear = True
            elif sign == -1:
                found = QuantityComparison.OTHER
    return QuantityComparison.UNKNOWN if is_unclear else found


def _compare_readings(one: Reading, two: Reading) -> int | None:
    """1 for equal, -1 for different, 0 for unclear, None for kinds that have nothing in common."""
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
        return 0 if inside or decade.value < 100 else -1
    if "date" in kinds and kinds & {"ordinal", "cardinal"}:
        date, number = (one, two) if one.kind == "date" else (two, one)
        return 1 if number.value and number.value in date_parts(date.value) else None
    return None


def date_parts(value: Fraction) -> tuple[int, int, int]:
    """Day, month and year of the value of a date; 0 for what it does not say."""
    year, rest = divmod(int(value), 10_000)
    return rest % 100, rest // 100, year


def years_agree(one: int, two: int) -> bool:
    """Whether two years are equal, the century of either of them left out or not: 1998 and '98."""
    return one == two or (min(one, two) < 100 and one % 100 == two % 100)


def _compare_same_kind(one: Reading, two: Reading) -> int:
    if one.kind == "decade" and min(one.value, two.value) < 100:
        return 1 if one.value % 100 == two.value % 100 else -1
    return 1 if one.value == two.value else -1


def _compare_dates(one: Reading, two: Reading) -> int:
    """Dates are equal if what both say is equal, and both say something."""
    left, right = (
        date_parts(reading.value if reading.kind == "date" else reading.value * 10_000)
        for reading in (one, two)
    )
    said = [(a, b) for a, b in zip(left[:2], right[:2], strict=True) if a and b]
    if any(a != b for a, b in said):
        return -1
    if left[2] and right[2]:
        return 1 if years_agree(left[2], right[2]) else -1
    return 1 if said else 0


def _compare_ranges(one: Reading, two: Reading) -> int | None:
    if one.unit and two.unit and one.unit != two.unit:
        return None
    if one.high is None or two.high is None:
        range_, single = (one, two) if two.high is None else (two, one)
        assert range_.high is not None
        if single.value in (range_.value, range_.high):
            return 1
        return 0 if range_.value < single.value < range_.high else -1
    if (one.value, one.high) == (two.value, two.high):
        return 1
    return 0 if one.value <= two.high and two.value <= one.high else -1


def _compare_numbers(one: Reading, two: Reading) -> int | None:
    if one.unit == two.unit:
        return _compare_values(one.value, two.value)
    kinds = {one.kind, two.kind}
    if kinds == {"fraction", "percent"}:
        fraction, percent = (one, two) if one.kind == "fraction" else (two, one)
        return _compare_values(fraction.value * 100, percent.value)
    if not one.unit or not two.unit:
        if "fraction" in kinds:  # "half" and "0.5"; "third" is no evidence against "2"
            return 1 if one.value == two.value else None
        if "time" in kinds:
            return 1 if (one.value - two.value) % 12 == 0 else -1
        return _compare_values(one.value, two.value)
    if one.unit in MEASURES and two.unit in MEASURES:
        (dimension, factor), (other_dimension, other_factor) = MEASURES[one.unit], MEASURES[two.unit]
        if dimension == other_dimension:
            left, right = one.value * factor, two.value * other_factor
            if left == right:
                return 1
            return 0 if abs(left - right) <= _ROUNDING * max(abs(left), abs(right)) else -1
    # A price in another currency, a percentage of an amount: the same number says nothing.
    return 0 if one.value == two.value or kinds == {"money"} else -1


def _compare_values(one: Fraction, two: Fraction) -> int:
    if one == two:
        return 1
    larger = max(abs(one), abs(two))
    is_rounded = larger >= _SMALLEST_ROUNDED and abs(one - two) <= _ROUNDING * larger
    return 0 if is_rounded and _zeros(one) != _zeros(two) else -1


def _zeros(value: Fraction) -> int:
    """Number of zeros at the end of a whole number; -1 for others."""
    digits = str(value)
    return len(digits) - len(digits.rstrip("0")) if value.denominator == 1 else -1
