"""Batches of tables, aligned in one call: what engines for large data map over their parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align._faces import lazy_face

if TYPE_CHECKING:
    from forest_align.batches._align_batch import AlignBatch

__all__ = ["AlignBatch"]

__getattr__, __dir__ = lazy_face(
    __name__,
    {
        "forest_align.batches._align_batch": "AlignBatch",
    },
)
