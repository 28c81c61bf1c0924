"""Phrase tables: count, store and write the phrases that correspond."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align._faces import lazy_face

if TYPE_CHECKING:
    from forest_align.data.phrases.counts import PhraseCounts, extract
    from forest_align.data.phrases.input import read_alignments
    from forest_align.data.phrases.occurrences import Selection
    from forest_align.data.phrases.phrase_table import PhraseEntry

__all__ = [
    "PhraseCounts",
    "PhraseEntry",
    "Selection",
    "extract",
    "read_alignments",
]

__getattr__, __dir__ = lazy_face(
    __name__,
    {
        "forest_align.data.phrases.counts": "PhraseCounts extract",
        "forest_align.data.phrases.input": "read_alignments",
        "forest_align.data.phrases.occurrences": "Selection",
        "forest_align.data.phrases.phrase_table": "PhraseEntry",
    },
)
