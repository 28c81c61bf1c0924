"""Head-binarization: a deterministic way to build an n-ary constituent from binary steps.

As in HPSG, right-hand modifiers of the head are attached first and left-hand ones last, so a noun phrase is
``NP → DT N'``. A coordination is right-branching, ``X (, (Y (and Z)))``, and modifiers attach to all of it.
Punctuation at the edges of a constituent is attached last, so the text that it encloses is a node. The
sentences of a text are joined from the right.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from forest_align.parsing.forests._semantic_heads import (
    PUNCTUATION,
    coordinations,
    head_child,
    last_conjunction,
)
from forest_align.types.brackets import TEXT


class Merge(NamedTuple):
    """One binary step. Children are numbered from 0; step ``s`` produces number ``children + s``."""

    left: int
    right: int
    head_is_left: bool


@lru_cache(maxsize=65536)
def binarization_plan(label: str, children: tuple[str, ...]) -> tuple[Merge, ...]:
    """The steps that build a constituent from its children; the last one makes the constituent itself."""
    if label == TEXT:
        return _plan_of_text(len(children))
    steps: list[Merge] = []
    units, head = _units(label, children, steps)

    def merge(left: int, right: int, head_is_left: bool) -> int:
        steps.append(Merge(left, right, head_is_left))
        return len(children) + len(steps) - 1

    first, last = 0, len(units) - 1
    edges: list[int] = []  # positions of the punctuation at the edges, outermost first
    while last > head and _is_punctuation(units[last], children):
        edges.append(last)
        last -= 1
    while first < head and _is_punctuation(units[first], children):
        edges.append(first)
        first += 1
    top = units[head]
    for position in (*range(head + 1, last + 1), *range(head - 1, first - 1, -1), *reversed(edges)):
        unit = units[position]
        top = merge(top, unit, True) if position > head else merge(unit, top, False)
    return tuple(steps)


def _plan_of_text(count: int) -> tuple[Merge, ...]:
    """Join the sentences of a text from the right; the first one has the head."""
    last = count - 1
    return tuple(Merge(last - 1 - step, last if step == 0 else last + step, True) for step in range(last))


def _units(label: str, children: tuple[str, ...], steps: list[Merge]) -> tuple[list[int], int]:
    """Build each coordination; return the resulting sequence of units and the head's position in it."""
    head = head_child(label, children)
    units: list[int] = []
    position_of_head = -1
    at = 0
    for first, last in (*coordinations(label, children), (len(children), len(children))):
        if at <= head < first:
            position_of_head = len(units) + head - at
        units.extend(range(at, first))
        if first < last:
            if first <= head < last:
                position_of_head = len(units)
            units.append(_coordinate(children, first, last, steps))
        at = last
    return units, position_of_head


def _coordinate(children: tuple[str, ...], first: int, last: int, steps: list[Merge]) -> int:
    """Build ``X (, (Y (and Z)))``, headed by its last conjunction."""
    conjunction = last_conjunction(children, first, last)
    top = last - 1
    for child in range(last - 2, first - 1, -1):
        steps.append(Merge(child, top, child == conjunction))
        top = len(children) + len(steps) - 1
    return top


def _is_punctuation(unit: int, children: tuple[str, ...]) -> bool:
    return unit < len(children) and children[unit] in PUNCTUATION
