"""Builds packed forests: binarizes each tree around its semantic heads and packs equal nodes of all trees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from forest_align.parsing.binarize import binarization_plan
from forest_align.parsing.heads import symbol
from forest_align.types import InputError, ParseForest
from forest_align.types.derivation import escape_word

# Below every probability that matters, above what a logarithm cannot take.
_SMALLEST = 1e-300


class Constituent(NamedTuple):
    """A constituent with all that is below it, shared by the trees that contain exactly this subtree.

    Attributes
    ----------
    start, end : int
        Half-open token span.
    label : str
        Unary chain joined by ``"::"``; for leaves it ends in the tag.
    children : tuple of int
        Numbers of its children, which come before it; empty for a leaf, otherwise two or more.
    """

    start: int
    end: int
    label: str
    children: tuple[int, ...]


def forest_from_constituents(
    constituents: Sequence[Constituent],
    tops: Sequence[int],
    log_probabilities: Sequence[float] | np.ndarray | None,
    words: Sequence[str],
) -> ParseForest:
    """Binarize and pack trees that share their subtrees.

    Each node's ℓ(τ) is the sum of the normalised probabilities of the trees that contain it
    (Arase & Tsujii 2017, §5.4).

    Parameters
    ----------
    constituents : sequence of Constituent
        Children before parents.
    tops : sequence of int
        The whole trees, as numbers of constituents.
    log_probabilities : sequence of float or None
        One a tree, not necessarily normalised; None for equal ones.
    words : sequence of str
        The words, which tell auxiliaries from other verbs.

    Raises
    ------
    InputError
        If there are no trees, or log-probabilities that do not fit them or are not finite.
    """
    probabilities = _normalised(log_probabilities, len(tops))
    weights = [0.0] * len(constituents)
    for top, probability in zip(tops, probabilities, strict=True):
        weights[top] += probability
    best = max(range(len(tops)), key=probabilities.__getitem__)
    is_best = bytearray(len(constituents))
    is_best[tops[best]] = 1
    for number in range(len(constituents) - 1, -1, -1):
        weight = weights[number]
        for child in constituents[number].children:
            weights[child] += weight
            if is_best[number]:
                is_best[child] = 1
    packing = _Packing()
    for number, constituent in enumerate(constituents):
        packing.add(constituent, weights[number], bool(is_best[number]), words)
    order = sorted(range(len(tops)), key=lambda tree: -probabilities[tree])
    return packing.finish([packing.nodes_of_constituents[tops[tree]] for tree in order])


def write_constituents(constituents: Sequence[Constituent], top: int, words: Sequence[str]) -> str:
    """Write one tree in Penn brackets, unary chains restored."""
    pieces: list[str] = []
    todo: list[int | str] = [top]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            pieces.append(item)
            continue
        start, _, label, children = constituents[item]
        chain = label.split("::")
        pieces.append(" " + " ".join(f"({name}" for name in chain))
        if children:
            todo.append(")" * len(chain))
            todo.extend(reversed(children))
        else:
            pieces.append(f" {escape_word(words[start])}{')' * len(chain)}")
    return "".join(pieces).lstrip()


def _normalised(log_probabilities: Sequence[float] | np.ndarray | None, count: int) -> list[float]:
    if count == 0:
        raise InputError("expected at least one tree")
    if log_probabilities is None:
        return [1.0 / count] * count
    values = np.asarray(log_probabilities, dtype=np.float64)
    if values.shape != (count,):
        raise InputError(f"expected {count} log-probabilities, one a tree, found {values.size}")
    if not np.isfinite(values).all():
        raise InputError("expected finite log-probabilities")
    probabilities = np.exp(values - values.max())
    normalised: list[float] = (probabilities / probabilities.sum()).tolist()
    return normalised


class _Packing:
    """Nodes and hyperedges of the forest under construction."""

    def __init__(self) -> None:
        # (length, start, label, is not a constituent, head): sorting these keys sorts nodes bottom-up.
        self.nodes: dict[tuple[int, int, str, bool, int], int] = {}
        self.node_weights: list[float] = []
        self.edges: dict[tuple[int, int, int], float] = {}
        self.best_edges: dict[int, tuple[int, int, int]] = {}
        self.nodes_of_constituents: list[int] = []
        self._spans: list[tuple[int, int, int]] = []  # start, end, head of each node
        self._symbols: list[str] = []  # of each constituent

    def add(self, constituent: Constituent, weight: float, is_best: bool, words: Sequence[str]) -> None:
        """Add a constituent, whose children were added before, and the nodes that binarize it."""
        start, end, label, children = constituent
        if not children:
            self._symbols.append(symbol(label, words[start]))
            self.nodes_of_constituents.append(self._node(start, end, label, False, start, weight))
            return
        self._symbols.append(label.partition("::")[0])
        parts = [self.nodes_of_constituents[child] for child in children]
        plan = binarization_plan(
            label.rpartition("::")[2], tuple([self._symbols[child] for child in children])
        )
        inner_label = label.partition("::")[0] + "'"
        last = len(plan) - 1
        for step, (left, right, head_is_left) in enumerate(plan):
            left, right = parts[left], parts[right]
            from_left, from_right = self._spans[left], self._spans[right]
            node = self._node(
                from_left[0],
                from_right[1],
                label if step == last else inner_label,
                step != last,
                from_left[2] if head_is_left else from_right[2],
                weight,
            )
            edge = (node, left, right)
            self.edges[edge] = self.edges.get(edge, 0.0) + weight
            if is_best:
                self.best_edges[node] = edge
            parts.append(node)
        self.nodes_of_constituents.append(parts[-1])

    def _node(self, start: int, end: int, label: str, is_inner: bool, head: int, weight: float) -> int:
        key = (end - start, start, label, is_inner, head)
        found = self.nodes.get(key)
        if found is None:
            found = self.nodes[key] = len(self.nodes)
            self.node_weights.append(weight)
            self._spans.append((start, end, head))
        else:
            self.node_weights[found] += weight
        return found

    def finish(self, roots: Sequence[int]) -> ParseForest:
        """Number the nodes bottom-up and turn everything into arrays; ``roots`` come best first."""
        keys = sorted(self.nodes)
        old_numbers = [self.nodes[key] for key in keys]
        new_numbers = [0] * len(keys)
        for new, old in enumerate(old_numbers):
            new_numbers[old] = new
        edges = sorted(
            [
                (new_numbers[p], new_numbers[left], new_numbers[right], weight)
                for (p, left, right), weight in self.edges.items()
            ]
        )
        edge_numbers = {edge[:3]: number for number, edge in enumerate(edges)}
        best_edge = np.full(len(keys), -1, dtype=np.int32)
        for edge in self.best_edges.values():
            p, left, right = (new_numbers[node] for node in edge)
            best_edge[p] = edge_numbers[p, left, right]
        numbers = np.array([(key[1], key[1] + key[0], key[4]) for key in keys], dtype=np.int32).T
        return ParseForest(
            start=np.ascontiguousarray(numbers[0]),
            end=np.ascontiguousarray(numbers[1]),
            labels=tuple([key[2] for key in keys]),
            is_constituent=np.array([not key[3] for key in keys], dtype=bool),
            head=np.ascontiguousarray(numbers[2]),
            log_marginal=_log([self.node_weights[old] for old in old_numbers]),
            edges=np.array([edge[:3] for edge in edges], dtype=np.int32).reshape(-1, 3),
            edge_log_marginal=_log([edge[3] for edge in edges]),
            roots=np.array(list(dict.fromkeys(new_numbers[root] for root in roots)), dtype=np.int32),
            best_edge=best_edge,
        )


def _log(weights: list[float]) -> np.ndarray:
    # Sums of probabilities may exceed one by a rounding error.
    return np.log(np.clip(np.array(weights, dtype=np.float64), _SMALLEST, 1.0))
