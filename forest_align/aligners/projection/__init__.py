"""The baseline of phrase alignment: word links projected onto the parser's best trees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align._faces import lazy_face

if TYPE_CHECKING:
    from forest_align.aligners.projection.aligner import ProjectionAligner

__all__ = ["ProjectionAligner"]

__getattr__, __dir__ = lazy_face(__name__, {"ProjectionAligner": "forest_align.aligners.projection.aligner"})
