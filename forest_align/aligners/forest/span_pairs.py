"""How pairs of spans lie to each other: inside, near, apart."""

from __future__ import annotations

import numpy as np


def contained(inner: np.ndarray, outer: np.ndarray) -> np.ndarray:
    """Whether pairs of spans, shape (K, 4), lie inside others, shape (L, 4), on both sides: bool (K, L)."""
    found = np.ones((len(inner), len(outer)), bool)
    for side in (0, 2):
        found &= outer[None, :, side] <= inner[:, None, side]
        found &= inner[:, None, side + 1] <= outer[None, :, side + 1]
    return found


def nearness(some: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Intersection over union, of the side where it is smaller, of pairs of spans: float64 (K, L)."""
    shares = []
    for side, shared in zip((0, 2), overlaps(some, others), strict=True):
        ends = np.maximum(some[:, None, side + 1], others[None, :, side + 1])
        starts = np.minimum(some[:, None, side], others[None, :, side])
        shares.append(np.maximum(shared, 0) / (ends - starts))
    found: np.ndarray = np.minimum(*shares)
    return found


def overlaps(some: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Words that pairs of spans share, int64 (2, K, L), by side; 0 or less if none."""
    return np.stack(
        [
            np.minimum(some[:, None, side + 1], others[None, :, side + 1])
            - np.maximum(some[:, None, side], others[None, :, side])
            for side in (0, 2)
        ]
    )
