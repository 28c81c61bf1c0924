"""What a derivation of the forest aligner rests on, read off its arrays in the plainest way."""

from __future__ import annotations

import numpy as np

from forest_align.cext.alignment_arrays import AlignmentArrays


def nested(arrays: AlignmentArrays, top: int) -> tuple[int, int, int, frozenset[object]]:
    """A derivation as the enumeration writes it, from the pair at a position."""
    below = np.flatnonzero(arrays.parent == top).tolist()
    pair = int(arrays.source[top]), int(arrays.target[top]), int(arrays.kind[top])
    return (*pair, frozenset(nested(arrays, place) for place in below))


def supported(arrays: AlignmentArrays, side: int, top: int) -> tuple[int, set[int]]:
    """The node of a pair on one side, and those of the pairs that it rests on."""
    nodes = (arrays.source, arrays.target)[side]
    return int(nodes[top]), set(nodes[arrays.parent == top].tolist())


def hanging(side: tuple[np.ndarray, ...], top: int, members: set[int]) -> tuple[list[int], list[int]]:
    """Hyperedges of a tree from a node down to others, and the largest subtrees that hang off these paths."""
    start, end, edges = side
    if top in members or not members:
        return [], []
    if not any(start[top] <= start[one] and end[one] <= end[top] for one in members):
        return [], [top]
    (edge,) = np.flatnonzero(edges[:, 0] == top).tolist()
    below = [hanging(side, int(child), members) for child in edges[edge, 1:]]
    return [edge, *(one for used, _ in below for one in used)], [node for _, nulls in below for node in nulls]
