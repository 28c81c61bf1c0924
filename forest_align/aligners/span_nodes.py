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
    ours, theirs = (_Nodes(sentence, names) for sentence, names in zip((source, target), labels, strict=True))
    return tuple(
        PhrasePair(ours.of((start, end)), theirs.of((first, last)), probability)
        for (start, end, first, last), probability in zip(spans.tolist(), probabilities.tolist(), strict=True)
    )


class _Nodes:
    """The nodes of a sentence by their spans."""

    def __init__(self, sentence: Sentence, labels: Mapping[Span, str]) -> None:
        self._forest, self._labels = sentence.forest, labels
        self._constituents = constituents_of(sentence)

    def of(self, span: Span) -> Node:
        """The constituent of a span, or a placeholder for a phrase that is not a constituent."""
        number = self._constituents.get(span)
        if number is not None and self._forest is not None:
            return self._forest.node(number)
        return Node(*span, self._labels.get(span, ""), is_constituent=False)
