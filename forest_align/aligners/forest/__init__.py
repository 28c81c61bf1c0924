"""The phrase aligner on packed parse forests (Arase & Tsujii, EMNLP 2017)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align._faces import lazy_face

if TYPE_CHECKING:
    from forest_align.aligners.forest.aligner import ForestAligner
    from forest_align.aligners.forest.legitimacy import alignment_violations
    from forest_align.aligners.forest.model import ForestModel
    from forest_align.aligners.forest.options import ForestOptions

__all__ = [
    "ForestAligner",
    "ForestModel",
    "ForestOptions",
    "alignment_violations",
]

__getattr__, __dir__ = lazy_face(
    __name__,
    {
        "forest_align.aligners.forest.aligner": "ForestAligner",
        "forest_align.aligners.forest.legitimacy": "alignment_violations",
        "forest_align.aligners.forest.model": "ForestModel",
        "forest_align.aligners.forest.options": "ForestOptions",
    },
)
