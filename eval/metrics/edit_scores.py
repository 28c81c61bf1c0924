"""Edits of a system against the edits that people marked.

An edit is right if both of its spans are marked as one edit, so that its type is right too: a replacement
has words on both sides, a deletion and an insertion on one. Precision, recall and F1 are over all edits of a
corpus. Where annotators accept several ways to divide the changes, the best one for the system counts.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from collections.abc import Set as AbstractSet

import numpy as np

from forest_align.alignment import Span
from forest_align.eval.metrics.scores import Statistic, mean, safe_divide

#: The two spans of an edit; None where it has no words.
Spans = tuple[Span | None, Span | None]
#: Names of the types of edits, each with whether it has words of the source, and of the target.
_EDIT_TYPES = {"replace": (True, True), "delete": (True, False), "insert": (False, True)}


def edit_counts(found: AbstractSet[Spans], versions: Collection[AbstractSet[Spans]]) -> tuple[int, int, int]:
    """How many edits of a pair are right, found and wanted."""
    wanted = _closest_version(found, versions)
    return len(found & wanted), len(found), len(wanted)


def _closest_version(
    found: AbstractSet[Spans], versions: Collection[AbstractSet[Spans]]
) -> AbstractSet[Spans]:
    """The version of the marked edits with the highest F1; the first of equally good ones."""

    def f1(wanted: AbstractSet[Spans]) -> float:
        total = len(found) + len(wanted)
        return 2 * len(found & wanted) / total if total else 1.0

    return max(versions, key=f1)


def edit_f1(counts: Sequence[tuple[int, int, int]]) -> float:
    """F1 of a corpus from the counts of its pairs; 1 if there are no edits at all."""
    return float(_f1(np.sum(counts, axis=0))) if counts else 1.0


def edit_statistics(
    found: Sequence[AbstractSet[Spans]], versions: Sequence[Collection[AbstractSet[Spans]]]
) -> dict[str, Statistic]:
    """The figures of a corpus by name.

    ``precision``, ``recall`` and ``f1`` of edits, the ``f1`` of each type, and ``exact``, the share of pairs
    all of whose edits are right.
    """
    wanted = [_closest_version(ours, theirs) for ours, theirs in zip(found, versions, strict=True)]
    rows = {"": [_row(ours, theirs) for ours, theirs in zip(found, wanted, strict=True)]}
    for name, sides in _EDIT_TYPES.items():
        rows[f"{name}."] = [
            _row(_of_type(ours, sides), _of_type(theirs, sides))
            for ours, theirs in zip(found, wanted, strict=True)
        ]
    figures: dict[str, Callable[[np.ndarray], np.ndarray]] = {"precision": _precision, "recall": _recall}
    table = {name: np.array(values, float).reshape(-1, 3) for name, values in rows.items()}
    statistics = {name: Statistic(table[""], of_sums) for name, of_sums in figures.items()}
    statistics |= {f"{name}f1": Statistic(values, _f1) for name, values in table.items()}
    exact = [ours == theirs for ours, theirs in zip(found, wanted, strict=True)]
    return statistics | {"exact": mean(exact)}


def _of_type(edits: AbstractSet[Spans], sides: tuple[bool, bool]) -> AbstractSet[Spans]:
    return {one for one in edits if (one[0] is not None, one[1] is not None) == sides}


def _row(found: AbstractSet[Spans], wanted: AbstractSet[Spans]) -> tuple[int, int, int]:
    return len(found & wanted), len(found), len(wanted)


def _precision(sums: np.ndarray) -> np.ndarray:
    return safe_divide(sums[..., 0], sums[..., 1])


def _recall(sums: np.ndarray) -> np.ndarray:
    return safe_divide(sums[..., 0], sums[..., 2])


def _f1(sums: np.ndarray) -> np.ndarray:
    return safe_divide(2 * sums[..., 0], sums[..., 1] + sums[..., 2])
