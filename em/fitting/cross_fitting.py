"""Logistic regressions, and folds that separate training data from measured data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from forest_align.aligners.logistic_function import logistic
from forest_align.lexicon.tables import is_punctuation

_MOST_STEPS = 50
_SMALLEST_STEP = 1e-9


def fit_logistic(inputs: np.ndarray, labels: np.ndarray, *, ridge: float, limit: float = 30.0) -> np.ndarray:
    """Maximise the log-likelihood minus half the ridge times the squared coefficients, by Newton's method.

    Shapes: returns float64 (F + 1,).
    """
    table = np.hstack([inputs, np.ones((len(inputs), 1), dtype=inputs.dtype)])
    found = np.zeros(table.shape[1])
    for _ in range(_MOST_STEPS):
        probability = logistic(table @ found, limit)
        slope = table.T @ (labels - probability) - ridge * found
        spread = probability * (1 - probability)
        step = np.linalg.solve((table * spread[:, None]).T @ table + ridge * np.eye(len(found)), slope)
        found = found + step
        if np.abs(step).max() < _SMALLEST_STEP:
            break
    return found


#: Folds of the cross-fitting.
FOLDS = 3

#: Keys of the two sentences of a pair, see :func:`sentence_key`.
Keys = tuple[str, str]


def sentence_key(words: Iterable[str]) -> str:
    """The sentence in lower case, without punctuation; sentences with the same key count as equal."""
    return " ".join(word.lower() for word in words if not is_punctuation(word))


def folds_of(pairs: Sequence[Keys]) -> list[int]:
    """A fold for each pair; pairs that share a sentence, directly or through other pairs, are in one fold."""
    first_with: dict[str, int] = {}
    group = list(range(len(pairs)))

    def first_of(pair: int) -> int:
        while group[pair] != pair:
            group[pair] = group[group[pair]]
            pair = group[pair]
        return pair

    for pair, keys in enumerate(pairs):
        for key in keys:
            one, other = sorted((first_of(pair), first_of(first_with.setdefault(key, pair))))
            group[other] = one
    groups = [first_of(pair) for pair in range(len(pairs))]
    fold = {one: rank % FOLDS for rank, one in enumerate(dict.fromkeys(groups))}
    return [fold[one] for one in groups]
