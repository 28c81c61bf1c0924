"""One forest in the alignment kernel's plain-Python twin, and the best null paths between its nodes."""

from __future__ import annotations

from typing import Any

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
