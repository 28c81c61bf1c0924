"""Nodes for phrases of aligners without derivations: constituents of the best tree, or placeholders."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from forest_align.alignment import PhrasePair
from forest_align.types import Node

if TYPE_CHECKING:
    import numpy as np

    from forest_align.types import Sentence

Span = tuple[int, int]


def constituents_of(sentence: Sentence) -> dict[Span, int]:
    """The constituents of the best tree of a sentence: span to node; none without a forest."""
    forest = sentence.forest
    if forest is None:
        return {}
    starts, ends, real = forest.start.tolist(), forest.end.tolist(), forest.is_constituent.tolist()
    return {(starts[node], ends[node]): node for node in forest.best_nodes() if real[node]}


def phrase_pairs_of(
    spans: np.ndarray,
    probabilities: np.ndarray,
    source: Sentence,
    target: Sentence,
    labels: tuple[Mapping[Span, str], Mapping[Span, str]] = ({}, {}),
) -> tuple[PhrasePair, ...]:
    """Phrase pairs with these spans, in the same order. Shapes: ``probabilities`` float64 (P,)."""
    constituents = constituents_of(source), constituents_of(target)

    def node(side: int, span: Span) -> Node:
        """The constituent of a span, or a placeholder for a phrase that is not a constituent."""
        forest, number = (source, target)[side].forest, constituents[side].get(span)
        if forest is not None and number is not None:
            return forest.node(number)
        return Node(*span, labels[side].get(span, ""), is_constituent=False)

    return tuple(
        PhrasePair(node(0, (start, end)), node(1, (first, last)), probability)
        for (start, end, first, last), probability in zip(spans.tolist(), probabilities.tolist(), strict=True)
    )
