"""Chunks that are given, aligned with the relation and the similarity of each pair (interpretable STS)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align._faces import lazy_face

if TYPE_CHECKING:
    from forest_align.aligners.chunks.chunk_aligner import ChunkAligner
    from forest_align.aligners.chunks.chunk_model import ChunkModel

__all__ = ["ChunkAligner", "ChunkModel"]

__getattr__, __dir__ = lazy_face(
    __name__,
    {
        "ChunkAligner": "forest_align.aligners.chunks.chunk_aligner",
        "ChunkModel": "forest_align.aligners.chunks.chunk_model",
    },
)
