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


def unit_kind(unit: str) -> str:
    """Kind of the quantities that have a unit."""
    if unit == "%":
        return "percent"
    return "money" if unit in _CURRENCY_UNITS else "measure"


def _word_table() -> dict[str, Lexeme]:
    found: dict[str, Lexeme] = {}
    for word, unit in UNITS.items():
        found[word] = Lexeme(units=(unit,))
    for word, several in UNITS_AFTER_DIGITS.items():
        found[word] = Lexeme(units=several, is_digits=True)
    for word, unit in CURRENCIES.items():
        found[word] = Lexeme(units=(unit,), is_sign=word in CURRENCY_SIGNS)
    for sign in CURRENCY_SIGNS:
        found.setdefault(sign, Lexeme(units=(CURRENCIES.get(sign.lower(), sign),), is_sign=True))
    for word, (unit, factor) in SMALL_MONEY.items():
        found[word] = Lexeme(units=(unit,), unit_factor=factor)
    for word in PERCENT_WORDS:
        found[word] = Lexeme(units=("%",))
    for word, scale in SHORT_SCALES.items():
        for form in (word, word.upper()):
            found[form] = replace(found.get(form, Lexeme()), scale=scale, is_digits=True)
    for word, scale in SCALES.items():
        found[word] = Lexeme(scale=scale)
    for word, number in NUMBERS.items():
        found[word] = Lexeme(number=number, certain=word != "one")
    for word, number in ORDINALS.items():
        found[word] = Lexeme(ordinal=number, certain=word not in ("first", "second"))
    for word, denominator in DENOMINATORS.items():
        found[word] = replace(found.get(word, Lexeme(certain=False)), denominator=denominator)
    found["second"] = replace(found["second"], units=("second",))
    for word, hours in CLOCK_WORDS.items():
        found[word] = Lexeme(clock="pm" if hours else "am")
    found["o'clock"] = Lexeme(clock="o'clock")
    for word, hours in (("noon", 12), ("midday", 12), ("midnight", 0)):
        found[word] = Lexeme(readings=(Reading("time", Fraction(hours), "clock"),), parts=WHOLE)
    return found


_CURRENCY_UNITS = frozenset(CURRENCIES.values()) | CURRENCY_SIGNS
LEXEMES = _word_table()


class SentenceWords(NamedTuple):
    """The words of a sentence, lower-cased too, with their lexemes and tags (or none)."""

    words: Sequence[str]
    lower: list[str]
    lexemes: list[Lexeme | None]
    tags: Sequence[str]

    def at(self, index: int) -> Lexeme | None:
        return self.lexemes[index] if 0 <= index < len(self.lexemes) else None

    def word(self, index: int) -> str:
        return self.lower[index] if 0 <= index < len(self.lower) else ""

    def tag(self, index: int) -> str:
        return self.tags[index] if 0 <= index < len(self.tags) else ""


def unit_at(sentence: SentenceWords, at: int, is_digits: bool) -> tuple[tuple[str, ...], Fraction, list[int]]:
    """Units that the next words are, what they are worth, and the parts of these words."""
    if sentence.word(at) == "per" and sentence.word(at + 1) == "cent":
        return ("%",), _ONE, [_UNIT, _UNIT]
    skip = 1 if sentence.word(at) in ("us", "u.s.", "american", "canadian", "australian", "-") else 0
    found = sentence.at(at + skip)
    if found is None or not found.units or (found.is_digits and not is_digits):
        return (), _ONE, []
    if skip and sentence.word(at) != "-" and unit_kind(found.units[0]) != "money":
        return (), _ONE, []
    units, tail = found.units, [0] * skip + [_UNIT]
    if found.is_sign and (nxt := sentence.at(at + skip + 1)) is not None and nxt.number is not None:
        return (), _ONE, []  # the sign of the next amount
    if units == ("degree",):
        scale = sentence.at(at + skip + 1)
        if scale is not None and scale.units and scale.units[0][0] == "°":
            return scale.units, _ONE, [*tail, _UNIT]
    return units, found.unit_factor, tail
