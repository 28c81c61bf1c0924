"""Where a pair of sentences is among the probable ones: close behind one, close before one, beside others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from forest_align.aligners.documents.sentence_matches import SentenceMatches

#: What the third regression reads besides the features of the second one.
PLACE_FEATURES = ("close behind", "close before", "between", "larger other", "smaller other")
# What remains of a probability for each sentence that is passed over.
_KEPT = 0.7
_TINY = 1e-30


def place_features(matches: SentenceMatches, probabilities: np.ndarray) -> np.ndarray:
    """The place of each candidate, by second probabilities: float64, shape (C, 5).

    *Close behind*: the greatest probability of a pair before it in both documents, less for each sentence
    between them; both documents begin and end together. *Other*: the greatest probability of another pair of
    its source or its target sentence.
    """
    if not matches.coverage:
        return np.zeros((0, len(PLACE_FEATURES)))
    shape = np.array([len(matches.source), len(matches.target)])
    pairs = np.array(list(matches.coverage), np.intp)
    behind = _closeness(pairs, probabilities, shape)
    before = _closeness((shape - 1 - pairs)[::-1], probabilities[::-1], shape)[::-1]
    others = np.stack([_others(pairs[:, side], probabilities) for side in (0, 1)])
    return np.stack([behind, before, behind * before, others.max(0), others.min(0)], axis=1)


def _closeness(pairs: np.ndarray, probabilities: np.ndarray, shape: np.ndarray) -> np.ndarray:
    """For each pair, in the order of sources, how close and how probable a pair before it is.

    A step by one sentence in one of the documents, or by one in both over an improbable pair, takes the same
    share; the step from one pair to the next of both documents takes nothing.
    """
    columns = shape[1] + 1
    decay = np.log(_KEPT) * np.arange(columns)
    ends = np.searchsorted(pairs[:, 0], np.arange(shape[0]), side="right")
    found = np.zeros(len(pairs))
    # The row before the first one holds the beginning of both documents.
    known, close = np.zeros(columns), np.zeros(columns)
    known[0] = 1.0
    begin = 0
    for end in ends.tolist():
        row = np.zeros(columns)
        inside = pairs[begin:end, 1] + 1
        row[inside] = probabilities[begin:end]
        best = _KEPT * np.maximum(known, close)
        best[1:] = np.maximum(best[1:], np.maximum(known[:-1], _KEPT * close[:-1]))
        best[1:] = np.maximum(best[1:], _KEPT * row[:-1])
        close = np.exp(np.maximum.accumulate(np.log(np.maximum(best, _TINY)) - decay) + decay)
        found[begin:end] = close[inside]
        known, begin = row, end
    return found


def _others(sentences: np.ndarray, probabilities: np.ndarray) -> np.ndarray:
    """The greatest probability of another pair with the same sentence; 0 if there is none."""
    order = np.lexsort((-probabilities, sentences))
    starts = np.flatnonzero(np.diff(sentences[order], prepend=-1))
    lengths = np.diff([*starts, len(order)])
    best = probabilities[order[starts]]
    second = np.where(lengths > 1, probabilities[order[np.minimum(starts + 1, len(order) - 1)]], 0.0)
    found = np.empty(len(sentences))
    found[order] = np.repeat(best, lengths)
    found[order[starts]] = second
    return found
