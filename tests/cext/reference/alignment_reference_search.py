"""The search of the alignment kernel's plain-Python twin, and merging (Arase & Tsujii 2017, §4)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

from forest_align.cext.alignment_arrays import BASE, COMPOSITIONAL, NONCOMPOSITIONAL, SINGLE

from .alignment_reference_chart import Chart, Item, Path, Side, Support

# A merged support with more members, or more hyperedges of one forest, is not made.
MAX_MEMBERS = 16
MAX_EDGES = 192
# A single or merged support this much worse than another of the same pair, in logs, is not looked for.
HOPELESS = 20.0


class Search:
    """One run: fills a chart."""

    def __init__(self, chart: Chart) -> None:
        self.chart, self.options = chart, chart.options
        self.source, self.target = chart.source, chart.target
        self.merger = Merger(chart.target, chart.options.opened_supports)
        self.target_lcas: dict[tuple[int, int], list[tuple[int, Path]]] = {}
        for node in range(len(self.target)):
            for pair, path in self.target.pairs_below(node, self.options.generation_gap).items():
                self.target_lcas.setdefault(pair, []).append((node, path))

    def run(self, base: list[tuple[int, int, float]]) -> None:
        """Fill the chart bottom-up over the source nodes."""
        for node in range(len(self.source)):
            for source, target, log_prior in base:
                if source == node:
                    self.pack(node, target, BASE, (), log_prior=log_prior)
            for path, upper, lower in self.support_by_two(node):
                self.trace(node, path, upper, lower)
            if self.options.single_support:
                self.support_by_one(node)
            self.chart.prune(node)
        if self.options.single_support:
            self.support_roots_by_one()

    def pack(
        self,
        source: int,
        target: int,
        kind: int,
        members: tuple[Item, ...],
        source_edges: tuple[int, ...] = (),
        target_edges: tuple[int, ...] = (),
        log_prior: float = 0.0,
    ) -> None:
        """Score a support and add it to the item of a pair."""
        support = self.chart.score(source, target, kind, members, source_edges, target_edges, log_prior)
        self.chart.pack(source, target, support)

    def support_by_two(self, node: int) -> list[tuple[Path, Item, Item]]:
        """Let two items in different children support pairs of a node (ALIGN); return those to be merged."""
        nested = []
        for (m, n), path in self.source.pairs_below(node, self.options.generation_gap).items():
            for item_m in list(self.chart.columns[m].values()):
                for item_n in list(self.chart.columns[n].values()):
                    lcas = self.lcas(item_m.target, item_n.target)
                    for top, (_, target_edges) in lcas:
                        self.pack(node, top, COMPOSITIONAL, (item_m, item_n), path[1], target_edges)
                    if not lcas:
                        nested += [(path, upper, lower) for upper, lower in self.nested(item_m, item_n)]
        return nested

    def lcas(self, one: int, other: int) -> list[tuple[int, Path]]:
        """LCAs of two target nodes in either order, with the best paths to both."""
        if self.target.start[one] > self.target.start[other]:
            one, other = other, one
        return self.target_lcas.get((one, other), [])

    def nested(self, one: Item, other: Item) -> list[tuple[Item, Item]]:
        """Two items that may be merged, the upper one of the target side first; none if they may not."""
        kinds = one.supports[0].kind, other.supports[0].kind
        if not self.options.noncompositional or SINGLE in kinds:
            return []
        below = self.target.reach(None)
        return [
            (upper, lower)
            for upper, lower in ((one, other), (other, one))
            if lower.target in below[upper.target]
        ][:1]

    def trace(self, node: int, path: Path, upper: Item, lower: Item) -> None:
        """Fit a pair into the supports of one above it on the target side (TRACE of Algorithm 4.2)."""
        for support in self.merger.openable(upper, 0):
            known = self.chart.columns[node].get(upper.target)
            if known and self.bound(node, path, upper, support, lower) < known.log_inside - HOPELESS:
                continue
            for merged in self.merger.fit(Opened.of(upper, support, self.target), lower, 1):
                members = tuple(merged.members.values())
                source_edges = (*path[1], *merged.source_edges)
                target_edges = tuple(merged.edges.values())
                if len(members) <= MAX_MEMBERS and max(len(source_edges), len(target_edges)) <= MAX_EDGES:
                    self.pack(node, upper.target, NONCOMPOSITIONAL, members, source_edges, target_edges)

    def bound(self, node: int, path: Path, upper: Item, support: Support, lower: Item) -> float:
        """At most the score of a support that merges one into another."""
        null_words = 0
        if not self.options.count_all_nulls:
            # Opening can only uncover more words; the new member covers some.
            on_path = self.source.frontier_nulls(path[1], {upper.source, lower.source})
            covered = self.target.words([lower.target])
            null_words = max(0, support.null_words + self.source.words(on_path) - covered)
        log_pair = float(self.chart.log_pair[node, upper.target])
        log_score = log_pair + path[0] + support.log_opened + lower.log_open_value
        return log_score + self.chart.log_penalty(NONCOMPOSITIONAL, null_words)

    def support_by_one(self, node: int) -> None:
        """Let pairs of a source node rest on one pair below it, the rest of both phrases null."""
        below = self.target.reach(self.options.generation_gap)
        for lower, (_, source_edges) in self.source.reach(self.options.generation_gap)[node].items():
            for item in self.chart.columns[lower].values() if lower != node else ():
                for top in range(item.target + 1, len(self.target)):
                    is_root_pair = node in self.source.roots and top in self.target.roots
                    if item.target not in below[top] or is_root_pair:
                        continue
                    _, target_edges = below[top][item.target]
                    support = self.chart.score(node, top, SINGLE, (item,), source_edges, target_edges)
                    known = self.chart.columns[node].get(top)
                    if known is None or support.log_score >= known.log_inside - HOPELESS:
                        self.chart.pack(node, top, support)

    def support_roots_by_one(self) -> None:
        """Let each root pair rest on any one pair below it, over any distance."""
        source_below, target_below = self.source.reach(None), self.target.reach(None)
        for source_root, target_root in itertools.product(self.source.roots, self.target.roots):
            below = self.chart.items()
            known = self.chart.columns[source_root].get(target_root)
            # Of supports of one score those that the pair has already come last.
            before = known.supports if known else []
            if known:
                known.supports, known.log_inside = [], -math.inf
            for item in below:
                if self.chart.is_root_pair(item):
                    continue
                if item.source in source_below[source_root] and item.target in target_below[target_root]:
                    _, source_edges = source_below[source_root][item.source]
                    _, target_edges = target_below[target_root][item.target]
                    self.pack(source_root, target_root, SINGLE, (item,), source_edges, target_edges)
            for support in before:
                self.chart.pack(source_root, target_root, support)
            root = self.chart.columns[source_root].get(target_root)
            if root:
                self.chart.keep_supports(root)
                self.chart.last += [] if known else [root]


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


@dataclass(frozen=True)
class Merger:
    """Fits items into opened ones on the target side."""

    target: Side
    opened_supports: int

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
