"""Word candidates: the word pairs that the structured aligners consider, with their probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align._faces import lazy_face

if TYPE_CHECKING:
    from forest_align.aligners.words.candidate import Candidate, CandidateProvider
    from forest_align.aligners.words.choose import word_candidates
    from forest_align.aligners.words.explain import with_evidence
    from forest_align.aligners.words.lexical import GivenCandidates, LexicalCandidates

__all__ = [
    "Candidate",
    "CandidateProvider",
    "GivenCandidates",
    "LexicalCandidates",
    "with_evidence",
    "word_candidates",
]

__getattr__, __dir__ = lazy_face(
    __name__,
    {
        "forest_align.aligners.words.candidate": "Candidate CandidateProvider",
        "forest_align.aligners.words.choose": "word_candidates",
        "forest_align.aligners.words.explain": "with_evidence",
        "forest_align.aligners.words.lexical": "GivenCandidates LexicalCandidates",
    },
)
