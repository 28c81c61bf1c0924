"""Builds packed forests: binarizes each tree around its semantic heads and merges equal nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from forest_align.parsing.forests._semantic_heads import (
    PUNCTUATION,
    coordinations,
    head_child,
    last_conjunction,
    symbol,
)
from forest_align.types import InputError, ParseForest
from forest_align.types.brackets import TEXT, escape_word, split_chain


class Merge(NamedTuple):
    """One binary step. Children are numbered from 0; step ``s`` produces number ``children + s``."""

    left: int
    right: int
    head_is_left: bool


@lru_cache(maxsize=65536)
def binarization_plan(label: str, children: tuple[str, ...]) -> tuple[Merge, ...]:
    """The steps that build a constituent from its children; the last one makes the constituent itself.

    As in HPSG, right-hand modifiers of the head are attached first and left-hand ones last: ``NP → DT N'``. A
    coordination is right-branching, ``X (, (Y (and Z)))``, and modifiers attach to all of it. Punctuation at
    the edges is attached last, so the text that it encloses is a node. Sentences of a text are joined from
    the right.
    """
    if label == TEXT:  # join the sentences from the right; the first one has the head
        last = len(children) - 1
        return tuple(Merge(last - 1 - step, last + step, True) for step in range(last))
    steps: list[Merge] = []
    units, head = _units(label, children, steps)

    def merge(left: int, right: int, head_is_left: bool) -> int:
        steps.append(Merge(left, right, head_is_left))
        return len(children) + len(steps) - 1

    first, last = 0, len(units) - 1
    edges: list[int] = []  # positions of the punctuation at the edges, outermost first
    while last > head and _is_punctuation(units[last], children):
        edges.append(last)
        last -= 1
    while first < head and _is_punctuation(units[first], children):
        edges.append(first)
        first += 1
    top = units[head]
    for position in (*range(head + 1, last + 1), *range(head - 1, first - 1, -1), *reversed(edges)):
        unit = units[position]
        top = merge(top, unit, True) if position > head else merge(unit, top, False)
    return tuple(steps)


def _units(label: str, children: tuple[str, ...], steps: list[Merge]) -> tuple[list[int], int]:
    """Build each coordination; return the resulting sequence of units and the head's position in it."""
    head = head_child(label, children)
    units: list[int] = []
    position_of_head = -1
    at = 0
    for first, last in (*coordinations(label, children), (len(children), len(children))):
        if at <= head < first:
            position_of_head = len(units) + head - at
        units.extend(range(at, first))
        if first < last:
            if first <= head < last:
                position_of_head = len(units)
            # X (, (Y (and Z))), headed by the last conjunction
            conjunction = last_conjunction(children, first, last)
            top = last - 1
            for child in range(last - 2, first - 1, -1):
                steps.append(Merge(child, top, child == conjunction))
                top = len(children) + len(steps) - 1
            units.append(top)
        at = last
    return units, position_of_head


def _is_punctuation(unit: int, children: tuple[str, ...]) -> bool:
    return unit < len(children) and children[unit] in PUNCTUATION


# Below every relevant probability, but large enough for a logarithm.
_SMALLEST = 1e-300


class Constituent(NamedTuple):
    """A constituent with its whole subtree, shared by all trees that contain exactly this subtree."""

    start: int
    end: int
    label: str  # Unary chain joined by `"::"`; for leaves, it ends in the tag
    # Numbers of its children, which come before it; empty for a leaf, otherwise two or more
    children: tuple[int, ...]


def forest_from_constituents(
    constituents: Sequence[Constituent],
    tops: Sequence[int],
    log_probabilities: Sequence[float] | np.ndarray | None,
    words: Sequence[str],
    log_posteriors: np.ndarray | None = None,
) -> ParseForest:
    """Binarize and pack trees that share their subtrees.

    Each node's ℓ(τ) is the sum of the normalised probabilities of the trees that contain it (Arase & Tsujii
    2017, §5.4).
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
    packing = Packing()
    nodes = _add_constituents(packing, constituents, weights, is_best, words)
    order = sorted(range(len(tops)), key=lambda tree: -probabilities[tree])
    forest, numbers = packing.finish([nodes[tops[tree]] for tree in order])
    if log_posteriors is None:
        return forest
    # Constituents that differ only below or in their heads have the same span and label, so the same value.
    of_nodes = np.full(len(forest), np.nan)
    of_nodes[[numbers[node] for node in nodes]] = log_posteriors
    return replace(forest, log_posterior=of_nodes)


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
        chain = split_chain(label)
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
        raise InputError(f"expected {count} log-probabilities, one per tree, found {values.size}")
    if not np.isfinite(values).all():
        raise InputError("expected finite log-probabilities")
    probabilities = np.exp(values - values.max())
    normalised: list[float] = (probabilities / probabilities.sum()).tolist()
    return normalised


def _add_constituents(
    packing: Packing,
    constituents: Sequence[Constituent],
    weights: Sequence[float],
    is_best: bytearray,
    words: Sequence[str],
) -> list[int]:
    """Add constituents and the nodes that binarize them; return the node of each constituent."""
    nodes: list[int] = []
    symbols: list[str] = []
    for number, (start, end, label, children) in enumerate(constituents):
        weight = weights[number]
        if not children:
            symbols.append(symbol(label, words[start]))
            nodes.append(packing.node(start, end, label, True, start, weight))
            continue
        chain = split_chain(label)
        top_label = chain[0]
        symbols.append(top_label)
        parts = [nodes[child] for child in children]
        plan = binarization_plan(chain[-1], tuple([symbols[child] for child in children]))
        last = len(plan) - 1
        for step, (left, right, head_is_left) in enumerate(plan):
            left, right = parts[left], parts[right]
            from_left, from_right = packing.spans[left], packing.spans[right]
            head = from_left[2] if head_is_left else from_right[2]
            if step == last:
                node = packing.node(start, end, label, True, head, weight)
            else:
                node = packing.node(from_left[0], from_right[1], top_label + "'", False, head, weight)
            packing.edge(node, left, right, weight, bool(is_best[number]))
            parts.append(node)
        nodes.append(parts[-1])
    return nodes


class Packing:
    """Nodes and hyperedges of a forest under construction; equal ones are merged and their weights summed."""

    def __init__(self) -> None:
        # (length, start, label, is not a constituent, head): sorting these keys sorts nodes bottom-up.
        self._nodes: dict[tuple[int, int, str, bool, int], int] = {}
        self._node_weights: list[float] = []
        self._edges: dict[tuple[int, int, int], float] = {}
        self._best_edges: dict[int, tuple[int, int, int]] = {}
        #: Start, end and head of each node.
        self.spans: list[tuple[int, int, int]] = []

    def node(self, start: int, end: int, label: str, is_constituent: bool, head: int, weight: float) -> int:
        """Add a node, or add its weight to an equal one; return its number."""
        key = (end - start, start, label, not is_constituent, head)
        number = self._nodes.get(key)
        if number is None:
            number = self._nodes[key] = len(self.spans)
            self._node_weights.append(weight)
            self.spans.append((start, end, head))
        else:
            self._node_weights[number] += weight
        return number

    def edge(self, parent: int, left: int, right: int, weight: float, is_best: bool) -> None:
        """Add a hyperedge, or add its weight to an equal one; ``is_best`` if the best tree uses it."""
        edge = (parent, left, right)
        self._edges[edge] = self._edges.get(edge, 0.0) + weight
        if is_best:
            self._best_edges[parent] = edge

    def finish(self, roots: Sequence[int]) -> tuple[ParseForest, list[int]]:
        """Number the nodes bottom-up and turn everything into arrays."""
        keys = sorted(self._nodes)
        old_numbers = [self._nodes[key] for key in keys]
        new_numbers = [0] * len(keys)
        for new, old in enumerate(old_numbers):
            new_numbers[old] = new
        edges = sorted(
            [
                (new_numbers[p], new_numbers[left], new_numbers[right], weight)
                for (p, left, right), weight in self._edges.items()
            ]
        )
        edge_numbers = {edge[:3]: number for number, edge in enumerate(edges)}
        best_edge = np.full(len(keys), -1, dtype=np.int32)
        for edge in self._best_edges.values():
            p, left, right = (new_numbers[node] for node in edge)
            best_edge[p] = edge_numbers[p, left, right]
        numbers = np.array([(key[1], key[1] + key[0], key[4]) for key in keys], dtype=np.int32).T
        forest = ParseForest(
            start=np.ascontiguousarray(numbers[0]),
            end=np.ascontiguousarray(numbers[1]),
            labels=tuple([key[2] for key in keys]),
            is_constituent=np.array([not key[3] for key in keys], dtype=bool),
            head=np.ascontiguousarray(numbers[2]),
            log_marginal=log_of_probabilities([self._node_weights[old] for old in old_numbers]),
            edges=np.array([edge[:3] for edge in edges], dtype=np.int32).reshape(-1, 3),
            edge_log_marginal=log_of_probabilities([edge[3] for edge in edges]),
            roots=np.array(list(dict.fromkeys(new_numbers[root] for root in roots)), dtype=np.int32),
            best_edge=best_edge,
        )
        return forest, new_numbers


def log_of_probabilities(values: Sequence[float] | np.ndarray) -> np.ndarray:
    """Finite logarithms, float64, of sums of probabilities; rounding may make the sums exceed one."""
    return np.log(np.clip(np.asarray(values, dtype=np.float64), _SMALLEST, 1.0))
