"""Lines and rows of text files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align._faces import lazy_face

if TYPE_CHECKING:
    from forest_align.data.text.lines import InputLines, TextLines
    from forest_align.data.text.raw_text import with_raw_text

__all__ = [
    "InputLines",
    "TextLines",
    "with_raw_text",
]

__getattr__, __dir__ = lazy_face(
    __name__,
    {
        "InputLines": "forest_align.data.text.lines",
        "TextLines": "forest_align.data.text.lines",
        "with_raw_text": "forest_align.data.text.raw_text",
    },
)
