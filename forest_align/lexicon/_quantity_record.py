"""Quantities: what a span measures or counts, the parts that its words play, and the words of a sentence."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, IntFlag
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from forest_align.lexicon.number_tables import (
    CURRENCIES,
    CURRENCY_SIGNS,
    DENOMINATORS,
    NUMBERS,
    ORDINALS,
    PERCENT_WORDS,
    SCALES,
    SHORT_SCALES,
    SMALL_MONEY,
    UNITS,
    UNITS_AFTER_DIGITS,
)

if TYPE_CHECKING:
    from collections.abc import Sequence


class Part(IntFlag):
    """What a word contributes to its quantity; a word such as *10ml* contributes several parts."""

    NUMBER = 1
    #: A factor such as *million*, or a number that leaves none to other words (*3,000,000*).
    SCALE = 2
    #: A unit of measure, the sign of a currency, *per cent*, *a.m.*, the denominator of a fraction.
    UNIT = 4
    DAY = 8
    MONTH = 16
    YEAR = 32


class QuantityRelation(IntFlag):
    """Relations of two words by their quantities; a cell of ``quantity_relations`` is their sum.

    ``SAME`` and ``SAME_UNIT`` speak for a link, ``OTHER`` and ``OTHER_UNIT`` against it.
    """

    #: Both words give the number, day, month or year of equal quantities: *10ml* and the *10* of *10 ml*.
    SAME = 1
    #: Both words give the unit of equal quantities: *10ml* and the *ml* of *10 ml*.
    SAME_UNIT = 2
    #: Both words give a number, a month, a year, and these differ.
    OTHER = 4
    #: Both words give the unit (or the month, ...) of quantities that differ: the signs of *$5* and *$3*.
    OTHER_UNIT = 8


class QuantityComparison(Enum):
    """Result of a comparison of two quantities.

    ``CLOSE`` are values that differ, but may be the same amount: a rounded or converted number, a year of a
    decade, a number of a range. ``OTHER_UNIT`` is the same number with units that make it another amount
    (*5 mg*, *5 g*) or that cannot be converted (*$5*, *€5*).
    """

    EQUAL = "equal"
    CLOSE = "nearly equal"
    OTHER = "different value"
    OTHER_UNIT = "different unit"
    UNKNOWN = "not comparable"


class Reading(NamedTuple):
    """One way to understand a quantity."""

    # `cardinal`, `ordinal`, `fraction`, `percent`, `money`, `measure`, `time` (of day), `date`, `year`,
    # `decade`, `century`, `quarter` and `half` (of a year), or `range`
    kind: str
    # In the unit. Times are hours since midnight. Dates are yyyymmdd with zeros for what is not said: *3 May*
    # is 503. Decades and years without a century are below 100: *eighties* is 80. The value of a range is its
    # lower end.
    value: Fraction
    unit: str = ""  # Canonical unit: `ml`, `$`, `%`, `year`; empty if there is none
    high: Fraction | None = None  # Upper end of a range


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantity in a sentence."""

    start: int
    end: int
    readings: tuple[Reading, ...]  # The ways to understand it, likeliest first: *5/3/2004* has two
    parts: tuple[int, ...]  # Sum of Part for each token of the span; 0 for tokens such as *and*
    values: tuple[Fraction | None, ...]  # Numbers that single tokens write: 3 and 10⁶ for *3 million*
    # False for words that may be no quantity at all: *second*, *may*, *one*, *I*. They equal other
    # quantities, but are no evidence against a link.
    certain: bool = True

    @property
    def kind(self) -> str:
        """Kind of the likeliest reading."""
        return self.readings[0].kind

    @property
    def value(self) -> Fraction:
        """Value of the likeliest reading."""
        return self.readings[0].value

    @property
    def unit(self) -> str:
        """Unit of the likeliest reading."""
        return self.readings[0].unit


#: Parts of a word that is a number and leaves nothing to other words, and of one that has its unit too.
NUMBER = int(Part.NUMBER | Part.SCALE)
WHOLE = int(Part.NUMBER | Part.SCALE | Part.UNIT)
_UNIT = int(Part.UNIT)
#: Hours that the halves of the day add.
CLOCK_WORDS = {"am": 0, "a.m.": 0, "a.m": 0, "pm": 12, "p.m.": 12, "p.m": 12}
_ONE = Fraction(1)


@dataclass(frozen=True, slots=True)
class Lexeme:
    """The parts that a word may play in quantities."""

    # number, scale, ordinal, denominator: Value as a cardinal number, a factor, an ordinal number, the
    # denominator of a fraction
    number: Fraction | None = None
    scale: Fraction | None = None
    ordinal: Fraction | None = None
    denominator: Fraction | None = None
    is_digits: bool = False  # Whether the number is written in digits
    units: tuple[str, ...] = ()  # Canonical units; percent and currencies included
    unit_factor: Fraction = _ONE  # What the unit is worth in the canonical one: 1/100 for *cents*
    is_sign: bool = False  # Whether it is the sign of a currency
    month: int = 0  # 1 to 12; 0 if it is no month
    clock: str = ""
    readings: tuple[Reading, ...] = ()  # What it says on its own, if it is a quantity on its own
    parts: int = NUMBER  # Sum of `Part` of such a word
    certain: bool = True  # False if it often is no quantity
    roman: bool = False  # Whether it is a Roman numeral; its neighbours have to allow it

    @property
    def kind(self) -> str:
        """Kind of what it likeliest says on its own; empty if it says nothing."""
        return self.readings[0].kind if self.readings else ""

    @property
    def spoken(self) -> Fraction | None:
        """Its number, if that is written in words."""
        return None if self.is_digits else self.number


#: What a word that plays no part in quantities contributes.
NOTHING = Lexeme()


def whole(number: Fraction | None, least: int, most: int) -> Fraction | None:
    """A number if it is a whole one of this range; otherwise None."""
    return number if number is not None and number.denominator == 1 and least <= number <= most else None


def clock_readings(hours: Fraction) -> tuple[Reading, ...]:
    """A time on the clock: up to 12:59, it may be of the morning or of the afternoon."""
    both = (hours % 12, hours % 12 + 12) if 1 <= hours < 13 else (hours % 24,)
    return tuple(Reading("time", value, "clock") for value in both)


def unit_kind(unit: str) -> str:
    """Kind of the quantities that have a unit."""
    if unit == "%":
        return "percent"
    return "money" if unit in _CURRENCY_UNITS else "measure"


def _word_table() -> dict[str, Lexeme]:
    table: dict[str, Lexeme] = {}
    for word, unit in UNITS.items():
        table[word] = Lexeme(units=(unit,))
    for word, several in UNITS_AFTER_DIGITS.items():
        table[word] = Lexeme(units=several, is_digits=True)
    for word, unit in CURRENCIES.items():
        table[word] = Lexeme(units=(unit,), is_sign=word in CURRENCY_SIGNS)
    for sign in CURRENCY_SIGNS:
        table.setdefault(sign, Lexeme(units=(CURRENCIES.get(sign.lower(), sign),), is_sign=True))
    for word, (unit, factor) in SMALL_MONEY.items():
        table[word] = Lexeme(units=(unit,), unit_factor=factor)
    for word in PERCENT_WORDS:
        table[word] = Lexeme(units=("%",))
    for word, scale in SHORT_SCALES.items():
        for form in (word, word.upper()):
            table[form] = replace(table.get(form, Lexeme()), scale=scale, is_digits=True)
    for word, scale in SCALES.items():
        table[word] = Lexeme(scale=scale)
    for word, number in NUMBERS.items():
        table[word] = Lexeme(number=number, certain=word != "one")
    for word, number in ORDINALS.items():
        table[word] = Lexeme(ordinal=number, certain=word not in ("first", "second"))
    for word, denominator in DENOMINATORS.items():
        table[word] = replace(table.get(word, Lexeme(certain=False)), denominator=denominator)
    table["second"] = replace(table["second"], units=("second",))
    for word, hours in CLOCK_WORDS.items():
        table[word] = Lexeme(clock="pm" if hours else "am")
    table["o'clock"] = Lexeme(clock="o'clock")
    for word, hours in (("noon", 12), ("midday", 12), ("midnight", 0)):
        table[word] = Lexeme(readings=(Reading("time", Fraction(hours), "clock"),), parts=WHOLE)
    return table


_CURRENCY_UNITS = frozenset(CURRENCIES.values()) | CURRENCY_SIGNS
LEXEMES = _word_table()


class SentenceWords(NamedTuple):
    """The words of a sentence, lower-cased too, with their lexemes and tags (or none)."""

    words: Sequence[str]
    lower: list[str]
    lexemes: list[Lexeme]
    tags: Sequence[str]

    def at(self, index: int) -> Lexeme:
        return self.lexemes[index] if 0 <= index < len(self.lexemes) else NOTHING

    def word(self, index: int) -> str:
        return self.lower[index] if 0 <= index < len(self.lower) else ""

    def tag(self, index: int) -> str:
        return self.tags[index] if 0 <= index < len(self.tags) else ""


def unit_at(sentence: SentenceWords, at: int, is_digits: bool) -> tuple[tuple[str, ...], Fraction, list[int]]:
    """Units that the next words are, what they are worth, and the parts of these words."""
    if sentence.lower[at : at + 2] == ["per", "cent"]:
        return ("%",), _ONE, [_UNIT, _UNIT]
    skip = 1 if sentence.word(at) in ("us", "u.s.", "american", "canadian", "australian", "-") else 0
    unit, following = sentence.at(at + skip), sentence.at(at + skip + 1)
    if not unit.units or (unit.is_digits and not is_digits):
        return (), _ONE, []
    if skip and sentence.word(at) != "-" and unit_kind(unit.units[0]) != "money":
        return (), _ONE, []
    if unit.is_sign and following.number is not None:
        return (), _ONE, []  # the sign of the next amount
    tail = [0] * skip + [_UNIT]
    if unit.units == ("degree",) and following.units and following.units[0][0] == "°":
        return following.units, _ONE, [*tail, _UNIT]
    return unit.units, unit.unit_factor, tail
