"""Training of the parser and the tagger."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align._faces import lazy_face

if TYPE_CHECKING:
    from forest_align.em.parser._trainer import ParserSettings

__all__ = [
    "ParserSettings",
]

__getattr__, __dir__ = lazy_face(
    __name__,
    {
        "ParserSettings": "forest_align.em.parser._trainer",
    },
)
