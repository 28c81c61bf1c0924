"""Readers and writers of corpora and formats, and English resources; ``forest_align.data``, in ``data``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align._faces import lazy_face

if TYPE_CHECKING:
    from forest_align.data.formats.format import Format, PairError, SentencePair
    from forest_align.data.pairs import find_format, read_pairs, write_pairs
    from forest_align.data.phrases.counts import PhraseCounts, extract
    from forest_align.data.trees.parses import read_parses
    from forest_align.data.trees.penn import read_trees

__all__ = [
    "Format",
    "PairError",
    "PhraseCounts",
    "SentencePair",
    "extract",
    "find_format",
    "read_pairs",
    "read_parses",
    "read_trees",
    "write_pairs",
]

__getattr__, __dir__ = lazy_face(
    __name__,
    {
        "forest_align.data.formats.format": "Format PairError SentencePair",
        "forest_align.data.pairs": "find_format read_pairs write_pairs",
        "forest_align.data.phrases.counts": "PhraseCounts extract",
        "forest_align.data.trees.parses": "read_parses",
        "forest_align.data.trees.penn": "read_trees",
    },
)
