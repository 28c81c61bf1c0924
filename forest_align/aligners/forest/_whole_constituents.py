"""Widens aligned parts of constituents, which binarization created, to whole constituents.

The search runs on binary trees, where the nodes of a phrase pair are the lowest common ancestors of its
supports (Arase & Tsujii 2017, §4.1). If a constituent has more than two children, that ancestor may be only a
part of it: "political refugee" of "a political refugee". In the original tree of the parser, the lowest
common ancestor is the whole constituent, and that is what people want to see.

A pair around such a part may have taken its constituent: *financial asset management corporations* is aligned
with *against asset management companies*, and only the part *asset management corporations* with *asset
management companies*. If the pair around rests on the part alone, it gives way, and the part is widened.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from forest_align.cext.alignment_arrays import SINGLE, AlignmentArrays
from forest_align.types import Derivation, ParseForest


def with_whole_constituents(
    arrays: AlignmentArrays,
    forests: tuple[ParseForest, ParseForest],
    trees: tuple[Derivation, Derivation],
    links: Collection[tuple[int, int]],
) -> AlignmentArrays:
    """Replace parts of constituents by the whole constituents if no other pair or link prevents it.

    A pair is widened if both of its phrases are then constituents. The words that they gain must be in no
    other pair, and linked to no word outside of this pair. Pairs around it that rest on it alone give way if
    one of them has a node of the widened pair; they are then marked as absorbed. Conditions 1 to 5 of
    Definition 3.2 still hold, with lowest common ancestors in the parser's own trees
    (:mod:`forest_align.aligners.forest.legitimacy`).
    """
    reported = ~arrays.absorbed
    source = _Side.of(forests[0], trees[0], arrays.source)
    target = _Side.of(forests[1], trees[1], arrays.target)
    wanted = reported & source.can_be_whole & target.can_be_whole & (source.is_part | target.is_part)
    if not wanted.any():
        return arrays
    nodes = arrays.source.copy(), arrays.target.copy()
    widened = np.zeros(len(reported), bool)
    for place in np.flatnonzero(wanted).tolist():
        free = source.is_free(place, reported) and target.is_free(place, reported)
        widened[place] = free and _stay_inside(source, target, place, links)
    for side, chosen in ((source, nodes[0]), (target, nodes[1])):
        chosen[widened] = side.wholes[widened]
        side.now[widened] = side.then[widened]
    left = reported.copy()
    for place in reversed(np.flatnonzero(wanted & ~widened).tolist()):  # supports before what rests on them
        giving_way = _giving_way(arrays, source, target, place, left)
        if not giving_way or not _stay_inside(source, target, place, links):
            continue
        remaining = left.copy()
        remaining[giving_way] = False
        if source.is_free(place, remaining) and target.is_free(place, remaining):
            left = remaining
            for side, chosen in ((source, nodes[0]), (target, nodes[1])):
                chosen[place], side.now[place] = side.wholes[place], side.then[place]
    return arrays._replace(source=nodes[0], target=nodes[1], absorbed=~left)


def _giving_way(
    arrays: AlignmentArrays, source: _Side, target: _Side, place: int, reported: np.ndarray
) -> list[int]:
    """The pairs around a pair, each resting on one alone, up to the last one that has a widened node."""
    found: list[int] = []
    needed = 0
    around = int(arrays.parent[place])
    while (
        around >= 0
        and arrays.parent[around] >= 0  # the roots stay
        and reported[around]
        and arrays.kind[around] == SINGLE
        and np.count_nonzero(arrays.parent == around) == 1
    ):
        found.append(around)
        if any(np.array_equal(side.now[around], side.then[place]) for side in (source, target)):
            needed = len(found)
        around = int(arrays.parent[around])
    return found[:needed]


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """One side of D pairs: their nodes, and the smallest constituents of the chosen tree around them."""

    wholes: np.ndarray  # int32, shape (D,): the constituents; a node that is a constituent maps to itself
    # is_part, can_be_whole: bool, shape (D,): whether the node is not a constituent, and whether there is a
    # constituent for it
    is_part: np.ndarray
    can_be_whole: np.ndarray
    # now, then: int, shape (D, 2): spans of the nodes as they are now, and of the constituents
    now: np.ndarray
    then: np.ndarray

    @classmethod
    def of(cls, forest: ParseForest, tree: Derivation, nodes: np.ndarray) -> _Side:
        is_part = ~forest.is_constituent[nodes]
        wholes = nodes.copy()
        if is_part.any():
            wholes = _constituents_around(forest, tree)[nodes]
        spans = np.stack([forest.start, forest.end], 1)
        return cls(wholes, is_part, forest.is_constituent[wholes], spans[nodes], spans[wholes])

    def is_free(self, place: int, reported: np.ndarray) -> bool:
        """Whether the words that a phrase would gain are only in pairs that contain the widened phrase.

        Only the pairs count that are ``reported``: bool, shape (D,).
        """
        if not self.is_part[place]:
            return True
        (low, high), (start, end) = self.now[place], self.then[place]
        starts, ends = self.now[reported].T
        is_apart = (ends <= start) | (end <= starts)
        is_inside = (low <= starts) & (ends <= high)
        is_around = (starts <= start) & (end <= ends) & (ends - starts > end - start)
        return bool((is_apart | is_inside | is_around).all())

    def gains(self, place: int, word: int) -> bool:
        """Whether a phrase would gain this word."""
        return self.has(place, word) and not self.now[place, 0] <= word < self.now[place, 1]

    def has(self, place: int, word: int) -> bool:
        """Whether a word is in the constituent."""
        return bool(self.then[place, 0] <= word < self.then[place, 1])


def _constituents_around(forest: ParseForest, tree: Derivation) -> np.ndarray:
    """The smallest constituent around each node of a tree; other nodes map to themselves."""
    found = np.arange(len(forest), dtype=np.int32)
    for node in sorted(tree.edges, reverse=True):  # parents before children
        for child in forest.edges[tree.edges[node], 1:].tolist():
            if not forest.is_constituent[child]:
                found[child] = found[node]
    return found


def _stay_inside(source: _Side, target: _Side, place: int, links: Collection[tuple[int, int]]) -> bool:
    """Whether no link of a word that a pair would gain leads out of the widened pair."""
    return not any(
        (source.gains(place, i) and not target.has(place, j))
        or (target.gains(place, j) and not source.has(place, i))
        for i, j in links
    )
