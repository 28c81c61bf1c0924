"""Features of an aligned sentence pair: the relation of the sentences, and those that it is joined from."""

from __future__ import annotations

from collections import Counter
from math import log1p
from typing import TYPE_CHECKING

from forest_align.meaning.relation_algebra import (
    DIFFERENT,
    EQUIVALENT,
    GENERAL,
    MIXED,
    OPPOSITE,
    SPECIFIC,
    UNKNOWN,
    related_by,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forest_align.alignment import AtomicRelation

_COUNTED = {DIFFERENT: DIFFERENT, OPPOSITE: OPPOSITE, UNKNOWN: "nothing known"}
# All others say more on one side.
_ROOTS = {EQUIVALENT: EQUIVALENT, MIXED: MIXED, **_COUNTED}
#: Their names.
RELATION_FEATURES = (
    *(f"whole sentences: {name}" for name in _ROOTS.values()),
    *(f"relations: {name}" for name in _COUNTED.values()),
    *("relations: says more, smaller", "relations: says more, larger"),
    "exchanged roles",
)


def relation_counts(relations: Sequence[AtomicRelation]) -> dict[str, float]:
    """The relation of the whole sentences, and log(1 + count) of each kind; alike for swapped sentences."""
    root = related_by(relations)
    counts = Counter(one.relation for one in relations)
    more = sorted((counts[SPECIFIC], counts[GENERAL]))
    exchanged = sum(one.rule.startswith("exchanged") for one in relations)
    values = (
        *(float(root == relation) for relation in _ROOTS),
        *(log1p(counts[relation]) for relation in _COUNTED),
        *map(log1p, more),
        log1p(exchanged),
    )
    return dict(zip(RELATION_FEATURES, values, strict=True))
