"""The data of an alignment: its fields, their checks, and JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self, TypeVar

from forest_align.alignment._arc_pair import ArcPair
from forest_align.alignment._json_line import JSON_VERSION, JsonLine, check_version, read_origin
from forest_align.alignment._links import Links, read_links
from forest_align.alignment._phrase_pair import PhrasePair
from forest_align.types.brackets import check_tree
from forest_align.types.errors import InputError
from forest_align.types.json_fields import (
    Fields,
    check_integer,
    check_list,
    check_number,
    check_probability,
    check_span,
    check_texts,
)
from forest_align.types.sentence import Sentence

Record = TypeVar("Record", bound="AlignmentRecord")

# JSON keys that the alternatives of an alignment share with it.
_NAMES, _SIDES = ("id", "aligner", "version"), ("source", "target")
# JSON keys of the links: pairs, classes, scores.
_LINKS = ("words", "word_sure", "word_probabilities")


@dataclass(frozen=True, slots=True, repr=False)
class AlignmentRecord(JsonLine):
    """The data of one alignment; :class:`forest_align.Alignment` describes the fields."""

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

    def texts_of(self, pair: PhrasePair) -> tuple[str, str]:
        """The words of the two sides of a phrase pair, with blanks between them."""
        source, target = pair.source_node, pair.target_node
        return (
            " ".join(self.source.words[source.start : source.end]),
            " ".join(self.target.words[target.start : target.end]),
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON values, in the order of the public contract (version 1), without forests and word vectors.

        Raises
        ------
        InputError
            If a score or probability is not finite; JSON cannot hold that.
        """
        words = self.words
        values: dict[str, Any] = {"id": self.id, "aligner": self.aligner, "version": JSON_VERSION}
        if self.made_by:
            values["made_by"] = dict(self.made_by)
        for side, sentence, tree in (
            ("source", self.source, self.source_tree),
            ("target", self.target, self.target_tree),
        ):
            values[side] = sentence.to_dict(forest=False) | ({"tree": tree} if tree else {})
        values["words"] = [list(pair) for pair in words]
        if words.scores is not None:
            values["word_probabilities"] = [check_number(x, "word_probabilities") for x in words.scores]
        if words.sure is not None:
            values["word_sure"] = list(words.sure)
        if self.word_evidence:
            values["word_evidence"] = [list(names) for names in self.word_evidence]
        if self.outside:
            values["outside"] = [list(pair) for pair in self.outside]
        values["phrases"] = [pair.to_dict() for pair in self.phrases]
        if self.arcs:
            values["arcs"] = [pair.to_dict() for pair in self.arcs]
        values["unaligned"] = {
            "source": [list(span) for span in self.unaligned_source],
            "target": [list(span) for span in self.unaligned_target],
        }
        log_probability = self.log_probability
        if log_probability is not None and not math.isfinite(log_probability):
            log_probability = None
        values["log_probability"] = log_probability
        if self.score is not None:
            values["score"] = check_number(self.score, "score")
        values["root_aligned"] = self.root_aligned
        if self.paraphrase_probability is not None:
            paraphrase = check_number(self.paraphrase_probability, "paraphrase_probability")
            values["paraphrase_probability"] = paraphrase
        if self.warnings:
            values["warnings"] = list(self.warnings)
        if self.error:
            values["error"] = self.error
        if self.alternatives:
            values["alternatives"] = [_alternative(one.to_dict()) for one in self.alternatives]
        return values

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Read what :meth:`to_dict` wrote; see :meth:`from_json`."""
        fields = Fields(values)
        check_version(fields)
        sides = fields.fields("source"), fields.fields("target")
        source, target = (Sentence.from_dict(side, forest=False) for side in sides)
        words = read_links(fields, _LINKS, check_probability, (len(source), len(target)))
        evidence = fields.items("word_evidence", None, len(words)) or []
        unaligned = fields.fields("unaligned", {})
        return cls(
            source,
            target,
            words,
            tuple(
                PhrasePair.from_dict(pair, f"phrases[{k}]", len(source), len(target))
                for k, pair in enumerate(fields.items("phrases", []))
            ),
            _read_spans(unaligned, "source", len(source)),
            _read_spans(unaligned, "target", len(target)),
            _read_tree(sides[0], source),
            _read_tree(sides[1], target),
            fields.number("log_probability", None),
            fields.boolean("root_aligned", False),
            fields.text("aligner", ""),
            fields.text("id", ""),
            tuple(check_texts(fields.items("warnings", []), "warnings")),
            fields.text("error", ""),
            tuple(tuple(check_texts(names, f"word_evidence[{k}]")) for k, names in enumerate(evidence)),
            tuple(
                ArcPair.from_dict(pair, f"arcs[{k}]", len(source), len(target))
                for k, pair in enumerate(fields.items("arcs", []))
            ),
            fields.number("score", None),
            _read_outside(fields, words),
            tuple(_read_alternative(cls, fields, k) for k in range(len(fields.items("alternatives", [])))),
            read_origin(fields),
            fields.probability("paraphrase_probability", None),
        )


def _read_outside(fields: Fields, words: Links) -> tuple[tuple[int, int], ...]:
    """Links that the phrases do not contain; each must be one of the links."""
    found = set()
    for k, value in enumerate(fields.items("outside", [])):
        name = f"{fields.name('outside')}[{k}]"
        i, j = (check_integer(x, name) for x in check_list(value, name, 2))
        if (i, j) not in words:
            raise InputError(f"expected one of the links of words, found [{i}, {j}]", field=name)
        found.add((i, j))
    return tuple(sorted(found))


def _alternative(values: dict[str, Any]) -> dict[str, Any]:
    """What an alternative has that the best alignment of the pair has not: all but names and sentences."""
    trees = {f"{side}_tree": values[side]["tree"] for side in _SIDES if "tree" in values[side]}
    return trees | {key: value for key, value in values.items() if key not in (*_NAMES, *_SIDES)}


def _read_alternative(kind: type[Record], fields: Fields, place: int) -> Record:
    """Read what :func:`_alternative` made."""
    name = f"{fields.name('alternatives')}[{place}]"
    own = fields.items("alternatives")[place]
    Fields(own, name)  # raises an error if it is no object
    values = {**own, **{key: fields.raw(key, None) for key in _NAMES}, "alternatives": []}
    for side in _SIDES:
        values[side] = {**fields.raw(side), "tree": own.get(f"{side}_tree")}
    try:
        return kind.from_dict(values)
    except InputError as error:
        raise InputError(error.message, field=f"{name}.{error.field}" if error.field else name) from None


def _read_spans(fields: Fields, side: str, length: int) -> tuple[tuple[int, int], ...]:
    spans = fields.items(side, [])
    return tuple(check_span(span, f"{fields.name(side)}[{k}]", length) for k, span in enumerate(spans))


def _read_tree(fields: Fields, sentence: Sentence) -> str:
    tree = fields.text("tree", "")
    return check_tree(tree, sentence.words, fields.name("tree")) if tree else ""
