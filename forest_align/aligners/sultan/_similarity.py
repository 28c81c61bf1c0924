"""Which different words are similar if the user supplies no paraphrase table.

Replaces PPDB as the middle level of word similarity (Sultan et al. 2014, §3.1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from forest_align.aligners.sultan.sentence_view import is_clitic, is_stop
from forest_align.lexicon.evidence import word_relations
from forest_align.lexicon.kinds import Evidence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forest_align.lexicon.lexicon import Lexicon, WordProfile
    from forest_align.types import Sentence

#: The bonus of a relation in the lexicon, in cosine. Chosen on MSR-RTE dev and Edinburgh++ train among 0,
#: 0.05, 0.1 and 0.15. The choice matters little there: the mean of their F1 is between 88.7 and 88.8.
RELATION_WORTH = 0.1


def similar_words(
    source: Sentence, target: Sentence, lexicon: Lexicon, least_cosine: float
) -> list[tuple[int, int]]:
    """Different content words that can replace each other (for §3.1, instead of PPDB).

    They are similar if the cosine of their contextual vectors reaches a threshold. The threshold is lower if
    the lexicon relates their lemmas. Without vectors, such a relation is enough. Two numbers are similar only
    if they have the same value, because contexts make all numbers similar.
    """
    lefts, rights = lexicon.profiles(source), lexicon.profiles(target)
    lowest = least_cosine - RELATION_WORTH
    cosines = _cosines(source, target)
    if cosines is None:
        cosines = np.full((len(lefts), len(rights)), lowest)
    # Relations are looked up only in the few cells where they make a difference.
    candidates = (cosines >= lowest) & _are_content(lefts)[:, None] & _are_content(rights)
    rows, columns = np.nonzero(candidates)
    return [
        (i, j)
        for i, j, cosine in zip(rows.tolist(), columns.tolist(), cosines[candidates].tolist(), strict=True)
        if _is_similar(lefts[i], rights[j], cosine >= least_cosine)
    ]


def _cosines(source: Sentence, target: Sentence) -> np.ndarray | None:
    """Cosine of every two words; None without vectors, or if they are from two kinds of parsers."""
    left, right = source.vectors, target.vectors
    if left is None or right is None or left.shape[1] != right.shape[1]:
        return None
    return left @ right.T


def _are_content(profiles: Sequence[WordProfile]) -> np.ndarray:
    return np.array([not is_stop(word.lower) and not is_clitic(word.lower) for word in profiles], dtype=bool)


def _is_similar(left: WordProfile, right: WordProfile, are_near: bool) -> bool:
    if left.word_class == right.word_class == "CD":
        return bool(word_relations(left, right) & Evidence.NUMBER)
    return are_near or bool(word_relations(left, right))
