"""Reads single words that are quantities or parts of them: *10ml*, *third-largest*, *million*, *May*."""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from forest_align.lexicon._quantity_record import (
    CLOCK_WORDS,
    LEXEMES,
    NOTHING,
    NUMBER,
    WHOLE,
    Lexeme,
    Part,
    Reading,
    clock_readings,
    unit_kind,
)
from forest_align.lexicon.number_tables import (
    CURRENCIES,
    CURRENCY_SIGNS,
    DECADES,
    MONTHS,
    PERCENT_WORDS,
    SCALES,
    SHORT_SCALES,
    SMALL_MONEY,
    UNITS,
    UNITS_AFTER_DIGITS,
    UNITS_IN_WORD,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

_VULGAR = "¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"
_DIGITS = re.compile(
    rf"([0-9]{{1,3}}(?:,[0-9]{{2,3}})*,[0-9]{{3}}|[0-9]+)?(\.[0-9]+)?([{_VULGAR}])?(.*)", re.DOTALL
)


# Words of the calendar and the clock: *8:30*, *5/3/2004*, *2004-03-05*, *9/11*, *'80s*, *Q1*.
_DATE_PARTS = int(Part.DAY | Part.MONTH | Part.YEAR)
_TIME = re.compile(r"([0-9]{1,2})[:.hH]([0-5][0-9])(?::[0-5][0-9])?(.*)", re.DOTALL)
_DAYS = re.compile(r"([0-9]{1,2})([/.-])([0-9]{1,2})\2([0-9]{4}|[0-9]{2})")
_ISO = re.compile(r"([0-9]{4})[/.-]([0-9]{1,2})[/.-]([0-9]{1,2})")
_SLASH = re.compile(r"([0-9]{1,4})/([0-9]{1,4})")
_DECADE = re.compile(r"'?([0-9]{2}|[0-9]{4})'?s")
_PERIOD = re.compile(r"[QqHh]([1-4])|([1-4])[QqHh]")


def _hyphenated_word(word: str) -> Lexeme | None:
    """Read a word with hyphens and without digits, in lower case."""
    first, _, rest = word.partition("-")
    if first == "nineteen" and rest in DECADES:
        return Lexeme(readings=(Reading("decade", 1900 + DECADES[rest]),))
    lexeme = LEXEMES.get(first, NOTHING)
    if lexeme.ordinal is not None:
        return _ordinal_compound(lexeme.ordinal, rest)
    if lexeme.number is not None:
        return _after_number(lexeme.number, "", rest, False)
    second = LEXEMES.get(rest, NOTHING)
    if lexeme.denominator is not None and second.scale is not None:  # quarter-million
        return Lexeme(number=second.scale / lexeme.denominator)
    if lexeme.denominator is not None and second.units:  # half-hour
        return _of_units(1 / lexeme.denominator, second.units)
    return None


def _of_units(number: Fraction, units: Iterable[str]) -> Lexeme:
    return Lexeme(readings=tuple(Reading(unit_kind(unit), number, unit) for unit in units), parts=WHOLE)


def _ordinal_compound(ordinal: Fraction, rest: str) -> Lexeme | None:
    if rest in ("quarter", "half") and ordinal <= 4:
        return Lexeme(readings=(Reading(rest, ordinal, rest),), parts=WHOLE)
    if rest == "century":
        return Lexeme(readings=(Reading("century", ordinal, "century"),), parts=WHOLE)
    return Lexeme(readings=(Reading("ordinal", ordinal),), parts=NUMBER)


def _after_number(number: Fraction, digits: str, rest: str, is_digits: bool) -> Lexeme | None:
    """Read what follows a number and a hyphen: another number, a unit, or any word."""
    first, _, others = rest.partition("-")
    lexeme = LEXEMES.get(first, NOTHING)
    if is_digits and (match := _DIGITS.fullmatch(rest)) and (match[1] or match[2]) and rest[0].isdigit():
        return _digit_range(number, digits, match)
    if lexeme is NOTHING and first[:-2].isdigit() and first[-2:] in ("st", "nd", "rd", "th"):
        return None
    is_tens = 20 <= number < 100 and number % 10 == 0
    if lexeme.number is not None and is_tens and 0 < lexeme.number < 10:
        both = number + lexeme.number
        return _after_number(both, "", others, False) if others else Lexeme(number=both)
    if lexeme.ordinal is not None and is_tens and 0 < lexeme.ordinal < 10:
        both = number + lexeme.ordinal
        return _ordinal_compound(both, others) if others else Lexeme(ordinal=both)
    if lexeme.denominator is not None:
        share = number / lexeme.denominator
        readings = (Reading("fraction", share),)
        if share < 1 and first not in ("quarter", "half"):
            return Lexeme(number=share, readings=readings, parts=WHOLE)
        if number == 1:
            return Lexeme(readings=readings, parts=WHOLE)
    if lexeme.scale is not None:
        value = number * lexeme.scale
        return _after_number(value, "", others, False) if others else Lexeme(number=value)
    if lexeme.units and (is_digits or not lexeme.is_digits):
        return _of_units(number, lexeme.units)
    return Lexeme(number=number, readings=(Reading("cardinal", number),))


def _digit_range(number: Fraction, digits: str, match: re.Match[str]) -> Lexeme | None:
    """*10-20*, *1998-99*, *10-20km*; a score such as *3-1* too."""
    high = Fraction((match[1] or "0").replace(",", "") + (match[2] or ""))
    if len(digits) == 4 and match[1] and len(match[1]) == 2:
        high += number - number % 100
    rest = match[4]
    unit = "%" if rest in PERCENT_WORDS else UNITS.get(rest) or UNITS_AFTER_DIGITS.get(rest, ("",))[0]
    if rest and not unit:
        return None
    return Lexeme(readings=(Reading("range", number, unit, high),), parts=WHOLE if unit else NUMBER)


_LONGEST = 30
_PLAIN = str.maketrans({"–": "-", "—": "-", "‑": "-", "−": "-", "’": "'", "‘": "'"})
# Groups of thousands that only a number of several groups, or one with apostrophes, can have.
_GROUPED = re.compile(r"[0-9]{1,3}(?:(?:\.[0-9]{3}){2,}|(?:'[0-9]{3})+)")
_PREFIXES = frozenset(("mid", "late", "early", "pre", "post"))
_ROMAN = re.compile(r"(?=[IVXLCDM])(M{0,3})(CM|CD|D?C{0,3})(XC|XL|L?X{0,3})(IX|IV|V?I{0,3})")
_ROMAN_DIGITS = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
# Roman numerals that are mostly something else.
_LISTED_WORDS = "C CC CD CI CL CM CV D DC DI DM L LI M MC MD MI MIX ML MM MV XL XC CIV LIV DIV"
_NO_NUMERALS = frozenset(_LISTED_WORDS.split())


@lru_cache(maxsize=100_000)
def lexeme(word: str) -> Lexeme | None:
    """What a word contributes to quantities; None for most words."""
    if not word or len(word) > _LONGEST:
        return None
    plain = word.translate(_PLAIN)
    lower = plain.lower()
    known = LEXEMES.get(plain) or LEXEMES.get(lower)
    if known is not None:
        return known
    first, hyphen, rest = lower.partition("-")
    if hyphen and first in _PREFIXES:
        return lexeme(rest)
    if any(map(str.isdigit, plain)) or not plain.isascii():
        return _with_digits(plain)
    if hyphen:
        return _hyphenated_word(lower)
    month = MONTHS.get(lower.rstrip("."), 0)
    if month:
        # In lower case, "may" and "march" are months only beside a day or a year; so are abbreviations.
        is_name = lower in ("june", "july") or (lower != "march" and len(lower) > 4)
        is_capital = plain[0].isupper() and (len(lower) > 3 or lower == "may")
        return Lexeme(month=month, certain=is_name or is_capital)
    if lower in DECADES:
        return Lexeme(readings=(Reading("decade", DECADES[lower]),))
    return _roman(plain)


def _with_digits(word: str) -> Lexeme | None:
    """Read a word that has a digit, a vulgar fraction or a sign."""
    sign = -1 if word[0] == "-" and len(word) > 1 else 1
    body = word[1:] if word[0] in "+-" else word
    for size in (3, 2, 1):
        if body[:size] in CURRENCY_SIGNS and len(body) > size:  # an amount in one word: $3m
            amount = lexeme(body[size:]) or NOTHING
            cardinals = (reading.value for reading in amount.readings if reading.kind == "cardinal")
            number = amount.number if amount.number is not None else next(cardinals, None)
            unit = CURRENCIES.get(body[:size], body[:size])
            if number is None:
                return None
            return Lexeme(readings=(Reading("money", sign * number, unit),), parts=WHOLE)
    for read in (_period, _decade, _date, _time):
        of_calendar = read(body)
        if of_calendar is not None:
            return of_calendar
    if _GROUPED.fullmatch(body):
        body = body.replace(".", "").replace("'", "")
    match = _DIGITS.fullmatch(body)
    assert match is not None  # every part is optional
    whole, decimals, vulgar, rest = match.groups()
    if not (whole or decimals or vulgar):
        return None
    number = Fraction((whole or "0").replace(",", "") + (decimals or ""))
    if vulgar:
        number += Fraction(unicodedata.numeric(vulgar)).limit_denominator(20)
    number *= sign
    if rest:
        return _with_rest(number, rest, whole or "")
    if vulgar and not whole:
        return Lexeme(number=number, is_digits=True, readings=(Reading("fraction", number),), parts=WHOLE)
    is_year = not decimals and len(body) == 4 and body.isdigit() and 1000 <= number <= 2100
    readings = (Reading("year", number), Reading("cardinal", number)) if is_year else ()
    return Lexeme(number=number, is_digits=True, readings=readings)


def _with_rest(number: Fraction, rest: str, digits: str) -> Lexeme | None:
    """Read a number with letters or signs after it."""
    lower = rest.lower()
    factor, hyphen, _ = lower.partition("-")
    if hyphen and factor in SHORT_SCALES:  # 2bn-plus
        return Lexeme(readings=(Reading("cardinal", number * SHORT_SCALES[factor]),))
    if lower[:2] in ("st", "nd", "rd", "th") and number.denominator == 1:
        if len(lower) > 2:
            return _ordinal_compound(number, lower[3:]) if lower[2] == "-" else None
        return Lexeme(ordinal=number)
    if lower in CLOCK_WORDS and 1 <= number <= 12:
        return Lexeme(readings=(Reading("time", number % 12 + CLOCK_WORDS[lower], "clock"),), parts=WHOLE)
    scales = [table[lower] for table in (SHORT_SCALES, SCALES) if lower in table]
    readings = [Reading("cardinal", number * scale) for scale in scales]
    for table in (UNITS_IN_WORD, UNITS_AFTER_DIGITS):
        readings += [Reading(unit_kind(unit), number, unit) for unit in table.get(rest, table.get(lower, ()))]
    unit = UNITS.get(rest) or UNITS.get(lower) or CURRENCIES.get(rest) or CURRENCIES.get(lower)
    if lower in PERCENT_WORDS:
        unit = "%"
    elif lower in SMALL_MONEY or lower in ("c", "p"):
        unit, worth = SMALL_MONEY.get(lower, ("$" if lower == "c" else "£", Fraction(1, 100)))
        readings.append(Reading("money", number * worth, unit))
        unit = None
    if unit:
        readings.append(Reading(unit_kind(unit), number, unit))
    if lower == "k":
        readings.append(Reading("measure", number, "km"))
    elif lower == "mm":
        readings.insert(0 if rest == "MM" else 1, Reading("cardinal", number * 10**6))
    if readings:
        return Lexeme(readings=tuple(readings), parts=WHOLE)
    if rest[0] == "-":
        return _after_number(number, digits, lower[1:], True)
    if rest[0] in "°º" and rest[1:].upper() in ("C", "F"):
        return _of_units(number, ["°" + rest[1:].upper()])
    return None


def _roman(word: str) -> Lexeme | None:
    upper = word.upper()
    if word not in (upper, word.lower()) or upper in _NO_NUMERALS or _ROMAN.fullmatch(upper) is None:
        return None
    if word != upper and (len(word) == 1 or not set(upper) <= set("IVX")):
        return None
    values = [_ROMAN_DIGITS[letter] for letter in upper]
    total = sum(
        -value if value < following else value
        for value, following in zip(values, [*values[1:], 0], strict=True)
    )
    number = Fraction(total)
    return Lexeme(roman=True, readings=(Reading("ordinal", number), Reading("cardinal", number)))


def _period(word: str) -> Lexeme | None:
    match = _PERIOD.fullmatch(word)
    kind = "quarter" if "q" in word.lower() else "half"
    if match is None or (kind == "half" and int(match[1] or match[2]) > 2):
        return None
    return Lexeme(readings=(Reading(kind, Fraction(match[1] or match[2]), kind),), parts=WHOLE)


def _decade(word: str) -> Lexeme | None:
    match = _DECADE.fullmatch(word)
    if match is None:
        if len(word) == 3 and word[0] == "'" and word[1:].isdigit():
            return Lexeme(readings=(Reading("year", Fraction(word[1:])),), parts=NUMBER | int(Part.YEAR))
        return None
    number = Fraction(match[1])
    if number % 10 or word == "00s":
        return None
    readings = [Reading("decade", number)]
    if len(match[1]) == 4 and number % 100 == 0:
        readings.append(Reading("century", number / 100 + 1, "century"))
    return Lexeme(readings=tuple(readings))


def _date(word: str) -> Lexeme | None:
    """Dates of digits; where day and month could be either, there are two readings."""
    if (match := _ISO.fullmatch(word)) is not None:
        year, month, day = map(int, match.groups())
        return _dates(((day, month, year),), _DATE_PARTS)
    if (match := _DAYS.fullmatch(word)) is not None:
        first, second, year = int(match[1]), int(match[3]), int(match[4])
        return _dates(((first, second, year), (second, first, year)), _DATE_PARTS)
    if (match := _SLASH.fullmatch(word)) is None:
        return None
    first, second = int(match[1]), int(match[2])
    if len(match[1]) == 4:
        high = second if second > 100 else first - first % 100 + second
        return Lexeme(readings=(Reading("range", Fraction(first), "", Fraction(high)),))
    date = _dates(((second, first, 0), (first, second, 0)), int(Part.DAY | Part.MONTH))
    if not second:
        return date
    readings, parts = (date.readings, date.parts) if date else ((), 0)
    number = Fraction(first, second)
    readings = (Reading("fraction", number), *readings)
    return Lexeme(number=number, is_digits=True, readings=readings, parts=WHOLE | parts)


def _dates(dates: tuple[tuple[int, int, int], ...], parts: int) -> Lexeme | None:
    readings = dict.fromkeys(
        Reading("date", Fraction(10_000 * year + 100 * month + day), "date")
        for day, month, year in dates
        if 1 <= day <= 31 and 1 <= month <= 12
    )
    return Lexeme(readings=tuple(readings), parts=parts) if readings else None


def _time(word: str) -> Lexeme | None:
    """Times of day: *8:30*, *20:30*, *8.30pm*, *18h30*; *8.30* may also be a number."""
    match = _TIME.fullmatch(word)
    if match is None:
        return None
    hour, minutes, rest = int(match[1]), Fraction(int(match[2]), 60), match[3].lower()
    if rest in CLOCK_WORDS and 1 <= hour <= 12:
        reading = Reading("time", hour % 12 + CLOCK_WORDS[rest] + minutes, "clock")
        return Lexeme(readings=(reading,), parts=WHOLE)
    if rest or hour > 24:
        return None
    times = clock_readings(hour + minutes)
    if "." in word and ":" not in word:
        readings = (Reading("cardinal", Fraction(word)), *times)
        return Lexeme(number=Fraction(word), is_digits=True, readings=readings)
    return Lexeme(readings=times, clock="o'clock")
