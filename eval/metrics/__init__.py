"""Metrics, confidence intervals and significance tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align._faces import lazy_face

if TYPE_CHECKING:
    from forest_align.eval.metrics.bracket_scores import score_brackets
    from forest_align.eval.metrics.calibration_error import calibrate
    from forest_align.eval.metrics.chunk_scores import score_chunks
    from forest_align.eval.metrics.constituents import constituent_pairs, score_constituents
    from forest_align.eval.metrics.dependencies import score_attachment
    from forest_align.eval.metrics.phrase_scores import human_agreement, reachability, score_phrases
    from forest_align.eval.metrics.scores import Scores
    from forest_align.eval.metrics.significance import (
        Comparison,
        SignedRanks,
        approximate_randomization,
        bootstrap_interval,
        wilcoxon,
    )
    from forest_align.eval.metrics.word_scores import WordPair, WordScores, score_words

__all__ = [
    "Comparison",
    "Scores",
    "SignedRanks",
    "WordPair",
    "WordScores",
    "approximate_randomization",
    "bootstrap_interval",
    "calibrate",
    "constituent_pairs",
    "human_agreement",
    "reachability",
    "score_attachment",
    "score_brackets",
    "score_chunks",
    "score_constituents",
    "score_phrases",
    "score_words",
    "wilcoxon",
]

__getattr__, __dir__ = lazy_face(
    __name__,
    {
        "Comparison": "forest_align.eval.metrics.significance",
        "Scores": "forest_align.eval.metrics.scores",
        "SignedRanks": "forest_align.eval.metrics.significance",
        "WordPair": "forest_align.eval.metrics.word_scores",
        "WordScores": "forest_align.eval.metrics.word_scores",
        "approximate_randomization": "forest_align.eval.metrics.significance",
        "bootstrap_interval": "forest_align.eval.metrics.significance",
        "calibrate": "forest_align.eval.metrics.calibration_error",
        "constituent_pairs": "forest_align.eval.metrics.constituents",
        "human_agreement": "forest_align.eval.metrics.phrase_scores",
        "reachability": "forest_align.eval.metrics.phrase_scores",
        "score_attachment": "forest_align.eval.metrics.dependencies",
        "score_brackets": "forest_align.eval.metrics.bracket_scores",
        "score_chunks": "forest_align.eval.metrics.chunk_scores",
        "score_constituents": "forest_align.eval.metrics.constituents",
        "score_phrases": "forest_align.eval.metrics.phrase_scores",
        "score_words": "forest_align.eval.metrics.word_scores",
        "wilcoxon": "forest_align.eval.metrics.significance",
    },
)
