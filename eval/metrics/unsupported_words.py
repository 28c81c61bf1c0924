"""Scores of the words of claims that are called unsupported, means over claims (WiCE; Kamoi et al. 2023)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from forest_align.eval.metrics.scores import Scores, Statistic, mean, safe_divide


def unsupported_statistics(wanted: Sequence[np.ndarray], found: Sequence[np.ndarray]) -> dict[str, Statistic]:
    """Precision, recall and F1 by name: means over claims, whose unsupported words are bool (n,) each.

    A claim without found words has a precision of 0, unless it has no wanted ones either.
    """
    scores = []
    for ours, theirs in zip(wanted, found, strict=True):
        both, is_right = float((ours & theirs).sum()), float(not ours.any() and not theirs.any())
        precision, recall = (float(safe_divide(both, one.sum(), is_right)) for one in (theirs, ours))
        scores.append(Scores.of(precision, recall))
    return {name: mean([getattr(one, name) for one in scores]) for name in ("precision", "recall", "f1")}
