"""Completes a derivation to the maximum set (Arase & Tsujii 2017, Definition 3.2, condition 6).

The search maximises a product of probabilities, in which every further pair is a factor below 1. A derivation
may therefore lack word candidates that fit in, and pairs that its pairs support. They are added afterwards.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from forest_align.aligners.forest._tree_conditions import (
    ChosenTree,
    NodePair,
    members_of,
    missing_pairs,
    structure_violations,
)
from forest_align.cext.alignment_arrays import BASE, COMPOSITIONAL, NONCOMPOSITIONAL, AlignmentArrays

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forest_align.aligners.words.candidate import Candidate
    from forest_align.types import Derivation, ParseForest

# Log posterior of a pair that the search did not keep.
_LEAST = math.log(1e-9)


def with_maximum_set(
    arrays: AlignmentArrays,
    forests: tuple[ParseForest, ParseForest],
    trees: tuple[Derivation, Derivation],
    base: Mapping[tuple[int, int], Candidate],
) -> AlignmentArrays:
    """Add the word candidates that fit into a derivation, best first, and all pairs that its pairs support.

    The score of the derivation stays that of the search. Without a pair of roots nothing is added: no set of
    pairs is then legitimate. Groups of words in ``base`` are not added. The new pairs come last. Their parent
    is the pair around them, and their posterior that of the search, or almost 0 if the search did not keep
    them.
    """
    if not arrays.root_aligned:
        return arrays
    chosen = ChosenTree.of(forests[0], trees[0]), ChosenTree.of(forests[1], trees[1])
    places = np.flatnonzero(~arrays.absorbed).tolist()
    whole = compositional(arrays)
    pairs: list[NodePair] = [(int(arrays.source[p]), int(arrays.target[p]), bool(whole[p])) for p in places]
    count, leaves = len(pairs), set()
    words = sorted((-found.score, leaf) for leaf, found in base.items() if _is_of_words(chosen, leaf))
    pairs = _completed(chosen, pairs)
    before = -1
    while before < len(pairs):  # a pair that was added may make room for another one
        before = len(pairs)
        for _, leaf in words:
            more = with_link(chosen, pairs, leaf)
            if more is not None:
                pairs = more
                leaves.add(leaf)
    if len(pairs) == count:
        return arrays
    kind = arrays.kind.copy()
    for place, (_, _, is_whole) in zip(places, pairs[:count], strict=True):
        if is_whole and not whole[place]:
            kind[place] = COMPOSITIONAL
            kind[arrays.absorbed & (arrays.parent == place)] = COMPOSITIONAL
    new = pairs[count:]
    kinds = [BASE if pair[:2] in leaves else COMPOSITIONAL if pair[2] else NONCOMPOSITIONAL for pair in new]
    posteriors = [log_posterior_of(arrays, forests, pair[:2]) for pair in new]
    above = [places[_around(chosen[0], pairs[:count], pair[0])] for pair in new]
    return arrays._replace(
        source=np.append(arrays.source, np.array([s for s, _, _ in new], np.int32)),
        target=np.append(arrays.target, np.array([t for _, t, _ in new], np.int32)),
        kind=np.append(kind, np.array(kinds, np.int8)),
        parent=np.append(arrays.parent, np.array(above, np.int32)),
        absorbed=np.append(arrays.absorbed, np.zeros(len(new), bool)),
        log_posterior=np.append(arrays.log_posterior, posteriors),
    )


def compositional(arrays: AlignmentArrays) -> np.ndarray:
    """Whether each pair of a derivation is compositional, bool (D,)."""
    found: np.ndarray = arrays.kind != NONCOMPOSITIONAL
    # A pair that replaces a non-compositional one takes over its supports.
    found[arrays.parent[arrays.absorbed & ~found]] = False
    return found


def _is_of_words(trees: tuple[ChosenTree, ChosenTree], leaf: tuple[int, int]) -> bool:
    """Whether two nodes are single words of the trees."""
    return all(
        node in tree.nodes and tree.end[node] - tree.start[node] == 1
        for tree, node in zip(trees, leaf, strict=True)
    )


def _is_free(trees: tuple[ChosenTree, ChosenTree], pairs: Sequence[NodePair], leaf: tuple[int, int]) -> bool:
    """Whether neither word is aligned by itself, and the same pairs contain both."""
    return not any(
        leaf[0] == s or leaf[1] == t or trees[0].contains(s, leaf[0]) != trees[1].contains(t, leaf[1])
        for s, t, _ in pairs
    )


def with_link(
    trees: tuple[ChosenTree, ChosenTree], pairs: Sequence[NodePair], leaf: tuple[int, int]
) -> list[NodePair] | None:
    """Add a pair of two words, and those that it then supports; None if the set would not be legitimate.

    The set so far is legitimate and includes the pair of the roots.
    """
    if not _is_free(trees, pairs, leaf):
        return None
    around = pairs[_around(trees[0], pairs, leaf[0])]
    beside = members_of(trees, pairs, around)
    if not beside:
        return None  # the words of a group are not aligned one by one
    more = [*pairs, (*leaf, True)]
    if len(beside) == 1 and around[2]:
        # The pair around it rests on a single pair; the two may support one of their own in between.
        between = tuple(
            tree.lowest(
                min(tree.start[one], tree.start[two]),
                max(tree.end[one], tree.end[two]),
            )
            for tree, one, two in zip(trees, leaf, beside[0], strict=False)
        )
        if between[0] != around[0] and between[1] != around[1]:
            more.append((between[0], between[1], True))
    more = _completed(trees, more)
    roots = trees[0].root, trees[1].root
    return None if structure_violations(trees, roots, more) else more


def _completed(trees: tuple[ChosenTree, ChosenTree], pairs: Sequence[NodePair]) -> list[NodePair]:
    """All pairs of the maximum set."""
    missing = missing_pairs(trees, pairs)
    if not missing:
        return list(pairs)
    more = [*pairs, *((s, t, False) for s, t in missing)]
    return [(*pair[:2], pair[2] or _is_supported(trees, more, pair)) for pair in more]


def _is_supported(trees: tuple[ChosenTree, ChosenTree], pairs: Sequence[NodePair], pair: NodePair) -> bool:
    """Whether a pair rests on exactly two pairs and has their lowest common ancestors."""
    members = members_of(trees, pairs, pair)
    if len(members) != 2:
        return False
    one, two = members
    return trees[0].is_lca(pair[0], one[0], two[0]) and trees[1].is_lca(pair[1], one[1], two[1])


def _around(tree: ChosenTree, pairs: Sequence[NodePair], node: int) -> int:
    """The place of the smallest pair around a source node."""
    around = [place for place, pair in enumerate(pairs) if tree.contains(pair[0], node)]
    return min(around, key=lambda place: tree.end[pairs[place][0]] - tree.start[pairs[place][0]])


def log_posterior_of(
    arrays: AlignmentArrays, forests: tuple[ParseForest, ParseForest], pair: tuple[int, int]
) -> float:
    """Log posterior of the spans of two nodes; almost nothing if the search kept no items that have them."""
    same = np.ones(len(arrays.item_source), bool)
    for forest, items, node in zip(forests, (arrays.item_source, arrays.item_target), pair, strict=True):
        same &= (forest.start[items] == forest.start[node]) & (forest.end[items] == forest.end[node])
    found = arrays.item_log_posterior[same]
    return max(float(found[0]), _LEAST) if len(found) else _LEAST
