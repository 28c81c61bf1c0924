"""Probabilities of logistic regressions and of networks with log-odds as output."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def logistic(log_odds: np.ndarray, limit: float = 30.0) -> np.ndarray:
    """Probabilities of log-odds, of the same shape; larger log-odds than the limit count as the limit."""
    found: np.ndarray = 1 / (1 + np.exp(-np.clip(log_odds, -limit, limit)))
    return found


def regression(features: np.ndarray, weights: Sequence[float]) -> np.ndarray:
    """Probabilities of a logistic regression: float64, shape (C,)."""
    return logistic(features @ np.asarray(weights[:-1]) + weights[-1], limit=20.0)
