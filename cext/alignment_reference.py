"""Plain-Python twin of the alignment kernel: the oracle of its tests, written for reading, not for speed.

The search is Algorithm 4.1 of Arase & Tsujii (2017) with the non-compositional step of Algorithm 4.2; see
:func:`align` for what the paper leaves open. Everything is in log space.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from forest_align.cext.alignment_reference_result import collect
from forest_align.cext.alignment_result import (
    BASE,
    COMPOSITIONAL,
    NONCOMPOSITIONAL,
    SINGLE,
    AlignmentArrays,
)

# A merged support with more members than this is not made.
MAX_MEMBERS = 16
# A support this much worse than another of the same pair, in logs, is not looked for.
HOPELESS = 20.0

Path = tuple[float, tuple[int, ...]]  # log-probability of its nulls and hyperedges; the hyperedges


class Side:
    """One forest: its hyperedges and the best null paths between its nodes."""

    def __init__(
        self,
        start: Any,
        end: Any,
        edges: Any,
        roots: Any,
        log_marginal: Any,
        log_null: Any,
        log_edge: Any = None,
    ) -> None:
        self.start, self.end = list(map(int, start)), list(map(int, end))
        self.edges = [tuple(map(int, edge)) for edge in edges]
        self.roots = list(map(int, roots))
        self.log_marginal = list(map(float, log_marginal))
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


@dataclass
class Opened:
    """A partial target derivation while pairs are merged: what it opens, what is aligned at its frontier."""

    top: int
    edges: dict[int, int]
    members: dict[int, Item]
    source_edges: tuple[int, ...]

    @classmethod
    def of(cls, item: Item, support: Support, side: Side) -> Opened:
        """An item opened by one of its supports."""
        return cls(
            item.target,
            {side.edges[edge][0]: edge for edge in support.target_edges},
            {member.target: member for member in support.members},
            support.source_edges,
        )

    def with_member_opened(self, node: int, support: Support, side: Side) -> Opened:
        """The same with one member replaced by what supports it."""
        inner = Opened.of(self.members[node], support, side)
        rest = {place: item for place, item in self.members.items() if place != node}
        return Opened(
            self.top,
            {**self.edges, **inner.edges},
            {**rest, **inner.members},
            (*self.source_edges, *support.source_edges),
        )


class Search:
    """The state of one run."""

    def __init__(self, source: Side, target: Side, log_pair: Any, options: dict[str, Any]) -> None:
        self.source, self.target, self.log_pair = source, target, log_pair
        self.gap, self.beam = options["generation_gap"], options["beam"]
        self.opened_supports = options["opened_supports"]
        self.null_penalty = options["null_penalty"]
        self.noncompositional_penalty = options["noncompositional_penalty"]
        self.parser_weight = options["parser_weight"]
        self.count_all_nulls = options["count_all_nulls"]
        self.allow_noncompositional = options["allow_noncompositional"]
        self.allow_single_support = options["allow_single_support"]
        self.max_items = options["max_items"]
        self.narrowed = False
        self.chart: list[dict[int, Item]] = [{} for _ in range(len(source))]
        self.target_lcas: dict[tuple[int, int], list[tuple[int, Path]]] = {}
        for node in range(len(target)):
            for pair, path in target.pairs_below(node, self.gap).items():
                self.target_lcas.setdefault(pair, []).append((node, path))

    def run(self, base: list[tuple[int, int, float]]) -> None:
        """Fill the chart bottom-up over the source nodes (Algorithm 4.1)."""
        waiting: dict[int, list[tuple[int, float]]] = {}
        for source, target, log_prior in base:
            waiting.setdefault(source, []).append((target, log_prior))
        items_so_far = 0
        for node in range(len(self.source)):
            for target, log_prior in waiting.get(node, ()):
                self.pack(node, target, BASE, (), (), (), log_prior)
            nested = []
            for (m, n), path in self.source.pairs_below(node, self.gap).items():
                for item_m in list(self.chart[m].values()):
                    for item_n in list(self.chart[n].values()):
                        nested += self.combine(node, path, item_m, item_n)
            for path, upper, lower in nested:
                self.trace(node, path, upper, lower)
            if self.allow_single_support:
                self.support_singly(node)
            items_so_far += self.prune(node, items_so_far)
        if self.allow_single_support:
            self.support_roots_singly()

    def combine(self, node: int, path: Path, item_m: Item, item_n: Item) -> list[tuple[Path, Item, Item]]:
        """Support pairs of ``node`` by two items in different children; return them if the targets nest."""
        left, right = item_m, item_n
        if self.target.start[left.target] > self.target.start[right.target]:
            left, right = right, left
        found = self.target_lcas.get((left.target, right.target))
        if found:
            for top, (_, target_path) in found:
                self.pack(node, top, COMPOSITIONAL, (item_m, item_n), path[1], target_path)
        elif self.allow_noncompositional and SINGLE not in (item_m.supports[0].kind, item_n.supports[0].kind):
            below = self.target.reach(None)
            for upper, lower in ((item_m, item_n), (item_n, item_m)):
                if lower.target in below[upper.target]:
                    return [(path, upper, lower)]
        return []

    def trace(self, node: int, path: Path, upper: Item, lower: Item) -> None:
        """Fit a pair into the supports of one above it on the target side (TRACE of Algorithm 4.2)."""
        for support in self.openable(upper, 0):
            known = self.chart[node].get(upper.target)
            if known and self.bound(node, path, upper, support, lower) < known.log_inside - HOPELESS:
                continue
            for merged in self.fit(Opened.of(upper, support, self.target), lower, 1):
                members = tuple(merged.members.values())
                if len(members) > MAX_MEMBERS:
                    continue
                source_edges = (*path[1], *merged.source_edges)
                target_edges = tuple(merged.edges.values())
                self.pack(node, upper.target, NONCOMPOSITIONAL, members, source_edges, target_edges)

    def bound(self, node: int, path: Path, upper: Item, support: Support, lower: Item) -> float:
        """At most the score of a support that merges one into another."""
        null_words = 0
        if not self.count_all_nulls:
            # Opening can only uncover more words; the new member covers some.
            on_path = self.source.frontier_nulls(path[1], {upper.source, lower.source})
            covered = self.target.words([lower.target])
            null_words = max(0, support.null_words + self.source.words(on_path) - covered)
        penalty = (null_words + self.noncompositional_penalty + 1) ** self.null_penalty
        log_pair = float(self.log_pair[node, upper.target])
        return log_pair + path[0] + support.log_opened + lower.log_open_value - penalty

    def openable(self, item: Item, depth: int) -> list[Support]:
        """Best supports that can give way to their members: half as many at each further opening."""
        kinds = (COMPOSITIONAL, NONCOMPOSITIONAL)
        count = max(self.opened_supports >> depth, min(self.opened_supports, 1))
        return [support for support in item.supports if support.kind in kinds][:count]

    def fit(self, state: Opened, item: Item, depth: int) -> Iterator[Opened]:
        """Every way to add an item to an opened pair, opening what stands in its way."""
        place = item.target
        nulls = self.target.frontier_nulls(state.edges.values(), state.members)
        if place in state.edges or place in state.members or place in nulls:
            yield from self.merge(state, Opened(place, {}, {place: item}, ()), [place], depth)
            return
        below = self.target.reach(None)
        for null in nulls:
            if place in below[null]:
                gap = {self.target.edges[edge][0]: edge for edge in below[null][place][1]}
                yield Opened(
                    state.top, {**state.edges, **gap}, {**state.members, place: item}, state.source_edges
                )
                return
        for node, member in state.members.items():
            if place in below[node]:
                for support in self.openable(member, depth):
                    yield from self.fit(state.with_member_opened(node, support, self.target), item, depth + 1)
                return

    def merge(self, state: Opened, other: Opened, waiting: list[int], depth: int) -> Iterator[Opened]:
        """Lay a partial derivation over another (DOWN): aligned phrases must lie in nulls of the other."""
        waiting = list(waiting)
        while waiting:
            node = waiting.pop()
            if node not in other.edges and node not in other.members:
                continue
            if node in state.members:
                for support in self.openable(state.members[node], depth):
                    opened = state.with_member_opened(node, support, self.target)
                    yield from self.merge(opened, other, [*waiting, node], depth + 1)
                return
            if node in state.edges and node in other.members:
                for support in self.openable(other.members[node], depth):
                    opened = other.with_member_opened(node, support, self.target)
                    yield from self.merge(state, opened, [*waiting, node], depth + 1)
                return
            if node in state.edges:
                if state.edges[node] != other.edges[node]:
                    return
                _, left, right = self.target.edges[state.edges[node]]
                waiting += (right, left)
            else:
                state = self.graft(state, other, node)
        yield Opened(state.top, state.edges, state.members, (*state.source_edges, *other.source_edges))

    def graft(self, state: Opened, other: Opened, node: int) -> Opened:
        """Put what the other derivation has below ``node`` in the place of a null."""
        edges, members, todo = dict(state.edges), dict(state.members), [node]
        while todo:
            top = todo.pop()
            if top in other.members:
                members[top] = other.members[top]
            elif top in other.edges:
                edges[top] = other.edges[top]
                _, left, right = self.target.edges[other.edges[top]]
                todo += (right, left)
        return Opened(state.top, edges, members, state.source_edges)

    def pack(
        self,
        source: int,
        target: int,
        kind: int,
        members: tuple[Item, ...],
        source_edges: tuple[int, ...],
        target_edges: tuple[int, ...],
        log_prior: float = 0.0,
    ) -> None:
        """Score a support by Eq. (1) times the penalty (§5.3) and add it to its item."""
        source_nulls = self.source.frontier_nulls(source_edges, {member.source for member in members})
        target_nulls = self.target.frontier_nulls(target_edges, {member.target for member in members})
        own = self.source.words(source_nulls) + self.target.words(target_nulls)
        null_words = own + sum(member.null_words for member in members) * self.count_all_nulls
        extra = self.noncompositional_penalty if kind == NONCOMPOSITIONAL else 0.0
        log_local = log_prior + float(self.log_pair[source, target])
        log_local += sum(self.source.log_null[node] for node in source_nulls)
        log_local += sum(self.target.log_null[node] for node in target_nulls)
        on_source = sum(self.source.log_edge[edge] for edge in source_edges)
        log_local += on_source + sum(self.target.log_edge[edge] for edge in target_edges)
        log_local -= (null_words + extra + 1) ** self.null_penalty
        log_score = log_local + sum(member.log_inside for member in members)
        log_opened = on_source + sum(self.source.log_null[node] for node in source_nulls)
        log_opened += sum(member.log_open_value for member in members)
        support = Support(
            kind, members, source_edges, target_edges, log_local, null_words, log_score, log_opened
        )
        item = self.chart[source].setdefault(target, Item(source, target))
        if kind == NONCOMPOSITIONAL and any(_same(support, known) for known in item.supports):
            return
        item.supports.append(support)
        if log_score > item.log_inside:
            item.log_inside, item.null_words = log_score, null_words

    def rank(self, item: Item) -> float:
        """Alignment and parse probability interpolated (§5.4), as a log."""
        if self.parser_weight <= 0:
            return item.log_inside
        parse = self.source.log_marginal[item.source] + self.target.log_marginal[item.target]
        if self.parser_weight >= 1:
            return parse
        return float(
            np.logaddexp(
                math.log(1 - self.parser_weight) + item.log_inside, math.log(self.parser_weight) + parse
            )
        )

    def prune(self, node: int, items_so_far: int) -> int:
        """Keep the best items of a source node and the best supports of each; return how many items stay."""
        # What is left of the budget is shared out evenly among the nodes to come.
        share = max(1, (self.max_items - items_so_far) // (len(self.source) - node))
        items = sorted(
            self.chart[node].values(), key=lambda item: (-self.rank(item), -item.log_inside, item.target)
        )
        if share < min(self.beam, len(items)):
            self.narrowed = True
        kept = sorted(items[: min(self.beam, share)], key=lambda item: item.target)
        self.chart[node] = {item.target: item for item in kept}
        for item in kept:
            item.supports.sort(key=lambda support: -support.log_score)
            del item.supports[self.beam :]
        return len(kept)

    def support_singly(self, node: int) -> None:
        """Let pairs of a source node rest on one pair below it, the rest of both phrases null."""
        below = self.target.reach(self.gap)
        for lower, (gamma, source_edges) in self.source.reach(self.gap)[node].items():
            for item in self.chart[lower].values() if lower != node else ():
                for top in range(item.target + 1, len(self.target)):
                    if item.target not in below[top] or (
                        node in self.source.roots and top in self.target.roots
                    ):
                        continue
                    other_gamma, target_edges = below[top][item.target]
                    null_words = self.source.words([node]) - self.source.words([lower])
                    null_words += self.target.words([top]) - self.target.words([item.target])
                    null_words += item.null_words * self.count_all_nulls
                    log_score = float(self.log_pair[node, top]) + gamma + other_gamma + item.log_inside
                    log_score -= (null_words + 1) ** self.null_penalty
                    known = self.chart[node].get(top)
                    if known is None or log_score >= known.log_inside - HOPELESS:
                        self.pack(node, top, SINGLE, (item,), source_edges, target_edges)

    def support_roots_singly(self) -> None:
        """Let each root pair rest on any one pair below it."""
        source_below, target_below = self.source.reach(None), self.target.reach(None)
        for source_root in self.source.roots:
            for target_root in self.target.roots:
                candidates = [item for column in self.chart for item in column.values()]
                for item in candidates:
                    if item.source in self.source.roots and item.target in self.target.roots:
                        continue
                    if item.source in source_below[source_root] and item.target in target_below[target_root]:
                        source_edges = source_below[source_root][item.source][1]
                        target_edges = target_below[target_root][item.target][1]
                        self.pack(source_root, target_root, SINGLE, (item,), source_edges, target_edges)
                root = self.chart[source_root].get(target_root)
                if root:
                    root.supports.sort(key=lambda support: -support.log_score)
                    del root.supports[self.beam :]


def _same(one: Support, other: Support) -> bool:
    def key(support: Support) -> tuple[Any, ...]:
        members = sorted((member.source, member.target) for member in support.members)
        return support.kind, members, sorted(support.source_edges), sorted(support.target_edges)

    return key(one) == key(other)


def align(
    source_start: np.ndarray,
    source_end: np.ndarray,
    source_edges: np.ndarray,
    source_roots: np.ndarray,
    source_log_marginal: np.ndarray,
    source_log_null: np.ndarray,
    source_class: np.ndarray,
    target_start: np.ndarray,
    target_end: np.ndarray,
    target_edges: np.ndarray,
    target_roots: np.ndarray,
    target_log_marginal: np.ndarray,
    target_log_null: np.ndarray,
    target_class: np.ndarray,
    log_pair: np.ndarray,
    base_source: np.ndarray,
    base_target: np.ndarray,
    base_log_prior: np.ndarray,
    *,
    source_log_edge: np.ndarray | None = None,
    target_log_edge: np.ndarray | None = None,
    null_penalty: float = 1.0,
    noncompositional_penalty: float = 1.0,
    parser_weight: float = 0.0,
    temperature: float = 1.0,
    beam: int = 50,
    generation_gap: int = 4,
    opened_supports: int = 4,
    max_items: int = 100_000,
    allow_noncompositional: bool = True,
    allow_single_support: bool = True,
    count_all_nulls: bool = False,
    packed: bool = False,
) -> AlignmentArrays:
    """Align two forests: see :func:`forest_align.cext.alignment.align`, which computes the same."""
    source = Side(
        source_start,
        source_end,
        source_edges,
        source_roots,
        source_log_marginal,
        source_log_null,
        source_log_edge,
    )
    target = Side(
        target_start,
        target_end,
        target_edges,
        target_roots,
        target_log_marginal,
        target_log_null,
        target_log_edge,
    )
    pairs = np.asarray(log_pair)[np.asarray(source_class)[:, None], np.asarray(target_class)[None, :]]
    options = {
        "null_penalty": null_penalty,
        "noncompositional_penalty": noncompositional_penalty,
        "parser_weight": parser_weight,
        "beam": beam,
        "generation_gap": generation_gap,
        "opened_supports": opened_supports,
        "max_items": max_items,
        "allow_noncompositional": allow_noncompositional,
        "allow_single_support": allow_single_support,
        "count_all_nulls": count_all_nulls,
    }
    search = Search(source, target, pairs, options)
    base = zip(base_source.tolist(), base_target.tolist(), base_log_prior.tolist(), strict=True)
    search.run(list(base))
    return collect(search, temperature, packed)
