"""Correspondence of phrases by evidence of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align._faces import lazy_face

if TYPE_CHECKING:
    from forest_align.aligners.phrases.model import PhraseModel
    from forest_align.aligners.phrases.proposals import ProposedPairs

__all__ = [
    "PhraseModel",
    "ProposedPairs",
]

__getattr__, __dir__ = lazy_face(
    __name__,
    {
        "PhraseModel": "forest_align.aligners.phrases.model",
        "ProposedPairs": "forest_align.aligners.phrases.proposals",
    },
)
