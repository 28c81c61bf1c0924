"""Reads single words that are quantities or parts of them: *10ml*, *third-largest*, *million*, *May*."""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction
from functools import lru_cache

from forest_align.lexicon._calendar_words import calendar_word
from forest_align.lexicon._compound_words import DIGITS, after_number, hyphenated_word, ordinal_compound
from forest_align.lexicon._quantity_lexeme import CLOCK_WORDS, LEXEMES, WHOLE, Lexeme, unit_kind
from forest_align.lexicon._quantity_record import Reading
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
        return hyphenated_word(lower)
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
    match = DIGITS.fullmatch(body)
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
            return ordinal_compound(number, lower[3:]) if lower[2] == "-" else None
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
        return after_number(number, digits, lower[1:], True)
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
