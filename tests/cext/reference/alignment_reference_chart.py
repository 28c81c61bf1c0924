"""One forest with its null paths, and the chart with its beam: plain-Python twin of the alignment kernel."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from forest_align.cext.alignment_arrays import COMPOSITIONAL, NONCOMPOSITIONAL, SearchOptions

Path = tuple[float, tuple[int, ...]]  # log-probability of its nulls and hyperedges; the hyperedges


class Side:
    """One forest: its hyperedges and the best null paths between its nodes."""

    def __init__(
        self,
        start: Any,
        end: Any,
        edges: Any,
        roots: Any,
        log_null: Any,
        log_edge: Any = None,
    ) -> None:
        self.start, self.end = list(map(int, start)), list(map(int, end))
        self.edges = [tuple(map(int, edge)) for edge in edges]
        self.roots = list(map(int, roots))
        self.log_null = list(map(float, log_null))
        self.log_edge = [0.0] * len(self.edges) if log_edge is None else list(map(float, log_edge))
        self.edges_of: list[list[int]] = [[] for _ in self.start]
        for number, (parent, _, _) in enumerate(self.edges):
            self.edges_of[parent].append(number)
        self._reach: dict[int | None, list[dict[int, Path]]] = {}

    def __len__(self) -> int:
        return len(self.start)

    def reach(self, steps: int | None) -> list[dict[int, Path]]:
        """For each node: what lies at most so many generations below (or any number), by the best path."""
        if steps not in self._reach:
            table: list[dict[int, Path]] = []
            self._reach[steps] = table
            below = table if steps is None else (self.reach(steps - 1) if steps else [])
            for node in range(len(self)):
                found: dict[int, Path] = {node: (0.0, ())}
                table.append(found)
                for edge in self.edges_of[node] if steps != 0 else ():
                    _, left, right = self.edges[edge]
                    for child, other in ((left, right), (right, left)):
                        for lower, (gamma, path) in below[child].items():
                            score = gamma + self.log_null[other] + self.log_edge[edge]
                            if lower not in found or score > found[lower][0]:
                                found[lower] = (score, (edge, *path))
        return self._reach[steps]

    def pairs_below(self, node: int, gap: int) -> dict[tuple[int, int], Path]:
        """Pairs of nodes whose LCA is ``node``, left one first, with the best paths to both."""
        found: dict[tuple[int, int], Path] = {}
        near = self.reach(gap - 1)
        for edge in self.edges_of[node]:
            _, left, right = self.edges[edge]
            for m, (gamma_m, path_m) in near[left].items():
                for n, (gamma_n, path_n) in near[right].items():
                    gamma = gamma_m + gamma_n + self.log_edge[edge]
                    if (m, n) not in found or gamma > found[m, n][0]:
                        found[m, n] = (gamma, (edge, *path_m, *path_n))
        return found

    def frontier_nulls(self, edges: Any, members: Any) -> list[int]:
        """Nodes that hang off a partial derivation: neither opened by one of its edges nor a member."""
        inner = {self.edges[edge][0] for edge in edges}
        children = [child for edge in edges for child in self.edges[edge][1:]]
        return [child for child in children if child not in inner and child not in members]

    def words(self, nodes: list[int]) -> int:
        """Number of tokens below disjoint nodes."""
        return sum(self.end[node] - self.start[node] for node in nodes)


@dataclass
class Support:
    """One way to support an item."""

    kind: int
    members: tuple[Item, ...]
    source_edges: tuple[int, ...]
    target_edges: tuple[int, ...]
    log_local: float
    null_words: int
    log_score: float
    log_opened: float  # at most what its members can bring into a merged set, target nulls aside


@dataclass
class Item:
    """An aligned pair with its packed supports."""

    source: int
    target: int
    supports: list[Support] = field(default_factory=list)
    log_inside: float = -math.inf
    null_words: int = 0
    number: int = -1
    log_total: float = -math.inf
    log_outside: float = -math.inf

    @property
    def log_open_value(self) -> float:
        """At most what it can bring into a merged set, opened or not."""
        kinds = (COMPOSITIONAL, NONCOMPOSITIONAL)
        opened = [support.log_opened for support in self.supports if support.kind in kinds]
        return max([self.log_inside, *opened])


class Chart:
    """The items of every source node (A of Algorithm 4.1)."""

    def __init__(self, source: Side, target: Side, log_pair: Any, options: SearchOptions) -> None:
        self.source, self.target, self.log_pair, self.options = source, target, log_pair, options
        self.columns: list[dict[int, Item]] = [{} for _ in range(len(source))]
        self.narrowed = False
        self.tied = False  # whether rounding may decide what a beam keeps
        self.last: list[Item] = []  # roots that only pairs far below support

    def items(self) -> list[Item]:
        """All items, by source and then target node, but for those that were found last."""
        last = {(item.source, item.target) for item in self.last}
        found = [column[target] for column in self.columns for target in sorted(column)]
        return [item for item in found if (item.source, item.target) not in last] + self.last

    def is_root_pair(self, item: Item) -> bool:
        """Whether an item pairs two roots."""
        return item.source in self.source.roots and item.target in self.target.roots

    def score(
        self,
        source: int,
        target: int,
        kind: int,
        members: tuple[Item, ...],
        source_edges: tuple[int, ...],
        target_edges: tuple[int, ...],
        log_prior: float = 0.0,
    ) -> Support:
        """Score a support by Eq. (1) times the penalty (§5.3)."""
        source_nulls = self.source.frontier_nulls(source_edges, {member.source for member in members})
        target_nulls = self.target.frontier_nulls(target_edges, {member.target for member in members})
        own = self.source.words(source_nulls) + self.target.words(target_nulls)
        below = sum(member.null_words for member in members)
        null_words = own + below * self.options.count_all_nulls
        log_source_nulls = sum(self.source.log_null[node] for node in source_nulls)
        log_target_nulls = sum(self.target.log_null[node] for node in target_nulls)
        log_source_edges = sum(self.source.log_edge[edge] for edge in source_edges)
        log_target_edges = sum(self.target.log_edge[edge] for edge in target_edges)
        log_local = log_prior + float(self.log_pair[source, target]) + log_source_nulls + log_target_nulls
        log_local += log_source_edges + log_target_edges
        log_local += self.log_penalty(kind, null_words)
        log_score = log_local + sum(member.log_inside for member in members)
        log_opened = log_source_edges + log_source_nulls
        log_opened += sum(member.log_open_value for member in members)
        return Support(
            kind, members, source_edges, target_edges, log_local, null_words, log_score, log_opened
        )

    def log_penalty(self, kind: int, null_words: int) -> float:
        """Log of the penalty function P_e (§5.3)."""
        extra = self.options.noncompositional_penalty if kind == NONCOMPOSITIONAL else 0.0
        return -float((null_words + extra + 1) ** self.options.null_penalty)

    def pack(self, source: int, target: int, support: Support) -> None:
        """Add a support to the item of a pair (PACK)."""
        if support.log_score == -math.inf:
            return
        item = self.columns[source].setdefault(target, Item(source, target))
        item.supports.append(support)
        if support.log_score > item.log_inside:
            item.log_inside, item.null_words = support.log_score, support.null_words

    def prune(self, node: int) -> None:
        """Keep the best items of a source node and the best supports of each."""
        # What is left of the budget is shared out evenly among the nodes to come.
        items_so_far = sum(len(column) for column in self.columns[:node])
        share = max(1, (self.options.max_items - items_so_far) // (len(self.source) - node))
        items = sorted(self.columns[node].values(), key=lambda item: (-item.log_inside, item.target))
        if share < min(self.options.beam, len(items)):
            self.narrowed = True
        places = min(self.options.beam, share)
        self.note_tie([(item.log_inside,) for item in items], places)
        kept = sorted(items[:places], key=lambda item: item.target)
        self.columns[node] = {item.target: item for item in kept}
        for item in kept:
            self.keep_supports(item)

    def keep_supports(self, item: Item) -> None:
        """Keep the best supports of an item, best first."""
        item.supports.sort(key=lambda support: -support.log_score)
        self.note_tie([(support.log_score,) for support in item.supports], self.options.beam)
        del item.supports[self.options.beam :]

    def note_tie(self, scores: list[tuple[float, ...]], places: int) -> None:
        """Note whether the last that a beam keeps and the first that it drops are equal but for rounding."""
        if len(scores) > places and np.allclose(scores[places - 1], scores[places], rtol=1e-12, atol=1e-9):
            self.tied = True
