"""Second half of the kernel's plain-Python twin: sums, posteriors, the best derivation, arrays."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from forest_align.cext.alignment_result import SINGLE, AlignmentArrays, PackedArrays

if TYPE_CHECKING:
    from forest_align.cext.alignment_reference import Item, Search, Side, Support

INT = np.int32


def collect(search: Search, temperature: float, packed: bool) -> AlignmentArrays:
    """Turn a finished chart into the result; posteriors are tempered."""
    items = [column[target] for column in search.chart for target in sorted(column)]
    for number, item in enumerate(items):
        item.number = number
        item.log_total = _log_sum([_total(support, temperature) for support in item.supports])
    roots = [
        item for item in items if item.source in search.source.roots and item.target in search.target.roots
    ]
    roots.sort(key=lambda item: (-search.rank(item), -item.log_inside, item.number))
    tops = roots[:1] or _partial_tops(search, items)
    for item in roots or tops:
        item.log_outside = 0.0 if roots else -item.log_total
    _outside(items, temperature)
    log_total = _log_sum([item.log_total for item in roots]) if roots else sum(t.log_total for t in tops)
    normaliser = log_total if roots else 0.0
    posteriors = _pooled(search, items, [item.log_total + item.log_outside - normaliser for item in items])
    return _result(search, items, roots, tops, float(log_total), posteriors, packed)


def _pooled(search: Search, items: list[Item], posteriors: list[float]) -> list[float]:
    """Sums over the items of the same two spans: a tree has one node of each span."""
    source, target = search.source, search.target
    pools: dict[tuple[int, ...], list[float]] = {}
    keys = [
        (source.start[i.source], source.end[i.source], target.start[i.target], target.end[i.target])
        for i in items
    ]
    for key, value in zip(keys, posteriors, strict=True):
        pools.setdefault(key, []).append(value)
    return [min(0.0, _log_sum(pools[key])) for key in keys]


def _total(support: Support, temperature: float) -> float:
    return support.log_local / temperature + sum(member.log_total for member in support.members)


def _log_sum(values: list[float]) -> float:
    top = max(values, default=-math.inf)
    return top if math.isinf(top) else top + math.log(sum(math.exp(value - top) for value in values))


def _outside(items: list[Item], temperature: float) -> None:
    """Log outside scores, from the top down; items sorted by nodes come after what they rest on."""
    for item in reversed(items):
        if math.isinf(item.log_outside):
            continue
        for support in item.supports:
            above = item.log_outside + _total(support, temperature)
            for member in support.members:
                member.log_outside = _log_sum([member.log_outside, above - member.log_total])


def _partial_tops(search: Search, items: list[Item]) -> list[Item]:
    """The best consistent set of partial alignments: greedily those that hold most word links."""
    links: list[int] = []
    for item in items:
        links.append(sum(links[member.number] for member in item.supports[0].members) or 1)
    order = sorted(items, key=lambda item: (-links[item.number], -item.log_inside, item.number))
    chosen: list[Item] = []
    for item in order:
        source_nodes = [*(top.source for top in chosen), item.source]
        target_nodes = [*(top.target for top in chosen), item.target]
        if _in_one_tree(search.source, source_nodes) and _in_one_tree(search.target, target_nodes):
            chosen.append(item)
    return chosen


def _in_one_tree(side: Side, nodes: list[int]) -> bool:
    """Whether disjoint nodes stand in one tree of the forest."""
    spans = sorted((side.start[node], side.end[node]) for node in nodes)
    if any(end > start for (_, end), (start, _) in itertools.pairwise(spans)):
        return False
    count = [0] * len(side)
    for node in range(len(side)):
        below = [count[side.edges[edge][1]] + count[side.edges[edge][2]] for edge in side.edges_of[node]]
        count[node] = 1 if node in nodes else max(below, default=0)
    return max(count[root] for root in side.roots) == len(nodes)


def _result(
    search: Search,
    items: list[Item],
    roots: list[Item],
    tops: list[Item],
    log_total: float,
    posteriors: list[float],
    packed: bool,
) -> AlignmentArrays:
    derivation: list[tuple[Item, int, bool]] = []
    source_edges: list[int] = []
    target_edges: list[int] = []
    nulls: tuple[list[int], list[int]] = ([], [])
    todo: list[tuple[Item, int, bool]] = [(top, -1, False) for top in reversed(tops)]
    while todo:
        item, parent, absorbed = todo.pop()
        support = item.supports[0]
        derivation.append((item, parent, absorbed))
        source_edges += support.source_edges
        target_edges += support.target_edges
        sources = {member.source for member in support.members}
        targets = {member.target for member in support.members}
        nulls[0].extend(search.source.frontier_nulls(support.source_edges, sources))
        nulls[1].extend(search.target.frontier_nulls(support.target_edges, targets))
        members = sorted(support.members, key=lambda member: member.number, reverse=True)
        for member in members:
            shares = member.source == item.source or member.target == item.target
            todo.append((member, len(derivation) - 1, support.kind == SINGLE and shares))
    return AlignmentArrays(
        root_aligned=bool(roots),
        narrowed=search.narrowed,
        log_score=float(sum(top.log_inside for top in tops)),
        log_total=log_total,
        source=np.array([item.source for item, _, _ in derivation], INT),
        target=np.array([item.target for item, _, _ in derivation], INT),
        kind=np.array([item.supports[0].kind for item, _, _ in derivation], np.int8),
        parent=np.array([parent for _, parent, _ in derivation], INT),
        absorbed=np.array([absorbed for _, _, absorbed in derivation], bool),
        log_posterior=np.array([posteriors[item.number] for item, _, _ in derivation], np.float64),
        source_edges=np.array(sorted(source_edges), INT),
        target_edges=np.array(sorted(target_edges), INT),
        source_nulls=np.array(sorted(nulls[0]), INT),
        target_nulls=np.array(sorted(nulls[1]), INT),
        item_count=len(items),
        support_count=sum(len(item.supports) for item in items),
        packed=_packed(items, roots, posteriors) if packed else None,
    )


def _packed(items: list[Item], roots: list[Item], posteriors: list[float]) -> PackedArrays:
    supports = [support for item in items for support in item.supports]
    members = [sorted(member.number for member in support.members) for support in supports]

    def flat(lists: list[Any]) -> np.ndarray:
        return np.array([value for values in lists for value in values], INT)

    def first(lists: list[Any]) -> np.ndarray:
        return np.concatenate([[0], np.cumsum([len(values) for values in lists])]).astype(INT)

    source_edges = [sorted(support.source_edges) for support in supports]
    target_edges = [sorted(support.target_edges) for support in supports]
    return PackedArrays(
        item_source=np.array([item.source for item in items], INT),
        item_target=np.array([item.target for item in items], INT),
        item_log_inside=np.array([item.log_inside for item in items], np.float64),
        item_log_total=np.array([item.log_total for item in items], np.float64),
        item_log_posterior=np.array(posteriors, np.float64),
        first_support=first([item.supports for item in items]),
        support_kind=np.array([support.kind for support in supports], np.int8),
        support_log_local=np.array([support.log_local for support in supports], np.float64),
        first_member=first(members),
        members=flat(members),
        first_source_edge=first(source_edges),
        source_edges=flat(source_edges),
        first_target_edge=first(target_edges),
        target_edges=flat(target_edges),
        root_items=np.array([item.number for item in roots], INT),
    )
