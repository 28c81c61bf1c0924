"""The word aligner with a trained link model on lexical and contextual features."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align._faces import lazy_face

if TYPE_CHECKING:
    from forest_align.aligners.contextual.aligner import ContextualAligner
    from forest_align.aligners.contextual.model import LinkModel

__all__ = [
    "ContextualAligner",
    "LinkModel",
]

__getattr__, __dir__ = lazy_face(
    __name__,
    {
        "forest_align.aligners.contextual.aligner": "ContextualAligner",
        "forest_align.aligners.contextual.model": "LinkModel",
    },
)
