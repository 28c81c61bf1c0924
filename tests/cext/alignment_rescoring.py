"""Scores a derivation from its arrays alone and checks what they claim; knows nothing of the search."""

from __future__ import annotations

from typing import Any

import numpy as np

from forest_align.cext.alignment_arrays import SearchOptions, SideArrays

from .alignment_cases import Case

# How many pairs each kind of support rests on: base, two pairs, a merged set, one pair.
MEMBERS = {0: (0,), 1: (2,), 2: range(2, 17), 3: (1,)}


def rescore(case: Case, options: SearchOptions, found: Any) -> float:
    """The score of a derivation by Eq. (1), penalties and hyperedges included."""
    base = case.base_pairs()
    sides = [Chosen(case.source, found.source_edges), Chosen(case.target, found.target_edges)]
    columns = found.source.tolist(), found.target.tolist()
    null_words, total = [0] * len(columns[0]), 0.0
    for step in reversed(range(len(columns[0]))):  # what supports a pair comes after it
        members = np.flatnonzero(found.parent == step).tolist()
        s, t, kind = columns[0][step], columns[1][step], found.kind[step]
        assert len(members) in MEMBERS[kind]
        if not members:
            total += max(prior for a, b, prior in base if (a, b) == (s, t))
        for side, column in zip(sides, columns, strict=True) if members else ():
            null_words[step] += side.walk(column[step], {column[member] for member in members})
        if options.count_all_nulls:
            null_words[step] += sum(null_words[member] for member in members)
        extra = options.noncompositional_penalty if kind == 2 else 0.0
        total += case.log_pair[s, t] - (null_words[step] + extra + 1) ** options.null_penalty
    for side, name in zip(sides, ("source", "target"), strict=True):
        assert sorted(side.nulls) == getattr(found, f"{name}_nulls").tolist()
        assert not side.unused, "every hyperedge leads from a pair to those that support it"
        total += side.log_null[side.nulls].sum()
        total += side.log_edges
    return float(total)


class Chosen:
    """One side of a derivation: the hyperedges that it opens, of which a node has one at most."""

    def __init__(self, arrays: SideArrays, edges: np.ndarray) -> None:
        self.start, self.end, self.log_null = arrays.start, arrays.end, arrays.log_null
        self.log_edges = 0.0 if arrays.log_edge is None else arrays.log_edge[edges].sum()
        self.children = {parent: children for parent, *children in arrays.edges[edges].tolist()}
        assert len(self.children) == len(edges), "a node has one hyperedge in a tree"
        self.unused = set(self.children)
        self.nulls: list[int] = []

    def walk(self, top: int, members: set[int]) -> int:
        """Go from a node down to the members; returns how many words are null on the way."""
        if top in members:
            return 0
        if top not in self.children:
            self.nulls.append(top)
            return int(self.end[top] - self.start[top])
        self.unused.discard(top)
        return sum(self.walk(child, members) for child in self.children[top])
