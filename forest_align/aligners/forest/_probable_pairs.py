"""Revises the pairs of a derivation: leaves unclear words out, adds probable phrases.

The search aligns every node once and needs two words wherever phrases rest on them. So a derivation has pairs
of words whose link is doubtful, and lacks pairs of phrases that fit into it. Above all it lacks second pairs
of a unary chain: *Handspring*, a noun phrase of one word, may be aligned with *Handspring* and with
*Handspring common stock*.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

import numpy as np

from forest_align.aligners.forest._maximum_set import compositional, log_posterior_of
from forest_align.aligners.forest._tree_conditions import ChosenTree, chain_length
from forest_align.aligners.forest.base_pairs import CONFIDENT_LINK
from forest_align.cext.alignment_arrays import BASE, COMPOSITIONAL, NONCOMPOSITIONAL, SINGLE

if TYPE_CHECKING:
    from forest_align.aligners.forest.phrase_evidence import PhraseEvidence
    from forest_align.aligners.words.candidate import Candidate
    from forest_align.cext.alignment_arrays import AlignmentArrays
    from forest_align.types import Derivation, ParseForest

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
        arrays = arrays._replace(
            source=np.append(arrays.source, [s for s, _ in new]).astype(np.int32),
            target=np.append(arrays.target, [t for _, t in new]).astype(np.int32),
            kind=np.append(arrays.kind, np.full(len(new), BASE, np.int8)),
            parent=np.append(arrays.parent, np.zeros(len(new), np.int32)),
            absorbed=np.append(arrays.absorbed, np.zeros(len(new), bool)),
            log_posterior=np.append(
                arrays.log_posterior, [log_posterior_of(arrays, forests, pair) for pair in new]
            ),
        )
    return _with_kinds(arrays, chosen, whole)


def _unclear(
    arrays: AlignmentArrays,
    leaves: Mapping[int, Candidate],
    links: Mapping[tuple[int, int], float],
) -> np.ndarray:
    """Which pairs are two words whose link is improbable, or of which one has another link: bool (D,)."""
    rows, columns = Counter(i for i, _ in links), Counter(j for _, j in links)
    found = np.zeros(len(arrays.source), bool)
    for place, leaf in leaves.items():
        i, j = leaf.source[0], leaf.target[0]
        are_words = leaf.source[1] - i == 1 == leaf.target[1] - j
        if are_words and arrays.parent[place] >= 0:
            found[place] = links[i, j] < CONFIDENT_LINK or rows[i] + columns[j] > 2
    return found


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
    found = (inside[..., 0] != inside[..., 1]).any(axis=1) & longer & (arrays.parent >= 0)
    if found.any():
        found[found] = phrases.log_probabilities(spans[found]) < np.log(LEAST_ACROSS_LINKS)
    return found


def _fitting(
    spans: np.ndarray,
    forests: tuple[ParseForest, ParseForest],
    trees: tuple[ChosenTree, ChosenTree],
    phrases: PhraseEvidence,
    least: float,
) -> list[tuple[int, int]]:
    """Nodes of the pairs that are added to those with the given spans, int (D, 4)."""
    probabilities = phrases.probabilities
    order = np.argsort(-probabilities, kind="stable")
    order = order[probabilities[order] >= least]
    candidates = phrases.spans[order].astype(np.int64)
    order = np.flatnonzero(agree(candidates, spans).all(axis=1))
    if not len(order):
        return []
    node_of = [{(tree.start[node], tree.end[node]): node for node in tree.nodes} for tree in trees]
    used = [Counter(map(tuple, spans[:, columns].tolist())) for columns in (slice(0, 2), slice(2, 4))]
    found: list[tuple[int, int]] = []
    added = np.zeros((0, 4), np.int64)
    for row in candidates[order]:
        sides = tuple(row[:2].tolist()), tuple(row[2:].tolist())
        if any(span not in known for known, span in zip(node_of, sides, strict=True)):
            continue
        if not agree(row[None], added).all():
            continue
        nodes = [known[span] for known, span in zip(node_of, sides, strict=True)]
        times = [counts[span] for counts, span in zip(used, sides, strict=True)]
        shared = [k for k in (0, 1) if times[k]]
        if len(shared) == 2 or any(times[k] >= min(2, chain_length(forests[k], nodes[k])) for k in shared):
            continue
        found.append((nodes[0], nodes[1]))
        added = np.concatenate([added, row[None]])
        for counts, span in zip(used, sides, strict=True):
            counts[span] += 1
    return found


def _contains(outer: np.ndarray, inner: np.ndarray, column: int) -> np.ndarray:
    """Whether spans of one side (its first column is given) contain others: bool (K, D)."""
    starts = outer[:, None, column] <= inner[None, :, column]
    result: np.ndarray = starts & (inner[None, :, column + 1] <= outer[:, None, column + 1])
    return result


def agree(some: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Whether two pairs lie below each other, or apart, on both sides alike: bool (K, D).

    If they share one node, one of the other nodes has to lie below the other.
    """
    around = [_contains(some, others, column) for column in (0, 2)]
    inside = [_contains(others, some, column).T for column in (0, 2)]
    same = [one & other for one, other in zip(around, inside, strict=True)]
    alike = (around[0] == around[1]) & (inside[0] == inside[1])
    nested = [one ^ other for one, other in zip(around, inside, strict=True)]
    result: np.ndarray = np.where(same[0], nested[1], np.where(same[1], nested[0], alike))
    return result


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
    """Say anew what each pair rests on and which pair is around it; ``whole`` tells compositional pairs."""
    places = np.flatnonzero(~arrays.absorbed)
    nodes = arrays.source[places], arrays.target[places]
    spans = _spans_of(trees, *nodes)
    below = _contains(spans, spans, 0) & _contains(spans, spans, 2)
    np.fill_diagonal(below, False)
    steps = below.astype(np.float32)
    rests_on = below & ~(steps @ steps > 0)  # not those below another one that is below
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
