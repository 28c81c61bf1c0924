"""Relations of natural logic: how they are joined and projected (MacCartney & Manning 2009).

The relation of two phrases is the join of the relations of their words. A join never becomes weaker when
words are added, so a phrase that holds two opposite words is never called equivalent.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from forest_align.alignment import AtomicRelation, Span

EQUIVALENT, SPECIFIC, GENERAL = "equivalent", "more specific", "more general"
DIFFERENT, OPPOSITE = "different", "opposite"
#: Each says something that the other does not say; a step of joins, never shown.
MIXED = "each says more"
#: Nothing is known; never shown.
UNKNOWN = ""
#: The rule that finds what one side alone denies.
NEGATION = "negation"

#: All relations, from that which changes nothing in a join to that which nothing changes.
STRENGTH = (EQUIVALENT, SPECIFIC, GENERAL, MIXED, DIFFERENT, OPPOSITE, UNKNOWN)
_RANK = {relation: rank for rank, relation in enumerate(STRENGTH)}
_FLIPPED = {SPECIFIC: GENERAL, GENERAL: SPECIFIC}


class Scope(NamedTuple):
    """The words of a sentence below a negation, or in the noun phrase of *all*, *every* or *no*."""

    side: int  # 0: the source, 1: the target
    operator: int  # The word whose scope it is
    words: frozenset[int]


class HiddenRelation(NamedTuple):
    """A relation of words that the words around them settle: *dead*, *alive* within *not dead*, *alive*."""

    words: AtomicRelation
    # The spans within which nothing is left of it
    source: Span
    target: Span

    def is_seen_in(self, source: Span, target: Span) -> bool:
        """Whether two phrases have the words, but not all that settles their relation."""
        return self.words.lies_in(source, target) and not (
            _contains(source, self.source) and _contains(target, self.target)
        )


def _contains(outer: Span, inner: Span) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]


class SentenceRelations(NamedTuple):
    """What is known about the words of two sentences."""

    relations: list[AtomicRelation]  # As seen from the words themselves
    scopes: list[Scope]  # Where more specific and more general change places
    hidden: Sequence[HiddenRelation] = ()  # What only phrases within the sentences see

    def inside(self, source: Span, target: Span) -> list[AtomicRelation]:
        """The relations of the words of two phrases, as seen from the phrases (projection).

        A scope counts only if its operator is in the phrase: *black dog* says more than *dog*, even if *no
        black dog* says less than *no dog*.
        """
        spans = source, target
        scopes = [one for one in self.scopes if one.operator in range(*spans[one.side])]
        found = [_projected(one, scopes) for one in self.relations if one.lies_in(source, target)]
        return found + [one.words for one in self.hidden if one.is_seen_in(source, target)]


def _projected(one: AtomicRelation, scopes: Sequence[Scope]) -> AtomicRelation:
    if one.relation not in _FLIPPED or one.rule in ("quantifier", "approximate value", "pronoun"):
        return one
    side = 1 if one.source is None else 0
    span = one.target if one.source is None else one.source
    turned = span is not None and any(span[0] in scope.words and scope.side == side for scope in scopes)
    return one._replace(relation=flipped(one.relation)) if turned else one


def join(one: str, two: str) -> str:
    """The relation of a to c, if one is that of a to b, and two that of b to c.

    The stronger one of :data:`STRENGTH`; of *more specific* and *more general* each says more. In strict
    logic *a black dog runs* and *a dog does not run* may both be true. People call them opposite, and so does
    this table: an opposition stands against everything else.
    """
    if {one, two} == {SPECIFIC, GENERAL}:
        return MIXED
    return max(one, two, key=_RANK.__getitem__)


def joined(relations: Iterable[str]) -> str:
    """The join of any number of relations; equivalent if there are none."""
    found = EQUIVALENT
    for relation in relations:
        found = join(found, relation)
    return found


def related_by(relations: Iterable[AtomicRelation]) -> str:
    """The relation of two phrases with these atomic relations: their join.

    Nothing is known if one side denies something of which it says more than the other side asserts: *a black
    dog is not barking*, *a dog is barking*.
    """
    known = list(relations)
    found = joined(one.relation for one in known)
    more = {one.relation for one in known} & {SPECIFIC, GENERAL}
    if found == OPPOSITE and more:
        for one in known:
            if one.rule == NEGATION and one.relation == OPPOSITE and one.source and one.target:
                # The side that denies has one word more, or several.
                longer = (one.source[1] - one.source[0]) - (one.target[1] - one.target[0])
                if (SPECIFIC if longer > 0 else GENERAL) in more and longer:
                    return UNKNOWN
    return found


def flipped(relation: str) -> str:
    """The relation of the second to the first; also what a relation becomes below a negation.

    *Dog* is more specific than *animal*, and *no dog* more general than *no animal*.
    """
    return _FLIPPED.get(relation, relation)
