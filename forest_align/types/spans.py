"""Spans of tokens."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise


def gaps(used: Iterable[int], length: int) -> tuple[tuple[int, int], ...]:
    """Maximal half-open spans of the first ``length`` numbers that hold none of those ``used``."""
    edges = [-1, *sorted(used), length]
    return tuple((a + 1, b) for a, b in pairwise(edges) if b - a > 1)
