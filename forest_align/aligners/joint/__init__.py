"""The joint phrase and dependency aligner (Thadani, Martin & White, 2012)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align._faces import lazy_face

if TYPE_CHECKING:
    from forest_align.aligners.joint.aligner import JointAligner
    from forest_align.aligners.joint.model import JointModel

__all__ = [
    "JointAligner",
    "JointModel",
]

__getattr__, __dir__ = lazy_face(
    __name__,
    {
        "forest_align.aligners.joint.aligner": "JointAligner",
        "forest_align.aligners.joint.model": "JointModel",
    },
)
