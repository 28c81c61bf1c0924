"""Metrics, confidence intervals and significance tests."""

from forest_align.eval.metrics.chunk_scores import score_chunks
from forest_align.eval.metrics.phrase_scores import (
    constituent_pairs,
    human_agreement,
    reachability,
    score_constituents,
    score_phrases,
)
from forest_align.eval.metrics.scores import Scores, calibrate
from forest_align.eval.metrics.significance import (
    Comparison,
    SignedRanks,
    approximate_randomization,
    bootstrap_interval,
    wilcoxon,
)
from forest_align.eval.metrics.tree_scores import score_attachment, score_brackets
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
