"""Reads dates, times, decades and parts of years, in one word (*1980s*, *9/11*) and in several (*3 May*)."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING

from forest_align.lexicon._number_spans import DASHES
from forest_align.lexicon._quantity_record import CLOCK_WORDS, NUMBER, WHOLE, Lexeme, Part, Quantity, Reading

if TYPE_CHECKING:
    from forest_align.lexicon._quantity_record import SentenceWords


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


_DAY, _MONTH, _YEAR = int(Part.DAY), int(Part.MONTH), int(Part.YEAR)


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


def read_year_range(sentence: SentenceWords, start: int) -> Quantity | None:
    """*2012–13* in three words."""
    found, high = sentence.at(start), sentence.word(start + 2)
    if found is None or not found.readings or found.readings[0].kind != "year":
        return None
    year = found.readings[0].value
    if sentence.word(start + 1) not in DASHES or len(high) != 2 or not (high.isascii() and high.isdigit()):
        return None
    end = year - year % 100 + int(high)
    if end <= year:
        return None
    return Quantity(
        start, start + 3, (Reading("range", year, "", end),), (NUMBER, 0, NUMBER), (year, None, end)
    )


def read_decade(sentence: SentenceWords, start: int) -> Quantity | None:
    """*1980's* in two words."""
    found = sentence.at(start)
    if found is None or found.number is None or sentence.word(start + 1) not in ("'s", "’s", "s"):
        return None
    number = found.number
    if not found.is_digits or number % 10 or not (1000 <= number <= 2100 or 20 <= number <= 90):
        return None
    return Quantity(start, start + 2, (Reading("decade", number),), (NUMBER, 0), (number, None))
