"""Reads dates, decades and ranges of years that take several words: *3 May 2004*, *2012–13*."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from forest_align.lexicon._number_spans import DASHES
from forest_align.lexicon._quantity_lexeme import NUMBER
from forest_align.lexicon._quantity_record import Part, Quantity, Reading

if TYPE_CHECKING:
    from forest_align.lexicon._quantity_lexeme import Lexeme
    from forest_align.lexicon._quantity_sentence import SentenceWords

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
