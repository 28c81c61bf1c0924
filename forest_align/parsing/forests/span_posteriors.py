"""Exact probabilities of labelled spans under the tree CRF, among all trees of a sentence."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from forest_align.cext import chart
from forest_align.parsing.forests.forest_builder import log_of_probabilities
from forest_align.parsing.networks.span_scores import SpanScores


def log_posteriors(scores: SpanScores, spans: np.ndarray) -> tuple[float, np.ndarray]:
    """Log-probabilities of constituents: inside–outside marginal of the span times the label's share.

    Shapes: ``spans`` int32 (C, 3); returns float64 (C,).
    """
    labelled = _log_sums(scores.scores)
    log_partition, marginals = chart.inside_outside(labelled, scores.force_root)
    first, last, label = spans[:, 0], spans[:, 1] - 1, spans[:, 2]
    marginal = marginals[first, last]
    log_share = scores.scores[first, last, label] - scores.scores[first, last, 0] - labelled[first, last]
    log_share[label == 0] = 0.0
    probability = np.where(label == 0, 1.0 - marginal, marginal * np.exp(log_share))
    return log_partition, log_of_probabilities(probability)


def _log_sums(scores: np.ndarray) -> np.ndarray:
    """Log of the summed exponentiated scores of all labels except the empty one, relative to it: (n, n)."""
    length, _, labels = scores.shape
    upper = _upper(length)
    # A logaddexp over the whole chart would take ten times as long.
    rows = scores.reshape(-1, labels).take(upper, axis=0)
    highest = rows[:, 1:].max(axis=1).astype(np.float64)
    # If every label is forbidden, keep -inf; it must not become NaN.
    highest[np.isneginf(highest)] = 0.0
    relative = rows[:, 1:] - highest[:, None]
    sums = np.zeros(length * length)
    with np.errstate(divide="ignore"):
        sums[upper] = np.log(np.exp(relative, out=relative).sum(axis=1)) + highest - rows[:, 0]
    return sums.reshape(length, length)


@lru_cache(maxsize=64)
def _upper(length: int) -> np.ndarray:
    """Flat indices of the spans of a sentence in its chart."""
    return np.flatnonzero(np.triu(np.ones((length, length), dtype=bool)))
