"""Preparation of training corpora, shared by all trainers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align._faces import lazy_face

if TYPE_CHECKING:
    from forest_align.em.corpus.corpus import CorpusPair, CorpusReader
    from forest_align.em.corpus.gold_pairs import GoldPair, read_gold_files, read_gold_pairs

__all__ = [
    "CorpusPair",
    "CorpusReader",
    "GoldPair",
    "read_gold_files",
    "read_gold_pairs",
]

__getattr__, __dir__ = lazy_face(
    __name__,
    {
        "CorpusPair": "forest_align.em.corpus.corpus",
        "CorpusReader": "forest_align.em.corpus.corpus",
        "GoldPair": "forest_align.em.corpus.gold_pairs",
        "read_gold_files": "forest_align.em.corpus.gold_pairs",
        "read_gold_pairs": "forest_align.em.corpus.gold_pairs",
    },
)
