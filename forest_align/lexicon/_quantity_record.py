"""The records of quantities: what a span of words measures or counts, and what each word contributes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntFlag
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from fractions import Fraction


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
