"""The k best derivations of a hypergraph."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple


class Ranked(NamedTuple):
    """A derivation of a node: its log score, its hyperedge, and the derivation used for each child."""

    log_score: float
    edge: int
    ranks: tuple[int, ...]


class _Choices:
    """The derivations of one node that were requested so far, best first.

    Candidates wait with their scores, or to be scored: a hyperedge, and the derivation of each child.
    """

    __slots__ = ("found", "seen", "unscored", "waiting")

    def __init__(self, unscored: list[tuple[int, tuple[int, ...]]]) -> None:
        self.found: list[Ranked] = []
        self.waiting: list[tuple[float, int, tuple[int, ...]]] = []
        self.unscored = unscored
        self.seen = set(unscored)

    def is_settled(self, rank: int) -> bool:
        """Whether the derivation of a rank has been found, or there are fewer derivations."""
        return rank < len(self.found) or not (self.waiting or self.unscored)

    def find_next(self) -> None:
        """Take the best candidate; queue its possible successors for scoring."""
        cost, edge, ranks = heapq.heappop(self.waiting)
        self.found.append(Ranked(-cost, edge, ranks))
        for place in range(len(ranks)):
            following = edge, (*ranks[:place], ranks[place] + 1, *ranks[place + 1 :])
            if following not in self.seen:
                self.seen.add(following)
                self.unscored.append(following)


class LazyKBest:
    """Finds derivations of nodes of a hypergraph on demand, best first (Huang & Chiang 2005, algorithm 3).

    ``edges_of`` a leaf returns one hyperedge without children. ``score`` returns the log score of a
    hyperedge, given those of the derivations below it; it must be monotonic: it must not rise if one of these
    falls.
    """

    def __init__(
        self,
        edges_of: Callable[[int], Iterable[int]],
        children: Callable[[int], Sequence[int]],
        score: Callable[[int, Sequence[float]], float],
    ) -> None:
        self.children = children
        self._edges_of, self._score_of = edges_of, score
        self._choices: dict[int, _Choices] = {}

    def get(self, node: int, rank: int) -> Ranked | None:
        """The derivation of a node at a rank; None if there are fewer."""
        # A stack instead of recursion: derivations of long sentences are deep.
        todo = [(node, rank)]
        while todo:
            top, wanted = todo[-1]
            choices = self._choices_of(top)
            if choices.is_settled(wanted):
                todo.pop()
            elif not choices.unscored:
                choices.find_next()
            elif (missing := self._score(choices)) is not None:
                todo.append(missing)
        found = self._choices_of(node).found
        return found[rank] if rank < len(found) else None

    def _choices_of(self, node: int) -> _Choices:
        if node not in self._choices:
            unscored = [(edge, (0,) * len(self.children(edge))) for edge in self._edges_of(node)]
            self._choices[node] = _Choices(unscored)
        return self._choices[node]

    def _score(self, choices: _Choices) -> tuple[int, int] | None:
        """Score one more derivation of a node; return the derivation that must be found first, if any."""
        edge, ranks = choices.unscored[-1]
        below = []
        for child, rank in zip(self.children(edge), ranks, strict=True):
            found = self._choices_of(child)
            if not found.is_settled(rank):
                return child, rank
            if rank >= len(found.found):
                choices.unscored.pop()
                return None
            below.append(found.found[rank].log_score)
        heapq.heappush(choices.waiting, (-self._score_of(edge, below), *choices.unscored.pop()))
        return None

    def best(self, roots: Sequence[tuple[int, float]]) -> Iterator[tuple[float, int, int]]:
        """Yield log score, index of the root and rank for all derivations of the given roots, best first.

        The log score of each root is added to those of its derivations.
        """
        heap: list[tuple[float, int, int]] = []

        def push(place: int, rank: int) -> None:
            node, log_score = roots[place]
            found = self.get(node, rank)
            if found is not None:
                heapq.heappush(heap, (-(log_score + found.log_score), place, rank))

        for place in range(len(roots)):
            push(place, 0)
        while heap:
            cost, place, rank = heapq.heappop(heap)
            yield -cost, place, rank
            push(place, rank + 1)
