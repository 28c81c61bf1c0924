"""Adds to the phrase pairs of an alignment how their phrases are related."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from forest_align.aligners.phrases.changes import WordChanges
from forest_align.aligners.phrases.features import SpanPairIndex
from forest_align.aligners.phrases.relation_features import relation_features
from forest_align.alignment import RELATION_NAMES, Alignment, PhrasePair, PhraseRelation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forest_align.aligners.phrases.features import SpanEvidence
    from forest_align.aligners.phrases.relation_model import RelationModel


def with_relations(alignment: Alignment, model: RelationModel, phrases: SpanEvidence) -> Alignment:
    """Set ``relation`` and ``similarity`` of every phrase pair.

    Parameters
    ----------
    alignment : Alignment
        Its phrases are nodes of the forests of its sentences.
    model : RelationModel
        Judges the pairs.
    phrases : SpanEvidence
        The phrases of its sentences; the evidence about their words is that of ``pair_evidence``.
    """
    pairs = alignment.phrases
    if not pairs:
        return alignment
    source, target = alignment.source, alignment.target
    words = source.words, target.words
    sides = [
        side.places(np.array([(node.start, node.end) for node in nodes], np.int64))
        for side, nodes in (
            (phrases.source, [pair.source_node for pair in pairs]),
            (phrases.target, [pair.target_node for pair in pairs]),
        )
    ]
    features = relation_features(source, target, phrases, SpanPairIndex(*sides))
    probabilities, similarity = model.judge(*features)
    changes = WordChanges(source, target, alignment.words.pairs)
    best = probabilities.argmax(axis=1).tolist()
    # Of most pairs both sides are one and the same word: nothing can have changed.
    same = [_is_same_word(*words, pair) for pair in pairs]
    judged = [
        replace(
            pair,
            relation=PhraseRelation(
                RELATION_NAMES[best[k]],
                float(probabilities[k, best[k]]),
                () if same[k] else changes.of(pair.source_node.span, pair.target_node.span),
            ),
            similarity=float(similarity[k]),
        )
        for k, pair in enumerate(pairs)
    ]
    return replace(alignment, phrases=tuple(judged))


def _is_same_word(source: Sequence[str], target: Sequence[str], pair: PhrasePair) -> bool:
    (start, end), (other_start, other_end) = pair.source_node.span, pair.target_node.span
    return end - start == other_end - other_start == 1 and source[start] == target[other_start]
