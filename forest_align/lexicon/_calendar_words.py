"""Reads single words that are dates, times, decades or parts of years: *1980s*, *9/11*, *8:30pm*, *Q1*."""

from __future__ import annotations

import re
from fractions import Fraction

from forest_align.lexicon._quantity_lexeme import CLOCK_WORDS, NUMBER, WHOLE, Lexeme
from forest_align.lexicon._quantity_record import Part, Reading

_DATE_PARTS = int(Part.DAY | Part.MONTH | Part.YEAR)
_TIME = re.compile(r"([0-9]{1,2})[:.hH]([0-5][0-9])(?::[0-5][0-9])?(.*)", re.DOTALL)
_DAYS = re.compile(r"([0-9]{1,2})([/.-])([0-9]{1,2})\2([0-9]{4}|[0-9]{2})")
_ISO = re.compile(r"([0-9]{4})[/.-]([0-9]{1,2})[/.-]([0-9]{1,2})")
_SLASH = re.compile(r"([0-9]{1,4})/([0-9]{1,4})")
_DECADE = re.compile(r"'?([0-9]{2}|[0-9]{4})'?s")
_PERIOD = re.compile(r"[QqHh]([1-4])|([1-4])[QqHh]")


def calendar_word(word: str) -> Lexeme | None:
    """Read a word that has a digit; None if it is nothing of the calendar or the clock."""
    for read in (_period, _decade, _date, _time):
        found = read(word)
        if found is not None:
            return found
    return None


def clock_readings(hours: Fraction) -> tuple[Reading, ...]:
    """A time on the clock: up to 12:59, it may be of the morning or of the afternoon."""
    both = (hours % 12, hours % 12 + 12) if 1 <= hours < 13 else (hours % 24,)
    return tuple(Reading("time", value, "clock") for value in both)


def _period(word: str) -> Lexeme | None:
    match = _PERIOD.fullmatch(word)
    if match is None:
        return None
    number = int(match[1] or match[2])
    is_quarter = "q" in word.lower()
    if not is_quarter and number > 2:
        return None
    kind = "quarter" if is_quarter else "half"
    return Lexeme(readings=(Reading(kind, Fraction(number), kind),), parts=WHOLE)


def _decade(word: str) -> Lexeme | None:
    match = _DECADE.fullmatch(word)
    if match is None:
        if len(word) == 3 and word[0] == "'" and word[1:].isdigit():
            return Lexeme(readings=(Reading("year", Fraction(word[1:])),), parts=NUMBER | int(Part.YEAR))
        return None
    number = Fraction(match[1])
    if number % 10:
        return None
    readings = [Reading("decade", number)]
    if len(match[1]) == 4 and number % 100 == 0:
        readings.append(Reading("century", number / 100 + 1, "century"))
    if word[-3:] == "00s" and len(word) == 3:
        return None
    return Lexeme(readings=tuple(readings))


def _date(word: str) -> Lexeme | None:
    """Dates of digits; where day and month could be either, there are two readings."""
    match = _ISO.fullmatch(word)
    if match is not None:
        year, month, day = map(int, match.groups())
        return _dates(((day, month, year),), _DATE_PARTS)
    match = _DAYS.fullmatch(word)
    if match is not None:
        one, two, year = int(match[1]), int(match[3]), int(match[4])
        return _dates(((one, two, year), (two, one, year)), _DATE_PARTS)
    match = _SLASH.fullmatch(word)
    if match is None:
        return None
    one, two = int(match[1]), int(match[2])
    if len(match[1]) == 4:
        high = two if two > 100 else one - one % 100 + two
        return Lexeme(readings=(Reading("range", Fraction(one), "", Fraction(high)),))
    found = _dates(((two, one, 0), (one, two, 0)), int(Part.DAY | Part.MONTH))
    if not two:
        return found
    number = Fraction(one, two)
    readings = (Reading("fraction", number), *(found.readings if found else ()))
    return Lexeme(
        number=number, is_digits=True, readings=readings, parts=WHOLE | (found.parts if found else 0)
    )


def _dates(readings: tuple[tuple[int, int, int], ...], parts: int) -> Lexeme | None:
    found = dict.fromkeys(
        Reading("date", Fraction(10_000 * year + 100 * month + day), "date")
        for day, month, year in readings
        if 1 <= day <= 31 and 1 <= month <= 12
    )
    return Lexeme(readings=tuple(found), parts=parts) if found else None


def _time(word: str) -> Lexeme | None:
    """Times of day: *8:30*, *20:30*, *8.30pm*, *18h30*; *8.30* may also be a number."""
    match = _TIME.fullmatch(word)
    if match is None:
        return None
    hour, minutes, rest = int(match[1]), Fraction(int(match[2]), 60), match[3].lower()
    if rest in CLOCK_WORDS and 1 <= hour <= 12:
        return Lexeme(
            readings=(Reading("time", hour % 12 + CLOCK_WORDS[rest] + minutes, "clock"),), parts=WHOLE
        )
    if rest or hour > 24:
        return None
    if "." in word:
        number = Fraction(word)
        readings = (Reading("cardinal", number), *clock_readings(hour + minutes))
        return Lexeme(number=number, is_digits=True, readings=readings)
    return Lexeme(readings=clock_readings(hour + minutes), clock="o'clock")
