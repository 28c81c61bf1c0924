"""The integer linear program that finds the best phrase and arc edits (Thadani et al. 2012, §5.3).

The indicators x and those of deletions are sums of others, so that the program has two kinds of variables: y
for a pair of phrases, z for a pair of arcs. Their scores are those of the alignment less those of the
deletions that it saves. What cannot be part of the best alignment is left out before, and so are the
constraints that the best alignment meets by itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from forest_align.aligners.joint_edits import ArcPairs
from forest_align.types import ModelError

if TYPE_CHECKING:
    from collections.abc import Sequence

# Nearer to 0 or 1 than this, a value of the relaxed program counts as whole.
_WHOLE = 1e-6
_MISSING = 'the joint aligner needs the solver HiGHS: pip install "forest-align[joint]"'


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """The best edits.

    Attributes
    ----------
    phrases, arcs : numpy.ndarray
        int, sorted: places of the aligned phrase pairs and arc pairs; all other words and arcs are deleted.
    score : float
        Sum of the scores.
    """

    phrases: np.ndarray
    arcs: np.ndarray
    score: float


@dataclass(frozen=True, slots=True, eq=False)
class _Cover:
    """Which phrase pairs hold which pairs of words: two parallel arrays, ordered by cell."""

    cells: np.ndarray
    phrases: np.ndarray

    @classmethod
    def of(cls, spans: np.ndarray, width: int) -> _Cover:
        rows, columns = spans[:, 1] - spans[:, 0], spans[:, 3] - spans[:, 2]
        sizes = rows * columns
        phrases = np.repeat(np.arange(len(spans)), sizes)
        inside = np.arange(len(phrases)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        wide = columns[phrases]
        cells = (spans[phrases, 0] + inside // wide) * width + spans[phrases, 2] + inside % wide
        order = np.argsort(cells, kind="stable")
        return cls(cells[order], phrases[order])

    def of_cells(self, cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Entries of a matrix with a row for each cell: (row, phrase)."""
        first = np.searchsorted(self.cells, cells, "left")
        counts = np.searchsorted(self.cells, cells, "right") - first
        rows = np.repeat(np.arange(len(cells)), counts)
        inside = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
        return rows, self.phrases[first[rows] + inside]


def best_edits(
    lengths: tuple[int, int],
    spans: np.ndarray,
    phrase_scores: np.ndarray,
    pairs: ArcPairs,
    arc_scores: np.ndarray,
) -> Solution:
    """Find the edits with the highest sum of scores.

    Parameters
    ----------
    lengths : (int, int)
        Numbers of words n and m.
    spans : numpy.ndarray
        int32, shape (P, 4): phrase pairs as half-open spans.
    phrase_scores : numpy.ndarray
        float64, shape (P,): α of the phrase pair less the δ of all of its words.
    pairs : ArcPairs
        A pairs of arcs; each of their pairs of words lies in some phrase pair.
    arc_scores : numpy.ndarray
        float64, shape (A,): α of the arc pair less the δ of both arcs.

    Returns
    -------
    Solution

    Raises
    ------
    ModelError
        If HiGHS is not installed.
    """
    kept, kept_arcs = _worth_while(lengths, spans, phrase_scores, pairs, arc_scores)
    if not len(kept):
        return Solution(kept, kept_arcs[:0], 0.0)
    few = ArcPairs(pairs.arcs[kept_arcs], pairs.governors[kept_arcs], pairs.dependents[kept_arcs])
    matrix = _constraints(lengths, spans[kept], few, arc_scores[kept_arcs])
    values = _solve(np.concatenate([phrase_scores[kept], arc_scores[kept_arcs]]), *matrix)
    phrases, arcs = kept[values[: len(kept)]], kept_arcs[values[len(kept) :]]
    return Solution(phrases, arcs, float(phrase_scores[phrases].sum() + arc_scores[arcs].sum()))


def _worth_while(
    lengths: tuple[int, int],
    spans: np.ndarray,
    phrase_scores: np.ndarray,
    pairs: ArcPairs,
    arc_scores: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Places of the phrase pairs that can be part of the best alignment, and of the arc pairs among them.

    Taking a phrase pair out of an alignment costs its score and, at most, the good scores of all arc pairs
    that begin or end in it. If that is no loss, the alignment without it is as good. (No other arc pair is
    forced by that: all that share an arc with one of those begin or end in the same phrase pair.)
    """
    n, m = lengths
    chosen, arcs = np.arange(len(spans)), np.arange(len(pairs))
    while True:
        worth = np.zeros((n + 1, m + 1))
        good = np.maximum(arc_scores[arcs], 0)
        for ends in (pairs.governors[arcs], pairs.dependents[arcs]):
            words = ends[:, 0] >= 0
            np.add.at(worth, (ends[words, 0] + 1, ends[words, 1] + 1), good[words])
        sums = worth.cumsum(axis=0).cumsum(axis=1)
        s, e, t, f = spans[chosen].T
        bonus = sums[e, f] - sums[s, f] - sums[e, t] + sums[s, t]
        better = phrase_scores[chosen] + bonus > 0
        if better.all():
            return chosen, arcs
        chosen = chosen[better]
        possible = np.zeros((n + 1, m + 1), dtype=bool)
        cover = _Cover.of(spans[chosen], m)
        possible[cover.cells // m, cover.cells % m] = True
        possible[-1, -1] = True
        arcs = arcs[possible[tuple(pairs.governors[arcs].T)] & possible[tuple(pairs.dependents[arcs].T)]]


def _constraints(
    lengths: tuple[int, int], spans: np.ndarray, pairs: ArcPairs, arc_scores: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The rows of the program: where each begins, indices of variables, values, upper bounds."""
    n, m = lengths
    count = len(spans)
    cover = _Cover.of(spans, m)
    rows = _Rows()
    # (4): every word takes part in one edit. The deletion of a word is the slack of its row.
    for start, end, length in ((0, 1, n), (2, 3, m)):
        sizes = spans[:, end] - spans[:, start]
        phrases = np.repeat(np.arange(count), sizes)
        inside = np.arange(len(phrases)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        rows.add(length, 1.0, (spans[phrases, start] + inside, phrases, 1.0))
    if len(pairs):
        _add_arc_rows(rows, cover, m, count, pairs, arc_scores)
    return rows.compressed()


def _add_arc_rows(
    rows: _Rows, cover: _Cover, width: int, count: int, pairs: ArcPairs, scores: np.ndarray
) -> None:
    """Constraints (5), (7), (8) and (9), each where the best alignment could break it."""
    places = np.arange(len(pairs))
    # (5): every arc takes part in one edit.
    for side in (0, 1):
        _, group, sizes = np.unique(pairs.arcs[:, side], return_inverse=True, return_counts=True)
        shared = sizes[group] > 1
        numbers = np.cumsum(sizes > 1) - 1
        rows.add(int((sizes > 1).sum()), 1.0, (numbers[group[shared]], count + places[shared], 1.0))
    rivals = _rivals(pairs)
    has_rival = rivals.any(axis=1)
    # (7), (8): an arc pair needs its words aligned. One with a bad score would not be taken without need.
    needy = places[(scores > 0) | has_rival]
    for ends in (pairs.governors, pairs.dependents):
        words = needy[ends[needy, 0] >= 0]
        owner, phrases = cover.of_cells(ends[words, 0] * width + ends[words, 1])
        rows.add(len(words), 0.0, (np.arange(len(words)), count + words, 1.0), (owner, phrases, -1.0))
    # (9): if both its words are aligned an arc pair must be taken, unless an arc of it is in another one. One
    # with a good score is taken anyway.
    bad = places[scores <= 0]
    entries = []
    for ends in (pairs.governors, pairs.dependents):
        words = ends[bad, 0] >= 0
        owner, phrases = cover.of_cells((ends[bad, 0] * width + ends[bad, 1])[words])
        entries.append((np.flatnonzero(words)[owner], phrases, 1.0))
    owner, others = np.nonzero(rivals[bad] | np.eye(len(pairs), dtype=bool)[bad])
    # The roots beyond the words are aligned.
    upper = np.where(pairs.governors[bad, 0] >= 0, 1.0, 0.0)
    rows.add(len(bad), upper, *entries, (owner, count + others, -1.0))


def _rivals(pairs: ArcPairs) -> np.ndarray:
    """Which arc pairs share one arc, so that only one of them can be taken: bool (A, A)."""
    first, second = pairs.arcs.T
    shared = (first[:, None] == first) ^ (second[:, None] == second)
    return np.asarray(shared)


class _Rows:
    """Collects the entries of a sparse matrix, one block of rows after the other."""

    def __init__(self) -> None:
        self._entries: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        self._upper: list[np.ndarray] = []
        self._count = 0

    def add(
        self, count: int, upper: float | np.ndarray, *parts: tuple[np.ndarray, np.ndarray, float]
    ) -> None:
        """Add rows with upper bounds; parts are (row within the block, variable, value)."""
        for row, variable, value in parts:
            self._entries.append((row + self._count, variable, np.full(len(row), value)))
        self._upper.append(np.broadcast_to(np.asarray(upper, dtype=np.float64), (count,)))
        self._count += count

    def compressed(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Row starts, variables, values and upper bounds; entries of one place are added up."""
        row, variable, value = (np.concatenate(part) for part in zip(*self._entries, strict=True))
        order = np.lexsort((variable, row))
        row, variable, value = row[order], variable[order], value[order]
        new = np.ones(len(row), dtype=bool)
        new[1:] = (row[1:] != row[:-1]) | (variable[1:] != variable[:-1])
        value = np.add.reduceat(value, np.flatnonzero(new))
        row, variable = row[new], variable[new]
        used = value != 0
        row, variable, value = row[used], variable[used], value[used]
        starts = np.searchsorted(row, np.arange(self._count + 1))
        return starts.astype(np.int32), variable.astype(np.int32), value, np.concatenate(self._upper)


def _solve(
    scores: np.ndarray, starts: np.ndarray, variables: np.ndarray, values: np.ndarray, upper: np.ndarray
) -> np.ndarray:
    """Maximise over 0 and 1; first without asking for whole numbers, which is enough for most pairs."""
    highspy = import_solver()
    program = highspy.HighsLp()
    count = len(scores)
    program.num_col_, program.num_row_ = count, len(upper)
    program.col_cost_ = -scores
    program.col_lower_, program.col_upper_ = np.zeros(count), np.ones(count)
    program.row_lower_ = np.full(len(upper), -highspy.kHighsInf)
    program.row_upper_ = upper
    matrix = program.a_matrix_
    matrix.format_ = highspy.MatrixFormat.kRowwise
    matrix.num_col_, matrix.num_row_ = count, len(upper)
    matrix.start_, matrix.index_, matrix.value_ = starts, variables, values
    solver = highspy.Highs()
    for name, value in _OPTIONS.items():
        solver.setOptionValue(name, value)
    solver.passModel(program)
    found = _run(highspy, solver)
    if (np.abs(found - np.round(found)) > _WHOLE).any():
        whole = np.full(count, int(highspy.HighsVarType.kInteger), dtype=np.uint8)
        solver.setOptionValue("presolve", "on")
        solver.changeColsIntegrality(count, np.arange(count, dtype=np.int32), whole)
        found = _run(highspy, solver)
    return np.asarray(found > 0.5)


# One thread and one seed: the same program has the same solution, always.
_OPTIONS = {
    "output_flag": False,
    "threads": 1,
    "parallel": "off",
    "random_seed": 0,
    "mip_rel_gap": 0.0,
    # To simplify so small a program takes longer than to solve it.
    "presolve": "off",
}


def import_solver() -> Any:
    """The module ``highspy``.

    Raises
    ------
    ModelError
        If it is not installed.
    """
    try:
        import highspy
    except ImportError as error:
        raise ModelError(_MISSING) from error
    return highspy


def _run(highspy: Any, solver: Any) -> np.ndarray:
    solver.run()
    status = solver.getModelStatus()
    if status != highspy.HighsModelStatus.kOptimal:
        raise ModelError(f"HiGHS found no best alignment: {solver.modelStatusToString(status)}")
    return np.asarray(solver.getSolution().col_value)


def violations(
    lengths: tuple[int, int],
    spans: np.ndarray,
    pairs: ArcPairs,
    phrases: Sequence[int] | np.ndarray,
    arcs: Sequence[int] | np.ndarray,
) -> list[str]:
    """Say which of the paper's constraints a choice of phrase pairs and arc pairs breaks.

    Constraint (9) as :func:`best_edits` has it: an arc pair whose words are aligned must be taken unless one
    of its arcs is in another one. As printed it contradicts (5) where phrases of several words hold arcs.
    """
    problems = []
    linked = np.zeros(lengths, dtype=int)
    used = np.zeros(lengths[0], dtype=int), np.zeros(lengths[1], dtype=int)
    for place in phrases:
        start, end, other_start, other_end = spans[place].tolist()
        linked[start:end, other_start:other_end] += 1
        used[0][start:end] += 1
        used[1][other_start:other_end] += 1
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
