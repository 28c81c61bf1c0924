"""Learning of the phrase-pair model from marked phrases and from word links made by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align._faces import lazy_face

if TYPE_CHECKING:
    from forest_align.em.phrases.network import PhraseExamples, train_network

__all__ = [
    "PhraseExamples",
    "train_network",
]

__getattr__, __dir__ = lazy_face(
    __name__,
    {
        "PhraseExamples": "forest_align.em.phrases.network",
        "train_network": "forest_align.em.phrases.network",
    },
)
