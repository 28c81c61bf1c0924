"""Two phrases that correspond: the unit of a phrase alignment."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from forest_align.alignment._phrase_relation import PhraseRelation, read_relation
from forest_align.types.errors import InputError
from forest_align.types.json_fields import Fields, check_number, check_span
from forest_align.types.node import Node

#: Similarity of phrases that mean the same.
MOST_SIMILAR = 5.0


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

    def to_dict(self) -> dict[str, Any]:
        """JSON values of the pair."""
        source, target = self.source_node, self.target_node
        values: dict[str, Any] = {
            "source": list(source.span),
            "target": list(target.span),
            "source_label": source.label,
            "target_label": target.label,
            "constituents": self.constituents,
            "probability": check_number(self.probability, "phrases.probability"),
            "compositional": self.compositional,
        }
        for side, node in (("source", source), ("target", target)):
            if not self.constituents:
                values[f"{side}_constituent"] = node.is_constituent
            if node.head >= 0:
                values[f"{side}_head"] = node.head
        if self.relation is not None:
            values |= self.relation.to_dict()
        if self.similarity is not None:
            values["similarity"] = check_number(self.similarity, "phrases.similarity")
        return values

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
        fields = Fields(values, path)
        return cls(
            _read_node(fields, "source", source_length),
            _read_node(fields, "target", target_length),
            fields.probability("probability"),
            fields.boolean("compositional", True),
            read_relation(fields, source_length, target_length),
            _read_similarity(fields),
        )


def _read_similarity(fields: Fields) -> float | None:
    similarity: float | None = fields.number("similarity", None)
    if similarity is not None and not 0.0 <= similarity <= MOST_SIMILAR:
        raise InputError(
            f"expected a similarity from 0 to {MOST_SIMILAR:g}, found {similarity:g}",
            field=fields.name("similarity"),
        )
    return similarity


def _read_node(fields: Fields, side: str, length: int | None) -> Node:
    start, end = check_span(fields.raw(side), fields.name(side), length)
    both = fields.boolean("constituents", True)
    head = fields.integer(f"{side}_head", -1)
    if head != -1 and not start <= head < end:
        raise InputError(
            f"expected a head inside [{start}, {end}), found {head}", field=fields.name(f"{side}_head")
        )
    return Node(
        start,
        end,
        fields.text(f"{side}_label", ""),
        both or fields.boolean(f"{side}_constituent", False),
        head,
    )
