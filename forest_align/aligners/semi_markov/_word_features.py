"""Features of word pairs: spelling, tags, place, WordNet and context (Yao et al. 2013, §3.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from forest_align.aligners.semi_markov._sentence_arrays import (
    CONTENT,
    FUNCTION,
    PUNCTUATION,
    TAGS,
    LatticeSentence,
)
from forest_align.cext.string_similarity import string_similarities
from forest_align.lexicon.lexicon import SAME_LEMMA, Evidence
from forest_align.types.spans import SpanSums

_RELATIONS = (
    *(Evidence.SPELLING, Evidence.NUMBER, Evidence.ABBREVIATION, Evidence.SYNONYM, Evidence.DERIVATION),
    *(Evidence.SUFFIX, Evidence.SUBSTRING, Evidence.PREPOSITION, Evidence.FUNCTION, Evidence.ACRONYM),
)
# Paraphrases of the user count as additional synonyms.
_RELATION_BITS = np.array(
    [bit | (Evidence.PPDB if bit == Evidence.SYNONYM else 0) for bit in _RELATIONS], dtype=np.int32
)[:, None, None]
_ALIKE = int(_RELATION_BITS.sum()) & ~int(Evidence.PREPOSITION)
#: Minimum share of letter bigrams of two words that count as alike.
_ALIKE_DICE = 0.65

#: Features of a word pair; each has a weight in each of :data:`WORD_CLASSES`.
WORD_FEATURES = (
    "bias",
    "identical",
    "same lemma only",
    *(str(bit.name).lower() for bit in _RELATIONS),
    *("Jaro-Winkler", "Dice", "Hamming", "Jaccard", "Levenshtein", "trigram overlap", "common prefix"),
    "same tag",
    "same coarse tag",
    "both capitalised",
    "distance from diagonal",
    "distance from diagonal, squared",
    "both first",
    "both last",
    "only one first or last",
    "same at left",
    "same at right",
    "same on both sides",
    "same at second left",
    "same at second right",
    "alike at left",
    "alike at right",
    "same tag at left",
    "same tag at right",
    "same content words around",
    "same word elsewhere in source",
    "same word elsewhere in target",
    "nearest to diagonal of the same words",
    "same at left, of the same words elsewhere",
    "same at right, of the same words elsewhere",
)
#: Kinds of word pairs.
WORD_CLASSES = (
    "same content word",
    "same function word",
    "same punctuation",
    "alike content words",
    "alike, with a function word",
    "two content words",
    "two function words",
    "content and function word",
    "with punctuation",
)
_WINDOW = 3


@dataclass(frozen=True, slots=True, eq=False)
class WordPairs:
    """All word pairs of two sentences of n and m words."""

    features: np.ndarray  # float32, shape (features, n, m): WORD_FEATURES
    classes: np.ndarray  # int64, shape (n, m): indices in WORD_CLASSES
    # same, alike: bool, shape (n, m): words with the same form or lemma; different words that are related or
    # have a similar spelling
    same: np.ndarray
    alike: np.ndarray
    dice: np.ndarray  # float32, shape (n, m): share of letter bigrams

    @property
    def known(self) -> np.ndarray:
        """Words that are the same or alike, bool (n, m)."""
        return self.same | self.alike

    @classmethod
    def of(
        cls,
        source: LatticeSentence,
        target: LatticeSentence,
        evidence: np.ndarray,
        related: np.ndarray | None = None,
    ) -> WordPairs:
        """Compute the features. Shapes: ``evidence`` int32 (n, m); ``related`` bool (n, m)."""
        similar = string_similarities(source.letters, source.ends, target.letters, target.ends)
        same = (evidence & SAME_LEMMA) != 0
        alike = ((evidence & _ALIKE) != 0) | (similar[1] >= _ALIKE_DICE)
        if related is not None:
            alike |= related
        alike &= ~same
        classes = _classes(source.kinds[:, None], target.kinds, same, alike)
        features = np.empty((len(WORD_FEATURES), *evidence.shape), dtype=np.float32)
        features[0] = 1
        features[1] = _equal(source.words, target.words)
        features[2] = same & ((evidence & int(Evidence.IDENTICAL)) == 0)
        at = 3 + len(_RELATIONS)
        features[3:at] = (evidence & _RELATION_BITS) != 0
        features[at : at + len(similar)] = similar
        _add_places(features[at + len(similar) :], source, target, same, alike)
        return cls(features, classes, same, alike, similar[1])


def _equal(words: Sequence[str], others: Sequence[str]) -> np.ndarray:
    numbers = {word: number for number, word in enumerate(others)}
    ours = np.array([numbers.get(word, -1) for word in words])
    return np.equal.outer(ours, np.array([numbers[word] for word in others]))


def _classes(kinds: np.ndarray, others: np.ndarray, same: np.ndarray, alike: np.ndarray) -> np.ndarray:
    content = (kinds == CONTENT) & (others == CONTENT)
    function = (kinds == FUNCTION) & (others == FUNCTION)
    marks = (kinds == PUNCTUATION) | (others == PUNCTUATION)
    unlike = np.where(content, 5, np.where(function, 6, 7))
    known = np.where(same, np.where(content, 0, 1), np.where(alike, np.where(content, 3, 4), unlike))
    return np.where(marks, np.where(same, 2, 8), known)


def _add_places(
    features: np.ndarray,
    source: LatticeSentence,
    target: LatticeSentence,
    same: np.ndarray,
    alike: np.ndarray,
) -> None:
    """Tags, places and context: the features after the similarities."""
    rows, columns = same.shape
    tags = source.tags[:, None] == target.tags
    features[0] = tags
    features[1] = _COARSE[source.tags][:, None] == _COARSE[target.tags]
    features[2] = source.capital[:, None] & target.capital
    distance = np.abs(np.subtract.outer((np.arange(rows) + 0.5) / rows, (np.arange(columns) + 0.5) / columns))
    features[3] = distance
    features[4] = distance**2
    features[5:8] = 0
    features[5, 0, 0] = features[6, -1, -1] = 1
    features[7, [0, -1]] = features[7, :, [0, -1]] = 1
    features[7, 0, 0] = features[7, -1, -1] = 0
    left, right = shifted(same, 1), shifted(same, -1)
    features[8], features[9], features[10] = left, right, left & right
    features[11], features[12] = shifted(same, 2), shifted(same, -2)
    features[13], features[14] = shifted(alike, 1), shifted(alike, -1)
    features[15], features[16] = shifted(tags, 1), shifted(tags, -1)
    content = same & (source.kinds == CONTENT)[:, None] & (target.kinds == CONTENT)
    features[17] = np.minimum(_around(content.astype(np.float32)), _WINDOW) / _WINDOW
    in_row, in_column = same.sum(1)[:, None] - same, same.sum(0)[None] - same
    features[18] = np.minimum(in_column, 3)
    features[19] = np.minimum(in_row, 3)
    rivals = (in_row > 0) | (in_column > 0)
    near = np.where(same, distance, 2.0)
    nearest = same & (near <= near.min(1, keepdims=True)) & (near <= near.min(0, keepdims=True))
    features[20] = nearest & rivals
    # To distinguish frequent words: whether another equal word fits its own neighbours better.
    for place, around in ((21, left), (22, right)):
        fits = same & around
        features[place] = same & ((fits.sum(1)[:, None] - fits > 0) | (fits.sum(0)[None] - fits > 0))


def shifted(table: np.ndarray, step: int) -> np.ndarray:
    """The table moved along its diagonals: cell (i, j) has the value of (i - step, j - step), or 0."""
    result = np.zeros_like(table)
    if step > 0:
        result[step:, step:] = table[:-step, :-step]
    else:
        result[:step, :step] = table[-step:, -step:]
    return result


def _around(table: np.ndarray) -> np.ndarray:
    """Sum over the window around each cell, without its own row and column."""
    rows, columns = table.shape
    padded = np.zeros((rows + 2 * _WINDOW, columns + 2 * _WINDOW), dtype=np.float32)
    padded[_WINDOW:-_WINDOW, _WINDOW:-_WINDOW] = table
    sums, size = SpanSums.of(padded), 2 * _WINDOW + 1
    window = slice(0, -size), slice(size, None)
    own = slice(_WINDOW, -_WINDOW - 1), slice(_WINDOW + 1, -_WINDOW)
    box, row, column = (sums.between(*spans) for spans in (window * 2, own + window, window + own))
    return box - row - column + table


_COARSE_NAMES = sorted({tag[:2] for tag in TAGS})
_COARSE = np.array([_COARSE_NAMES.index(tag[:2]) for tag in TAGS])
