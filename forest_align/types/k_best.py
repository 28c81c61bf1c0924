"""Walks through the trees of a packed forest: enumerates them best first and writes one in Penn brackets."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence

import numpy as np

from forest_align.types.brackets import escape_word, split_chain
from forest_align.types.node import Derivation, ForestArrays


class _Choices:
    """The derivations below one node, found on demand in order of probability.

    A derivation is ``(log_probability, edge, rank of left, rank of right)``; edge -1 is a leaf.
    """

    __slots__ = ("found", "heap", "seen")

    def __init__(self) -> None:
        self.found: list[tuple[float, int, int, int]] = []
        self.heap: list[tuple[float, int, int, int]] = []
        self.seen: set[tuple[int, int, int]] = set()


class _LazySearch:
    """Huang & Chiang (2005), algorithm 3, over one forest."""

    def __init__(self, forest: ForestArrays) -> None:
        self.edges = forest.edges.tolist()
        conditional = forest.edge_log_marginal - forest.log_marginal[forest.edges[:, 0]]
        self.log_probability = conditional.tolist()
        self.choices = [_Choices() for _ in range(len(forest))]
        # Bottom-up, the best derivation of each node is ready before a parent asks for it.
        edge = 0
        for node in range(len(forest)):
            choices = self.choices[node]
            if edge == len(self.edges) or self.edges[edge][0] != node:
                choices.found.append((0.0, -1, 0, 0))
                continue
            while edge < len(self.edges) and self.edges[edge][0] == node:
                self._push(choices, edge, 0, 0)
                edge += 1
            self._pop(choices)

    def _push(self, choices: _Choices, edge: int, left_rank: int, right_rank: int) -> None:
        if (edge, left_rank, right_rank) in choices.seen:
            return
        choices.seen.add((edge, left_rank, right_rank))
        _, left, right = self.edges[edge]
        below = self.choices[left].found[left_rank][0] + self.choices[right].found[right_rank][0]
        score = self.log_probability[edge] + below
        heapq.heappush(choices.heap, (-score, edge, left_rank, right_rank))

    @staticmethod
    def _pop(choices: _Choices) -> None:
        score, edge, left_rank, right_rank = heapq.heappop(choices.heap)
        choices.found.append((-score, edge, left_rank, right_rank))

    def has(self, node: int, rank: int) -> bool:
        """Find the derivation of a node with a rank; False if there are fewer."""
        # A stack instead of recursion: forests of long sentences are deep. What is asked for below is one
        # rank more than a derivation in use, so everything lower is there already.
        todo = [(node, rank)]
        while todo:
            top, wanted = todo[-1]
            choices = self.choices[top]
            if wanted < len(choices.found):
                todo.pop()
                continue
            missing = self._open(choices)
            if missing is not None:
                todo.append(missing)
                continue
            if not choices.heap:
                # Nothing more here; note it, so that whoever asked stops asking.
                choices.found.append((-np.inf, -2, 0, 0))
                todo.pop()
                continue
            self._pop(choices)
        return self.choices[node].found[rank][1] != -2

    def _open(self, choices: _Choices) -> tuple[int, int] | None:
        """Queue what follows the last derivation found; return what must be found first, if anything."""
        _, edge, left_rank, right_rank = choices.found[-1]
        if edge < 0:
            return None
        _, left, right = self.edges[edge]
        for child, rank, ranks in (
            (left, left_rank + 1, (left_rank + 1, right_rank)),
            (right, right_rank + 1, (left_rank, right_rank + 1)),
        ):
            found = self.choices[child].found
            if rank == len(found) and found[-1][1] != -2:
                return child, rank
            if rank < len(found) and found[rank][1] != -2:
                self._push(choices, edge, *ranks)
        return None

    def tree(self, node: int, rank: int) -> dict[int, int]:
        """Hyperedges of one derivation."""
        chosen: dict[int, int] = {}
        todo = [(node, rank)]
        while todo:
            top, wanted = todo.pop()
            _, edge, left_rank, right_rank = self.choices[top].found[wanted]
            if edge >= 0:
                chosen[top] = edge
                _, left, right = self.edges[edge]
                todo += ((left, left_rank), (right, right_rank))
        return chosen


def enumerate_derivations(forest: ForestArrays) -> Iterator[Derivation]:
    """Yield every tree of the forest, the most probable first; see :meth:`ParseForest.derivations`."""
    search = _LazySearch(forest)
    roots = forest.roots.tolist()
    log_roots = forest.log_marginal[forest.roots]
    log_roots = log_roots - np.logaddexp.reduce(log_roots)
    heap = []
    for place, root in enumerate(roots):
        heap.append((-(log_roots[place] + search.choices[root].found[0][0]), place, 0))
    heapq.heapify(heap)
    while heap:
        score, place, rank = heapq.heappop(heap)
        root = roots[place]
        yield Derivation(root, search.tree(root, rank), float(-score))
        if search.has(root, rank + 1):
            below = search.choices[root].found[rank + 1][0]
            heapq.heappush(heap, (-(log_roots[place] + below), place, rank + 1))


def write_bracket(forest: ForestArrays, words: Sequence[str], derivation: Derivation) -> str:
    """Write one tree in Penn brackets; see :meth:`ParseForest.bracket`."""
    pieces: list[str] = []
    start, is_constituent, edges = (
        forest.start.tolist(),
        forest.is_constituent.tolist(),
        forest.edges.tolist(),
    )
    todo: list[int | str] = [derivation.root]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            pieces.append(item)
            continue
        edge = derivation.edges.get(item, -1)
        chain = split_chain(forest.labels[item]) if is_constituent[item] else []
        opening = " " + " ".join(f"({label}" for label in chain)
        if edge < 0:
            word = words[start[item]]
            pieces.append(f"{opening} {escape_word(word)}{')' * len(chain)}")
            continue
        if chain:
            pieces.append(opening)
            todo.append(")" * len(chain))
        todo += (edges[edge][2], edges[edge][1])
    return "".join(pieces).lstrip()
