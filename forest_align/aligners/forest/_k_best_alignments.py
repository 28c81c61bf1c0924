"""The k best alignments of a packed alignment forest, found lazily (Huang & Chiang 2005, algorithm 3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import islice
from operator import add
from typing import NamedTuple

import numpy as np

from forest_align.cext.alignment_arrays import SINGLE, AlignmentArrays, PackedArrays
from forest_align.types.k_best import LazyKBest


class Step(NamedTuple):
    """One pair of a derivation."""

    item: int
    support: int
    parent: int
    absorbed: bool


def _steps(
    search: LazyKBest, arrays: AlignmentArrays, packed: PackedArrays, item: int, rank: int
) -> list[Step]:
    """The pairs of one derivation, parents first."""
    steps: list[Step] = []
    todo = [(item, rank, -1, False)]
    while todo:
        top, which, parent, absorbed = todo.pop()
        derivation = search.get(top, which)
        assert derivation is not None
        support = derivation.edge
        steps.append(Step(top, support, parent, absorbed))
        place = len(steps) - 1
        for member, below in reversed(list(zip(search.children(support), derivation.ranks, strict=True))):
            shares = (
                arrays.item_source[member] == arrays.item_source[top]
                or arrays.item_target[member] == arrays.item_target[top]
            )
            gives_way = bool(packed.support_kind[support] == SINGLE and shares)
            todo.append((member, below, place, gives_way))
    return steps


def k_best(
    arrays: AlignmentArrays, source_edges: np.ndarray, target_edges: np.ndarray, k: int | None = None
) -> Iterator[AlignmentArrays]:
    """Alignments of the roots, best first, in the form in which the kernel returns the best one."""
    if arrays.packed is None:
        raise ValueError("k-best alignments need the packed alignment forest: ask the kernel for it")
    return islice(_derivations(arrays, arrays.packed, source_edges, target_edges), k)


def _derivations(
    arrays: AlignmentArrays, packed: PackedArrays, source_edges: np.ndarray, target_edges: np.ndarray
) -> Iterator[AlignmentArrays]:
    first_member, members = packed.first_member.tolist(), packed.members.tolist()
    first_support, log_local = packed.first_support.tolist(), packed.support_log_local.tolist()
    search = LazyKBest(
        lambda item: range(first_support[item], first_support[item + 1]),
        lambda support: members[first_member[support] : first_member[support + 1]],
        lambda support, below: reduce(add, below, log_local[support]),
    )
    items = packed.root_items.tolist()
    for log_score, place, rank in search.best([(item, 0.0) for item in items]):
        steps = _steps(search, arrays, packed, items[place], rank)
        yield _as_arrays(arrays, packed, steps, log_score, source_edges, target_edges)


def _as_arrays(
    arrays: AlignmentArrays,
    packed: PackedArrays,
    steps: Sequence[Step],
    log_score: float,
    source_edges: np.ndarray,
    target_edges: np.ndarray,
) -> AlignmentArrays:
    items = np.array([step.item for step in steps])
    used, nulls = [], []
    for first, edges, triples, nodes in (
        (packed.first_source_edge, packed.source_edges, source_edges, arrays.item_source),
        (packed.first_target_edge, packed.target_edges, target_edges, arrays.item_target),
    ):
        chosen = np.concatenate([edges[first[step.support] : first[step.support + 1]] for step in steps])
        used.append(np.sort(chosen).astype(np.int32))
        aligned = {int(nodes[step.item]) for step in steps} | set(triples[chosen, 0].tolist())
        children = set(triples[chosen, 1:].ravel().tolist())
        nulls.append(np.array(sorted(children - aligned), np.int32))
    return arrays._replace(
        log_score=log_score,
        source=arrays.item_source[items],
        target=arrays.item_target[items],
        kind=packed.support_kind[[step.support for step in steps]],
        parent=np.array([step.parent for step in steps], np.int32),
        absorbed=np.array([step.absorbed for step in steps], bool),
        log_posterior=arrays.item_log_posterior[items],
        source_edges=used[0],
        target_edges=used[1],
        source_nulls=nulls[0],
        target_nulls=nulls[1],
        packed=None,
    )
