"""Feature-enhanced Viterbi EM and the hyper-parameter sweep; ``forest_align.em``, in the folder ``em``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align._faces import lazy_face

if TYPE_CHECKING:
    from forest_align.em.corpus.corpus import CorpusReader
    from forest_align.em.corpus.parsed_pairs import read_gold_files
    from forest_align.em.forest.state import TrainingSettings
    from forest_align.em.forest.training import train_forest_model
    from forest_align.em.joint.training import JointSettings, train_joint_model
    from forest_align.em.semi_markov.training import SemiMarkovSettings, train_semi_markov_model
    from forest_align.em.tuning.trials import TuningSettings, tune

__all__ = [
    "CorpusReader",
    "JointSettings",
    "SemiMarkovSettings",
    "TrainingSettings",
    "TuningSettings",
    "read_gold_files",
    "train_forest_model",
    "train_joint_model",
    "train_semi_markov_model",
    "tune",
]

__getattr__, __dir__ = lazy_face(
    __name__,
    {
        "forest_align.em.corpus.corpus": "CorpusReader",
        "forest_align.em.corpus.parsed_pairs": "read_gold_files",
        "forest_align.em.forest.state": "TrainingSettings",
        "forest_align.em.forest.training": "train_forest_model",
        "forest_align.em.joint.training": "JointSettings train_joint_model",
        "forest_align.em.semi_markov.training": "SemiMarkovSettings train_semi_markov_model",
        "forest_align.em.tuning.trials": "TuningSettings tune",
    },
)
