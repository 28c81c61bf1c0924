"""How certain the joint aligner is of a pair of phrases: the score that the alignment loses without it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from forest_align.types.spans import SpanSums

if TYPE_CHECKING:
    from forest_align.aligners.joint.features import PairEdits
    from forest_align.aligners.joint.program import Solution


def margins(
    edits: PairEdits, best: Solution, phrase_scores: np.ndarray, arc_scores: np.ndarray
) -> np.ndarray:
    """Margin of each chosen phrase pair over its best replacement, all else being equal.

    A linear model has no probabilities, and solving the program again without each pair in turn would take
    twenty times as long. So the margin only compares with simple alternatives. They delete the words of the
    pair, or replace it by one other phrase pair that overlaps no other chosen one. Arc pairs that begin or
    end in a phrase pair are added and removed with it.
    """
    n, m = edits.lengths
    owner = np.full((n, m), -1)
    for place, (start, end, other_start, other_end) in enumerate(edits.spans[best.phrases].tolist()):
        owner[start:end, other_start:other_end] = place
    taken = owner.max(axis=1, initial=-1), owner.max(axis=0, initial=-1)
    own = phrase_scores[best.phrases] + _arc_sums(edits, best, arc_scores, owner)
    # Only phrase pairs that overlap exactly one chosen pair count as replacements.
    other = phrase_scores + _context(edits, arc_scores, owner >= 0)
    instead = np.zeros(len(best.phrases))
    chosen = set(best.phrases.tolist())
    for place in np.flatnonzero(other > 0).tolist():
        start, end, other_start, other_end = edits.spans[place].tolist()
        in_way = {*taken[0][start:end].tolist(), *taken[1][other_start:other_end].tolist()} - {-1}
        if len(in_way) == 1 and place not in chosen:
            (pair,) = in_way
            instead[pair] = max(instead[pair], other[place])
    return np.asarray(own - instead)


def _arc_sums(edits: PairEdits, best: Solution, arc_scores: np.ndarray, owner: np.ndarray) -> np.ndarray:
    """Sum of the scores of the chosen arc pairs that begin or end in each chosen phrase pair."""
    pairs = edits.arc_pairs
    sums = np.zeros(len(best.phrases))
    for arc in best.arcs.tolist():
        ends = {int(owner[tuple(pairs.dependents[arc])])}
        if pairs.governors[arc, 0] >= 0:
            ends.add(int(owner[tuple(pairs.governors[arc])]))
        sums[list(ends)] += arc_scores[arc]
    return sums


def _context(edits: PairEdits, arc_scores: np.ndarray, linked: np.ndarray) -> np.ndarray:
    """Sum of the scores of the arc pairs with one end in a phrase pair and the other in linked words."""
    pairs = edits.arc_pairs
    sums = np.zeros(linked.shape)
    # The artificial roots, at index -1, are aligned.
    padded = np.pad(linked, (0, 1))
    padded[-1, -1] = True
    for here, there in ((pairs.dependents, pairs.governors), (pairs.governors, pairs.dependents)):
        counted = (here[:, 0] >= 0) & padded[tuple(there.T)]
        np.add.at(sums, (here[counted, 0], here[counted, 1]), arc_scores[counted])
    return SpanSums.of(sums).between(*edits.spans.T)
