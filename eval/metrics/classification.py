"""Paraphrase and entailment by a threshold on scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from forest_align.eval.metrics.scores import Scores, harmonic_mean, mean, safe_divide
from forest_align.types import InputError


@dataclass(frozen=True, slots=True)
class Classification:
    """Accuracy, and precision, recall and F1 of the positive class."""

    accuracy: float
    scores: Scores
    threshold: float


def best_threshold(scores: Sequence[float], labels: Sequence[bool]) -> float:
    """Threshold with the highest accuracy when items with a score at or above it are positive.

    Thresholds between two neighbouring scores are half-way; of equally good ones the lowest is chosen. Raises
    InputError if there are no items, or scores and labels differ in length.
    """
    if not len(scores) or len(scores) != len(labels):
        raise InputError(
            f"expected as many scores as labels, at least one, found {len(scores)} and {len(labels)}"
        )
    values, positive = np.asarray(scores, float), np.asarray(labels, bool)
    distinct = np.unique(values)
    candidates = np.concatenate([[distinct[0]], (distinct[:-1] + distinct[1:]) / 2, [np.inf]])
    order = np.argsort(values, kind="stable")
    below = np.searchsorted(values[order], candidates, side="left")
    positives_below = np.concatenate([[0], np.cumsum(positive[order])])[below]
    right = (below - positives_below) + (positive.sum() - positives_below)
    return float(candidates[np.argmax(right)])


def classify(scores: Sequence[float], labels: Sequence[bool], threshold: float) -> Classification:
    """Classify items with a score at or above the threshold as positive, and compare with the labels.

    Raises InputError if scores and labels differ in length.
    """
    if len(scores) != len(labels):
        raise InputError(f"expected {len(labels)} scores, one a label, found {len(scores)}")
    predicted, positive = np.asarray(scores, float) >= threshold, np.asarray(labels, bool)
    both = float((predicted & positive).sum())
    precision, recall = safe_divide(both, predicted.sum()), safe_divide(both, positive.sum())
    accuracy = mean((predicted == positive).astype(float)).value
    f1 = float(harmonic_mean(precision, recall))
    return Classification(accuracy, Scores(float(precision), float(recall), f1), threshold)
