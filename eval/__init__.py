"""Metrics, significance tests and benchmark tables; ``forest_align.eval``, in the folder ``eval``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align._faces import lazy_face

if TYPE_CHECKING:
    from forest_align.eval.files import Evaluation, evaluate
    from forest_align.eval.metrics import (
        Comparison,
        Scores,
        WordPair,
        WordScores,
        approximate_randomization,
        bootstrap_interval,
        score_constituents,
        score_phrases,
        score_words,
        wilcoxon,
    )

__all__ = [
    "Comparison",
    "Evaluation",
    "Scores",
    "WordPair",
    "WordScores",
    "approximate_randomization",
    "bootstrap_interval",
    "evaluate",
    "score_constituents",
    "score_phrases",
    "score_words",
    "wilcoxon",
]

__getattr__, __dir__ = lazy_face(
    __name__,
    {
        "forest_align.eval.files": "Evaluation evaluate",
        "forest_align.eval.metrics": (
            "Comparison Scores WordPair WordScores approximate_randomization "
            "bootstrap_interval score_constituents score_phrases score_words wilcoxon"
        ),
    },
)
