"""Metrics, significance tests and benchmark tables; ``forest_align.eval``, in the folder ``eval``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align._faces import lazy_face

if TYPE_CHECKING:
    from forest_align.eval.files.evaluation import Evaluation, evaluate
    from forest_align.eval.metrics.constituents import score_constituents
    from forest_align.eval.metrics.phrase_scores import score_phrases
    from forest_align.eval.metrics.scores import Scores
    from forest_align.eval.metrics.significance import (
        Comparison,
        approximate_randomization,
        bootstrap_interval,
        wilcoxon,
    )
    from forest_align.eval.metrics.word_scores import WordPair, WordScores, score_words

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
        "Comparison": "forest_align.eval.metrics.significance",
        "Evaluation": "forest_align.eval.files.evaluation",
        "Scores": "forest_align.eval.metrics.scores",
        "WordPair": "forest_align.eval.metrics.word_scores",
        "WordScores": "forest_align.eval.metrics.word_scores",
        "approximate_randomization": "forest_align.eval.metrics.significance",
        "bootstrap_interval": "forest_align.eval.metrics.significance",
        "evaluate": "forest_align.eval.files.evaluation",
        "score_constituents": "forest_align.eval.metrics.constituents",
        "score_phrases": "forest_align.eval.metrics.phrase_scores",
        "score_words": "forest_align.eval.metrics.word_scores",
        "wilcoxon": "forest_align.eval.metrics.significance",
    },
)
