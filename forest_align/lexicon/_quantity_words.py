"""Reads single words that are quantities or parts of them: *10ml*, *third-largest*, *million*, *May*."""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction
from functools import lru_cache

from forest_align.lexicon._calendar_spans import calendar_word
from forest_align.lexicon._quantity_record import (
    CLOCK_WORDS,
    LEXEMES,
    NUMBER,
    WHOLE,
    Lexeme,
    Reading,
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

_VULGAR = "¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"
_DIGITS = re.compile(
    rf"([0-9]{{1,3}}(?:,[0-9]{{2,3}})*,[0-9]{{3}}|[0-9]+)?(\.[0-9]+)?([{_VULGAR}])?(.*)", re.DOTALL
)


def _hyphenated_word(word: str) -> Lexeme | None:
    """Read a word with hyphens and without digits, in lower case."""
    first, _, rest = word.partition("-")
    if first == "nineteen" and rest in DECADES:
        return Lexeme(readings=(Reading("decade", 1900 + DECADES[rest]),))
    found = LEXEMES.get(first)
    if found is None:
        return None
    if found.ordinal is not None:
        return _ordinal_compound(found.ordinal, rest)
    if found.number is not None:
        return _after_number(found.number, "", rest, False)
    if found.denominator is not None:  # half-hour, quarter-million
        second = LEXEMES.get(rest)
        if second is not None and second.scale is not None:
            return Lexeme(number=second.scale / found.denominator)
        if second is not None and second.units:
            return Lexeme(
                readings=tuple(Reading(unit_kind(u), 1 / found.denominator, u) for u in second.units),
                parts=WHOLE,
            )
    return None


def _ordinal_compound(ordinal: Fraction, rest: str) -> Lexeme | None:
    if rest in ("quarter", "half") and ordinal <= 4:
        return Lexeme(readings=(Reading(rest, ordinal, rest),), parts=WHOLE)
    if rest == "century":
        return Lexeme(readings=(Reading("century", ordinal, "century"),), parts=WHOLE)
    return Lexeme(readings=(Reading("ordinal", ordinal),), parts=NUMBER)


def _after_number(number: Fraction, digits: str, rest: str, is_digits: bool) -> Lexeme | None:
    """Read what follows a number and a hyphen: another number, a unit, or any word."""
    first, _, others = rest.partition("-")
    found = LEXEMES.get(first)
    if is_digits and (match := _DIGITS.fullmatch(rest)) and (match[1] or match[2]) and rest[0].isdigit():
        return _digit_range(number, digits, match)
    if found is None:
        if first[:-2].isdigit() and first[-2:] in ("st", "nd", "rd", "th"):
            return None
        return Lexeme(number=number, readings=(Reading("cardinal", number),))
    if found.number is not None and 20 <= number < 100 and number % 10 == 0 and 0 < found.number < 10:
        both = number + found.number
        return _after_number(both, "", others, False) if others else Lexeme(number=both)
    if found.ordinal is not None and 20 <= number < 100 and number % 10 == 0 and 0 < found.ordinal < 10:
        both = number + found.ordinal
        return _ordinal_compound(both, others) if others else Lexeme(ordinal=both)
    if found.denominator is not None and number < found.denominator and first not in ("quarter", "half"):
        return Lexeme(
            number=number / found.denominator,
            readings=(Reading("fraction", number / found.denominator),),
            parts=WHOLE,
        )
    if found.denominator is not None and number == 1:
        return Lexeme(readings=(Reading("fraction", number / found.denominator),), parts=WHOLE)
    if found.scale is not None:
        value = number * found.scale
        if not others:
            return Lexeme(number=value)
        return _after_number(value, "", others, False)
    if found.units and (is_digits or not found.is_digits):
        return Lexeme(readings=tuple(Reading(unit_kind(u), number, u) for u in found.units), parts=WHOLE)
    return Lexeme(number=number, readings=(Reading("cardinal", number),))


def _digit_range(number: Fraction, digits: str, match: re.Match[str]) -> Lexeme | None:
    """*10-20*, *1998-99*, *10-20km*; a score such as *3-1* too."""
    high = Fraction((match[1] or "0").replace(",", "") + (match[2] or ""))
    if len(digits) == 4 and match[1] and len(match[1]) == 2:
        high += number - number % 100
    rest = match[4]
    unit = ""
    if rest:
        unit = (
            "%"
            if rest in PERCENT_WORDS
            else UNITS.get(rest) or next(iter(UNITS_AFTER_DIGITS.get(rest, ())), "")
        )
        if not unit:
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
    found = LEXEMES.get(plain) or LEXEMES.get(lower)
    if found is not None:
        return found
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
        is_capital = plain[0].isupper()
        is_name = lower in ("june", "july") or (lower != "march" and len(lower) > 4)
        return Lexeme(month=month, certain=is_name or (is_capital and (len(lower) > 3 or lower == "may")))
    if lower in DECADES:
        return Lexeme(readings=(Reading("decade", DECADES[lower]),))
    return _roman(plain)


def _with_digits(word: str) -> Lexeme | None:
    """Read a word that has a digit, a vulgar fraction or a sign."""
    sign = -1 if word[0] == "-" and len(word) > 1 else 1
    body = word[1:] if word[0] in "+-" else word
    for size in (3, 2, 1):
        if body[:size] in CURRENCY_SIGNS and len(body) > size:
            return _with_currency(CURRENCIES.get(body[:size], body[:size]), body[size:], sign)
    found = calendar_word(body)
    if found is not None:
        return found
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
    if not rest:
        if vulgar and not whole:
            return Lexeme(number=number, is_digits=True, readings=(Reading("fraction", number),), parts=WHOLE)
        is_year = not decimals and len(body) == 4 and body.isdigit() and 1000 <= number <= 2100
        readings = (Reading("year", number), Reading("cardinal", number)) if is_year else ()
        return Lexeme(number=number, is_digits=True, readings=readings)
    return _with_rest(number, rest, whole or "")


def _with_currency(unit: str, rest: str, sign: int) -> Lexeme | None:
    """An amount in one word: *$3m*."""
    found = lexeme(rest)
    if found is None:
        return None
    number = found.number
    if number is None:
        number = next((reading.value for reading in found.readings if reading.kind == "cardinal"), None)
    return None if number is None else Lexeme(readings=(Reading("money", sign * number, unit),), parts=WHOLE)


def _with_rest(number: Fraction, rest: str, digits: str) -> Lexeme | None:
    """Read a number with letters or signs behind it."""
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
    readings = [Reading("cardinal", number * SHORT_SCALES[lower])] if lower in SHORT_SCALES else []
    if lower in SCALES:
        readings.append(Reading("cardinal", number * SCALES[lower]))
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
        return Lexeme(readings=(Reading("measure", number, "°" + rest[1:].upper()),), parts=WHOLE)
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
