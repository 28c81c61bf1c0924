"""Deletions of phrases of several words, and their features (Thadani et al. 2012, §5.1, §5.3).

The score of a deleted phrase is the sum of those of its words, plus that of these features. So a deletion of
one word needs none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from forest_align.aligners.span_nodes import constituents_of

if TYPE_CHECKING:
    from forest_align.aligners.contextual.features import SentenceFeatures
    from forest_align.types import Sentence

#: Features of the deletion of a phrase of two words or more.
DELETED_PHRASE_FEATURES = (
    "deletion of two words",
    "deletion of three words",
    "deletion of more words",
    "deletion of a constituent",
    "deletion without content words",
    "deletion of several content words",
    "punctuation inside the deletion",
    "cosine of the nearest word to the deletion",
    "the same word is there as in the deletion",
)


def deleted_phrases(lengths: tuple[int, int], longest: int) -> np.ndarray:
    """All phrases of 2 to ``longest`` words of two sentences: int32 (K, 3), side (0 or 1), start and end."""
    found = [
        (side, start, start + size)
        for side, length in enumerate(lengths)
        for size in range(2, min(longest, length) + 1)
        for start in range(length - size + 1)
    ]
    return np.array(found, np.int32).reshape(-1, 3)


def deleted_phrase_features(
    phrases: np.ndarray,
    sentences: tuple[Sentence, Sentence],
    sides: tuple[SentenceFeatures, SentenceFeatures],
    cosine: np.ndarray,
    same: np.ndarray,
) -> np.ndarray:
    """Features of deletions of phrases.

    Shapes: ``phrases`` int32 (K, 3); returns float32 (K, len(DELETED_PHRASE_FEATURES).
    """
    features = np.zeros((len(phrases), len(DELETED_PHRASE_FEATURES)), np.float32)
    constituents = [set(constituents_of(sentence)) for sentence in sentences]
    kinds = [side.kinds for side in sides]
    nearest, found = ([table.max(axis=1 - side) for side in (0, 1)] for table in (cosine, same))
    for row, (side, start, end) in zip(features, phrases.tolist(), strict=True):
        content = int((kinds[side][start:end] == 0).sum())
        row[min(end - start, 4) - 2] = 1
        row[3:] = (
            (start, end) in constituents[side],
            content == 0,
            content > 1,
            (kinds[side][start:end] == 2).any(),
            nearest[side][start:end].max(),
            found[side][start:end].any(),
        )
    return features
