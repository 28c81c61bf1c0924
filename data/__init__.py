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
        "Format": "forest_align.data.formats.format",
        "PairError": "forest_align.data.formats.format",
        "PhraseCounts": "forest_align.data.phrases.counts",
        "SentencePair": "forest_align.data.formats.format",
        "extract": "forest_align.data.phrases.counts",
        "find_format": "forest_align.data.pairs",
        "read_pairs": "forest_align.data.pairs",
        "read_parses": "forest_align.data.trees.parses",
        "read_trees": "forest_align.data.trees.penn",
        "write_pairs": "forest_align.data.pairs",
    },
)
