"""Preparation of aligned corpora: other tokenizations and phrasal versions of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align._faces import lazy_face

if TYPE_CHECKING:
    from forest_align.data.corpora.phrasal_versions import phrasal_links
    from forest_align.data.corpora.retokenize import move_links
    from forest_align.data.corpora.stanford_tokens import conform

__all__ = [
    "conform",
    "move_links",
    "phrasal_links",
]

__getattr__, __dir__ = lazy_face(
    __name__,
    {
        "conform": "forest_align.data.corpora.stanford_tokens",
        "move_links": "forest_align.data.corpora.retokenize",
        "phrasal_links": "forest_align.data.corpora.phrasal_versions",
    },
)
