"""Adds to the phrase pairs of an alignment how their phrases are related.

Natural logic decides (:mod:`forest_align.meaning`). A model judges the smallest phrases around words of which
nothing is known; what it holds for equivalent counts as equivalent in all phrases around them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from forest_align.aligners.phrases.features import SpanPairIndex
from forest_align.aligners.phrases.relation_features import relation_features
from forest_align.alignment import (
    CHUNK_RELATIONS,
    Alignment,
    AtomicRelation,
    PhrasePair,
    PhraseRelation,
)
from forest_align.lexicon.tables import is_content_word
from forest_align.meaning.changes import WordChanges
from forest_align.meaning.relation_algebra import EQUIVALENT, MIXED, UNKNOWN, related_by
from forest_align.meaning.sentence_comparison import atomic_relations

if TYPE_CHECKING:
    from forest_align.aligners.phrases.features import SpanEvidence
    from forest_align.aligners.phrases.relation_model import RelationModel

# The model learned from phrases of a few words.
_MOST_WORDS = 6
# Rules whose relations the model may settle, and from which probability on phrases count as equivalent,
# chosen on PAWS dev. The model does not know chairs from couches, and no other values.
_EQUIVALENT_FROM = {"other words": 0.3, "taxonomy": 0.3, "added words": 0.5}


class JudgedRelations(NamedTuple):
    """What is known about the words and the short phrases of an alignment."""

    atomic: list[AtomicRelation]  # The words that do not say the same
    # By the place of a short phrase pair, how similar its phrases are, from 0 to 5
    similarity: dict[int, float]


def judged_relations(
    alignment: Alignment, model: RelationModel | None = None, phrases: SpanEvidence | None = None
) -> JudgedRelations:
    """Compare the linked words of an alignment, and judge its short phrases.

    The model judges nodes of the forests only, not rules, and needs the ``phrases`` of both sentences.
    """
    pairs = alignment.phrases
    known = atomic_relations(alignment.source, alignment.target, alignment.words.pairs)
    if model is None or phrases is None:
        return JudgedRelations(known, {})
    short = [k for k, pair in enumerate(pairs) if _longer_side(pair) <= _MOST_WORDS and not pair.is_rule]
    judged = _judged(alignment, short, model, phrases)
    return JudgedRelations(_settled(pairs, known, judged), {k: one[1] for k, one in judged.items()})


def with_relations(alignment: Alignment, known: JudgedRelations) -> Alignment:
    """Set ``relation`` of the phrase pairs where it is known, and ``similarity`` of short phrases."""
    source, target = alignment.source, alignment.target
    changes = WordChanges(source, target, alignment.words.pairs)
    related = []
    for k, pair in enumerate(alignment.phrases):
        spans = pair.source_node.span, pair.target_node.span
        inside = [one for one in known.atomic if one.lies_in(*spans)]
        name = related_by(inside)
        relation = None
        if name not in (MIXED, UNKNOWN):
            words = source.words[slice(*spans[0])], target.words[slice(*spans[1])]
            # Of most pairs both sides are one and the same word: nothing can have changed.
            is_same = words[0] == words[1]
            # Function words that differ replace each other only in a phrase: by Ann, of Ann.
            if is_same or name != EQUIVALENT or any(map(is_content_word, chain(*words))):
                relation = PhraseRelation(name, None, () if is_same else changes.of(*spans), tuple(inside))
        related.append(replace(pair, relation=relation, similarity=known.similarity.get(k)))
    return replace(alignment, phrases=tuple(related))


def _longer_side(pair: PhrasePair) -> int:
    return max(node.end - node.start for node in (pair.source_node, pair.target_node))


def _judged(
    alignment: Alignment, places: Sequence[int], model: RelationModel, phrases: SpanEvidence
) -> dict[int, tuple[float, float]]:
    """For some phrase pairs the probability that they are equivalent, and their similarity."""
    if not places:
        return {}
    pairs = [alignment.phrases[k] for k in places]
    sides = [
        side.places(np.array([(node.start, node.end) for node in nodes], np.int64))
        for side, nodes in (
            (phrases.source, [pair.source_node for pair in pairs]),
            (phrases.target, [pair.target_node for pair in pairs]),
        )
    ]
    features = relation_features(alignment.source, alignment.target, phrases, SpanPairIndex(*sides))
    probabilities, similarity = model.judge(*features)
    equivalent = probabilities[:, CHUNK_RELATIONS.index(EQUIVALENT)].tolist()
    return dict(zip(places, zip(equivalent, similarity.tolist(), strict=True), strict=True))


def _settled(
    pairs: Sequence[PhrasePair],
    known: Sequence[AtomicRelation],
    judged: dict[int, tuple[float, float]],
) -> list[AtomicRelation]:
    """The relations without those that the model holds for equivalent."""
    sizes = {
        k: len(range(*pairs[k].source_node.span)) + len(range(*pairs[k].target_node.span)) for k in judged
    }
    found = []
    for one in known:
        if one.rule in _EQUIVALENT_FROM:
            around = [k for k in judged if one.lies_in(pairs[k].source_node.span, pairs[k].target_node.span)]
            if around:
                smallest = min(around, key=sizes.__getitem__)
                if judged[smallest][0] >= _EQUIVALENT_FROM[one.rule]:
                    continue
        found.append(one)
    return found
