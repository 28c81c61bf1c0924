r"""Pairs of spans: how they lie to each other, and the rules that a derivation says beyond constituents.

Where *is composed of ten teams* is aligned with *has ten teams*, and *ten teams* with *ten teams*, the
derivation says that *is composed of* corresponds to *has*: a rule VP(is composed of X) ↔ VP(has X), in which
both phrases lack a noun phrase. Its categories are written as in categorial grammar: ``VP/NP`` is a verb
phrase that lacks a noun phrase to the right, ``S\NP`` a sentence that lacks one to the left.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

#: Words of the longest side of a rule. Of the phrases that people mark, longer ones are free rewordings.
MOST_WORDS = 8
_FIRST, _LAST = 1, 2  # edges of a phrase


class Rules(NamedTuple):
    """R pairs of phrases that remain of aligned pairs."""

    spans: np.ndarray  # int64, shape (R, 4): start and end in the source, start and end in the target
    whole: np.ndarray  # int64, shape (R,): place of the pair that each remains of
    # int64, shape (R, 2): places of the pairs that each lacks, in the order of the source; the second is -1
    # if there is only one
    removed: np.ndarray


def contained(inner: np.ndarray, outer: np.ndarray) -> np.ndarray:
    """Whether pairs of spans, shape (K, 4), lie inside others, shape (L, 4), on both sides: bool (K, L)."""
    inside = np.ones((len(inner), len(outer)), bool)
    for side in (0, 2):
        inside &= outer[None, :, side] <= inner[:, None, side]
        inside &= inner[:, None, side + 1] <= outer[None, :, side + 1]
    return inside


def largest_below(below: np.ndarray) -> np.ndarray:
    """Of what lies below each pair, bool (D, D), that which lies below nothing else of it."""
    steps = below.astype(np.float32)
    largest: np.ndarray = below & ~(steps @ steps > 0)
    return largest


def nearness(some: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Intersection over union, of the side where it is smaller, of pairs of spans: float64 (K, L)."""
    shares = []
    for side, shared in zip((0, 2), overlaps(some, others), strict=True):
        ends = np.maximum(some[:, None, side + 1], others[None, :, side + 1])
        starts = np.minimum(some[:, None, side], others[None, :, side])
        shares.append(np.maximum(shared, 0) / (ends - starts))
    smaller: np.ndarray = np.minimum(*shares)
    return smaller


def overlaps(some: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Words that pairs of spans share, int64 (2, K, L), by side; 0 or less if none."""
    return np.stack(
        [
            np.minimum(some[:, None, side + 1], others[None, :, side + 1])
            - np.maximum(some[:, None, side], others[None, :, side])
            for side in (0, 2)
        ]
    )


def derivation_rules(pairs: np.ndarray) -> Rules:
    """The rules of a derivation: what remains of a pair less one or two others at its edges on both sides.

    Of the ways to the same remainder, the one from the smallest pair counts, and of these the first. Pairs of
    the derivation, those of two single words and those of more than :data:`MOST_WORDS` are no rules.

    The pairs are distinct, and those of single words are among them: int64, shape (D, 4), start and end in
    the source, start and end in the target.
    """
    order = np.argsort((pairs[:, 1::2] - pairs[:, ::2]).sum(axis=1), kind="stable")
    edges = _edges(pairs[order], 0), _edges(pairs[order], 2)
    wholes, inner = np.nonzero((edges[0] > 0) & (edges[1] > 0))
    of_source, of_target = edges[0][wholes, inner], edges[1][wholes, inner]
    ways_of = [np.stack([wholes, inner, np.full_like(wholes, -1)], axis=1)]
    bounds = np.searchsorted(wholes, np.arange(len(pairs) + 1)).tolist()
    for whole, (low, high) in enumerate(pairwise(bounds)):
        ones, others = (low + np.flatnonzero(of_source[low:high] == edge) for edge in (_FIRST, _LAST))
        if len(ones) and len(others):
            one, other = (places.ravel() for places in np.meshgrid(ones, others, indexing="ij"))
            across = of_target[one] != of_target[other]
            both = inner[one[across]], inner[other[across]]
            ways_of.append(np.stack([np.full_like(both[0], whole), *both], axis=1))
    ways = np.concatenate(ways_of)
    ways = ways[np.argsort(ways[:, 0], kind="stable")]
    spans = _remainders(pairs[order], ways, edges)
    sizes = spans[:, 1::2] - spans[:, ::2]
    kept = (sizes.min(axis=1) > 0) & (sizes.max(axis=1) > 1) & (sizes.max(axis=1) <= MOST_WORDS)
    kept[kept] = ~np.isin(_keys(spans[kept]), _keys(pairs))
    spans, ways = spans[kept], ways[kept]
    first = np.sort(np.unique(_keys(spans), return_index=True)[1])
    whole_places, *removed = ways[first].T
    places = [np.where(side < 0, -1, order[side]) for side in removed]
    return Rules(spans[first], order[whole_places], np.stack(places, axis=1))


def _edges(pairs: np.ndarray, side: int) -> np.ndarray:
    """At which edge of each phrase of one side a smaller one lies: int64 (D, D); 0 if at none."""
    start, end = pairs[:, side], pairs[:, side + 1]
    first, last = start[:, None] == start, end[:, None] == end
    at_first: np.ndarray = np.where(first & (end < end[:, None]), _FIRST, 0)
    return at_first + np.where(last & (start > start[:, None]), _LAST, 0)


def _remainders(pairs: np.ndarray, ways: np.ndarray, edges: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """What the pairs of each way leave, int64 (W, 4); spans may be empty or less."""
    whole = ways[:, 0]
    spans = pairs[whole]
    for inner in ways.T[1:]:
        for side, of_side in zip((0, 2), edges, strict=True):
            at_first = (inner >= 0) & (of_side[whole, inner] == _FIRST)
            at_last = (inner >= 0) & (of_side[whole, inner] == _LAST)
            spans[at_first, side] = pairs[inner[at_first], side + 1]
            spans[at_last, side + 1] = pairs[inner[at_last], side]
    return spans


def _keys(spans: np.ndarray) -> np.ndarray:
    """A number for each pair of spans of texts of fewer than 65,536 words."""
    keys: np.ndarray = spans @ (1 << np.arange(0, 64, 16, dtype=np.int64))
    return keys
