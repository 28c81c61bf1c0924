"""Constituent pairs that word links support: links projected onto trees.

A pair of spans (one of each sentence) is *possible* if at least one link lies inside it and none
crosses out of it: no word of one span is linked to a word outside the other. This is the consistency of
phrase extraction in machine translation. Possible pairs form chains that differ only by unaligned words
("the dog" ↔ "dog" and "dog" ↔ "dog"): the links cannot distinguish these. Only the smallest pair of a chain
is *sure*: one whose spans do not contain a smaller constituent with the same linked words.

In a single tree a chain has exactly one smallest pair. In a forest, spans may cross, and every minimal pair
is sure.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from forest_align.alignment._links import Links
from forest_align.types import InputError
from forest_align.types.spans import SpanSums

Span = tuple[int, int]
SpanPair = tuple[Span, Span]


@dataclass(frozen=True, slots=True, eq=False)
class Projection:
    """All constituent pairs of one sentence pair, judged by its word links."""

    source_spans: np.ndarray  # int64, (S, 2): distinct half-open spans, ascending
    target_spans: np.ndarray  # int64, (T, 2)
    possible: np.ndarray  # bool, (S, T)
    sure: np.ndarray  # bool, (S, T)

    def possible_pairs(self) -> set[SpanPair]:
        """The possible pairs as tuples."""
        return self._pairs(self.possible)

    def sure_pairs(self) -> set[SpanPair]:
        """The sure pairs as tuples."""
        return self._pairs(self.sure)

    def _pairs(self, chosen: np.ndarray) -> set[SpanPair]:
        source, target = self.source_spans.tolist(), self.target_spans.tolist()
        return {(tuple(source[a]), tuple(target[b])) for a, b in np.argwhere(chosen).tolist()}


def project(source_spans: Iterable[Span], target_spans: Iterable[Span], links: Links) -> Projection:
    """Judge every pair of a source and a target constituent by word links.

    Spans are half-open, in any order; duplicates (unary chains) count once. All links count, so select the
    sure ones of gold links beforehand. Raises InputError if a span is empty or starts before 0.
    """
    source, target = _distinct(source_spans), _distinct(target_spans)
    table = _LinkTable(links, source, target)
    possible = table.consistent(source[:, None], target[None, :])
    smallest = (
        _smallest(source, table.source_linked)[:, None] & _smallest(target, table.target_linked)[None, :]
    )
    return Projection(source, target, possible, possible & smallest)


def are_consistent(source: np.ndarray, target: np.ndarray, links: Links) -> np.ndarray:
    """Whether pairs of spans, each int (P, 2), are possible: they hold a link, and no link leaves them.

    Raises InputError if a span is empty or starts before 0.
    """
    source, target = _checked(source), _checked(target)
    return _LinkTable(links, source, target).consistent(source, target)


class _LinkTable:
    """The link matrix: counts the links inside any block and those that leave any span."""

    def __init__(self, links: Links, source: np.ndarray, target: np.ndarray) -> None:
        pairs = np.asarray(links.pairs, np.int64).reshape(-1, 2)
        size = [
            int(max(spans.max(initial=0), pairs[:, side].max(initial=-1) + 1))
            for side, spans in enumerate((source, target))
        ]
        linked = np.zeros(size, np.int64)
        linked[pairs[:, 0], pairs[:, 1]] = 1
        self.source_linked = np.concatenate([[0], np.cumsum(linked.any(axis=1))])
        self.target_linked = np.concatenate([[0], np.cumsum(linked.any(axis=0))])
        self._sums = SpanSums.of(linked)

    def consistent(self, source: np.ndarray, target: np.ndarray) -> np.ndarray:
        """Whether blocks hold a link and no link leaves them; spans of shape (..., 2) broadcast."""
        (s0, s1), (t0, t1) = np.moveaxis(source, -1, 0), np.moveaxis(target, -1, 0)
        inside = self._sums.between(s0, s1, t0, t1)
        of_source = self._sums.between(s0, s1)
        of_target = self._sums.between(0, -1, t0, t1)
        result: np.ndarray = (inside > 0) & (inside == of_source) & (inside == of_target)
        return result


def _smallest(spans: np.ndarray, linked: np.ndarray) -> np.ndarray:
    """Which spans strictly contain no other span with the same linked words."""
    words = linked[spans[:, 1]] - linked[spans[:, 0]]
    contains = (spans[:, None, 0] <= spans[None, :, 0]) & (spans[None, :, 1] <= spans[:, None, 1])
    np.fill_diagonal(contains, False)
    result: np.ndarray = ~(contains & (words[:, None] == words[None, :])).any(axis=1)
    return result


def _distinct(spans: Iterable[Span]) -> np.ndarray:
    return _checked(np.asarray(sorted(set(spans)), np.int64).reshape(-1, 2))


def _checked(spans: np.ndarray) -> np.ndarray:
    wrong = spans[(spans[:, 0] < 0) | (spans[:, 0] >= spans[:, 1])]
    if len(wrong):
        raise InputError(
            f"expected half-open token spans start < end from 0, found {tuple(wrong[0].tolist())}"
        )
    return spans
