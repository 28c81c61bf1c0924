"""Checks alignments against the constraints of Thadani et al. (2012, §5.3), independently of the program."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forest_align.aligners.joint.edit_table import ArcPairs


def violations(
    lengths: tuple[int, int],
    spans: np.ndarray,
    pairs: ArcPairs,
    phrases: Sequence[int] | np.ndarray,
    arcs: Sequence[int] | np.ndarray,
    deletions: np.ndarray | None = None,
) -> list[str]:
    """List the constraints of the paper that a choice of phrase pairs and arc pairs violates.

    Constraint (9) is checked as in :func:`best_edits`: an arc pair whose words are aligned must be chosen,
    unless one of its arcs is in another chosen pair. As printed, it contradicts (5) if phrases of several
    words contain arcs. ``deletions`` are the phrases of several words that are deleted as wholes, int (K, 3):
    side, start, end.
    """
    problems = []
    linked = np.zeros(lengths, dtype=int)
    used = np.zeros(lengths[0], dtype=int), np.zeros(lengths[1], dtype=int)
    for place in phrases:
        start, end, other_start, other_end = spans[place].tolist()
        linked[start:end, other_start:other_end] += 1
        used[0][start:end] += 1
        used[1][other_start:other_end] += 1
    for side, start, end in () if deletions is None else deletions.tolist():
        used[side][start:end] += 1
    for name, counts in zip(("source", "target"), used, strict=True):
        problems += [f"(4): {name} word {k} is in {counts[k]} edits" for k in np.flatnonzero(counts > 1)]
    taken = {int(place) for place in arcs}
    in_pairs = [{int(pairs.arcs[place, side]) for place in taken} for side in (0, 1)]
    for side, name in ((0, "source"), (1, "target")):
        if len(in_pairs[side]) < len(taken):
            problems.append(f"(5): a {name} arc is in several edits")
    for place in range(len(pairs)):
        governors, dependents = pairs.governors[place].tolist(), pairs.dependents[place].tolist()
        ends = (governors[0] < 0 or linked[tuple(governors)] > 0, linked[tuple(dependents)] > 0)
        if place in taken and not all(ends):
            problems.append(f"(7), (8): arc pair {place} is taken, its words are not aligned")
        excused = any(int(pairs.arcs[place, side]) in in_pairs[side] for side in (0, 1))
        if all(ends) and place not in taken and not excused:
            problems.append(f"(9): arc pair {place} is not taken, its words are aligned")
    return problems
