"""Training of the forest aligner: feature-enhanced Viterbi EM."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align._faces import lazy_face

if TYPE_CHECKING:
    from forest_align.em.forest.dev_set import DevSet
    from forest_align.em.forest.state import EpochReport, TrainingSettings
    from forest_align.em.forest.training import train_forest_model

__all__ = [
    "DevSet",
    "EpochReport",
    "TrainingSettings",
    "train_forest_model",
]

__getattr__, __dir__ = lazy_face(
    __name__,
    {
        "DevSet": "forest_align.em.forest.dev_set",
        "EpochReport": "forest_align.em.forest.state",
        "TrainingSettings": "forest_align.em.forest.state",
        "train_forest_model": "forest_align.em.forest.training",
    },
)
