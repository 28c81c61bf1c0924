"""Spans of tokens, how two of them differ, and sums over rectangles of two of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np


def gaps(used: Iterable[int], length: int) -> tuple[tuple[int, int], ...]:
    """Maximal half-open spans of the first ``length`` numbers that hold no ``used`` number."""
    edges = [-1, *sorted(used), length]
    return tuple((a + 1, b) for a, b in pairwise(edges) if b - a > 1)


def inside_sentences(pairs: np.ndarray, source: Sequence[int], target: Sequence[int]) -> np.ndarray:
    """The span pairs, int (K, 4), of which neither side crosses a sentence boundary of its text."""
    for starts, (start, end) in ((source, (0, 1)), (target, (2, 3))):
        before = np.searchsorted(starts, pairs[:, start], side="right")
        pairs = pairs[before == np.searchsorted(starts, pairs[:, end])]
    return pairs


def is_different(source: Sequence[str], target: Sequence[str]) -> bool:
    """Whether two phrases differ by more than left-out words: neither is a subsequence of the other."""
    return not _is_subsequence(source, target) and not _is_subsequence(target, source)


def _is_subsequence(some: Sequence[str], others: Sequence[str]) -> bool:
    rest = iter(others)
    return all(word in rest for word in some)


@dataclass(frozen=True, slots=True, eq=False)
class SpanSums:
    """Sums of a table over a span of rows and a span of columns, by four look-ups each."""

    corners: np.ndarray  # (n + 1, m + 1): sums over all rows and columns below the indices

    @classmethod
    def of(cls, table: np.ndarray) -> SpanSums:
        """Add up a table of shape (n, m); sums of bool are int64, others keep their type."""
        sums = table.cumsum(axis=0).cumsum(axis=1)
        corners = np.zeros((table.shape[0] + 1, table.shape[1] + 1), dtype=sums.dtype)
        corners[1:, 1:] = sums
        return cls(corners)

    def between(
        self,
        start: np.ndarray | slice | int,
        end: np.ndarray | slice | int,
        other_start: np.ndarray | slice | int = 0,
        other_end: np.ndarray | slice | int = -1,
    ) -> np.ndarray:
        """Sums over half-open spans of rows and of columns, by default of all columns.

        Indices are positions between cells: numbers, arrays that broadcast, or slices. Position -1 is the
        last one.
        """
        at = self.corners
        sums: np.ndarray = at[end, other_end] - at[start, other_end]
        sums = sums - at[end, other_start] + at[start, other_start]
        return sums

    def grid(
        self, start: np.ndarray, end: np.ndarray, other_start: np.ndarray, other_end: np.ndarray
    ) -> np.ndarray:
        """Sums over each of K spans of rows with each of L spans of columns, shape (K, L)."""
        rows = self.corners[end] - self.corners[start]
        sums: np.ndarray = rows[:, other_end] - rows[:, other_start]
        return sums
