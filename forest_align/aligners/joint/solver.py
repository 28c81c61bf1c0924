"""Solves programs with 0/1 variables with HiGHS, which only the joint aligner imports."""

from __future__ import annotations

from typing import Any

import numpy as np

from forest_align.types import ModelError

#: Number of nodes after which the branching search stops and returns the best alignment so far.
MOST_NODES = 2_000
# A value of the relaxed program that is nearer to 0 or 1 than this counts as an integer.
_WHOLE = 1e-6
_MISSING = "the joint aligner needs the solver HiGHS, which is missing here: pip install highspy"


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
    found, is_best = _run(highspy, solver)
    if not is_best or (np.abs(found - np.round(found)) > _WHOLE).any():
        whole = np.full(count, int(highspy.HighsVarType.kInteger), dtype=np.uint8)
        solver.changeColsIntegrality(count, np.arange(count, dtype=np.int32), whole)
        found, is_best = _run(highspy, solver)
    return found > 0.5, is_best


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


def import_solver() -> Any:
    """The module ``highspy``."""
    try:
        import highspy
    except ImportError as error:
        raise ModelError(_MISSING) from error
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
