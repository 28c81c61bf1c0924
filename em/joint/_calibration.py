"""Fits probabilities to the margins of the joint aligner's phrase pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from forest_align.aligners.joint.aligner import margins
from forest_align.em.fitting.logistic import fit_logistic

if TYPE_CHECKING:
    from forest_align.aligners.joint.model import JointModel
    from forest_align.em.joint.examples import JointExample, Report

# Keeps the slope finite if margins separate right and wrong links perfectly.
_RIDGE = 1e-3


def calibrate(
    examples: Sequence[JointExample], model: JointModel, report: Report | None = None
) -> tuple[float, float]:
    """Fit the probability of a link given its margin, by logistic regression on the model's links."""
    found = []
    for example in examples:
        found.append(margins_and_truth(example, model))
        if report is not None:
            report("calibration", len(found))
    values, right = (np.concatenate(part) for part in zip(*found, strict=True))
    if not right.any() or right.all():
        return (1.0, 0.0)
    # Margins have no natural unit: those of a perceptron are in the thousands.
    unit = max(float(np.sqrt((values**2).mean())), 1e-9)
    slope, offset = fit_logistic((values / unit)[:, None], right, ridge=_RIDGE)
    return float(slope) / unit, float(offset)


def margins_and_truth(example: JointExample, model: JointModel) -> tuple[np.ndarray, np.ndarray]:
    """The margin of each link that the model makes, and whether it is a gold link."""
    edits, scores = example.edits, model.scores(example.edits)
    best = model.best_edits(edits)
    found, truth = [], []
    for margin, place in zip(margins(edits, best, *scores).tolist(), best.phrases, strict=True):
        start, end, other_start, other_end = edits.spans[place].tolist()
        cells = example.gold[start:end, other_start:other_end].ravel()
        truth.append(cells)
        found.append(np.full(len(cells), margin))
    if not found:
        return np.zeros(0), np.zeros(0, dtype=bool)
    return np.concatenate(found), np.concatenate(truth)
