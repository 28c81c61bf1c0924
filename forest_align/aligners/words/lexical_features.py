"""Features that predict whether two words are linked, for all words of a sentence pair at once."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from forest_align.lexicon.kinds import Evidence

if TYPE_CHECKING:
    from forest_align.lexicon.lexicon import Lexicon
    from forest_align.types import Sentence

#: Neighbours on each side that count as the context of a word.
WINDOW = 3

_RELATIONS = (
    Evidence.SPELLING,
    Evidence.NUMBER,
    Evidence.ABBREVIATION,
    Evidence.SYNONYM,
    Evidence.DERIVATION,
    Evidence.SUFFIX,
    Evidence.SUBSTRING,
    Evidence.PREPOSITION,
    Evidence.FUNCTION,
    Evidence.ACRONYM,
    Evidence.PPDB,
)
_RELATION_BITS = np.array([int(kind) for kind in _RELATIONS], dtype=np.int32)[:, None, None]
_ALIKE = int(Evidence.IDENTICAL | Evidence.LEMMA | Evidence.SPELLING | Evidence.NUMBER | Evidence.SYNONYM)
_SAME_FEATURES = ("same content word", "same function word", "same lemma, other form")
_CLASS_FEATURES = (
    "content with function word",
    "two function words",
    "punctuation with word",
    "two punctuation marks",
    "same word class",
)
_PLACE_FEATURES = (
    "distance",
    "same word again",
    "only same word",
    "same neighbours",
    "same words around",
)

#: Features of the words themselves.
LEXICAL_FEATURES = (
    *_SAME_FEATURES,
    *(str(kind.name).lower() for kind in _RELATIONS),
    *_CLASS_FEATURES,
    *_PLACE_FEATURES,
)
#: Additional features of contextual vectors.
VECTOR_FEATURES = (
    "cosine",
    "cosine of function words",
    "high cosine",
    "smaller lead in cosine",
    "larger lead in cosine",
    "mutual best",
    "cosine of neighbours",
)
#: Additional features of the first estimates of all links.
CONTEXT_FEATURES = (
    "first estimate",
    "certainly alike",
    "links of neighbours",
    "links of second neighbours",
    "links around",
    "rival links",
    "strongest rival",
)


def pair_features(
    source: Sentence, target: Sentence, evidence: np.ndarray, lexicon: Lexicon, *, with_vectors: bool
) -> np.ndarray:
    """Compute :data:`LEXICAL_FEATURES` and, with ``with_vectors``, :data:`VECTOR_FEATURES`.

    Parameters
    ----------
    source, target : Sentence
        Sentences of S and T words.
    evidence : numpy.ndarray
        int32 ``[S, T]`` of :func:`forest_align.lexicon.evidence.word_evidence`.
    lexicon : Lexicon
        Identifies function words.
    with_vectors : bool
        Whether to use the vectors, which both sentences must have.

    Returns
    -------
    numpy.ndarray
        float32 ``[F, S, T]``; the result for swapped sentences is the transpose.
    """
    lefts, rights = lexicon.profiles(source), lexicon.profiles(target)
    function, other_function = (np.array([w.is_function for w in side]) for side in (lefts, rights))
    marks, other_marks = (np.array([w.is_punctuation for w in side]) for side in (lefts, rights))
    classes = {name: number for number, name in enumerate({w.word_class for w in (*lefts, *rights)})}
    classes_of = (np.array([classes[w.word_class] for w in side]) for side in (lefts, rights))
    both_function = function[:, None] & other_function
    features = _lexical_features(evidence, both_function, function[:, None] ^ other_function)
    features[len(_SAME_FEATURES) + len(_RELATIONS) : -len(_PLACE_FEATURES)] = [
        function[:, None] ^ other_function,
        both_function,
        marks[:, None] ^ other_marks,
        marks[:, None] & other_marks,
        np.equal.outer(*classes_of),
    ]
    if not with_vectors:
        return features
    assert source.vectors is not None and target.vectors is not None
    return np.concatenate([features, _vector_features(source.vectors @ target.vectors.T, both_function)])


def _lexical_features(evidence: np.ndarray, both_function: np.ndarray, mixed: np.ndarray) -> np.ndarray:
    rows, columns = evidence.shape
    features = np.empty((len(LEXICAL_FEATURES), rows, columns), dtype=np.float32)
    same = (evidence & int(Evidence.IDENTICAL | Evidence.LEMMA)) != 0
    identical = (evidence & int(Evidence.IDENTICAL)) != 0
    alike = (evidence & _ALIKE).astype(bool)
    rivals = same.sum(0)[None, :] + same.sum(1)[:, None] - 2
    features[: len(_SAME_FEATURES)] = [
        identical & ~both_function,
        identical & both_function,
        same & ~identical,
    ]
    start = len(_SAME_FEATURES)
    features[start : start + len(_RELATIONS)] = (evidence & _RELATION_BITS) != 0
    distance = np.subtract.outer(np.arange(rows) / rows, np.arange(columns) / columns)
    features[-len(_PLACE_FEATURES) :] = [
        np.abs(distance),
        same * np.minimum(rivals, 4),
        same & (rivals == 0),
        neighbours(alike.astype(np.float32), 1),
        around((alike & ~both_function & ~mixed).astype(np.float32)),
    ]
    return features


def _vector_features(cosine: np.ndarray, both_function: np.ndarray) -> np.ndarray:
    in_row, in_column = lead(cosine), lead(cosine.T).T
    smaller = np.minimum(in_row, in_column)
    return np.stack(
        [
            cosine,
            cosine * both_function,
            np.maximum(cosine - 0.4, 0),
            smaller,
            np.maximum(in_row, in_column),
            smaller >= 0,
            neighbours(cosine, 1),
        ],
        dtype=np.float32,
    )


def context_features(estimate: np.ndarray) -> np.ndarray:
    """Compute :data:`CONTEXT_FEATURES` from the logits of a first estimate, float32 ``[F, S, T]``."""
    probability = 1 / (1 + np.exp(-estimate))
    in_row, in_column = lead(probability), lead(probability.T).T
    smaller = np.minimum(in_row, in_column)
    return np.stack(
        [
            estimate,
            np.maximum(estimate, 0),
            neighbours(probability, 1),
            neighbours(probability, 2),
            around(probability),
            probability.sum(0)[None, :] + probability.sum(1)[:, None] - 2 * probability,
            smaller - probability,
        ],
        dtype=np.float32,
    )


def lead(values: np.ndarray) -> np.ndarray:
    """Difference of each value to the largest other value of its row (negative unless it is the largest).

    In a row of one value, the difference is to 0.
    """
    if values.shape[1] == 1:
        return values.copy()
    top = np.partition(values, -2, axis=1)
    best, second = top[:, -1:], top[:, -2:-1]
    return np.where(values == best, values - second, values - best)


def neighbours(values: np.ndarray, distance: int) -> np.ndarray:
    """Sum of the values ``distance`` steps before and after on both sides; 0 beyond the ends."""
    found = np.zeros_like(values)
    found[distance:, distance:] += values[:-distance, :-distance]
    found[:-distance, :-distance] += values[distance:, distance:]
    return found


def around(values: np.ndarray) -> np.ndarray:
    """Sum of the values within :data:`WINDOW` on both sides, without the own row and column, capped."""
    rows, columns = values.shape
    return np.minimum(_band(rows) @ values @ _band(columns), 2.0 * WINDOW)


@lru_cache(maxsize=512)
def _band(length: int) -> np.ndarray:
    places = np.arange(length)
    distance = np.abs(places[:, None] - places)
    return ((distance > 0) & (distance <= WINDOW)).astype(np.float32)
