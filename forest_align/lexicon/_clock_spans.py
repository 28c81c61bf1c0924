"""Reads times and years in words: *half past eight*, *ten to four*, *seven thirty*, *twenty ten*."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING

from forest_align.lexicon._calendar_spans import clock_readings
from forest_align.lexicon._quantity_record import NUMBER, WHOLE, Part, Quantity, Reading
from forest_align.lexicon.tables import STOP_WORDS, is_punctuation

if TYPE_CHECKING:
    from forest_align.lexicon._quantity_record import Lexeme, SentenceWords

_U = int(Part.UNIT)
_LISTED_LEADS = """
at by until till til before after since around is was it's 's began begins closed closes ended ends opened
opens started starts
"""
_HALVES_OF_DAY = {"morning": "am", "afternoon": "pm", "evening": "pm", "night": "pm"}
# Words before a time. Without one of them "ten to four" is a range.
_LEADS = frozenset(_LISTED_LEADS.split())
_PAST = frozenset(("past", "after"))
_TO = frozenset(("to", "till", "til", "before", "of"))
_HOURS = frozenset(("hours", "hrs", "hour", "hr"))
_ZEROS = frozenset(("oh", "o", "zero", "nought"))
_FOUR_DIGITS = re.compile(r"([01][0-9]|2[0-3])([0-5][0-9])")

# Hours and minutes of a time, and the parts and values of its words.
_Time = tuple[Fraction, list[int], list[Fraction | None]]


def read_time(sentence: SentenceWords, start: int) -> Quantity | None:
    """*8 a.m.*, *8:30*, *eight o'clock in the morning*, *half past eight*, *oh six hundred*."""
    found = sentence.at(start)
    military = _military(sentence, start)
    if military is not None:
        hours, parts, values = military
        of_clock = (Reading("time", hours, "clock"),)
        return Quantity(start, start + len(parts), of_clock, tuple(parts), tuple(values))
    past = _past_the_hour(sentence, start)
    spoken = _hours_and_minutes(sentence, start) if past is None else None
    worded = past or spoken
    if worded is not None:
        hours, parts, values = worded
    else:
        hours_read = _hours(found)
        if hours_read is None:
            return None
        hours, parts, values = hours_read, [NUMBER], [hours_read]
    end = start + len(parts)
    size = len(parts)
    half = ""
    following = sentence.at(end)
    if following is not None and following.clock and not following.readings:
        half = following.clock
        parts.append(_U)
        end += 1
    is_time = bool(half or worded is not None or (found is not None and found.clock))
    if (
        sentence.word(end) == "in"
        and sentence.word(end + 1) == "the"
        and sentence.word(end + 2) in _HALVES_OF_DAY
    ):
        half = half if half in ("am", "pm") else _HALVES_OF_DAY[sentence.word(end + 2)]
        parts += [0, 0, _U]
    elif sentence.word(end) == "at" and sentence.word(end + 1) == "night":
        half = "pm"
        parts += [0, _U]
    elif not is_time:
        return None
    if hours >= 13 and not (found is not None and found.clock):
        return None
    readings: tuple[Reading, ...] = clock_readings(hours)
    if half in ("am", "pm") and hours < 13:
        readings = (Reading("time", hours % 12 + 12 * (half == "pm"), "clock"),)
    values += [None] * (len(parts) - size)
    if len(parts) == 1:
        parts = [WHOLE]
    # Without a preposition before them, hours and minutes may be two numbers.
    certain = bool(half) or spoken is None or sentence.word(start - 1) in _LEADS
    if spoken is not None and not half and hours >= 11:
        readings += (Reading("year", 100 * (hours // 1) + hours % 1 * 60),)  # twelve fifteen
    return Quantity(start, start + len(parts), readings, tuple(parts), tuple(values), certain)


def _hours(found: Lexeme | None) -> Fraction | None:
    if found is None:
        return None
    if found.clock or found.is_digits:
        time = next((reading.value for reading in found.readings if reading.kind == "time"), None)
        if time is not None:
            return time
    number = found.number
    return number if number is not None and number.denominator == 1 and 1 <= number <= 12 else None


def _ends_time(sentence: SentenceWords, end: int) -> bool:
    """Whether a time may end here: nothing that is counted follows."""
    word, found, tag = sentence.word(end), sentence.at(end), sentence.tag(end)
    if found is not None:
        return bool(found.clock or found.month or found.readings)
    return is_punctuation(word) or word in STOP_WORDS or tag[:1] not in ("", "N", "J", "C", "$")


def _past_the_hour(sentence: SentenceWords, start: int) -> _Time | None:
    """*half past eight*, *a quarter to nine*, *ten minutes past six*, *ten to four*, *half seven*."""
    at = start + 1 if sentence.word(start) in ("a", "an") else start
    first = sentence.at(at)
    if first is None:
        return None
    minutes = Fraction(60) / first.denominator if first.denominator in (2, 4) else first.number
    if minutes is None or minutes.denominator != 1 or not 1 <= minutes <= 30:
        return None
    is_led = sentence.word(start - 1) in _LEADS
    parts, values = [0] * (at - start) + [NUMBER], [None] * (at - start) + [minutes]
    at += 1
    has_unit = sentence.word(at) in ("minutes", "minute", "mins", "min")
    if has_unit:
        at += 1
        parts.append(_U)
        values.append(None)
    joint = sentence.word(at)
    if joint not in _PAST and joint not in _TO:
        is_half = first.denominator == 2 and is_led and at == start + 1
        hours = _hour_after(sentence, at) if is_half else None
        if hours is None or not _ends_time(sentence, at + 1):
            return None
        return hours + Fraction(1, 2), [*parts, NUMBER], [*values, hours]
    hours = _hour_after(sentence, at + 1)
    if hours is None or (joint in _TO and first.denominator == 2):
        return None
    is_plain = joint == "past" or (joint == "to" and (first.denominator == 4 or has_unit))
    if not (is_plain and _is_no_amount(sentence, at + 2)) and not (
        is_led and _ends_time(sentence, at + 2) and not first.is_digits
    ):
        return None
    value = hours + minutes / 60 if joint in _PAST else hours - minutes / 60
    return value if value >= 1 else value + 12, [*parts, NUMBER, NUMBER], [*values, None, hours]


def _hour_after(sentence: SentenceWords, at: int) -> Fraction | None:
    """The hour that a word names; None for numbers above 12 and other words."""
    found = sentence.at(at)
    if found is not None and found.readings and found.readings[0].kind == "time" and not found.clock:
        return found.readings[0].value or Fraction(12)  # noon, midnight
    hours = _hours(found)
    return hours if hours is not None and hours.denominator == 1 else None


def _is_no_amount(sentence: SentenceWords, end: int) -> bool:
    """False before what makes the number an amount: *a quarter to eight million*."""
    found = sentence.at(end)
    return found is None or bool(found.clock) or not (found.scale or found.units or found.number is not None)


def _minutes_after(sentence: SentenceWords, at: int) -> tuple[Fraction, list[Fraction | None]] | None:
    """Minutes (or the last digits of a year) in words, with the values of the words."""
    found, following = sentence.at(at), sentence.at(at + 1)
    if sentence.word(at) in _ZEROS:
        number = following.number if following is not None and not following.is_digits else None
        return (number, [None, number]) if number is not None and 0 < number < 10 else None
    if found is None or found.number is None or found.is_digits:
        return None
    number = found.number
    if number.denominator != 1 or not 10 <= number <= 99:
        return None
    ones = following.number if following is not None and not following.is_digits else None
    if number >= 20 and number % 10 == 0 and ones is not None and 0 < ones < 10:
        return number + ones, [number, ones]
    return number, [number]


def _hours_and_minutes(sentence: SentenceWords, start: int) -> _Time | None:
    """*seven thirty*, *seven oh five*."""
    found = sentence.at(start)
    hours = found.number if found is not None and not found.is_digits else None
    if hours is None or hours.denominator != 1 or not 1 <= hours <= 12:
        return None
    rest = _minutes_after(sentence, start + 1)
    if rest is None or rest[0] >= 60:
        return None
    minutes, values = rest
    end = start + 1 + len(values)
    is_usual = minutes % 5 == 0 or values[0] is None or sentence.word(start - 1) in _LEADS
    if not is_usual or not (_is_no_amount(sentence, end) and _ends_time(sentence, end)):
        return None
    return hours + minutes / 60, [NUMBER] * (1 + len(values)), [hours, *values]


def _military(sentence: SentenceWords, start: int) -> _Time | None:
    """*oh six hundred*, *eighteen hundred hours*, *1800 hours*, *at 0600*."""
    digits = _FOUR_DIGITS.fullmatch(sentence.word(start))
    is_led = sentence.word(start - 1) in _LEADS
    if digits is not None:
        has_unit = sentence.word(start + 1) in _HOURS
        if not is_led or not (has_unit or digits[1][0] == "0"):
            return None
        hours = int(digits[1]) + Fraction(int(digits[2]), 60)
        return hours, [NUMBER, *[_U] * has_unit], [hours, *[None] * has_unit]
    at = start + 1 if sentence.word(start) in _ZEROS else start
    found = sentence.at(at)
    hour = found.number if found is not None and not found.is_digits else None
    if hour is None or hour.denominator != 1 or not (1 <= hour <= 9 if at > start else 10 <= hour <= 24):
        return None
    values: list[Fraction | None] = [None] * (at - start) + [hour]
    minutes = Fraction(0)
    if sentence.word(at + 1) == "hundred":
        values.append(None)
    elif at > start and (rest := _minutes_after(sentence, at + 1)) is not None and rest[0] < 60:
        minutes = rest[0]
        values += rest[1]
    else:
        return None
    has_unit = sentence.word(start + len(values)) in _HOURS
    if not (is_led and at > start) and not has_unit:
        return None
    parts = [NUMBER] * len(values) + [_U] * has_unit
    return hour % 24 + minutes / 60, parts, [*values, *[None] * has_unit]


def read_spoken_year(sentence: SentenceWords, start: int) -> Quantity | None:
    """*nineteen ninety-eight*, *twenty ten*, *ten sixty-six*, *seventeen oh seven*."""
    found = sentence.at(start)
    century = found.number if found is not None and not found.is_digits else None
    if century is None or century.denominator != 1 or not 10 <= century <= 20:
        return None
    rest = _minutes_after(sentence, start + 1)
    if rest is None:
        return None
    number, values = rest
    parts = (NUMBER | int(Part.YEAR),) * (1 + len(values))
    end = start + len(parts)
    if not _is_no_amount(sentence, end):
        return None
    readings: tuple[Reading, ...] = (Reading("year", 100 * century + number),)
    if number < 60:
        readings += (Reading("time", century % 24 + number / 60, "clock"),)
    return Quantity(start, end, readings, parts, (century, *values), number >= 10 or century > 12)
