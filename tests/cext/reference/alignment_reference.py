"""Plain-Python twin of the alignment kernel: the oracle of its tests, written for reading, not for speed.

It is laid out as the kernel is: one forest and the chart (``alignment_reference_chart``), the search and
merging (``alignment_reference_search``), and here posteriors and the result. Everything is in log space.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from forest_align.cext.alignment_arrays import (
    SINGLE,
    AlignmentArrays,
    BaseArrays,
    PackedArrays,
    SearchOptions,
    SideArrays,
)

from .alignment_reference_chart import Chart, Item, Side, Support
from .alignment_reference_search import Search

INT = np.int32


def align(
    source: SideArrays, target: SideArrays, log_pair: np.ndarray, base: BaseArrays, options: SearchOptions
) -> AlignmentArrays:
    """Align two forests: see :func:`forest_align.cext.alignment.align`, which computes the same."""
    return align_noting_ties(source, target, log_pair, base, options)[0]


def align_noting_ties(
    source: SideArrays, target: SideArrays, log_pair: np.ndarray, base: BaseArrays, options: SearchOptions
) -> tuple[AlignmentArrays, bool]:
    """Align two forests; also say whether rounding may decide what a beam keeps."""
    chart = Chart(Side(*source), Side(*target), log_pair, options)
    Search(chart).run(list(zip(*(part.tolist() for part in base), strict=True)))
    return collect(chart, options.temperature, options.packed), chart.tied


def collect(chart: Chart, temperature: float, packed: bool) -> AlignmentArrays:
    """Turn a finished chart into the result; posteriors are tempered."""
    items = chart.items()
    for number, item in enumerate(items):
        item.number = number
        item.log_total = _log_sum([_total(support, temperature) for support in item.supports])
    roots = [item for item in items if chart.is_root_pair(item)]
    roots.sort(key=lambda item: (-item.log_inside, item.number))
    tops = roots[:1] or _partial_tops(chart, items)
    for item in roots or tops:
        item.log_outside = 0.0 if roots else -item.log_total
    _outside(items, temperature)
    log_total = _log_sum([item.log_total for item in roots]) if roots else sum(t.log_total for t in tops)
    normaliser = log_total if roots else 0.0
    posteriors = _pooled(chart, items, [item.log_total + item.log_outside - normaliser for item in items])
    return _result(chart, items, roots, tops, float(log_total), posteriors, packed)


def _pooled(chart: Chart, items: list[Item], posteriors: list[float]) -> list[float]:
    """Sums over the items of the same two spans: a tree has one node of each span."""
    source, target = chart.source, chart.target
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


def _partial_tops(chart: Chart, items: list[Item]) -> list[Item]:
    """The best consistent set of partial alignments: greedily those that hold most word links."""
    links: list[int] = []
    for item in items:
        links.append(sum(links[member.number] for member in item.supports[0].members) or 1)
    order = sorted(items, key=lambda item: (-links[item.number], -item.log_inside, item.number))
    chosen: list[Item] = []
    for item in order:
        source_nodes = [*(top.source for top in chosen), item.source]
        target_nodes = [*(top.target for top in chosen), item.target]
        if _in_one_tree(chart.source, source_nodes) and _in_one_tree(chart.target, target_nodes):
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


def _trace_back(tops: list[Item]) -> list[tuple[Item, int, bool]]:
    """The best derivation: items, the position of what each one supports, and whether that absorbs it."""
    steps: list[tuple[Item, int, bool]] = []
    todo: list[tuple[Item, int, bool]] = [(top, -1, False) for top in reversed(tops)]
    while todo:
        item, parent, absorbed = todo.pop()
        steps.append((item, parent, absorbed))
        support = item.supports[0]
        for member in sorted(support.members, key=lambda member: member.number, reverse=True):
            shares = member.source == item.source or member.target == item.target
            todo.append((member, len(steps) - 1, support.kind == SINGLE and shares))
    return steps


def _result(
    chart: Chart,
    items: list[Item],
    roots: list[Item],
    tops: list[Item],
    log_total: float,
    posteriors: list[float],
    packed: bool,
) -> AlignmentArrays:
    derivation = _trace_back(tops)
    source_edges: list[int] = []
    target_edges: list[int] = []
    source_nulls: list[int] = []
    target_nulls: list[int] = []
    for item, _, _ in derivation:
        best = item.supports[0]
        sources = {member.source for member in best.members}
        targets = {member.target for member in best.members}
        source_edges += best.source_edges
        target_edges += best.target_edges
        source_nulls += chart.source.frontier_nulls(best.source_edges, sources)
        target_nulls += chart.target.frontier_nulls(best.target_edges, targets)
    return AlignmentArrays(
        root_aligned=bool(roots),
        narrowed=chart.narrowed,
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
        source_nulls=np.array(sorted(source_nulls), INT),
        target_nulls=np.array(sorted(target_nulls), INT),
        item_source=np.array([item.source for item in items], INT),
        item_target=np.array([item.target for item in items], INT),
        item_log_posterior=np.array(posteriors, np.float64),
        support_count=sum(len(item.supports) for item in items),
        packed=_packed(items, roots) if packed else None,
    )


def _packed(items: list[Item], roots: list[Item]) -> PackedArrays:
    supports = [support for item in items for support in item.supports]
    members = [sorted(member.number for member in support.members) for support in supports]

    def flat(lists: list[Any]) -> np.ndarray:
        return np.array([value for values in lists for value in values], INT)

    def first(lists: list[Any]) -> np.ndarray:
        return np.concatenate([[0], np.cumsum([len(values) for values in lists])]).astype(INT)

    source_edges = [sorted(support.source_edges) for support in supports]
    target_edges = [sorted(support.target_edges) for support in supports]
    return PackedArrays(
        item_log_inside=np.array([item.log_inside for item in items], np.float64),
        item_log_total=np.array([item.log_total for item in items], np.float64),
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
