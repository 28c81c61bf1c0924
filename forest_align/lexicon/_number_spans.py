"""Reads numbers and fractions that take several words: *$3 million*, *two thirds*, *one in five*."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING

from forest_align.lexicon._quantity_record import (
    NOTHING,
    NUMBER,
    WHOLE,
    Part,
    Quantity,
    Reading,
    unit_at,
    unit_kind,
    whole,
)
from forest_align.lexicon.number_tables import NUMBERED_NOUNS

if TYPE_CHECKING:
    from forest_align.lexicon._quantity_record import SentenceWords

_N, _S, _U, _YEAR = int(Part.NUMBER), int(Part.SCALE), int(Part.UNIT), int(Part.YEAR)
_ONE, _TEN = Fraction(1), Fraction(10)
DASHES = frozenset("-–—−")
_FIRST_GROUP = re.compile("[1-9][0-9]{0,2}")
_TENS = frozenset(map(Fraction, range(20, 100, 10)))
_FACTORS = frozenset(map(Fraction, (12, 100, 1000, 10**5, 10**6, 10**7, 10**9, 10**12)))


def read_fraction(sentence: SentenceWords, start: int) -> Quantity | None:
    """*two thirds*, *a quarter*, *half a litre*, *one in five*."""
    number = whole(sentence.at(start).number, 1, 20)
    if number is not None:
        denominator = sentence.at(start + 1).denominator
        is_plural = sentence.word(start + 1).endswith("s")
        if denominator is not None and number <= 2 * denominator and is_plural is (number > 1):
            return _fraction(sentence, start, start + 2, number / denominator, (_N | _S, _U))
        rate = _rate(sentence, start, number)
        if rate is not None:
            return rate
    at = start + 1 if sentence.word(start) in ("a", "an", "one") else start
    base = sentence.at(at)
    if base.denominator is None or (base.ordinal is not None and at == start):
        return None
    if sentence.word(at).endswith("s"):
        return None
    end = at + 1
    parts = [0] * (at - start) + [WHOLE]
    if sentence.word(end) in ("a", "an"):
        following = sentence.at(end + 1)
        if following.scale is not None and not following.is_digits:
            value = following.scale / base.denominator
            return _number_quantity(sentence, start, end + 2, value, [*parts[:-1], _N, 0, _S], True)
        if following.units:
            end += 1
            parts.append(0)
    elif (
        sentence.word(end) == "of"
        and sentence.word(end + 1) in ("a", "an", "one")
        and sentence.at(end + 2).units
    ):
        end += 2
        parts += [0, 0]
    return _fraction(sentence, start, end, 1 / base.denominator, tuple(parts), base.certain)


def _fraction(
    sentence: SentenceWords,
    start: int,
    end: int,
    value: Fraction,
    parts: tuple[int, ...],
    certain: bool = True,
) -> Quantity:
    unit = sentence.at(end)
    values: tuple[Fraction | None, ...] = (None,) * len(parts)
    if unit.units and not unit.is_digits and not unit.is_sign:
        readings = tuple(Reading(unit_kind(u), value * unit.unit_factor, u) for u in unit.units)
        inner = tuple(part & ~_U if part == WHOLE else part for part in parts)
        return Quantity(start, end + 1, readings, (*inner, _U), (*values, None))
    return Quantity(start, end, (Reading("fraction", value),), parts, values, certain)


def _rate(sentence: SentenceWords, start: int, number: Fraction) -> Quantity | None:
    """*one in five*, *3 out of 4*."""
    size = 2 if sentence.word(start + 1) == "in" else 3
    if size == 3 and sentence.lower[start + 1 : start + 3] != ["out", "of"]:
        return None
    second, after = sentence.at(start + size), sentence.at(start + size + 1)
    if second.number is None or second.readings or number > 10 or not number < second.number <= 1000:
        return None
    if after.units or after.scale is not None or after.month:
        return None
    parts = (NUMBER, *(0,) * (size - 1), NUMBER)
    values = (number, *(None,) * (size - 1), second.number)
    reading = Reading("fraction", number / second.number)
    return Quantity(start, start + size + 1, (reading,), parts, values)


def read_number(sentence: SentenceWords, start: int) -> Quantity | None:
    """Numbers with signs, factors, units: *$3 million*, *minus five degrees*, *two hundred and five km*."""
    at = start
    sign = sentence.at(at).units[0] if sentence.at(at).is_sign else ""
    at += bool(sign)
    is_negative = sentence.word(at) in ("minus", "negative") or (
        sentence.word(at) in DASHES and not sign and sentence.at(at - 1) is NOTHING
    )
    at += is_negative
    first = sentence.at(at)
    if first is NOTHING and sentence.word(at) not in ("a", "an"):
        return None
    spaced = _spaced_thousands(sentence, at)
    parsed = spaced or _amount(sentence, at)
    if parsed is None:
        return None
    values, total, end = parsed
    if spaced is not None:  # "5 300" may be two numbers
        certain = bool(sign) or len(values) > 2 or sentence.word(end - 1) == "000"
    else:
        certain = len(values) > 1 or bool(sign) or is_negative or first.certain or sentence.tag(at) == "CD"
    # Factors such as *million* leave the rest of the number to the other words.
    factors = [value in _FACTORS for value in values]
    has_both = any(factors) and any(v is not None and not f for v, f in zip(values, factors, strict=True))
    parts = [
        0 if value is None else NUMBER if not has_both else _S if is_factor else _N
        for value, is_factor in zip(values, factors, strict=True)
    ]
    head = [_U] * bool(sign) + [0] * is_negative
    value = -total if is_negative else total
    all_values = (*(None,) * len(head), *values)
    quantity = _number_quantity(sentence, start, end, value, [*head, *parts], certain, sign, all_values)
    if len(values) == 1 and not head and quantity.end == end:
        if first.kind == "year":
            return Quantity(start, end, first.readings, (NUMBER | _YEAR,), quantity.values)
        if first.kind in ("fraction", "cardinal"):
            return Quantity(start, end, first.readings, (first.parts,), quantity.values)
    return quantity


def _spaced_thousands(
    sentence: SentenceWords, start: int
) -> tuple[list[Fraction | None], Fraction, int] | None:
    """Values of the groups of digits of *1 250 000*, the number, and its end."""
    if not _FIRST_GROUP.fullmatch(sentence.word(start)) or _is_digits(sentence.word(start - 1)):
        return None
    end = start + 1
    while len(sentence.word(end)) == 3 and _is_digits(sentence.word(end)):
        end += 1
    if end == start + 1 or _is_digits(sentence.word(end)) or sentence.word(start - 1) in NUMBERED_NOUNS:
        return None
    groups = sentence.lower[start:end]
    zeros = next((place for place, group in enumerate(reversed(groups)) if group != "000"), 0)
    values: list[Fraction | None] = [Fraction(group) for group in groups[: len(groups) - zeros]]
    return [*values, *[Fraction(1000**zeros)] * zeros], Fraction("".join(groups)), end


def _is_digits(word: str) -> bool:
    return word.isascii() and word.isdigit()


def _amount(sentence: SentenceWords, start: int) -> tuple[list[Fraction | None], Fraction, int] | None:
    """Values of the words of a number, the number, and its end."""
    total = group = Fraction(0)
    values: list[Fraction | None] = []
    smallest: Fraction | None = None
    at, is_digits = start, False
    while True:
        lexeme, word = sentence.at(at), sentence.word(at)
        if lexeme.scale is not None and (is_digits or not lexeme.is_digits):
            if not values and word not in ("dozen", "hundred", "thousand"):
                return None
            group = (group or _ONE) * lexeme.scale
            if lexeme.scale >= 1000:
                total, group = total + group, Fraction(0)
            smallest = lexeme.scale
            values.append(lexeme.scale)
        elif (number := lexeme.number) is not None:
            if not values:
                is_digits = lexeme.is_digits
            elif number.denominator != 1:
                if not (is_digits and lexeme.is_digits and len(values) == 1 and number < 1):
                    break
            elif is_digits or lexeme.is_digits or (smallest is not None and number >= smallest):
                break
            smallest = _TEN if number in _TENS else _ONE
            group += number
            values.append(number)
        elif word in ("a", "an") and not values:
            following = sentence.at(at + 1)
            if following.scale is None or following.is_digits:
                return None
            values.append(None)
        elif word == "and" and values and not is_digits:
            denominator = sentence.at(at + 2).denominator
            if sentence.word(at + 1) == "a" and denominator is not None:  # "and a half"
                return [*values, None, None, 1 / denominator], total + group + 1 / denominator, at + 3
            if smallest is None or not _goes_on(sentence, at, smallest):
                break
            values.append(None)
        else:
            break
        at += 1
    return (values, total + group, at) if any(value is not None for value in values) else None


def _goes_on(sentence: SentenceWords, at: int, smallest: Fraction) -> bool:
    """Whether the number goes on after *and*: *seven hundred and fifty thousand*.

    *six million and four million* are two numbers.
    """
    following, after = sentence.at(at + 1), sentence.at(at + 2)
    if smallest < 100 or following.spoken is None:
        return False
    if after.scale is None:
        return True
    return after.scale < smallest if smallest >= 1000 else after.scale > smallest


def _number_quantity(
    sentence: SentenceWords,
    start: int,
    end: int,
    value: Fraction,
    parts: list[int],
    certain: bool,
    sign: str = "",
    values: tuple[Fraction | None, ...] = (),
) -> Quantity:
    """Add the unit after a number, if there is one."""
    values = values or (None,) * len(parts)
    first = next(place for place, part in enumerate(parts) if part & (_N | _S))
    is_digits = sentence.at(start + first).is_digits
    units, factor, tail = unit_at(sentence, end, is_digits)
    readings = [Reading(unit_kind(unit), value * factor, unit) for unit in units]
    if sign:
        readings = [Reading("money", value, sign)]
        if not (tail and units and unit_kind(units[0]) == "money"):
            tail = []
    if not readings:
        readings = [Reading("cardinal", value)]
    scale = sentence.at(end).scale
    if tail and is_digits and scale is not None:
        readings.insert(0, Reading("cardinal", value * scale))
    all_values = (*values, *(None,) * len(tail))
    return Quantity(
        start, end + len(tail), tuple(readings), (*parts, *tail), all_values, certain or bool(tail)
    )
