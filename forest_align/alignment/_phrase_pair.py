"""Two phrases that correspond: the unit of a phrase alignment."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from forest_align.alignment._phrase_relation import (
    CHANGE_NAMES,
    RELATION_NAMES,
    AtomicRelation,
    PhraseRelation,
)
from forest_align.alignment.json_objects import EvidenceObject, PhrasePairObject
from forest_align.types import Node
from forest_align.types.errors import InputError
from forest_align.types.json_fields import check_number, check_optional
from forest_align.types.json_records import check_name, check_span, convert_record, record_values


@dataclass(frozen=True, slots=True)
class PhrasePair:
    """Two phrases that correspond.

    Attributes
    ----------
    source_node, target_node : Node
        The phrases, as nodes of the two trees of the alignment. A rule has phrases that are no nodes; its
        categories say what they lack, such as ``VP/NP``, a verb phrase without the noun phrase to its right.
    probability : float
        Probability that the pair is right, in [0, 1].
    compositional : bool
        False when the pair could only be formed by non-compositional alignment
        (Arase & Tsujii 2017, §4.3).
    relation : PhraseRelation or None
        How the source phrase is related to the target phrase; None if it was not determined.
    similarity : float or None
        How similar the phrases are in meaning, from 0 (unrelated) to 5 (the same); None if not determined.
    """

    source_node: Node
    target_node: Node
    probability: float
    compositional: bool = True
    relation: PhraseRelation | None = None
    similarity: float | None = None

    @property
    def constituents(self) -> bool:
        """Whether both phrases are constituents, not parts that binarization made."""
        return self.source_node.is_constituent and self.target_node.is_constituent

    @property
    def is_rule(self) -> bool:
        """Whether it remains of an aligned pair less others at its edges: its categories have slashes."""
        labels = self.source_node.label, self.target_node.label
        return not self.constituents and all("/" in label or "\\" in label for label in labels)

    def swap(self) -> PhrasePair:
        """The same pair seen from the target side."""
        return replace(
            self,
            source_node=self.target_node,
            target_node=self.source_node,
            relation=self.relation and self.relation.swap(),
        )

    def to_object(self) -> PhrasePairObject:
        """The JSON object of the pair; see :meth:`to_dict`."""
        source, target, relation = self.source_node, self.target_node, self.relation
        both = self.constituents
        about: dict[str, Any] = {}
        if relation is not None:
            about["relation"] = relation.name
            about["relation_probability"] = check_optional(
                relation.probability, "phrases.relation_probability"
            )
            about["changes"] = list(relation.changes) or None
            about["relation_evidence"] = [
                EvidenceObject(rule=atom.rule, relation=atom.relation, source=atom.source, target=atom.target)
                for atom in relation.evidence
            ] or None
        return PhrasePairObject(
            source=source.span,
            target=target.span,
            source_label=source.label,
            target_label=target.label,
            constituents=both,
            probability=check_number(self.probability, "phrases.probability"),
            compositional=self.compositional,
            source_constituent=None if both else source.is_constituent,
            source_head=source.head if source.head >= 0 else None,
            target_constituent=None if both else target.is_constituent,
            target_head=target.head if target.head >= 0 else None,
            similarity=check_optional(self.similarity, "phrases.similarity"),
            **about,
        )

    @classmethod
    def of_object(
        cls,
        listed: PhrasePairObject,
        path: str = "",
        source_length: int | None = None,
        target_length: int | None = None,
    ) -> PhrasePair:
        """Build a pair from its JSON object; see :meth:`from_dict`."""
        try:
            return cls(
                _node("source", listed, source_length),
                _node("target", listed, target_length),
                listed.probability,
                listed.compositional is not False,
                _relation(listed, source_length, target_length),
                listed.similarity,
            )
        except InputError as error:
            raise error.inside(path) from None

    def to_dict(self) -> dict[str, Any]:
        """JSON values of the pair."""
        return record_values(self.to_object())

    @classmethod
    def from_dict(
        cls, values: Any, path: str = "", source_length: int | None = None, target_length: int | None = None
    ) -> PhrasePair:
        """Read what :meth:`to_dict` wrote; unknown keys are ignored.

        Parameters
        ----------
        values : mapping
            JSON object, see ``docs/reference/formats.md``.
        path : str
            Name of the object in the document, for messages.
        source_length, target_length : int, optional
            Numbers of tokens of the two sentences, to check the spans.

        Raises
        ------
        InputError
            If a field is missing or wrong, or a span or head lies outside its sentence.
        """
        return cls.of_object(
            convert_record(PhrasePairObject, values, path), path, source_length, target_length
        )


def _node(side: str, listed: PhrasePairObject, length: int | None) -> Node:
    start, end = check_span(getattr(listed, side), side, length)
    label, head, constituent = (
        getattr(listed, f"{side}_{name}") for name in ("label", "head", "constituent")
    )
    head = -1 if head is None else head
    if head != -1 and not start <= head < end:
        raise InputError(f"expected a head inside [{start}, {end}), found {head}", field=f"{side}_head")
    return Node(start, end, label or "", listed.constituents is not False or bool(constituent), head)


def _relation(
    listed: PhrasePairObject, source_length: int | None, target_length: int | None
) -> PhraseRelation | None:
    """The relation of a pair; None if it has none."""
    probability, changes, evidence = listed.relation_probability, listed.changes, listed.relation_evidence
    if listed.relation is None:
        if probability is None and changes is None and evidence is None:
            return None
        raise InputError("this field is required", field="relation")
    for k, change in enumerate(changes or ()):
        check_name(change, CHANGE_NAMES, f"changes[{k}]")
    reasons = []
    for k, atom in enumerate(evidence or ()):
        path = f"relation_evidence[{k}]"
        source = atom.source and check_span(atom.source, f"{path}.source", source_length)
        target = atom.target and check_span(atom.target, f"{path}.target", target_length)
        name = check_name(atom.relation, RELATION_NAMES, f"{path}.relation")
        reasons.append(AtomicRelation(source, target, name, atom.rule))
    name = check_name(listed.relation, RELATION_NAMES, "relation")
    return PhraseRelation(name, probability, tuple(changes or ()), tuple(reasons))
