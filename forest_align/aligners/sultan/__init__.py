"""The word aligner of Sultan, Bethard & Sumner (2014)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align._faces import lazy_face

if TYPE_CHECKING:
    from forest_align.aligners.sultan.aligner import SultanAligner
    from forest_align.aligners.sultan.parameters import PublishedParameters

__all__ = [
    "PublishedParameters",
    "SultanAligner",
]

__getattr__, __dir__ = lazy_face(
    __name__,
    {
        "PublishedParameters": "forest_align.aligners.sultan.parameters",
        "SultanAligner": "forest_align.aligners.sultan.aligner",
    },
)
