"""Reads numbers and fractions that take several words: *$3 million*, *two thirds*, *one in five*."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING

from forest_align.lexicon._quantity_record import NUMBER, WHOLE, Part, Quantity, Reading, unit_at, unit_kind
from forest_align.lexicon.number_tables import NUMBERED_NOUNS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forest_align.lexicon._quantity_record import SentenceWords

_N, _S, _U, _YEAR = int(Part.NUMBER), int(Part.SCALE), int(Part.UNIT), int(Part.YEAR)
_ONE = Fraction(1)
DASHES = frozenset("-–—−")
_FIRST_GROUP = re.compile("[1-9][0-9]{0,2}")
_TENS = frozenset(Fraction(10 * k) for k in range(2, 10))
_FACTORS = frozenset(map(Fraction, (12, 100, 1000, 10**5, 10**6, 10**7, 10**9, 10**12)))


def read_fraction(sentence: SentenceWords, start: int) -> Quantity | None:
    """*two thirds*, *a quarter*, *half a litre*, *one in five*."""
    found = sentence.at(start)
    number = found.number if found is not None else None
    if number is not None and number.denominator == 1 and 0 < number <= 20:
        second = sentence.at(start + 1)
        if second is not None and second.denominator is not None and number <= 2 * second.denominator:
            is_plural = sentence.word(start + 1).endswith("s")
            if is_plural is (number > 1):
                return _fraction(sentence, start, start + 2, number / second.denominator, (_N | _S, _U))
        rate = _rate(sentence, start, number)
        if rate is not None:
            return rate
    at = start + 1 if sentence.word(start) in ("a", "an", "one") else start
    base = sentence.at(at)
    if base is None or base.denominator is None or (base.ordinal is not None and at == start):
        return None
    if sentence.word(at).endswith("s"):
        return None
    end = at + 1
    parts = [0] * (at - start) + [WHOLE]
    if sentence.word(end) in ("a", "an") and sentence.at(end + 1) is not None:
        second = sentence.at(end + 1)
        assert second is not None
        if second.scale is not None and not second.is_digits:
            value = second.scale / base.denominator
            return _number_quantity(sentence, start, end + 2, value, [*parts[:-1], _N, 0, _S], True)
        if second.units:
            end += 1
            parts.append(0)
    elif (
        sentence.word(end) == "of"
        and sentence.word(end + 1) in ("a", "an", "one")
        and _has_unit(sentence, end + 2)
    ):
        end += 2
        parts += [0, 0]
    return _fraction(sentence, start, end, 1 / base.denominator, tuple(parts), base.certain)


def _has_unit(sentence: SentenceWords, index: int) -> bool:
    found = sentence.at(index)
    return found is not None and bool(found.units)


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
    if unit is not None and unit.units and not unit.is_digits and not unit.is_sign:
        readings = tuple(Reading(unit_kind(u), value * unit.unit_factor, u) for u in unit.units)
        inner = tuple(part & ~_U if part == WHOLE else part for part in parts)
        return Quantity(start, end + 1, readings, (*inner, _U), (*values, None))
    return Quantity(start, end, (Reading("fraction", value),), parts, values, certain)


def _rate(sentence: SentenceWords, start: int, number: Fraction) -> Quantity | None:
    """*one in five*, *3 out of 4*."""
    size = (
        2
        if sentence.word(start + 1) == "in"
        else 3
        if sentence.lower[start + 1 : start + 3] == ["out", "of"]
        else 0
    )
    second = sentence.at(start + size) if size else None
    if (
        second is None
        or second.number is None
        or second.readings
        or number > 10
        or not number < second.number <= 1000
    ):
        return None
    after = sentence.at(start + size + 1)
    if after is not None and (after.units or after.scale is not None or after.month):
        return None
    parts = (NUMBER, *(0,) * (size - 1), NUMBER)
    values = (number, *(None,) * (size - 1), second.number)
    reading = Reading("fraction", number / second.number)
    return Quantity(start, start + size + 1, (reading,), parts, values)


def read_number(sentence: SentenceWords, start: int) -> Quantity | None:
    """Numbers with signs, factors, units: *$3 million*, *minus five degrees*, *two hundred and five km*."""
    at, sign = start, ""
    found = sentence.at(at)
    if found is not None and found.is_sign:
        sign = found.units[0]
        at += 1
    is_negative = sentence.word(at) in ("minus", "negative") or (
        sentence.word(at) in DASHES and start == at and (at == 0 or sentence.at(at - 1) is None)
    )
    at += is_negative
    found = sentence.at(at)
    if found is None and sentence.word(at) not in ("a", "an"):
        return None
    spaced = _spaced_thousands(sentence, at)
    parsed = spaced or _amount(sentence, at)
    if parsed is None:
        return None
    values, total, end = parsed
    if spaced is not None:  # "5 300" may be two numbers
        certain = bool(sign) or len(values) > 2 or sentence.word(end - 1) == "000"
    else:
        certain = len(values) > 1 or bool(sign) or is_negative or (found is not None and found.certain)
        certain = certain or sentence.tag(at) == "CD"
    lone = len(values) == 1
    parts = _number_parts(values)
    head = [_U] * bool(sign) + [0] * is_negative
    quantity = _number_quantity(
        sentence,
        start,
        end,
        -total if is_negative else total,
        [*head, *parts],
        certain,
        sign,
        (*(None,) * len(head), *values),
    )
    is_bare = lone and not head and quantity.end == end
    if is_bare and found is not None and found.readings and found.readings[0].kind == "year":
        return Quantity(start, end, found.readings, (NUMBER | _YEAR,), quantity.values)
    if (
        is_bare
        and found is not None
        and found.readings
        and found.readings[0].kind in ("fraction", "cardinal")
    ):
        return Quantity(start, end, found.readings, (found.parts,), quantity.values)
    return quantity


def _number_parts(values: Sequence[Fraction | None]) -> list[int]:
    """Parts of the words of a number: factors such as *million* leave the rest to the others."""
    factors = [value in _FACTORS for value in values]
    has_both = any(factors) and any(v is not None and not f for v, f in zip(values, factors, strict=True))
    return [
        0 if value is None else NUMBER if not has_both else _S if is_factor else _N
        for value, is_factor in zip(values, factors, strict=True)
    ]


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
    zeros = next((k for k, group in enumerate(reversed(groups)) if group != "000"), 0)
    scale = Fraction(1000**zeros)
    values: list[Fraction | None] = [Fraction(group) for group in groups[: len(groups) - zeros]]
    return [*values, *[scale] * zeros], Fraction("".join(groups)), end


def _is_digits(word: str) -> bool:
    return word.isascii() and word.isdigit()


def _amount(sentence: SentenceWords, start: int) -> tuple[list[Fraction | None], Fraction, int] | None:
    """Values of the words of a number, the number, and its end."""
    total = group = Fraction(0)
    values: list[Fraction | None] = []
    smallest: Fraction | None = None
    at, is_digits = start, False
    while True:
        found = sentence.at(at)
        word = sentence.word(at)
        if found is not None and found.scale is not None and (is_digits or not found.is_digits):
            if not values and word not in ("dozen", "hundred", "thousand"):
                return None
            group = (group or _ONE) * found.scale
            if found.scale >= 1000:
                total, group = total + group, Fraction(0)
            smallest = found.scale
            values.append(found.scale)
        elif found is not None and found.number is not None:
            number = found.number
            if not values:
                is_digits = found.is_digits
            elif number.denominator != 1:
                if not (is_digits and found.is_digits and len(values) == 1 and number < 1):
                    break
            elif is_digits or found.is_digits or (smallest is not None and number >= smallest):
                break
            smallest = Fraction(10) if number in _TENS else _ONE
            group += number
            values.append(number)
        elif word in ("a", "an") and not values:
            following = sentence.at(at + 1)
            if following is None or following.scale is None or following.is_digits:
                return None
            values.append(None)
        elif word == "and" and values and not is_digits:
            half = _half(sentence, at)
            if half is not None:
                return [*values, None, None, half], total + group + half, at + 3
            if smallest is None or not _goes_on(sentence, at, smallest):
                break
            values.append(None)
        else:
            break
        at += 1
    return (values, total + group, at) if any(value is not None for value in values) else None


def _half(sentence: SentenceWords, at: int) -> Fraction | None:
    """The fraction of *and a half*, which begins here; None for other words."""
    found = sentence.at(at + 2)
    if sentence.word(at + 1) != "a" or found is None or found.denominator is None:
        return None
    return 1 / found.denominator


def _goes_on(sentence: SentenceWords, at: int, smallest: Fraction) -> bool:
    """Whether the number goes on behind *and*: *seven hundred and fifty thousand*.

    *six million and four million* are two numbers.
    """
    following, after = sentence.at(at + 1), sentence.at(at + 2)
    if smallest < 100 or following is None or following.number is None or following.is_digits:
        return False
    if after is None or after.scale is None:
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
    """Add the unit behind a number, if there is one."""
    values = values or (None,) * len(parts)
    first = sentence.at(next(k for k in range(start, end) if parts[k - start] & (_N | _S)))
    is_digits = first is not None and first.is_digits
    units, factor, tail = unit_at(sentence, end, is_digits)
    kinds = [Reading(unit_kind(unit), value * factor, unit) for unit in units]
    if sign:
        kinds = [Reading("money", value, sign)]
        if not (tail and units and unit_kind(units[0]) == "money"):
            tail = []
    if not kinds:
        kinds = [Reading("cardinal", value)]
    if (
        end < len(sentence.words)
        and tail
        and is_digits
        and (unit := sentence.at(end))
        and unit.scale is not None
    ):
        kinds.insert(0, Reading("cardinal", value * unit.scale))
    return Quantity(
        start,
        end + len(tail),
        tuple(kinds),
        (*parts, *tail),
        (*values, *(None,) * len(tail)),
        certain or bool(tail),
    )
