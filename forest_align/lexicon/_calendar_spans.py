"""Reads dates, times of day and decades that take several words: *3 May 2004*, *half past eight*."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from forest_align.lexicon._calendar_words import clock_readings
from forest_align.lexicon._quantity_lexeme import NUMBER, WHOLE
from forest_align.lexicon._quantity_record import Part, Quantity, Reading

if TYPE_CHECKING:
    from forest_align.lexicon._quantity_lexeme import Lexeme
    from forest_align.lexicon._quantity_sentence import SentenceWords

_N, _U = int(Part.NUMBER), int(Part.UNIT)
_DAY, _MONTH, _YEAR = int(Part.DAY), int(Part.MONTH), int(Part.YEAR)
_HALVES_OF_DAY = {"morning": "am", "afternoon": "pm", "evening": "pm", "night": "pm"}


def read_date(sentence: SentenceWords, start: int) -> Quantity | None:
    """*3 May 2004*, *May 3rd, 2004*, *the third of May*, *May 2004*, *May*."""
    lexemes = sentence.at(start)
    assert lexemes is not None
    parts, day, year, at = [], 0, 0, start
    if not lexemes.month:
        day = _day(lexemes)
        if not day:
            return None
        at = start + 2 if sentence.word(start + 1) == "of" else start + 1
        parts = [_DAY] + [0] * (at - start - 1)
    month = sentence.at(at)
    if month is None or not month.month:
        return None
    parts.append(_MONTH)
    end = at + 1
    if not day:
        skip = sentence.word(end) == "the"
        following = sentence.at(end + skip)
        day = _day(following) if following else 0
        if day:
            parts += [0] * skip + [_DAY]
            end += skip + 1
    comma = sentence.word(end) == ","
    following = sentence.at(end + comma)
    if (
        following is not None
        and (following.readings and following.readings[0].kind == "year")
        and (day or not comma)
    ):
        year = int(following.readings[0].value)
        parts += [0] * comma + [_YEAR]
        end += comma + 1
    if not day and not year:
        if sentence.tag(at) and sentence.tag(at)[:3] != "NNP":
            return None
        if not (month.certain or sentence.tag(at) or sentence.words[at][0].isupper()):
            return None
        is_word = sentence.word(at) in ("may", "march", "august") and at == 0
        certain = bool(sentence.tag(at)) or (month.certain and not is_word)
    else:
        certain = True
    value = Fraction(10_000 * year + 100 * month.month + day)
    return Quantity(
        start, end, (Reading("date", value, "date"),), tuple(parts), (None,) * len(parts), certain
    )


def _day(found: Lexeme) -> int:
    """Day of a month that a number may be; 0 if it is none."""
    number = found.number if found.number is not None and found.is_digits else found.ordinal
    return int(number) if number is not None and number.denominator == 1 and 1 <= number <= 31 else 0


def read_time(sentence: SentenceWords, start: int) -> Quantity | None:
    """*8 a.m.*, *8:30*, *eight o'clock in the morning*, *half past eight*."""
    found = sentence.at(start)
    assert found is not None
    past = _past_the_hour(sentence, start)
    if past is not None:
        hours, parts = past
    else:
        hours_read = _hours(found)
        if hours_read is None:
            return None
        hours, parts = hours_read, [NUMBER]
    end = start + len(parts)
    half = ""
    following = sentence.at(end)
    if following is not None and following.clock and not following.readings:
        half = following.clock
        parts.append(_U)
        end += 1
    is_time = bool(half or past is not None or found.clock)
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
    if hours > 12 and not found.clock:
        return None
    readings = clock_readings(hours)
    if half in ("am", "pm") and hours < 13:
        readings = (Reading("time", hours % 12 + 12 * (half == "pm"), "clock"),)
    values = [hours if part & _N else None for part in parts]
    if len(parts) == 1:
        parts = [WHOLE]
    return Quantity(start, start + len(parts), readings, tuple(parts), tuple(values))


def _hours(found: Lexeme) -> Fraction | None:
    if found.clock and found.readings:
        return found.readings[0].value
    number = found.number
    return number if number is not None and number.denominator == 1 and 1 <= number <= 12 else None


def _past_the_hour(sentence: SentenceWords, start: int) -> tuple[Fraction, list[int]] | None:
    """Hours of *half past eight*, *quarter to nine*, *ten past six*, and the parts of the words."""
    first, hour = sentence.at(start), sentence.at(start + 2)
    joint = sentence.word(start + 1)
    if first is None or hour is None or hour.number is None or joint not in ("past", "to"):
        return None
    hours = _hours(hour)
    if hours is None or first.denominator not in (2, 4):
        if hours is None or joint != "past" or first.number is None or first.number > 30:
            return None
        minutes = first.number
    else:
        assert first.denominator is not None
        if joint == "to" and first.denominator == 2:
            return None
        minutes = 60 / first.denominator
    value = hours + minutes / 60 if joint == "past" else hours - minutes / 60
    return value if value >= 1 else value + 12, [NUMBER, 0, NUMBER]


def read_spoken_year(sentence: SentenceWords, start: int) -> Quantity | None:
    """*nineteen ninety-eight*."""
    found, following = sentence.at(start), sentence.at(start + 1)
    if found is None or following is None or found.number is None or following.number is None:
        return None
    if found.is_digits or following.is_digits:
        return None
    if not (17 <= found.number <= 19 and 10 <= following.number <= 99):
        return None
    values = [found.number, following.number]
    last = sentence.at(start + 2)
    ones = last.number if last is not None and not last.is_digits else None
    if following.number % 10 == 0 and ones is not None and 0 < ones < 10:
        values.append(ones)
    reading = Reading("year", 100 * values[0] + sum(values[1:]))
    parts = (NUMBER | _YEAR,) * len(values)
    return Quantity(start, start + len(values), (reading,), parts, tuple(values))


def read_decade(sentence: SentenceWords, start: int) -> Quantity | None:
    """*1980's* in two words."""
    found = sentence.at(start)
    if found is None or found.number is None or sentence.word(start + 1) not in ("'s", "’s", "s"):
        return None
    number = found.number
    if not found.is_digits or number % 10 or not (1000 <= number <= 2100 or 20 <= number <= 90):
        return None
    return Quantity(start, start + 2, (Reading("decade", number),), (NUMBER, 0), (number, None))
