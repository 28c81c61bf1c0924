"""Fits what the trainers learn: gradient descent, L-BFGS, logistic regressions, small networks, and folds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align._faces import lazy_face

if TYPE_CHECKING:
    from forest_align.em.fitting.descent import descend
    from forest_align.em.fitting.folds import folds_of
    from forest_align.em.fitting.lbfgs import Minimizer
    from forest_align.em.fitting.logistic import fit_logistic
    from forest_align.em.fitting.small_networks import RectifierSettings, fit_rectifier

__all__ = [
    "Minimizer",
    "RectifierSettings",
    "descend",
    "fit_logistic",
    "fit_rectifier",
    "folds_of",
]

__getattr__, __dir__ = lazy_face(
    __name__,
    {
        "Minimizer": "forest_align.em.fitting.lbfgs",
        "RectifierSettings": "forest_align.em.fitting.small_networks",
        "descend": "forest_align.em.fitting.descent",
        "fit_logistic": "forest_align.em.fitting.logistic",
        "fit_rectifier": "forest_align.em.fitting.small_networks",
        "folds_of": "forest_align.em.fitting.folds",
    },
)
