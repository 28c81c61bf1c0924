"""Finds the quantities of a sentence: reads spans of words from the parts that the words may play."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from forest_align.lexicon._calendar_spans import (
    read_date,
    read_decade,
    read_spoken_year,
    read_time,
    read_year_range,
)
from forest_align.lexicon._number_spans import DASHES, read_fraction, read_number
from forest_align.lexicon._quantity_record import (
    NOTHING,
    NUMBER,
    Part,
    Quantity,
    Reading,
    SentenceWords,
    unit_at,
    unit_kind,
    whole,
)
from forest_align.lexicon._quantity_words import lexeme
from forest_align.lexicon.number_tables import LABELLED_NOUNS, NUMBERED_NOUNS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from forest_align.lexicon._quantity_record import Lexeme

_N, _S, _U = int(Part.NUMBER), int(Part.SCALE), int(Part.UNIT)
_SMALLEST_YEAR = 1000
# Largest ordinal before a century, and before a part of a year.
_LARGEST = {"century": 99, "quarter": 4, "half": 2}
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
    known = [item or NOTHING for item in lexemes]
    sentence = SentenceWords(words, [word.lower() for word in words], known, tags)
    quantities: list[Quantity] = []
    index = 0
    while index < len(words):
        quantity = None
        if lexemes[index] or sentence.lower[index] in _STARTERS:
            for read in _READERS:
                if (quantity := read(sentence, index)) is not None:
                    break
        if quantity is None:
            index += 1
            continue
        if quantities:
            quantities[-1] = _with_unit_of(quantities[-1], quantity, sentence)
        quantities.append(_as_label(quantity, sentence))
        index = quantity.end
    return tuple(quantities)


def _with_unit_of(before: Quantity, quantity: Quantity, sentence: SentenceWords) -> Quantity:
    """The first quantity of *5 to 10 km* has the unit of the second one."""
    gap = sentence.lower[before.end : quantity.start]
    has_own_unit = before.kind != "cardinal" or quantity.kind not in ("measure", "percent", "money")
    is_unit = quantity.parts[-1] & _U and not quantity.parts[-1] & _N
    if len(gap) != 1 or gap[0] not in _JOINTS or has_own_unit or not is_unit:
        return before
    readings = tuple(Reading(r.kind, before.value, r.unit) for r in quantity.readings)
    return replace(before, readings=readings)


def _as_label(quantity: Quantity, sentence: SentenceWords) -> Quantity:
    """The number of *volume 5*, *floor 12* says which one it is, as *fifth* does."""
    is_word = quantity.kind == "cardinal" and quantity.end == quantity.start + 1
    if not is_word or whole(quantity.value, 1, _SMALLEST_YEAR - 1) is None:
        return quantity
    before = quantity.start - 1
    is_labelled = sentence.word(before).rstrip(".") in LABELLED_NOUNS
    follows_noun = sentence.tag(before)[:2] == "NN" and sentence.tag(quantity.end)[:1] not in ("N", "J", "C")
    if not is_labelled and not follows_noun:
        return quantity
    return replace(quantity, readings=(*quantity.readings, Reading("ordinal", quantity.value)))


def _read_ordinal(sentence: SentenceWords, start: int) -> Quantity | None:
    """*first quarter*, *20th century*, *the third*."""
    lexeme, following = sentence.at(start), sentence.word(start + 1)
    ordinal = lexeme.ordinal
    if ordinal is None:
        return None
    kind = "century" if following == "centuries" else following
    if kind in _LARGEST and ordinal <= _LARGEST[kind]:
        return Quantity(start, start + 2, (Reading(kind, ordinal, kind),), (_N, _U), (ordinal, None))
    readings = [Reading("ordinal", ordinal)]
    if lexeme.denominator is not None:
        readings.append(Reading("fraction", 1 / lexeme.denominator))
    certain = lexeme.certain or sentence.tag(start) in ("JJ", "NNP") or sentence.word(start - 1) == "the"
    return Quantity(start, start + 1, tuple(readings), (NUMBER,), (ordinal,), certain)


def _read_whole(sentence: SentenceWords, start: int) -> Quantity | None:
    """*10ml*, *1980s*, *Q1*, *8am*, *10-20*, with the sign of a currency or a unit beside them."""
    lexeme, following = sentence.at(start), sentence.at(start + 1)
    if lexeme.is_sign:
        amounts = (r for r in following.readings if r.kind in ("cardinal", "range"))
        money = next(amounts, None) if following.number is None else None
        if money is None:
            return None
        kind = "money" if money.kind == "cardinal" else "range"
        reading = Reading(kind, money.value, lexeme.units[0], money.high)
        return Quantity(start, start + 2, (reading,), (_U, NUMBER), (None, money.value))
    if lexeme.roman:
        return _roman_quantity(sentence, start, lexeme)
    if not lexeme.readings or lexeme.number is not None or lexeme.clock:
        return None
    if lexeme.kind == "money" and following.scale is not None:
        reading = lexeme.readings[0]
        product = reading._replace(value=reading.value * following.scale)
        return Quantity(start, start + 2, (product,), (_N | _U, _S), (reading.value, following.scale))
    parts, readings, end = [lexeme.parts], lexeme.readings, start + 1
    if readings[-1].unit == "km" and sentence.word(end) in _RACES:
        readings = readings[-1:]
    if readings[0].kind in ("range", "cardinal"):
        units, factor, tail = unit_at(sentence, end, True)
        if tail:
            readings = tuple(
                Reading("range" if r.high is not None else unit_kind(unit), r.value * factor, unit, r.high)
                for r in readings
                if r.kind in ("range", "cardinal")
                for unit in units
            )
            parts, end = [NUMBER, *tail], end + len(tail)
    values = (readings[0].value, *(None,) * (end - start - 1))
    return Quantity(start, end, readings, tuple(parts), values, lexeme.certain)


def _roman_quantity(sentence: SentenceWords, start: int, lexeme: Lexeme) -> Quantity | None:
    """Roman numerals after a name or a word such as *chapter*, unless the tag says that it is a word."""
    word, tag, following = sentence.words[start], sentence.tag(start), sentence.word(start + 1)
    before = sentence.words[start - 1] if start else ""
    is_numbered, is_named = before.lower() in NUMBERED_NOUNS, before[:1].isupper()
    if tag in ("PRP", "IN", "DT", "VB", "VBD", "VBP"):
        return None
    if word in ("I", "i") or word != word.upper():
        may_be_number = word == "I" and tag in _NUMBER_TAGS and is_named
    else:
        may_be_number = is_named or len(word) > 2 or word == "II" or following == "century"
    if not is_numbered and not may_be_number:
        return None
    number = lexeme.readings[0].value
    if following in ("century", "centuries"):
        return Quantity(start, start + 2, (Reading("century", number, "century"),), (_N, _U), (number, None))
    return Quantity(start, start + 1, lexeme.readings, (NUMBER,), (number,), word != "I" or is_numbered)


_READERS: tuple[Callable[[SentenceWords, int], Quantity | None], ...] = (
    read_date,
    read_time,
    read_decade,
    read_year_range,
    read_spoken_year,
    read_fraction,
    _read_ordinal,
    _read_whole,
    read_number,
)
# Words that are no quantities, but begin some.
_STARTERS = frozenset(("a", "an", "minus", "negative", "oh", "o", *DASHES))
