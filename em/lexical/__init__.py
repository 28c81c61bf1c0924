"""Training of the lexical model of word candidates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align._faces import lazy_face

if TYPE_CHECKING:
    from forest_align.em.lexical.training import LexicalCells

__all__ = [
    "LexicalCells",
]

__getattr__, __dir__ = lazy_face(
    __name__,
    {
        "LexicalCells": "forest_align.em.lexical.training",
    },
)
