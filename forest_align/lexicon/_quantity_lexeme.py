"""The parts that words may play in quantities, and the table of words that play one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from forest_align.lexicon._quantity_record import Part, Reading
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

#: Parts of a word that is a number and leaves nothing to other words, and of one that has its unit too.
NUMBER = int(Part.NUMBER | Part.SCALE)
WHOLE = int(Part.NUMBER | Part.SCALE | Part.UNIT)
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
