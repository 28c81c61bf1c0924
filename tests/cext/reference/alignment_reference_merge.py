"""Merging in the plain-Python twin of the alignment kernel (Arase & Tsujii 2017, Algorithm 4.2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from forest_align.cext.alignment_result import COMPOSITIONAL, NONCOMPOSITIONAL

from .alignment_reference_chart import Item, Support
from .alignment_reference_forest import Side


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
