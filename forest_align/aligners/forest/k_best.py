"""The k best alignments of a packed alignment forest, found lazily (Huang & Chiang 2005, algorithm 3)."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from forest_align.cext.alignment_result import SINGLE, AlignmentArrays, PackedArrays


class Step(NamedTuple):
    """One pair of a derivation."""

    item: int
    support: int
    parent: int
    absorbed: bool


class Ranked(NamedTuple):
    """A derivation of an item: its log score, its support, and which derivation of each member it takes."""

    log_score: float
    support: int
    ranks: tuple[int, ...]


class _Choices:
    """The derivations of one item, best first, as far as they were asked for.

    Others are waiting with their scores, or to be scored: a support, and which derivation of each member.
    """

    __slots__ = ("found", "seen", "unscored", "waiting")

    def __init__(self, unscored: list[tuple[int, tuple[int, ...]]]) -> None:
        self.found: list[Ranked] = []
        self.waiting: list[tuple[float, int, tuple[int, ...]]] = []
        self.unscored = unscored
        self.seen = set(unscored)

    def is_settled(self, rank: int) -> bool:
        """Whether the derivation with a rank is found, or there are fewer."""
        return rank < len(self.found) or not (self.waiting or self.unscored)

    def find_next(self) -> None:
        """Take the best of the waiting ones; what may follow it is to be scored."""
        cost, support, ranks = heapq.heappop(self.waiting)
        self.found.append(Ranked(-cost, support, ranks))
        for place in range(len(ranks)):
            following = support, (*ranks[:place], ranks[place] + 1, *ranks[place + 1 :])
            if following not in self.seen:
                self.seen.add(following)
                self.unscored.append(following)


class _Search:
    """Derivations of every item that was asked for."""

    def __init__(self, packed: PackedArrays) -> None:
        self.packed = packed
        self._choices: dict[int, _Choices] = {}

    def members(self, support: int) -> list[int]:
        first, last = self.packed.first_member[support : support + 2]
        found: list[int] = self.packed.members[first:last].tolist()
        return found

    def get(self, item: int, rank: int) -> Ranked | None:
        """The derivation of an item with a rank; None if there are fewer."""
        # A stack instead of recursion: derivations of long sentences are deep.
        todo = [(item, rank)]
        while todo:
            top, wanted = todo[-1]
            choices = self._choices_of(top)
            if choices.is_settled(wanted):
                todo.pop()
            elif not choices.unscored:
                choices.find_next()
            elif (missing := self._score(choices)) is not None:
                todo.append(missing)
        found = self._choices_of(item).found
        return found[rank] if rank < len(found) else None

    def _choices_of(self, item: int) -> _Choices:
        if item not in self._choices:
            supports = range(*self.packed.first_support[item : item + 2].tolist())
            self._choices[item] = _Choices([(one, (0,) * len(self.members(one))) for one in supports])
        return self._choices[item]

    def _score(self, choices: _Choices) -> tuple[int, int] | None:
        """Score one more derivation of an item; return what must be found first, if anything."""
        support, ranks = choices.unscored[-1]
        score = float(self.packed.support_log_local[support])
        for member, rank in zip(self.members(support), ranks, strict=True):
            below = self._choices_of(member)
            if not below.is_settled(rank):
                return member, rank
            if rank >= len(below.found):
                choices.unscored.pop()
                return None
            score += below.found[rank].log_score
        heapq.heappush(choices.waiting, (-score, *choices.unscored.pop()))
        return None

    def steps(self, item: int, rank: int) -> list[Step]:
        """The pairs of one derivation, parents first."""
        packed, steps = self.packed, []
        todo = [(item, rank, -1, False)]
        while todo:
            top, which, parent, absorbed = todo.pop()
            derivation = self.get(top, which)
            assert derivation is not None
            support = derivation.support
            steps.append(Step(top, support, parent, absorbed))
            place = len(steps) - 1
            for member, below in reversed(list(zip(self.members(support), derivation.ranks, strict=True))):
                shares = (
                    packed.item_source[member] == packed.item_source[top]
                    or packed.item_target[member] == packed.item_target[top]
                )
                gives_way = bool(packed.support_kind[support] == SINGLE and shares)
                todo.append((member, below, place, gives_way))
        return steps


def k_best(
    arrays: AlignmentArrays, source_edges: np.ndarray, target_edges: np.ndarray, k: int | None = None
) -> Iterator[AlignmentArrays]:
    """Alignments of the roots, best first, in the form that the kernel gives the best one.

    Parameters
    ----------
    arrays : AlignmentArrays
        What the kernel returned when asked for ``packed``.
    source_edges, target_edges : numpy.ndarray
        Hyperedges of the two forests, int32, shape (E, 3).
    k : int, optional
        How many; all by default.

    Raises
    ------
    ValueError
        If the arrays come without the packed forest.
    """
    if arrays.packed is None:
        raise ValueError("k-best alignments need the packed alignment forest: ask the kernel for it")
    return islice(_derivations(arrays, arrays.packed, source_edges, target_edges), k)


def _derivations(
    arrays: AlignmentArrays, packed: PackedArrays, source_edges: np.ndarray, target_edges: np.ndarray
) -> Iterator[AlignmentArrays]:
    search = _Search(packed)
    heap: list[tuple[float, int, int]] = []

    def push(place: int, rank: int) -> None:
        found = search.get(int(packed.root_items[place]), rank)
        if found is not None:
            heapq.heappush(heap, (-found.log_score, place, rank))

    for place in range(len(packed.root_items)):
        push(place, 0)
    while heap:
        cost, place, rank = heapq.heappop(heap)
        steps = search.steps(int(packed.root_items[place]), rank)
        yield _as_arrays(arrays, packed, steps, -cost, source_edges, target_edges)
        push(place, rank + 1)


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
        (packed.first_source_edge, packed.source_edges, source_edges, packed.item_source),
        (packed.first_target_edge, packed.target_edges, target_edges, packed.item_target),
    ):
        chosen = np.concatenate([edges[first[step.support] : first[step.support + 1]] for step in steps])
        used.append(np.sort(chosen).astype(np.int32))
        aligned = {int(nodes[step.item]) for step in steps} | set(triples[chosen, 0].tolist())
        children = set(triples[chosen, 1:].ravel().tolist())
        nulls.append(np.array(sorted(children - aligned), np.int32))
    return arrays._replace(
        log_score=log_score,
        source=packed.item_source[items],
        target=packed.item_target[items],
        kind=packed.support_kind[[step.support for step in steps]],
        parent=np.array([step.parent for step in steps], np.int32),
        absorbed=np.array([step.absorbed for step in steps], bool),
        log_posterior=packed.item_log_posterior[items],
        source_edges=used[0],
        target_edges=used[1],
        source_nulls=nulls[0],
        target_nulls=nulls[1],
        packed=None,
    )
