"""Lexical evidence: which two words may correspond, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align._faces import lazy_face

if TYPE_CHECKING:
    from forest_align.lexicon.evidence import explain, lexical_evidence, word_evidence
    from forest_align.lexicon.lexicon import Evidence, Lexicon, WordProfile, load_lexicon
    from forest_align.lexicon.pair_table import PairTable

__all__ = [
    "Evidence",
    "Lexicon",
    "PairTable",
    "WordProfile",
    "explain",
    "lexical_evidence",
    "load_lexicon",
    "word_evidence",
]

__getattr__, __dir__ = lazy_face(
    __name__,
    {
        "forest_align.lexicon.evidence": "explain lexical_evidence word_evidence",
        "forest_align.lexicon.lexicon": "Evidence Lexicon WordProfile load_lexicon",
        "forest_align.lexicon.pair_table": "PairTable",
    },
)
