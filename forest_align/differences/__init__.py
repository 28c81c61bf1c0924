"""How much each word and span of two aligned texts says something else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align._faces import lazy_face

if TYPE_CHECKING:
    from forest_align.differences.text_differences import (
        DifferingSpan,
        DifferingWords,
        TextDifferences,
        differences_of,
        differences_to_html,
        differences_to_text,
    )

__all__ = [
    "DifferingSpan",
    "DifferingWords",
    "TextDifferences",
    "differences_of",
    "differences_to_html",
    "differences_to_text",
]

__getattr__, __dir__ = lazy_face(__name__, {"forest_align.differences.text_differences": " ".join(__all__)})
