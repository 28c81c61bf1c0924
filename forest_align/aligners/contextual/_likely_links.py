"""Chooses links by their probabilities, and partners for words that both sentences repeat."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from forest_align.alignment import Links

# Lower bound for the probability of a single link in the probability of a set.
_LEAST = np.float32(1e-7)


def most_likely_links(
    words: tuple[Sequence[str], Sequence[str]], probability: np.ndarray, threshold: float
) -> tuple[Links, float]:
    """Links that reach the threshold, links of repeated words, and the log-probability of this set.

    Shapes: ``probability`` float32 (n, m).
    """
    linked = probability >= threshold
    for i, j in _repeated_links(words, probability, linked, threshold):
        linked[i, j] = True
    scores = probability[linked]
    chosen = 1 - probability
    chosen[linked] = scores
    np.log(np.maximum(chosen, _LEAST, out=chosen), out=chosen)
    # Cells are sorted and unique, as Links requires.
    pairs = tuple(zip(*(places.tolist() for places in np.nonzero(linked)), strict=True))
    # A transposed table is summed in its original memory order, so that even the last digit is the same.
    return Links(pairs, None, tuple(scores.tolist())), float(chosen.sum())


def _repeated_links(
    words: tuple[Sequence[str], Sequence[str]], probability: np.ndarray, linked: np.ndarray, threshold: float
) -> list[tuple[int, int]]:
    """Links of words that have a partner among several equal words.

    Two words without links are candidates if they are equal, ignoring case, and the model expects a link:
    the probabilities of each with such words add up to the threshold. The most probable candidates are
    chosen, one to one. Ties are resolved from left to right.
    """
    source, target = (_without_link(*side) for side in zip(words, (linked, linked.T), strict=True))
    found: list[tuple[int, int]] = []
    for word in source.keys() & target.keys():
        rows, columns = source[word], target[word]
        if len(rows) == 1 or len(columns) == 1:  # the probability of one link does not reach the threshold
            continue
        # Doubles represent sums of a few such numbers exactly, in either order of the sentences.
        table = probability[np.ix_(rows, columns)].astype(np.float64)
        rows = [i for i, total in zip(rows, table.sum(1).tolist(), strict=True) if total >= threshold]
        columns = [j for j, total in zip(columns, table.sum(0).tolist(), strict=True) if total >= threshold]
        free, others_free = set(rows), set(columns)
        # Equally probable cells that share a word keep their order from the left, even if the sentences are
        # swapped.
        for i, j in sorted(product(rows, columns), key=lambda cell: -probability[cell]):
            if i in free and j in others_free:
                free.remove(i)
                others_free.remove(j)
                found.append((i, j))
    return found


def _without_link(words: Sequence[str], linked: np.ndarray) -> dict[str, list[int]]:
    """Positions of the unlinked words of one side, by their lower-cased forms."""
    places: dict[str, list[int]] = {}
    for place in np.flatnonzero(~linked.any(axis=1)).tolist():
        places.setdefault(words[place].lower(), []).append(place)
    return places
