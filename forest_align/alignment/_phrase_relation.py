"""How two corresponding phrases are related: the names of relations and of changes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

#: Relations of interpretable semantic similarity (Agirre et al. 2016, §3.1), which models learned. *More
#: specific*: the source phrase says more than the target phrase. *More general*: it says less.
CHUNK_RELATIONS = ("equivalent", "more specific", "more general", "similar", "related", "opposite")
#: Names of all relations; *similar* and *related* are said of chunks alone.
RELATION_NAMES = (*CHUNK_RELATIONS, "different")
#: Names of what may differ between two corresponding phrases apart from the choice of words.
CHANGE_NAMES = (
    "inflection",
    "derivation",
    "spelling",
    "format",
    "name",
    "number",
    "pronoun",
    "word order",
)

_SWAPPED = {"more specific": "more general", "more general": "more specific"}
#: For each of :data:`CHUNK_RELATIONS`, the number of the one that the swapped phrases have.
SWAPPED_RELATIONS = tuple(CHUNK_RELATIONS.index(_SWAPPED.get(name, name)) for name in CHUNK_RELATIONS)


class AtomicRelation(NamedTuple):
    """A relation of some words, which all phrases around them share (MacCartney & Manning 2009).

    Spans are half-open token spans, None where only the other side has words. The relation is that of the
    words themselves, whatever is denied around them: one of :data:`RELATION_NAMES`, or of
    :data:`~forest_align.meaning.STRENGTH` while relations are joined. The rule is what was noticed, such as
    *negation* or *values*.
    """

    source: tuple[int, int] | None
    target: tuple[int, int] | None
    relation: str
    rule: str

    def lies_in(self, source: tuple[int, int], target: tuple[int, int]) -> bool:
        """Whether its words belong to two phrases."""
        return _holds(source, self.source) and _holds(target, self.target)

    def swap(self) -> AtomicRelation:
        """The relation of the target's words to the source's."""
        return AtomicRelation(self.target, self.source, _SWAPPED.get(self.relation, self.relation), self.rule)


def _holds(outer: tuple[int, int], inner: tuple[int, int] | None) -> bool:
    return inner is None or (outer[0] <= inner[0] and inner[1] <= outer[1])


@dataclass(frozen=True, slots=True)
class PhraseRelation:
    """How the source phrase of a pair is related to its target phrase.

    Attributes
    ----------
    name : str
        One of :data:`RELATION_NAMES`.
    probability : float or None
        Probability that this is the relation, in [0, 1], if the phrases correspond; None if rules found it.
    changes : tuple of str
        What differs, of :data:`CHANGE_NAMES`.
    evidence : tuple of AtomicRelation
        Why the phrases are not equivalent; empty if they are, and if a model judged the phrases.
    """

    name: str
    probability: float | None = None
    changes: tuple[str, ...] = ()
    evidence: tuple[AtomicRelation, ...] = ()

    def swap(self) -> PhraseRelation:
        """The relation of the target phrase to the source phrase."""
        evidence = tuple(atom.swap() for atom in self.evidence)
        return replace(self, name=_SWAPPED.get(self.name, self.name), evidence=evidence)
