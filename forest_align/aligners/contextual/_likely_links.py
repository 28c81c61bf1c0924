"""Chooses links by their probabilities, and partners for words that stand several times in both sentences."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from forest_align.alignment import Links

# Links less likely than this count as that likely in the probability of a set.
_LEAST = np.float32(1e-7)


def most_likely_links(
    words: tuple[Sequence[str], Sequence[str]], probability: np.ndarray, threshold: float
) -> tuple[Links, float]:
    """The links from the threshold on, and those of repeated words; and how probable just this set is.

    Parameters
    ----------
    words : (sequence of str, sequence of str)
        The n words of the source and the m words of the target.
    probability : numpy.ndarray
        float32, shape (n, m): of a link of every two words.
    threshold : float
        Probability from which on two words are linked.

    Returns
    -------
    Links
        In order, with their probabilities.
    float
        Log-probability of just this set of links.
    """
    linked = probability >= threshold
    for i, j in _repeated_links(words, probability, linked, threshold):
        linked[i, j] = True
    scores = probability[linked]
    chosen = 1 - probability
    chosen[linked] = scores
    np.log(np.maximum(chosen, _LEAST, out=chosen), out=chosen)
    # Cells come in order and once, as links want them.
    pairs = tuple(zip(*(places.tolist() for places in np.nonzero(linked)), strict=True))
    # A table that was transposed is summed in the order that it was made in: to the same last digit.
    return Links(pairs, None, tuple(scores.tolist())), float(chosen.sum())


def _repeated_links(
    words: tuple[Sequence[str], Sequence[str]], probability: np.ndarray, linked: np.ndarray, threshold: float
) -> list[tuple[int, int]]:
    """Links of words that have a partner among equal words, though it is open which one.

    Two words without links are candidates if they are equal, letter case aside, and if the probabilities of
    each with such words add up to the threshold: the model expects a link. The most probable candidates are
    taken, one to one; where several are as probable, those from the left.
    """
    source, target = (_without_link(*side) for side in zip(words, (linked, linked.T), strict=True))
    found: list[tuple[int, int]] = []
    for word in source.keys() & target.keys():
        rows, columns = source[word], target[word]
        if len(rows) == 1 or len(columns) == 1:  # the probability of one link does not reach the threshold
            continue
        # Doubles hold sums of a few such numbers exactly, in either order of the sentences.
        table = probability[np.ix_(rows, columns)].astype(np.float64)
        rows = [i for i, total in zip(rows, table.sum(1).tolist(), strict=True) if total >= threshold]
        columns = [j for j, total in zip(columns, table.sum(0).tolist(), strict=True) if total >= threshold]
        free, others_free = set(rows), set(columns)
        # Cells that share a word keep their order, from the left, where they are as probable: in swapped
        # sentences, too.
        for i, j in sorted(product(rows, columns), key=lambda cell: -probability[cell]):
            if i in free and j in others_free:
                free.remove(i)
                others_free.remove(j)
                found.append((i, j))
    return found


def _without_link(words: Sequence[str], linked: np.ndarray) -> dict[str, list[int]]:
    """Where the words of one side stand that no other is linked with, by their lower-cased forms."""
    places: dict[str, list[int]] = {}
    for place in np.flatnonzero(~linked.any(axis=1)).tolist():
        places.setdefault(words[place].lower(), []).append(place)
    return places
