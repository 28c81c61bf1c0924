"""Dependencies that word links align: the second measure of alignments of Thadani et al. (2012, §6)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from forest_align.alignment import Links
from forest_align.eval.metrics.scores import MatchCounts, Statistic, harmonic_mean, mean

#: Governor and dependent as token indices; the governor of the root is -1.
Arc = tuple[int, int]


def projected_pairs(
    links: Iterable[tuple[int, int]], source: Sequence[Arc], target: Sequence[Arc]
) -> set[tuple[Arc, Arc]]:
    """Pairs of dependencies whose governors and dependents are linked; two roots count as linked."""
    linked = {*links, (-1, -1)}
    by_ends: dict[int, list[Arc]] = {}
    for arc in target:
        by_ends.setdefault(arc[1], []).append(arc)
    partners: dict[int, list[int]] = {}
    for i, j in linked:
        partners.setdefault(i, []).append(j)
    return {
        (arc, other)
        for arc in source
        for j in partners.get(arc[1], ())
        for other in by_ends.get(j, ())
        if (arc[0], other[0]) in linked
    }


def score_projected(
    gold: Sequence[Links], predicted: Sequence[Links], arcs: Sequence[tuple[Sequence[Arc], Sequence[Arc]]]
) -> dict[str, Statistic]:
    """Score the aligned dependencies of pairs of sentences like word links.

    Parameters
    ----------
    gold, predicted : sequence of Links
        Word links of each pair; all of them count.
    arcs : sequence of (sequence of Arc, sequence of Arc)
        Dependencies of the two sentences of each pair.

    Returns
    -------
    dict of str to Statistic
        Precision, recall and F1 as for word links, ``exact_match``, and ``pair_f1``, the mean of the F1 of
        the pairs.
    """
    rows, exact = [], []
    for wanted, found, (source, target) in zip(gold, predicted, arcs, strict=True):
        right, made = (projected_pairs(links, source, target) for links in (wanted, found))
        both = len(right & made)
        rows.append((both, len(made), both, len(right)))
        exact.append(right == made)
    counts = MatchCounts.of(rows)
    of_pairs = harmonic_mean(counts.pair_precision(), counts.pair_recall())
    return {
        **counts.macro_statistics(),
        "exact_match": mean(np.asarray(exact, bool)),
        "pair_f1": mean(of_pairs),
    }
