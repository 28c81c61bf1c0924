"""Pairs of nodes of the two chosen trees that a derivation does not have, and that may stand beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from forest_align.aligners.forest._probable_pairs import agree
from forest_align.aligners.forest._tree_conditions import ChosenTree
from forest_align.aligners.forest.features import forest_of
from forest_align.types import Node

if TYPE_CHECKING:
    from forest_align.aligners.forest.phrase_evidence import PhraseEvidence
    from forest_align.alignment import Alignment
    from forest_align.types import Derivation, ParseForest

# Least probability under the phrase-pair model. Of pairs below it, the judge finds hardly any probable.
_LEAST_OF_FURTHER = 0.2


def further_pairs(
    alignment: Alignment, trees: tuple[Derivation, Derivation], evidence: PhraseEvidence
) -> list[tuple[Node, Node]]:
    """Pairs of constituents that the phrase-pair model finds probable, the best first.

    A derivation aligns every node once. A further pair may share one node with a pair of it if their other
    nodes lie one below the other: *the murder ↔ his death* beside *murder ↔ his death*. Otherwise it lies
    below, around or apart from each pair on both sides alike. No link of the derivation leaves it.
    """
    if not alignment.root_aligned:
        return []
    ends = np.array([(*a.source_node.span, *a.target_node.span) for a in alignment.phrases], np.int64)
    links = sorted(set(alignment.words.pairs) - set(alignment.outside))
    words = np.array([(i, i + 1, j, j + 1) for i, j in links], np.int64).reshape(-1, 4)
    probabilities = evidence.probabilities
    order = np.argsort(-probabilities, kind="stable")
    order = order[probabilities[order] >= _LEAST_OF_FURTHER]
    spans = evidence.spans[order].astype(np.int64)
    known = (spans[:, None] == ends).all(axis=2).any(axis=1)
    spans = spans[~known & agree(spans, ends).all(axis=1) & agree(spans, words).all(axis=1)]
    if not len(spans):
        return []
    nodes = [
        _constituents(forest_of(sentence), tree)
        for sentence, tree in zip((alignment.source, alignment.target), trees, strict=True)
    ]
    return [
        (nodes[0][start, end], nodes[1][first, last])
        for start, end, first, last in spans.tolist()
        if (start, end) in nodes[0] and (first, last) in nodes[1]
    ]


def _constituents(forest: ParseForest, tree: Derivation) -> dict[tuple[int, int], Node]:
    """The constituents of one tree of a forest, by their spans."""
    nodes = (forest.node(place) for place in ChosenTree.of(forest, tree).nodes)
    return {node.span: node for node in nodes if node.is_constituent}
