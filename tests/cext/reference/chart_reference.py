"""Plain-Python twin of ``chart.pyx`` and an enumeration of all trees: the oracles of its tests."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from operator import index
from typing import Any

import numpy as np

from forest_align.cext.checked_arrays import LARGEST_SCORE

# A constituent with its parts, as nested tuples: (start, end, label, children); spans are half-open.
Tree = tuple[int, int, int, tuple[Any, ...]]

_NO_TREE = "the chart allows no tree: the whole sentence must be labelled and no label is possible"


def inside_outside(labelled: Any, force_root: bool = True) -> tuple[float, np.ndarray]:
    """See ``chart.inside_outside``; outside scores in log space, from the same recursion."""
    chart = np.asarray(labelled, dtype=np.float64)
    if chart.ndim != 2 or chart.shape[0] != chart.shape[1] or chart.shape[0] == 0:
        raise ValueError(f"expected a square chart of 1 word or more, found shape {chart.shape}")
    n = len(chart)
    upper = np.triu(np.ones((n, n), dtype=bool))
    if not ((abs(chart[upper]) <= LARGEST_SCORE) | (chart[upper] == -np.inf)).all():
        bounds = f"{-LARGEST_SCORE:.0f} to {LARGEST_SCORE:.0f}"
        raise ValueError(f"expected chart scores from {bounds} or -inf, found NaN or others")
    real, rest, inner = (np.full((n, n), -np.inf) for _ in range(3))
    for i in range(n - 1, -1, -1):
        for j in range(i, n):
            if i == j:
                inner[i, j] = 0.0
                real[i, j] = rest[i, j] = np.logaddexp(0.0, chart[i, j])
                continue
            inner[i, j] = np.logaddexp.reduce([real[i, k] + rest[k + 1, j] for k in range(i, j)])
            real[i, j] = chart[i, j] + inner[i, j]
            rest[i, j] = np.logaddexp(real[i, j], inner[i, j])
    log_partition = chart[0, -1] + inner[0, -1] if force_root else rest[0, -1]
    if log_partition == -np.inf:
        raise ValueError(
            "the chart allows no tree: the whole sentence must be labelled and no label is possible"
        )
    # Each span's outside scores come from the wider spans, so go from wide to narrow.
    outside_real, outside_rest = (np.full((n, n), -np.inf) for _ in range(2))
    (outside_real if force_root else outside_rest)[0, -1] = 0.0
    marginals = np.zeros((n, n))
    for width in range(n - 1, -1, -1):
        for i in range(n - width):
            j = i + width
            # A labelled span is reached as a first child, as a last child, or as the root.
            above = np.logaddexp(outside_real[i, j], outside_rest[i, j])
            marginals[i, j] = math.exp(above + chart[i, j] + inner[i, j] - log_partition)
            outside_inner = np.logaddexp(above + chart[i, j], outside_rest[i, j])
            for k in range(i, j):
                outside_real[i, k] = np.logaddexp(outside_real[i, k], outside_inner + rest[k + 1, j])
                outside_rest[k + 1, j] = np.logaddexp(outside_rest[k + 1, j], outside_inner + real[i, k])
    return float(log_partition), marginals


def k_best(
    scores: Any, k: int, force_root: bool = True
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """See ``chart.k_best``; keeps the k best of every span, so it is slow and plain."""
    chart = np.asarray(scores, dtype=np.float32)
    if chart.ndim != 3 or chart.shape[0] != chart.shape[1] or 0 in chart.shape:
        raise ValueError(f"expected a chart of shape (n, n, labels), found shape {chart.shape}")
    if not 1 <= index(k) < 2**31:
        raise ValueError(f"expected k of at least 1 and at most {2**31 - 1}, found {k}")
    n = len(chart)
    upper = chart[np.triu_indices(n)]
    if not ((upper <= LARGEST_SCORE).all() and (upper[:, 0] >= -LARGEST_SCORE).all()):
        raise ValueError(
            f"expected chart scores of at most {LARGEST_SCORE:.0f}, those of the empty label at least "
            f"{-LARGEST_SCORE:.0f}, found NaN or others"
        )
    relative = chart.astype(np.float64) - chart[:, :, :1].astype(np.float64)

    def best(candidates: list[tuple[float, Any]]) -> list[tuple[float, Any]]:
        return sorted((c for c in candidates if c[0] > -np.inf), key=lambda c: -c[0])[:k]

    real: dict[tuple[int, int], list[tuple[float, Any]]] = {}
    rest: dict[tuple[int, int], list[tuple[float, Any]]] = {}
    bare_root: list[tuple[float, Any]] = []
    for i in range(n - 1, -1, -1):
        for j in range(i, n):
            labels = relative[i, j]
            if i == j:
                first = 1 if force_root and n == 1 else 0
                words = [(float(labels[x]), (i, i + 1, x, ())) for x in range(first, len(labels))]
                real[i, j] = best(words)
                rest[i, j] = [(score, (tree,)) for score, tree in real[i, j]]
                continue
            inner = best(
                [
                    (left_score + right_score, (left, *right))
                    for split in range(i, j)
                    for (left_score, left), (right_score, right) in product(
                        real[i, split], rest[split + 1, j]
                    )
                ]
            )
            real[i, j] = best(
                [
                    (float(labels[x]) + score, (i, j + 1, x, children))
                    for x in range(1, len(labels))
                    for score, children in inner
                ]
            )
            rest[i, j] = best([(score, (tree,)) for score, tree in real[i, j]] + inner)
            bare_root = inner
    found = real[0, n - 1]
    if not force_root and n > 1:
        found = best(found + [(score, (0, n, 0, children)) for score, children in bare_root])
    if not found:
        raise ValueError(
            "the chart allows no tree: the whole sentence must be labelled and no label is possible"
        )
    return _as_arrays(found)


def _as_arrays(
    found: list[tuple[float, Tree]],
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    numbers: dict[Tree, int] = {}
    children: list[list[int]] = []

    def add(tree: Tree) -> int:
        below = [add(child) for child in tree[3]]
        if tree not in numbers:
            numbers[tree] = len(numbers)
            children.append(below)
        return numbers[tree]

    tops = [add(tree) for _, tree in found]
    return (
        np.array([tree[:3] for tree in numbers], dtype=np.int32),
        np.cumsum([0] + [len(below) for below in children], dtype=np.int32),
        np.array([child for below in children for child in below], dtype=np.int32),
        np.array(tops, dtype=np.int32),
        np.array([score for score, _ in found]),
    )


def enumerate_trees(
    n: int, labels: int, force_root: bool = True
) -> Iterator[frozenset[tuple[int, int, int]]]:
    """Every tree over n words, as its set of labelled closed spans: any labelled spans that nest.

    Parameters
    ----------
    n : int
        Number of words.
    labels : int
        Number of labels, the empty one (0) included.
    force_root : bool
        Whether the span of the whole sentence must be labelled.
    """
    spans = [(i, j) for i in range(n) for j in range(i, n)]

    def extend(at: int, chosen: list[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
        if at == len(spans):
            yield chosen
            return
        i, j = spans[at]
        if not (force_root and (i, j) == (0, n - 1)):
            yield from extend(at + 1, chosen)
        if all(not (a < i <= b < j or i < a <= j < b) for a, b in chosen):
            yield from extend(at + 1, [*chosen, (i, j)])

    for chosen in extend(0, []):
        for kinds in product(range(1, labels), repeat=len(chosen)):
            yield frozenset((i, j, label) for (i, j), label in zip(chosen, kinds, strict=True))
