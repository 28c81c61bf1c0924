"""Reads words with hyphens: *twenty-one*, *10-year-old*, *third-largest*, *two-thirds*, *1998-99*."""

from __future__ import annotations

import re
from fractions import Fraction

from forest_align.lexicon._quantity_lexeme import LEXEMES, NUMBER, WHOLE, Lexeme, unit_kind
from forest_align.lexicon._quantity_record import Reading
from forest_align.lexicon.number_tables import DECADES, PERCENT_WORDS, UNITS, UNITS_AFTER_DIGITS

_VULGAR = "¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"
DIGITS = re.compile(
    rf"([0-9]{{1,3}}(?:,[0-9]{{2,3}})*,[0-9]{{3}}|[0-9]+)?(\.[0-9]+)?([{_VULGAR}])?(.*)", re.DOTALL
)


def hyphenated_word(word: str) -> Lexeme | None:
    """Read a word with hyphens and without digits, in lower case."""
    first, _, rest = word.partition("-")
    if first == "nineteen" and rest in DECADES:
        return Lexeme(readings=(Reading("decade", 1900 + DECADES[rest]),))
    found = LEXEMES.get(first)
    if found is None:
        return None
    if found.ordinal is not None:
        return ordinal_compound(found.ordinal, rest)
    if found.number is not None:
        return after_number(found.number, "", rest, False)
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


def ordinal_compound(ordinal: Fraction, rest: str) -> Lexeme | None:
    if rest in ("quarter", "half") and ordinal <= 4:
        return Lexeme(readings=(Reading(rest, ordinal, rest),), parts=WHOLE)
    if rest == "century":
        return Lexeme(readings=(Reading("century", ordinal, "century"),), parts=WHOLE)
    return Lexeme(readings=(Reading("ordinal", ordinal),), parts=NUMBER)


def after_number(number: Fraction, digits: str, rest: str, is_digits: bool) -> Lexeme | None:
    """Read what follows a number and a hyphen: another number, a unit, or any word."""
    first, _, others = rest.partition("-")
    found = LEXEMES.get(first)
    if is_digits and (match := DIGITS.fullmatch(rest)) and (match[1] or match[2]) and rest[0].isdigit():
        return _digit_range(number, digits, match)
    if found is None:
        if first[:-2].isdigit() and first[-2:] in ("st", "nd", "rd", "th"):
            return None
        return Lexeme(number=number, readings=(Reading("cardinal", number),))
    if found.number is not None and 20 <= number < 100 and number % 10 == 0 and 0 < found.number < 10:
        both = number + found.number
        return after_number(both, "", others, False) if others else Lexeme(number=both)
    if found.ordinal is not None and 20 <= number < 100 and number % 10 == 0 and 0 < found.ordinal < 10:
        both = number + found.ordinal
        return ordinal_compound(both, others) if others else Lexeme(ordinal=both)
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
        return after_number(value, "", others, False)
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
