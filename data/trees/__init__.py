"""Readers of treebanks, bracketed trees and parser output."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align._faces import lazy_face

if TYPE_CHECKING:
    from forest_align.data.trees.enju import EnjuTree, parse_enju, read_enju
    from forest_align.data.trees.parses import read_parses
    from forest_align.data.trees.penn import read_trees
    from forest_align.data.trees.treebanks import TreebankSentence, read_craft, read_gum, read_wsj

__all__ = [
    "EnjuTree",
    "TreebankSentence",
    "parse_enju",
    "read_craft",
    "read_enju",
    "read_gum",
    "read_parses",
    "read_trees",
    "read_wsj",
]

__getattr__, __dir__ = lazy_face(
    __name__,
    {
        "forest_align.data.trees.enju": "EnjuTree parse_enju read_enju",
        "forest_align.data.trees.parses": "read_parses",
        "forest_align.data.trees.penn": "read_trees",
        "forest_align.data.trees.treebanks": "TreebankSentence read_craft read_gum read_wsj",
    },
)
