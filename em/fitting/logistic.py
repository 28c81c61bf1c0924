"""Fits logistic regressions: probabilities as functions of a few numbers."""

from __future__ import annotations

import numpy as np

from forest_align.aligners.logistic_function import logistic

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
