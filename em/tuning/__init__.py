"""Search for the penalties of an aligner with Optuna."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align._faces import lazy_face

if TYPE_CHECKING:
    from forest_align.em.tuning.search import Range, TuningSettings
    from forest_align.em.tuning.study import SharedStudy
    from forest_align.em.tuning.trials import TuningProblem, tune

__all__ = [
    "Range",
    "SharedStudy",
    "TuningProblem",
    "TuningSettings",
    "tune",
]

__getattr__, __dir__ = lazy_face(
    __name__,
    {
        "Range": "forest_align.em.tuning.search",
        "SharedStudy": "forest_align.em.tuning.study",
        "TuningProblem": "forest_align.em.tuning.trials",
        "TuningSettings": "forest_align.em.tuning.search",
        "tune": "forest_align.em.tuning.trials",
    },
)
