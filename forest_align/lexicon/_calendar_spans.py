"""Reads dates, times and years of several words: *3 May*, *half past eight*, *ten to four*, *twenty ten*."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING

from forest_align.lexicon._number_spans import DASHES
from forest_align.lexicon._quantity_record import (
    NOTHING,
    NUMBER,
    WHOLE,
    Part,
    Quantity,
    Reading,
    clock_readings,
    whole,
)
from forest_align.lexicon.tables import STOP_WORDS, is_punctuation

if TYPE_CHECKING:
    from forest_align.lexicon._quantity_record import Lexeme, SentenceWords

_DAY, _MONTH, _YEAR, _U = int(Part.DAY), int(Part.MONTH), int(Part.YEAR), int(Part.UNIT)


def read_date(sentence: SentenceWords, start: int) -> Quantity | None:
    """*3 May 2004*, *May 3rd, 2004*, *the third of May*, *May 2004*, *May*."""
    parts, day, year, at = [], 0, 0, start
    if not sentence.at(start).month:
        day = _day(sentence.at(start))
        if not day:
            return None
        at = start + 2 if sentence.word(start + 1) == "of" else start + 1
        parts = [_DAY] + [0] * (at - start - 1)
    month = sentence.at(at)
    if not month.month:
        return None
    parts.append(_MONTH)
    end = at + 1
    if not day:
        skip = sentence.word(end) == "the"
        day = _day(sentence.at(end + skip))
        if day:
            parts += [0] * skip + [_DAY]
            end += skip + 1
    comma = sentence.word(end) == ","
    following = sentence.at(end + comma)
    if following.kind == "year" and (day or not comma):
        year = int(following.readings[0].value)
        parts += [0] * comma + [_YEAR]
        end += comma + 1
    certain = True
    if not day and not year:
        tag = sentence.tag(at)
        if tag and tag[:3] != "NNP":
            return None
        if not (month.certain or tag or sentence.words[at][0].isupper()):
            return None
        is_word = at == 0 and sentence.word(at) in ("may", "march", "august")
        certain = bool(tag) or (month.certain and not is_word)
    reading = Reading("date", Fraction(10_000 * year + 100 * month.month + day), "date")
    return Quantity(start, end, (reading,), tuple(parts), (None,) * len(parts), certain)


def _day(lexeme: Lexeme) -> int:
    """Day of a month that a number may be; 0 if it is none."""
    is_number = lexeme.number is not None and lexeme.is_digits
    return int(whole(lexeme.number if is_number else lexeme.ordinal, 1, 31) or 0)


def read_year_range(sentence: SentenceWords, start: int) -> Quantity | None:
    """*2012–13* in three words."""
    first, high = sentence.at(start), sentence.word(start + 2)
    if first.kind != "year" or sentence.word(start + 1) not in DASHES:
        return None
    if len(high) != 2 or not (high.isascii() and high.isdigit()):
        return None
    year = first.readings[0].value
    end = year - year % 100 + int(high)
    if end <= year:
        return None
    reading = Reading("range", year, "", end)
    return Quantity(start, start + 3, (reading,), (NUMBER, 0, NUMBER), (year, None, end))


def read_decade(sentence: SentenceWords, start: int) -> Quantity | None:
    """*1980's* in two words."""
    number = sentence.at(start).number
    if number is None or sentence.word(start + 1) not in ("'s", "’s", "s"):
        return None
    is_decade = number % 10 == 0 and (1000 <= number <= 2100 or 20 <= number <= 90)
    if not sentence.at(start).is_digits or not is_decade:
        return None
    return Quantity(start, start + 2, (Reading("decade", number),), (NUMBER, 0), (number, None))


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
    first = sentence.at(start)
    if (military := _military(sentence, start)) is not None:
        hours, parts, values = military
        of_clock = (Reading("time", hours, "clock"),)
        return Quantity(start, start + len(parts), of_clock, tuple(parts), tuple(values))
    past = _past_the_hour(sentence, start)
    spoken = _hours_and_minutes(sentence, start) if past is None else None
    worded = past or spoken
    if worded is not None:
        hours, parts, values = worded
    elif (hours_read := _hours(first)) is not None:
        hours, parts, values = hours_read, [NUMBER], [hours_read]
    else:
        return None
    end = start + len(parts)
    half = ""
    following = sentence.at(end)
    if following.clock and not following.readings:
        half = following.clock
        parts.append(_U)
        end += 1
    part_of_day = _HALVES_OF_DAY.get(sentence.word(end + 2), "")
    if sentence.lower[end : end + 2] == ["in", "the"] and part_of_day:
        half = half if half in ("am", "pm") else part_of_day
        parts += [0, 0, _U]
    elif sentence.lower[end : end + 2] == ["at", "night"]:
        half = "pm"
        parts += [0, _U]
    elif not half and worded is None and not first.clock:
        return None
    if hours >= 13 and not first.clock:
        return None
    readings: tuple[Reading, ...] = clock_readings(hours)
    if half in ("am", "pm") and hours < 13:
        readings = (Reading("time", hours % 12 + 12 * (half == "pm"), "clock"),)
    values += [None] * (len(parts) - len(values))
    if len(parts) == 1:
        parts = [WHOLE]
    # Without a preposition before them, hours and minutes may be two numbers.
    certain = bool(half) or spoken is None or sentence.word(start - 1) in _LEADS
    if spoken is not None and not half and hours >= 11:
        readings += (Reading("year", 100 * (hours // 1) + hours % 1 * 60),)  # twelve fifteen
    return Quantity(start, start + len(parts), readings, tuple(parts), tuple(values), certain)


def _hours(lexeme: Lexeme) -> Fraction | None:
    if lexeme.clock or lexeme.is_digits:
        for reading in lexeme.readings:
            if reading.kind == "time":
                return reading.value
    return whole(lexeme.number, 1, 12)


def _ends_time(sentence: SentenceWords, end: int) -> bool:
    """Whether a time may end here: nothing that is counted follows."""
    word, lexeme, tag = sentence.word(end), sentence.at(end), sentence.tag(end)
    if lexeme is not NOTHING:
        return bool(lexeme.clock or lexeme.month or lexeme.readings)
    return is_punctuation(word) or word in STOP_WORDS or tag[:1] not in ("", "N", "J", "C", "$")


def _past_the_hour(sentence: SentenceWords, start: int) -> _Time | None:
    """*half past eight*, *a quarter to nine*, *ten minutes past six*, *ten to four*, *half seven*."""
    at = start + 1 if sentence.word(start) in ("a", "an") else start
    first = sentence.at(at)
    share = first.denominator if first.denominator in (2, 4) else None
    minutes = whole(60 / share if share else first.number, 1, 30)
    if minutes is None:
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
        hours = _hour_after(sentence, at) if share == 2 and is_led and at == start + 1 else None
        if hours is None or not _ends_time(sentence, at + 1):
            return None
        return hours + Fraction(1, 2), [*parts, NUMBER], [*values, hours]
    hours = _hour_after(sentence, at + 1)
    if hours is None or (joint in _TO and share == 2):
        return None
    is_plain = joint == "past" or (joint == "to" and (share == 4 or has_unit))
    if not (is_plain and _is_no_amount(sentence, at + 2)) and not (
        is_led and _ends_time(sentence, at + 2) and not first.is_digits
    ):
        return None
    value = hours + minutes / 60 if joint in _PAST else hours - minutes / 60
    return value if value >= 1 else value + 12, [*parts, NUMBER, NUMBER], [*values, None, hours]


def _hour_after(sentence: SentenceWords, at: int) -> Fraction | None:
    """The hour that a word names; None for numbers above 12 and other words."""
    lexeme = sentence.at(at)
    if lexeme.kind == "time" and not lexeme.clock:
        return lexeme.readings[0].value or Fraction(12)  # noon, midnight
    return whole(_hours(lexeme), 0, 24)


def _is_no_amount(sentence: SentenceWords, end: int) -> bool:
    """False before what makes the number an amount: *a quarter to eight million*."""
    lexeme = sentence.at(end)
    return bool(lexeme.clock) or not (lexeme.scale or lexeme.units or lexeme.number is not None)


def _minutes_after(sentence: SentenceWords, at: int) -> tuple[Fraction, list[Fraction | None]] | None:
    """Minutes (or the last digits of a year) in words, with the values of the words."""
    ones = sentence.at(at + 1).spoken
    has_ones = ones is not None and 0 < ones < 10
    if sentence.word(at) in _ZEROS:
        return (ones, [None, ones]) if ones is not None and has_ones else None
    number = whole(sentence.at(at).spoken, 10, 99)
    if number is None:
        return None
    if ones is not None and has_ones and number >= 20 and number % 10 == 0:
        return number + ones, [number, ones]
    return number, [number]


def _hours_and_minutes(sentence: SentenceWords, start: int) -> _Time | None:
    """*seven thirty*, *seven oh five*."""
    hours = whole(sentence.at(start).spoken, 1, 12)
    rest = _minutes_after(sentence, start + 1) if hours else None
    if hours is None or rest is None or rest[0] >= 60:
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
    is_small = sentence.word(start) in _ZEROS
    at = start + is_small
    spoken = sentence.at(at).spoken
    hour = whole(spoken, 1, 9) if is_small else whole(spoken, 10, 24)
    if hour is None:
        return None
    values: list[Fraction | None] = [None] * is_small + [hour]
    minutes = Fraction(0)
    if sentence.word(at + 1) == "hundred":
        values.append(None)
    elif is_small and (rest := _minutes_after(sentence, at + 1)) is not None and rest[0] < 60:
        minutes = rest[0]
        values += rest[1]
    else:
        return None
    has_unit = sentence.word(start + len(values)) in _HOURS
    if not (is_led and is_small) and not has_unit:
        return None
    parts = [NUMBER] * len(values) + [_U] * has_unit
    return hour % 24 + minutes / 60, parts, [*values, *[None] * has_unit]


def read_spoken_year(sentence: SentenceWords, start: int) -> Quantity | None:
    """*nineteen ninety-eight*, *twenty ten*, *ten sixty-six*, *seventeen oh seven*."""
    century = whole(sentence.at(start).spoken, 10, 20)
    rest = _minutes_after(sentence, start + 1) if century else None
    if century is None or rest is None:
        return None
    number, values = rest
    parts = (NUMBER | _YEAR,) * (1 + len(values))
    end = start + len(parts)
    if not _is_no_amount(sentence, end):
        return None
    readings: tuple[Reading, ...] = (Reading("year", 100 * century + number),)
    if number < 60:
        readings += (Reading("time", century % 24 + number / 60, "clock"),)
    return Quantity(start, end, readings, parts, (century, *values), number >= 10 or century > 12)
