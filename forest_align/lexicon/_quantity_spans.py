"""Finds the quantities of a sentence: reads spans of words from the parts that the words may play."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from forest_align.lexicon._calendar_spans import read_date, read_decade, read_year_range
from forest_align.lexicon._clock_spans import read_spoken_year, read_time
from forest_align.lexicon._number_spans import DASHES, read_fraction, read_number
from forest_align.lexicon._quantity_record import (
    NUMBER,
    Part,
    Quantity,
    Reading,
    SentenceWords,
    unit_at,
    unit_kind,
)
from forest_align.lexicon._quantity_words import lexeme
from forest_align.lexicon.number_tables import LABELLED_NOUNS, NUMBERED_NOUNS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from forest_align.lexicon._quantity_record import Lexeme

_N, _S, _U = int(Part.NUMBER), int(Part.SCALE), int(Part.UNIT)
_SMALLEST_YEAR = 1000
# Nouns before which "5k" is a distance.
_RACES = frozenset(("course", "event", "race", "races", "run", "runner", "runners", "runs", "walk", "walks"))
_JOINTS = frozenset(("to", "or", "and", "-", "–", "—", "--"))
# Tags of words that may be numbers, or names.
_NUMBER_TAGS = frozenset(("CD", "NNP", "NNPS", "JJ", "LS"))


def read_quantities(words: Sequence[str], tags: Sequence[str] = ()) -> tuple[Quantity, ...]:
    """Find the quantities of a sentence, in order; they do not overlap."""
    lexemes = [lexeme(word) for word in words]
    if not any(lexemes):
        return ()
    sentence = SentenceWords(words, [word.lower() for word in words], lexemes, tags)
    found: list[Quantity] = []
    index = 0
    while index < len(words):
        quantity = _read_at(sentence, index) if lexemes[index] or sentence.lower[index] in _STARTERS else None
        if quantity is None:
            index += 1
            continue
        if found:
            found[-1] = _with_unit_of(found[-1], quantity, sentence)
        found.append(_as_label(quantity, sentence))
        index = quantity.end
    return tuple(found)


def _read_at(sentence: SentenceWords, start: int) -> Quantity | None:
    for read in _READERS:
        quantity = read(sentence, start)
        if quantity is not None:
            return quantity
    return None


def _with_unit_of(before: Quantity, quantity: Quantity, sentence: SentenceWords) -> Quantity:
    """The first quantity of *5 to 10 km* has the unit of the second one."""
    gap = sentence.lower[before.end : quantity.start]
    if (
        len(gap) == 1
        and gap[0] in _JOINTS
        and before.kind == "cardinal"
        and quantity.kind in ("measure", "percent", "money")
        and quantity.parts[-1] & _U
        and not quantity.parts[-1] & _N
    ):
        readings = tuple(Reading(r.kind, before.value, r.unit) for r in quantity.readings)
        return Quantity(before.start, before.end, readings, before.parts, before.values, before.certain)
    return before


def _as_label(quantity: Quantity, sentence: SentenceWords) -> Quantity:
    """The number of *volume 5*, *floor 12* says which one it is, as *fifth* does."""
    reading = quantity.readings[0]
    if (
        reading.kind != "cardinal"
        or quantity.end != quantity.start + 1
        or reading.value.denominator != 1
        or not 1 <= reading.value < _SMALLEST_YEAR
    ):
        return quantity
    before = sentence.word(quantity.start - 1)
    if before.rstrip(".") not in LABELLED_NOUNS and not (
        sentence.tag(quantity.start - 1)[:2] == "NN" and sentence.tag(quantity.end)[:1] not in ("N", "J", "C")
    ):
        return quantity
    return replace(quantity, readings=(*quantity.readings, Reading("ordinal", reading.value)))


def _read_ordinal(sentence: SentenceWords, start: int) -> Quantity | None:
    """*first quarter*, *20th century*, *the third*."""
    found = sentence.at(start)
    assert found is not None
    if found.ordinal is None:
        return None
    following = sentence.word(start + 1)
    for kind, forms, most in (
        ("century", ("century", "centuries"), 99),
        ("quarter", ("quarter",), 4),
        ("half", ("half",), 2),
    ):
        if following in forms and found.ordinal <= most:
            reading = Reading(kind, found.ordinal, kind)
            return Quantity(start, start + 2, (reading,), (_N, _U), (found.ordinal, None))
    readings = [Reading("ordinal", found.ordinal)]
    if found.denominator is not None:
        readings.append(Reading("fraction", 1 / found.denominator))
    certain = found.certain or sentence.tag(start) in ("JJ", "NNP") or sentence.word(start - 1) == "the"
    return Quantity(start, start + 1, tuple(readings), (NUMBER,), (found.ordinal,), certain)


def _read_whole(sentence: SentenceWords, start: int) -> Quantity | None:
    """*10ml*, *1980s*, *Q1*, *8am*, *10-20*, with the sign of a currency or a unit beside them."""
    found = sentence.at(start)
    assert found is not None
    if found.is_sign:
        following = sentence.at(start + 1)
        if following is None or not following.readings or following.number is not None:
            return None
        money = next((r for r in following.readings if r.kind in ("cardinal", "range")), None)
        if money is None:
            return None
        kind = "money" if money.kind == "cardinal" else "range"
        reading = Reading(kind, money.value, found.units[0], money.high)
        return Quantity(start, start + 2, (reading,), (_U, NUMBER), (None, money.value))
    if found.roman:
        return _roman_quantity(sentence, start, found)
    if not found.readings or found.number is not None or found.clock:
        return None
    following = sentence.at(start + 1)
    if found.readings[0].kind == "money" and following is not None and following.scale is not None:
        reading = found.readings[0]
        product = reading._replace(value=reading.value * following.scale)
        return Quantity(start, start + 2, (product,), (_N | _U, _S), (reading.value, following.scale))
    parts, readings, end = [found.parts], found.readings, start + 1
    if readings[-1].unit == "km" and sentence.word(end) in _RACES:
        readings = readings[-1:]
    kind = readings[0].kind
    if kind in ("range", "cardinal"):
        units, factor, tail = unit_at(sentence, end, True)
        if tail:
            readings = tuple(
                Reading("range" if r.high is not None else unit_kind(unit), r.value * factor, unit, r.high)
                for r in readings
                if r.kind in ("range", "cardinal")
                for unit in units
            )
            parts, end = [NUMBER, *tail], end + len(tail)
    return Quantity(
        start, end, readings, tuple(parts), (readings[0].value, *(None,) * (end - start - 1)), found.certain
    )


def _roman_quantity(sentence: SentenceWords, start: int, found: Lexeme) -> Quantity | None:
    """Roman numerals behind a name or a word such as *chapter*, unless the tag says that it is a word."""
    word, tag = sentence.words[start], sentence.tag(start)
    before = sentence.words[start - 1] if start else ""
    is_numbered = before.lower() in NUMBERED_NOUNS
    if tag in ("PRP", "IN", "DT", "VB", "VBD", "VBP"):
        return None
    if word in ("I", "i") or word != word.upper():
        if not is_numbered and not (word == "I" and tag in _NUMBER_TAGS and before[:1].isupper()):
            return None
    elif not (
        is_numbered
        or before[:1].isupper()
        or len(word) > 2
        or word == "II"
        or sentence.word(start + 1) == "century"
    ):
        return None
    if sentence.word(start + 1) in ("century", "centuries"):
        number = found.readings[0].value
        return Quantity(start, start + 2, (Reading("century", number, "century"),), (_N, _U), (number, None))
    return Quantity(
        start, start + 1, found.readings, (NUMBER,), (found.readings[0].value,), word != "I" or is_numbered
    )


_READERS: tuple[Callable[[SentenceWords, int], Quantity | None], ...] = (
    lambda sentence, start: read_date(sentence, start) if sentence.at(start) else None,
    read_time,
    read_decade,
    read_year_range,
    read_spoken_year,
    read_fraction,
    lambda sentence, start: _read_ordinal(sentence, start) if sentence.at(start) else None,
    lambda sentence, start: _read_whole(sentence, start) if sentence.at(start) else None,
    read_number,
)
# Words that are no quantities, but begin some.
_STARTERS = frozenset(("a", "an", "minus", "negative", "oh", "o", *DASHES))
