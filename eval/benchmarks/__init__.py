"""Benchmarks: the pairs of each corpus to align, and the scoring of the alignments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align._faces import lazy_face

if TYPE_CHECKING:
    from forest_align.eval.benchmarks._predictions import read_predictions
    from forest_align.eval.benchmarks.runner import Run, run_task, score_task
    from forest_align.eval.benchmarks.task import Task

__all__ = [
    "Run",
    "Task",
    "read_predictions",
    "run_task",
    "score_task",
]

__getattr__, __dir__ = lazy_face(
    __name__,
    {
        "Run": "forest_align.eval.benchmarks.runner",
        "Task": "forest_align.eval.benchmarks.task",
        "read_predictions": "forest_align.eval.benchmarks._predictions",
        "run_task": "forest_align.eval.benchmarks.runner",
        "score_task": "forest_align.eval.benchmarks.runner",
    },
)
