"""Reads the quantities of sentences, and says which words of two sentences give equal or different ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from forest_align.lexicon._quantity_comparison import compare, date_parts, years_agree
from forest_align.lexicon._quantity_record import (
    Part,
    Quantity,
    QuantityComparison,
    QuantityRelation,
    Reading,
)
from forest_align.lexicon._quantity_spans import read_quantities

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = [
    "Part",
    "Quantity",
    "QuantityComparison",
    "QuantityRelation",
    "Reading",
    "compare",
    "quantity_relations",
    "read_quantities",
]

# Plain integers combine much faster than flags.
_NUMBER, _SCALE, _UNIT = int(Part.NUMBER), int(Part.SCALE), int(Part.UNIT)
_DATE = int(Part.DAY | Part.MONTH | Part.YEAR)
_SAME, _SAME_UNIT = int(QuantityRelation.SAME), int(QuantityRelation.SAME_UNIT)
_OTHER, _OTHER_UNIT = int(QuantityRelation.OTHER), int(QuantityRelation.OTHER_UNIT)


def quantity_relations(
    source: Sequence[str],
    target: Sequence[str],
    source_tags: Sequence[str] = (),
    target_tags: Sequence[str] = (),
) -> np.ndarray:
    """Find the words that give equal or different quantities.

    The result for swapped sentences is the transpose.

    Parameters
    ----------
    source, target : sequence of str
        Words of n and m tokens.
    source_tags, target_tags : sequence of str
        Their Penn tags, or nothing. Tags tell *may* from *May*, and the pronoun *I* from the number.

    Returns
    -------
    numpy.ndarray
        uint8, shape (n, m): sums of :class:`QuantityRelation`; 0 where nothing is known.
    """
    found = np.zeros((len(source), len(target)), dtype=np.uint8)
    lefts = read_quantities(source, source_tags)
    if not lefts:
        return found
    rights = read_quantities(target, target_tags)
    for left in lefts:
        for right in rights:
            comparison = compare(left, right)
            for i, j, relation in _cells(left, right, comparison):
                found[i, j] |= relation
    return found


def _cells(left: Quantity, right: Quantity, comparison: QuantityComparison) -> Iterator[tuple[int, int, int]]:
    """Cells of two quantities about which something is known, each with its relations."""
    if comparison is QuantityComparison.UNKNOWN:
        return
    is_equal = comparison is QuantityComparison.EQUAL
    for i, part in enumerate(left.parts):
        for j, other_part in enumerate(right.parts):
            shared = part & other_part
            if not shared:
                continue
            relation = 0
            if shared & _DATE:
                relation = _date_relation(left, right, shared, is_equal)
            if shared & (_NUMBER | _SCALE):
                if not is_equal:
                    relation |= _OTHER if shared & _NUMBER else _OTHER_UNIT
                elif _may_write_same_number(left, right, i, j, shared):
                    relation |= _SAME
            if shared & _UNIT:
                relation |= _SAME_UNIT if is_equal else _OTHER_UNIT
            if relation:
                yield left.start + i, right.start + j, relation


def _may_write_same_number(left: Quantity, right: Quantity, i: int, j: int, shared: int) -> bool:
    """False for two words of numbers of several words: *twenty* and *one* of *twenty one*."""
    if left.values[i] == right.values[j]:
        return True
    several = all(sum(bool(part & shared) for part in one.parts) > 1 for one in (left, right))
    return not several


def _date_relation(left: Quantity, right: Quantity, shared: int, is_equal: bool) -> int:
    """Relation of two words of dates: equal months of different dates are like equal units."""
    found = 0
    for part, index in ((Part.DAY, 0), (Part.MONTH, 1), (Part.YEAR, 2)):
        if shared & part:
            one, two = _date_values(left, index), _date_values(right, index)
            if is_equal:
                found |= _SAME
            elif any(years_agree(a, b) for a in one for b in two):
                found |= _OTHER_UNIT
            else:
                found |= _OTHER
    return found


def _date_values(quantity: Quantity, index: int) -> set[int]:
    """Days, months or years that the readings of a quantity give."""
    values = {
        date_parts(reading.value if reading.kind == "date" else reading.value * 10_000)[index]
        for reading in quantity.readings
        if reading.kind in ("date", "year")
    }
    return values - {0}
