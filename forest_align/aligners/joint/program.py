"""The integer linear program that finds the best phrase and arc edits (Thadani et al. 2012, §5.3).

The indicators x and those of deletions of single words and arcs are sums of others. So the program has
variables y for pairs of phrases, z for pairs of arcs, and ỹ for the deletion of phrases of several words.
Their scores are those of the edit minus those of the deletions that it saves. Edits that cannot be part of
the best alignment are removed beforehand, and so are constraints that the best alignment satisfies anyway.
HiGHS solves the program, see :func:`maximise`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from forest_align.aligners.joint.edit_table import ArcPairs
from forest_align.types import ModelError
from forest_align.types.spans import SpanSums

#: Number of nodes after which the branching search stops and returns the best alignment so far.
MOST_NODES = 2_000
# A value of the relaxed program that is nearer to 0 or 1 than this counts as an integer.
_WHOLE = 1e-6
# One thread and one seed: the same program always has the same solution.
_OPTIONS = {
    "output_flag": False,
    "threads": 1,
    "parallel": "off",
    "random_seed": 0,
    "mip_rel_gap": 0.0,
    "mip_max_nodes": MOST_NODES,
    # Simplifying such a small program takes longer than solving it.
    "presolve": "off",
}


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """The best edits."""

    phrases: np.ndarray  # int, sorted: indices of the aligned phrase pairs; all other words are deleted
    arcs: np.ndarray  # int, sorted: indices of the aligned arc pairs; all other arcs are deleted
    score: float
    is_best: bool = True  # False if the search was cut short, at MOST_NODES
    # int, sorted: indices of the phrases of several words that are deleted as wholes
    deletions: np.ndarray = field(default_factory=lambda: np.zeros(0, np.intp))


@dataclass(frozen=True, slots=True, eq=False)
class _Index:
    """Maps each key to its values: two parallel arrays, ordered by key."""

    keys: np.ndarray
    values: np.ndarray

    @classmethod
    def of(cls, keys: np.ndarray, values: np.ndarray) -> _Index:
        order = np.argsort(keys, kind="stable")
        return cls(keys[order], values[order])

    def rows(self, keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Entries of a matrix with a row for each of these keys: (row, value)."""
        first = np.searchsorted(self.keys, keys, "left")
        rows, inside = _counted(np.searchsorted(self.keys, keys, "right") - first)
        return rows, self.values[first[rows] + inside]


def _counted(sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The owner of each item, and its number within its owner, where each owner has so many items."""
    owners = np.repeat(np.arange(len(sizes)), sizes)
    return owners, np.arange(len(owners)) - np.repeat(np.cumsum(sizes) - sizes, sizes)


def _cover(spans: np.ndarray, width: int) -> _Index:
    """The phrase pairs that contain each pair of words (i, j), under the key i * width + j."""
    rows, columns = spans[:, 1] - spans[:, 0], spans[:, 3] - spans[:, 2]
    phrases, inside = _counted(rows * columns)
    wide = columns[phrases]
    cells = (spans[phrases, 0] + inside // wide) * width + spans[phrases, 2] + inside % wide
    return _Index.of(cells, phrases)


def best_edits(
    lengths: tuple[int, int],
    spans: np.ndarray,
    phrase_scores: np.ndarray,
    pairs: ArcPairs,
    arc_scores: np.ndarray,
    deleted: np.ndarray | None = None,
    deletion_scores: np.ndarray | None = None,
) -> Solution:
    """Find the edits with the highest sum of scores.

    Shapes: ``spans`` int32 (P, 4); ``phrase_scores`` float64 (P,); ``arc_scores`` float64 (A,); ``deleted``
    int32 (K, 3); ``deletion_scores`` float64 (K,).
    """
    kept, kept_arcs = _pruned(lengths, spans, phrase_scores, pairs, arc_scores)
    if deleted is None or deletion_scores is None:
        deleted, deletion_scores = np.zeros((0, 3), np.int32), np.zeros(0)
    # Any other deleted phrase can be deleted word by word, which costs nothing here.
    kept_deleted = np.flatnonzero(deletion_scores > 0)
    if not len(kept) and not len(kept_deleted):
        return Solution(kept, kept_arcs[:0], 0.0)
    few = ArcPairs(pairs.arcs[kept_arcs], pairs.governors[kept_arcs], pairs.dependents[kept_arcs])
    matrix = _constraints(lengths, spans[kept], few, arc_scores[kept_arcs], deleted[kept_deleted])
    scores = phrase_scores[kept], arc_scores[kept_arcs], deletion_scores[kept_deleted]
    values, is_best = maximise(np.concatenate(scores), *matrix)
    parts = np.split(values, np.cumsum([len(part) for part in scores])[:-1])
    phrases, arcs, gone = kept[parts[0]], kept_arcs[parts[1]], kept_deleted[parts[2]]
    total = phrase_scores[phrases].sum() + arc_scores[arcs].sum() + deletion_scores[gone].sum()
    return Solution(phrases, arcs, float(total), is_best, gone)


def _pruned(
    lengths: tuple[int, int],
    spans: np.ndarray,
    phrase_scores: np.ndarray,
    pairs: ArcPairs,
    arc_scores: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Indices of the phrase pairs that can be part of the best alignment, and of the arc pairs among them.

    Removing a phrase pair from an alignment costs its score and, at most, the positive scores of all arc
    pairs that begin or end in it. If that is not a loss, the alignment without it is as good. (This forces
    no other arc pair: all that share an arc with one of these begin or end in the same phrase pair.)
    """
    n, m = lengths
    chosen, arcs = np.arange(len(spans)), np.arange(len(pairs))
    while True:
        arc_gains = np.zeros((n, m))
        good = np.maximum(arc_scores[arcs], 0)
        for ends in (pairs.governors[arcs], pairs.dependents[arcs]):
            words = ends[:, 0] >= 0
            np.add.at(arc_gains, (ends[words, 0], ends[words, 1]), good[words])
        bonus = SpanSums.of(arc_gains).between(*spans[chosen].T)
        better = phrase_scores[chosen] + bonus > 0
        if better.all():
            return chosen, arcs
        chosen = chosen[better]
        possible = np.zeros((n + 1, m + 1), dtype=bool)
        cells = _cover(spans[chosen], m).keys
        possible[cells // m, cells % m] = True
        possible[-1, -1] = True
        arcs = arcs[possible[tuple(pairs.governors[arcs].T)] & possible[tuple(pairs.dependents[arcs].T)]]


def _constraints(
    lengths: tuple[int, int],
    spans: np.ndarray,
    pairs: ArcPairs,
    arc_scores: np.ndarray,
    deleted: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The rows of the program: start of each row, indices of variables, values, upper bounds."""
    n, m = lengths
    count = len(spans)
    cover = _cover(spans, m)
    rows = _Rows()
    # (4): every word is in exactly one edit. The deletion of a word is the slack of its row.
    for side, length in enumerate((n, m)):
        words, phrases = _words_of(spans[:, 2 * side : 2 * side + 2])
        own = np.flatnonzero(deleted[:, 0] == side)
        gone, places = _words_of(deleted[own, 1:])
        rows.add(length, 1.0, (words, phrases, 1.0), (gone, count + len(pairs) + own[places], 1.0))
    if len(pairs):
        _add_arc_rows(rows, cover, m, count, pairs, arc_scores)
    return rows.compressed()


def _words_of(spans: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each word of each of some half-open spans, and the index of the span."""
    owners, inside = _counted(spans[:, 1] - spans[:, 0])
    return spans[owners, 0] + inside, owners


def _add_arc_rows(
    rows: _Rows, cover: _Index, width: int, count: int, pairs: ArcPairs, scores: np.ndarray
) -> None:
    """Constraints (5), (7), (8) and (9), each only where the best alignment could violate it."""
    places = np.arange(len(pairs))
    has_rival = np.zeros(len(pairs), dtype=bool)
    # (5): every arc is in exactly one edit.
    for side in (0, 1):
        _, group, sizes = np.unique(pairs.arcs[:, side], return_inverse=True, return_counts=True)
        shared = sizes[group] > 1
        numbers = np.cumsum(sizes > 1) - 1
        rows.add(int((sizes > 1).sum()), 1.0, (numbers[group[shared]], count + places[shared], 1.0))
        has_rival |= shared
    # (7), (8): an arc pair requires that its words are aligned. A pair with a negative score is not chosen
    # unless forced.
    needy = places[(scores >= 0) | has_rival]
    for ends in (pairs.governors, pairs.dependents):
        words = needy[ends[needy, 0] >= 0]
        owner, phrases = cover.rows(ends[words, 0] * width + ends[words, 1])
        rows.add(len(words), 0.0, (np.arange(len(words)), count + words, 1.0), (owner, phrases, -1.0))
    # (9): if both its words are aligned, an arc pair must be chosen, unless one of its arcs is in another
    # pair. A pair with a positive score is chosen anyway.
    bad = places[scores <= 0]
    entries = []
    for ends in (pairs.governors, pairs.dependents):
        words = ends[bad, 0] >= 0
        owner, phrases = cover.rows((ends[bad, 0] * width + ends[bad, 1])[words])
        entries.append((np.flatnonzero(words)[owner], phrases, 1.0))
    for side, arcs in enumerate(pairs.arcs.T):
        owner, others = _Index.of(arcs, places).rows(arcs[bad])
        # Each arc pair shares both arcs with itself, which must not count twice.
        new = (bad[owner] != others) | (side == 0)
        entries.append((owner[new], count + others[new], -1.0))
    # The artificial roots are aligned.
    upper = np.where(pairs.governors[bad, 0] >= 0, 1.0, 0.0)
    rows.add(len(bad), upper, *entries)


class _Rows:
    """Collects the entries of a sparse matrix, block by block of rows."""

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
        """Row starts, variables, values and upper bounds; entries of the same cell are added up."""
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


def maximise(
    scores: np.ndarray, starts: np.ndarray, variables: np.ndarray, values: np.ndarray, upper: np.ndarray
) -> tuple[np.ndarray, bool]:
    """Maximise a linear function of variables that are 0 or 1.

    The relaxed program is solved first; for most pairs of sentences its solution is integral. The solution
    with all variables 0 must satisfy the constraints.

    Shapes: ``scores`` float64 (V,); ``upper`` float64 (R,); returns bool (V,).
    """
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
    solution, is_best = _run(highspy, solver)
    if not is_best or (np.abs(solution - np.round(solution)) > _WHOLE).any():
        whole = np.full(count, int(highspy.HighsVarType.kInteger), dtype=np.uint8)
        solver.changeColsIntegrality(count, np.arange(count, dtype=np.int32), whole)
        solution, is_best = _run(highspy, solver)
    return solution > 0.5, is_best


def import_solver() -> Any:
    """The module ``highspy``."""
    try:
        import highspy
    except ImportError as error:
        raise ModelError(
            "the joint aligner needs the solver HiGHS, which is missing here: pip install highspy"
        ) from error
    return highspy


def _run(highspy: Any, solver: Any) -> tuple[np.ndarray, bool]:
    """The values found (all 0 if there are none), and whether they are optimal."""
    if solver.run() == highspy.HighsStatus.kError:
        # All programs of a process share their threads. If another one has started more, HiGHS refuses to run
        # with one. So it may have as many as there are, but uses only one ("parallel" is off).
        solver.setOptionValue("threads", 0)
        if solver.run() == highspy.HighsStatus.kError:
            status = solver.modelStatusToString(solver.getModelStatus())
            raise ModelError(f"the solver HiGHS failed on this pair of sentences: {status}")
    is_best = solver.getModelStatus() == highspy.HighsModelStatus.kOptimal
    values = np.asarray(solver.getSolution().col_value)
    feasible = int(highspy.SolutionStatus.kSolutionStatusFeasible)
    if not is_best and solver.getInfo().primal_solution_status != feasible:
        values = np.zeros(len(values))
    return values, is_best
