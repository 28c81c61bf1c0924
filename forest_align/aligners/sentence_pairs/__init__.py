"""Sentence pairs as wholes: the probability that two aligned sentences are paraphrases."""

from __future__ import annotations

from forest_align.aligners.sentence_pairs.features import FEATURES, pair_features
from forest_align.aligners.sentence_pairs.model import ParaphraseModel, with_paraphrase_probability

__all__ = [
    "FEATURES",
    "ParaphraseModel",
    "pair_features",
    "with_paraphrase_probability",
]
