"""Signs of relations between phrases, for views: a relation is told by its sign, not by its colour alone."""

from __future__ import annotations

from forest_align.alignment._phrase_pair import PhrasePair
from forest_align.alignment._phrase_relation import RELATION_NAMES

#: One for each of :data:`RELATION_NAMES`.
SIGNS = dict(zip(RELATION_NAMES, "≡⊏⊐≈∼≠#", strict=True))
#: Numbers of their colours: two relations have no colour in common.
SIGN_COLOURS = dict(zip(RELATION_NAMES, (2, 0, 3, 1, 4, 5, 1), strict=True))


def sign_of(pair: PhrasePair) -> str:
    """The sign of a pair's relation; empty if it has none or is simply equivalent."""
    return "" if pair.relation is None or pair.relation.name == "equivalent" else SIGNS[pair.relation.name]
