"""One module for each file format of sentence pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align._faces import lazy_face

if TYPE_CHECKING:
    from forest_align.data.formats.format import ChunkLink, Format, PairError, SentencePair

__all__ = [
    "ChunkLink",
    "Format",
    "PairError",
    "SentencePair",
]

__getattr__, __dir__ = lazy_face(
    __name__,
    {
        "ChunkLink": "forest_align.data.formats.format",
        "Format": "forest_align.data.formats.format",
        "PairError": "forest_align.data.formats.format",
        "SentencePair": "forest_align.data.formats.format",
    },
)
