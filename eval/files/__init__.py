"""Evaluation of files: read predictions, match them with gold pairs, print tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align._faces import lazy_face

if TYPE_CHECKING:
    from forest_align.eval.files.evaluation import Evaluation, compare, evaluate
    from forest_align.eval.files.prediction_files import read_gold

__all__ = ["Evaluation", "compare", "evaluate", "read_gold"]

__getattr__, __dir__ = lazy_face(
    __name__,
    {
        "Evaluation": "forest_align.eval.files.evaluation",
        "compare": "forest_align.eval.files.evaluation",
        "evaluate": "forest_align.eval.files.evaluation",
        "read_gold": "forest_align.eval.files.prediction_files",
    },
)
