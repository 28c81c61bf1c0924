"""Evaluation of files: read predictions, match them with gold pairs, print tables."""

from forest_align.eval.files.evaluation import Evaluation, compare, evaluate
from forest_align.eval.files.prediction_files import read_gold

__all__ = ["Evaluation", "compare", "evaluate", "read_gold"]
