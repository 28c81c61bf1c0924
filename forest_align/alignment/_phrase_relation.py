"""How two corresponding phrases are related: the names of relations and of changes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from forest_align.types.errors import InputError
from forest_align.types.json_fields import Fields, check_number, check_span, check_texts, describe

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

    Attributes
    ----------
    source, target : (int, int) or None
        Half-open token spans; None where the other side alone has words.
    relation : str
        How the words are related, as seen from the whole sentences; one of :data:`RELATION_NAMES`, or of
        :data:`~forest_align.meaning.STRENGTH` while relations are joined.
    rule : str
        What was noticed, such as *negation* or *values*.
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

    def to_dict(self) -> dict[str, Any]:
        """JSON values; a side without words is absent."""
        spans = {"source": self.source, "target": self.target}
        own = {side: list(span) for side, span in spans.items() if span is not None}
        return {"rule": self.rule, "relation": self.relation, **own}


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
        evidence = tuple(one.swap() for one in self.evidence)
        return replace(self, name=_SWAPPED.get(self.name, self.name), evidence=evidence)

    def to_dict(self) -> dict[str, Any]:
        """JSON values, as fields of the phrase pair.

        Raises
        ------
        InputError
            If the probability is not finite.
        """
        values: dict[str, Any] = {"relation": self.name}
        if self.probability is not None:
            name = "phrases.relation_probability"
            values["relation_probability"] = check_number(self.probability, name)
        if self.changes:
            values["changes"] = list(self.changes)
        if self.evidence:
            values["relation_evidence"] = [one.to_dict() for one in self.evidence]
        return values


def read_relation(
    fields: Fields, source_length: int | None = None, target_length: int | None = None
) -> PhraseRelation | None:
    """Read what :meth:`PhraseRelation.to_dict` wrote from the fields of a phrase pair; None if it has none.

    Raises
    ------
    InputError
        If a name is unknown, the probability is out of range, a span lies outside of its sentence, or
        the name of the relation is missing.
    """
    if not any(map(fields.has, ("relation", "relation_probability", "changes", "relation_evidence"))):
        return None
    changes = check_texts(fields.items("changes", []), fields.name("changes"))
    for k, change in enumerate(changes):
        _check_name(change, CHANGE_NAMES, f"{fields.name('changes')}[{k}]")
    return PhraseRelation(
        _check_name(fields.text("relation"), RELATION_NAMES, fields.name("relation")),
        fields.probability("relation_probability", None),
        tuple(changes),
        tuple(
            _read_evidence(
                Fields(one, f"{fields.name('relation_evidence')}[{k}]"), source_length, target_length
            )
            for k, one in enumerate(fields.items("relation_evidence", []))
        ),
    )


def _read_evidence(fields: Fields, source_length: int | None, target_length: int | None) -> AtomicRelation:
    source, target = (
        check_span(fields.raw(side), fields.name(side), length) if fields.has(side) else None
        for side, length in (("source", source_length), ("target", target_length))
    )
    name = _check_name(fields.text("relation"), RELATION_NAMES, fields.name("relation"))
    return AtomicRelation(source, target, name, fields.text("rule"))


def _check_name(name: str, known: tuple[str, ...], field: str) -> str:
    if name not in known:
        raise InputError(f"expected one of {', '.join(known)}, found {describe(name)}", field=field)
    return name
