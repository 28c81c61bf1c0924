"""Chooses among the trees of a forest: the cost of each tree, and the tree that an alignment requires."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np

from forest_align.types import Derivation, ParseForest


def tree_losses(forest: ParseForest) -> tuple[np.ndarray, np.ndarray]:
    """Loss in log-probability of a tree for each hyperedge and root: 0 throughout the most probable tree.

    The losses of a tree's root and hyperedges add up to the log of its probability relative to that of the
    most probable tree.

    Losses are at most 0: float64 (E,) of the hyperedges, and (R,) of the roots.
    """
    triples = forest.edges.tolist()
    log_edges = (forest.edge_log_marginal - forest.log_marginal[forest.edges[:, 0]]).tolist()
    best = [0.0] * len(forest)
    values = []
    seen = -1
    for (parent, left, right), own in zip(triples, log_edges, strict=True):
        value = own + best[left] + best[right]
        best[parent] = value if parent != seen else max(best[parent], value)
        seen = parent
        values.append(value)
    below = np.array(best)
    roots = forest.log_marginal[forest.roots] + below[forest.roots]
    edges = np.array(values, np.float64) - below[forest.edges[:, 0]]
    return np.minimum(edges, 0.0), roots - roots.max()


def choose_tree(
    forest: ParseForest, edges: Iterable[int], nodes: Collection[int], root: int | None = None
) -> Derivation:
    """The parser's most probable tree that uses the given hyperedges and contains the nodes if it can."""
    if len(forest.edges) == forest.token_count - 1 and len(forest.roots) == 1:
        return forest.best_derivation()  # there is only one tree
    triples = forest.edges.tolist()
    forced = {triples[edge][0]: edge for edge in edges}
    required = frozenset(nodes)
    log_edges = (forest.edge_log_marginal - forest.log_marginal[forest.edges[:, 0]]).tolist()
    options: list[list[int]] = [[] for _ in range(len(forest))]
    for edge, (parent, _, _) in enumerate(triples):
        if forced.get(parent, edge) == edge:
            options[parent].append(edge)
    best: list[tuple[int, float]] = []
    chosen: list[int] = []
    for node, mine in enumerate(options):
        value, choice = (0, 0.0), -1
        for edge in mine:
            _, left, right = triples[edge]
            found = (
                best[left][0] + best[right][0],
                best[left][1] + best[right][1] + log_edges[edge],
            )
            if choice < 0 or found > value:
                value, choice = found, edge
        best.append((value[0] + (node in required), value[1]))
        chosen.append(choice)
    if root is None:
        tops = forest.roots.tolist()
        root = max(tops, key=lambda top: (best[top][0], best[top][1] + float(forest.log_marginal[top])))
    picked: dict[int, int] = {}
    todo = [root]
    while todo:
        node = todo.pop()
        if chosen[node] >= 0:
            picked[node] = chosen[node]
            todo += triples[chosen[node]][1:]
    return Derivation(root, picked, forest.log_probability(root, picked))
