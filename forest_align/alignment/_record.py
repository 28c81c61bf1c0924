"""The data of an alignment: its fields, their checks, and JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from msgspec import UNSET

from forest_align.alignment._links import ArcPair, Links, links_of
from forest_align.alignment._phrase_pair import PhrasePair
from forest_align.alignment.json_objects import (
    JSON_VERSION,
    AlignmentObject,
    JsonLine,
    UnalignedObject,
    origin_object,
    origin_of,
)
from forest_align.types.brackets import check_tree
from forest_align.types.errors import InputError
from forest_align.types.json_fields import check_number, check_optional
from forest_align.types.json_records import check_length, check_span
from forest_align.types.sentence import Sentence

# JSON keys of the links: pairs, classes, scores.
_LINKS = ("words", "word_sure", "word_probabilities")


@dataclass(frozen=True, slots=True, repr=False)
class AlignmentRecord(JsonLine):
    """The data of one alignment; :class:`forest_align.Alignment` describes the fields."""

    json_object: ClassVar = AlignmentObject

    source: Sentence
    target: Sentence
    words: Links = field(default_factory=Links)
    phrases: tuple[PhrasePair, ...] = ()
    unaligned_source: tuple[tuple[int, int], ...] = ()
    unaligned_target: tuple[tuple[int, int], ...] = ()
    source_tree: str = ""
    target_tree: str = ""
    log_probability: float | None = None
    root_aligned: bool = False
    aligner: str = ""
    id: str = ""
    warnings: tuple[str, ...] = ()
    error: str = ""
    word_evidence: tuple[tuple[str, ...], ...] = ()
    arcs: tuple[ArcPair, ...] = ()
    score: float | None = None
    outside: tuple[tuple[int, int], ...] = ()
    alternatives: tuple[AlignmentRecord, ...] = ()
    made_by: Mapping[str, str] = field(default_factory=dict)
    paraphrase_probability: float | None = None

    @classmethod
    def failed(cls, error: str, *, id: str = "", aligner: str = "") -> Self:
        """The alignment of a pair that could not be read at all."""
        nothing = Sentence(())
        return cls(nothing, nothing, aligner=aligner, id=id, error=error)

    @property
    def has_derivation(self) -> bool:
        """Whether the phrases are nodes of two trees, so that either some or none cover whole sentences."""
        return self.root_aligned or bool(self.source_tree and self.target_tree)

    def is_root_pair(self, pair: PhrasePair) -> bool:
        """Whether a phrase pair covers both whole sentences."""
        roots = (0, len(self.source)), (0, len(self.target))
        return (pair.source_node.span, pair.target_node.span) == roots

    @property
    def root_relation(self) -> str:
        """Name of the relation of the whole sentences; empty if nothing is known."""
        relations = (pair.relation for pair in self.phrases if self.is_root_pair(pair))
        relation = next(relations, None)
        return "" if relation is None else relation.name

    def texts_of(self, pair: PhrasePair) -> tuple[str, str]:
        """The words of the two sides of a phrase pair, with blanks between them."""
        source, target = pair.source_node, pair.target_node
        return (
            " ".join(self.source.words[source.start : source.end]),
            " ".join(self.target.words[target.start : target.end]),
        )

    def to_object(self) -> AlignmentObject:
        """The JSON object of the alignment; see :meth:`to_dict`."""
        alternatives = [
            AlignmentObject(
                source_tree=other.source_tree or None,
                target_tree=other.target_tree or None,
                **other._results(),
            )
            for other in self.alternatives
        ]
        return AlignmentObject(
            id=self.id,
            aligner=self.aligner,
            version=JSON_VERSION,
            source=self.source.to_object(forest=False, tree=self.source_tree),
            target=self.target.to_object(forest=False, tree=self.target_tree),
            alternatives=alternatives or None,
            **self._results(),
        )

    def _results(self) -> dict[str, Any]:
        """What an alternative has too: all but names and sentences."""
        scores, log_probability = self.words.scores, self.log_probability
        if log_probability is not None and not math.isfinite(log_probability):
            log_probability = None
        return {
            "made_by": origin_object(self.made_by),
            "words": list(self.words.pairs),
            "word_probabilities": None
            if scores is None
            else [check_number(x, "word_probabilities") for x in scores],
            "word_sure": None if self.words.sure is None else list(self.words.sure),
            "word_evidence": [list(names) for names in self.word_evidence] or None,
            "outside": list(self.outside) or None,
            "phrases": [pair.to_object() for pair in self.phrases],
            "arcs": list(self.arcs) or None,
            "unaligned": UnalignedObject(list(self.unaligned_source), list(self.unaligned_target)),
            "log_probability": log_probability,
            "score": check_optional(self.score, "score"),
            "root_aligned": self.root_aligned,
            "paraphrase_probability": check_optional(self.paraphrase_probability, "paraphrase_probability"),
            "warnings": list(self.warnings) or None,
            "error": self.error or None,
        }

    @classmethod
    def of_object(cls, listed: AlignmentObject) -> Self:
        """Build the alignment from its JSON object, and check what belongs together."""
        if listed.source is None or listed.target is None:
            raise InputError("this field is required", field="target" if listed.source else "source")
        sides = Sentence.of_object(listed.source, "source"), Sentence.of_object(listed.target, "target")
        names: dict[str, Any] = {
            "id": listed.id or "",
            "aligner": listed.aligner or "",
            "source": sides[0],
            "target": sides[1],
        }
        trees = {"source.tree": listed.source.tree, "target.tree": listed.target.tree}
        alternatives = []
        for place, other in enumerate(listed.alternatives or ()):
            others = {"source_tree": other.source_tree, "target_tree": other.target_tree}
            try:
                alternatives.append(cls(**names, **_results(other, sides, others)))
            except InputError as error:
                raise error.inside(f"alternatives[{place}]") from None
        return cls(**names, **_results(listed, sides, trees), alternatives=tuple(alternatives))


def _results(
    listed: AlignmentObject, sides: tuple[Sentence, Sentence], trees: Mapping[str, str | None]
) -> dict[str, Any]:
    """The fields of an alignment, except for its names, sentences and alternatives."""
    lengths = len(sides[0]), len(sides[1])
    words = links_of(listed.words, listed.word_sure, listed.word_probabilities, _LINKS, lengths)
    evidence = check_length(listed.word_evidence, len(words), "word_evidence") or ()
    unaligned = listed.unaligned or UnalignedObject()
    log_probability = None if listed.log_probability is UNSET else listed.log_probability
    source_tree, target_tree = (
        check_tree(tree, sentence.words, name) if tree else ""
        for (name, tree), sentence in zip(trees.items(), sides, strict=True)
    )
    return {
        "words": words,
        "phrases": tuple(
            [
                PhrasePair.of_object(pair, f"phrases[{k}]", *lengths)
                for k, pair in enumerate(listed.phrases or ())
            ]
        ),
        "unaligned_source": _spans(unaligned.source, "unaligned.source", lengths[0]),
        "unaligned_target": _spans(unaligned.target, "unaligned.target", lengths[1]),
        "source_tree": source_tree,
        "target_tree": target_tree,
        "log_probability": check_optional(log_probability, "log_probability"),
        "root_aligned": bool(listed.root_aligned),
        "warnings": tuple(listed.warnings or ()),
        "error": listed.error or "",
        "word_evidence": tuple(map(tuple, evidence)),
        "arcs": tuple([arc.check_inside(f"arcs[{k}]", *lengths) for k, arc in enumerate(listed.arcs or ())]),
        "score": check_optional(listed.score, "score"),
        "outside": _outside(listed.outside or (), words),
        "made_by": origin_of(listed.made_by),
        "paraphrase_probability": listed.paraphrase_probability,
    }


def _outside(pairs: Sequence[tuple[int, int]], words: Links) -> tuple[tuple[int, int], ...]:
    """Links that the phrases do not contain; each must be one of the links."""
    for k, pair in enumerate(pairs):
        if pair not in words:
            raise InputError(f"expected one of the links of words, found {list(pair)}", field=f"outside[{k}]")
    return tuple(sorted(set(pairs)))


def _spans(spans: Sequence[tuple[int, int]] | None, field: str, length: int) -> tuple[tuple[int, int], ...]:
    return tuple(check_span(span, f"{field}[{k}]", length) for k, span in enumerate(spans or ()))
