"""Training of the semi-Markov aligner."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align._faces import lazy_face

if TYPE_CHECKING:
    from forest_align.em.semi_markov.objective import LatticeExample
    from forest_align.em.semi_markov.training import SemiMarkovSettings, train_semi_markov_model

__all__ = [
    "LatticeExample",
    "SemiMarkovSettings",
    "train_semi_markov_model",
]

__getattr__, __dir__ = lazy_face(
    __name__,
    {
        "LatticeExample": "forest_align.em.semi_markov.objective",
        "SemiMarkovSettings": "forest_align.em.semi_markov.training",
        "train_semi_markov_model": "forest_align.em.semi_markov.training",
    },
)
