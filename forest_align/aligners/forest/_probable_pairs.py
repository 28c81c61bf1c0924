"""Revises the pairs of a derivation: leaves unclear words out, adds or offers probable phrases.

The search aligns every node once and needs two words wherever phrases rest on them. So a derivation has pairs
of words whose link is doubtful, and lacks pairs of phrases that fit into it. Above all it lacks second pairs
of a unary chain: *Handspring*, a noun phrase of one word, may be aligned with *Handspring* and with
*Handspring common stock*.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping

import numpy as np

from forest_align.aligners.forest._node_pairs import ChosenTree, chain_length, compositional, with_pairs
from forest_align.aligners.forest.features import CONFIDENT_LINK, forest_of
from forest_align.aligners.forest.phrase_evidence import PhraseEvidence
from forest_align.aligners.forest.span_pairs import contained, largest_below
from forest_align.aligners.words.candidate import Candidate
from forest_align.alignment import Alignment
from forest_align.cext.alignment_arrays import BASE, COMPOSITIONAL, NONCOMPOSITIONAL, SINGLE, AlignmentArrays
from forest_align.types import Derivation, Node, ParseForest

# Least probability of further pairs under the phrase-pair model; the judge would hardly choose any below it.
_LEAST_OF_FURTHER = 0.2
#: A pair of phrases that a word link leaves is left out if the phrase-pair model gives it less than this.
LEAST_ACROSS_LINKS = 0.2


def with_revised_pairs(
    arrays: AlignmentArrays,
    forests: tuple[ParseForest, ParseForest],
    trees: tuple[Derivation, Derivation],
    leaves: Mapping[int, Candidate],
    links: Mapping[tuple[int, int], float],
    phrases: PhraseEvidence,
    least: float,
) -> AlignmentArrays:
    """Leave unclear words out and add pairs of phrases of at least this probability.

    *Words.* A pair of two words is marked as absorbed if its link is not confident, or if a word has another
    link. What rested on it rests on fewer pairs then, which is legitimate. The pair of the roots is kept.

    *Phrases.* A pair that a link leaves is marked as absorbed if the phrase-pair model finds it improbable.
    Then the pairs of nodes that the model finds probable are added, best first, if they fit in: the same
    pairs lie below and around both nodes. One of them may be aligned already if it is a unary chain. The
    other nodes of its two pairs lie one below the other then. Nothing is added without a pair of roots.
    Added pairs come last; kinds and parents are those of the new set.
    """
    chosen = ChosenTree.of(forests[0], trees[0]), ChosenTree.of(forests[1], trees[1])
    whole = compositional(arrays)
    absorbed = arrays.absorbed | _unclear(arrays, leaves, links)
    absorbed |= _improbable(arrays, chosen, links, phrases)
    arrays = arrays._replace(absorbed=absorbed)
    if least < 1 and arrays.root_aligned:
        places = np.flatnonzero(~arrays.absorbed)
        spans = _spans_of(chosen, arrays.source[places], arrays.target[places])
        new = _fitting(spans, forests, chosen, phrases, least)
        whole = np.append(whole, np.ones(len(new), bool))
        arrays = with_pairs(arrays, forests, new, [BASE] * len(new), [0] * len(new))
    return _with_kinds(arrays, chosen, whole)


def _unclear(
    arrays: AlignmentArrays,
    leaves: Mapping[int, Candidate],
    links: Mapping[tuple[int, int], float],
) -> np.ndarray:
    """Which pairs are two words whose link is improbable, or of which one has another link: bool (D,)."""
    rows, columns = Counter(i for i, _ in links), Counter(j for _, j in links)
    unclear = np.zeros(len(arrays.source), bool)
    for place, leaf in leaves.items():
        i, j = leaf.source[0], leaf.target[0]
        are_words = leaf.source[1] - i == 1 == leaf.target[1] - j
        if are_words and arrays.parent[place] >= 0:
            unclear[place] = links[i, j] < CONFIDENT_LINK or rows[i] + columns[j] > 2
    return unclear


def _improbable(
    arrays: AlignmentArrays,
    trees: tuple[ChosenTree, ChosenTree],
    links: Collection[tuple[int, int]],
    phrases: PhraseEvidence,
) -> np.ndarray:
    """Which pairs of phrases are improbable though a link leaves them: bool (D,)."""
    spans = _spans_of(trees, arrays.source, arrays.target)
    words = np.array(sorted(links), np.int64).reshape(-1, 2)
    starts, ends = spans[:, None, ::2], spans[:, None, 1::2]
    inside = (starts <= words) & (words < ends)  # (D, links, 2)
    longer = (spans[:, 1::2] - spans[:, ::2]).max(axis=1) > 1
    across = (inside[..., 0] != inside[..., 1]).any(axis=1) & longer & (arrays.parent >= 0)
    if across.any():
        across[across] = phrases.log_probabilities(spans[across]) < np.log(LEAST_ACROSS_LINKS)
    return across


def _fitting(
    spans: np.ndarray,
    forests: tuple[ParseForest, ParseForest],
    trees: tuple[ChosenTree, ChosenTree],
    phrases: PhraseEvidence,
    least: float,
) -> list[tuple[int, int]]:
    """Nodes of the pairs that are added to those with the given spans, int (D, 4)."""
    candidates = phrases.spans_from(least)
    candidates = candidates[_agree(candidates, spans).all(axis=1)]
    node_of = [{(tree.start[node], tree.end[node]): node for node in tree.nodes} for tree in trees]
    used = [Counter(map(tuple, spans[:, columns].tolist())) for columns in (slice(0, 2), slice(2, 4))]
    fitting: list[tuple[int, int]] = []
    added = np.zeros((0, 4), np.int64)
    for row in candidates:
        sides = tuple(row[:2].tolist()), tuple(row[2:].tolist())
        nodes = [known.get(span, -1) for known, span in zip(node_of, sides, strict=True)]
        if min(nodes) < 0 or not _agree(row[None], added).all():
            continue
        times = [counts[span] for counts, span in zip(used, sides, strict=True)]
        if all(times) or any(
            count and count >= min(2, chain_length(forest, node))
            for count, forest, node in zip(times, forests, nodes, strict=True)
        ):
            continue
        fitting.append((nodes[0], nodes[1]))
        added = np.concatenate([added, row[None]])
        for counts, span in zip(used, sides, strict=True):
            counts[span] += 1
    return fitting


def _agree(some: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Whether two pairs lie below each other, or apart, on both sides alike: bool (K, D).

    If they share one node, one of the other nodes has to lie below the other.
    """
    starts, ends = some[:, None, ::2] - others[:, ::2], some[:, None, 1::2] - others[:, 1::2]
    around, inside = (starts <= 0) & (ends >= 0), (starts >= 0) & (ends <= 0)  # (K, D, 2)
    same, nested = around & inside, around ^ inside
    alike = (around[..., 0] == around[..., 1]) & (inside[..., 0] == inside[..., 1])
    agreeing: np.ndarray = np.where(
        same[..., 0], nested[..., 1], np.where(same[..., 1], nested[..., 0], alike)
    )
    return agreeing


def _spans_of(trees: tuple[ChosenTree, ChosenTree], source: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Start and end of both nodes of each pair, int64 (D, 4)."""
    ends = [
        np.asarray(values, np.int64)[nodes]
        for tree, nodes in zip(trees, (source, target), strict=True)
        for values in (tree.start, tree.end)
    ]
    return np.stack(ends, axis=1)


def _with_kinds(
    arrays: AlignmentArrays, trees: tuple[ChosenTree, ChosenTree], whole: np.ndarray
) -> AlignmentArrays:
    """Recompute the kind and the parent of each pair; ``whole`` marks compositional pairs."""
    places = np.flatnonzero(~arrays.absorbed)
    nodes = arrays.source[places], arrays.target[places]
    spans = _spans_of(trees, *nodes)
    below = contained(spans, spans).T
    np.fill_diagonal(below, False)
    rests_on = largest_below(below)
    kind, parent = arrays.kind.copy(), arrays.parent.copy()
    kind[arrays.absorbed] = COMPOSITIONAL  # what gave way decides no more
    for k, place in enumerate(places.tolist()):
        members = np.flatnonzero(rests_on[k])
        parent[places[members]] = place
        if len(members) < 2:
            kind[place] = SINGLE if len(members) else BASE
            continue
        supports = [
            len(members) == 2 and tree.is_lca(int(side[k]), int(side[members[0]]), int(side[members[1]]))
            for tree, side in zip(trees, nodes, strict=True)
        ]
        # The roots may be above the lowest common ancestor on one side.
        is_whole = whole[place] and (any(supports) if arrays.parent[place] < 0 else all(supports))
        kind[place] = COMPOSITIONAL if is_whole else NONCOMPOSITIONAL
    return arrays._replace(kind=kind, parent=parent)


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
    ends = np.array(
        [(*pair.source_node.span, *pair.target_node.span) for pair in alignment.phrases], np.int64
    )
    links = sorted(set(alignment.words.pairs) - set(alignment.outside))
    words = np.array([(i, i + 1, j, j + 1) for i, j in links], np.int64).reshape(-1, 4)
    spans = evidence.spans_from(_LEAST_OF_FURTHER)
    known = (spans[:, None] == ends).all(axis=2).any(axis=1)
    spans = spans[~known & _agree(spans, ends).all(axis=1) & _agree(spans, words).all(axis=1)]
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
