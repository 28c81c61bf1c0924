"""Learning the model of chunk pairs from chunks that people aligned."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align._faces import lazy_face

if TYPE_CHECKING:
    from forest_align.em.chunks.chunk_examples import ChunkExample, read_chunk_examples
    from forest_align.em.chunks.chunk_training import ChunkSettings, fit_chunks

__all__ = ["ChunkExample", "ChunkSettings", "fit_chunks", "read_chunk_examples"]

__getattr__, __dir__ = lazy_face(
    __name__,
    {
        "ChunkExample": "forest_align.em.chunks.chunk_examples",
        "ChunkSettings": "forest_align.em.chunks.chunk_training",
        "fit_chunks": "forest_align.em.chunks.chunk_training",
        "read_chunk_examples": "forest_align.em.chunks.chunk_examples",
    },
)
