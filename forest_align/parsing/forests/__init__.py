"""Packed forests: from span scores, n-best lists, or given trees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align._faces import lazy_face

if TYPE_CHECKING:
    from forest_align.parsing.forests.enju_forest import forest_from_enju, sentence_from_enju
    from forest_align.parsing.forests.n_best import NBest
    from forest_align.parsing.forests.trees import (
        forest_from_bracket,
        forest_from_trees,
        sentence_from_bracket,
        sentence_from_n_best,
        sentence_from_trees,
        with_best_tree,
    )

__all__ = [
    "NBest",
    "forest_from_bracket",
    "forest_from_enju",
    "forest_from_trees",
    "sentence_from_bracket",
    "sentence_from_enju",
    "sentence_from_n_best",
    "sentence_from_trees",
    "with_best_tree",
]

__getattr__, __dir__ = lazy_face(
    __name__,
    {
        "NBest": "forest_align.parsing.forests.n_best",
        "forest_from_bracket": "forest_align.parsing.forests.trees",
        "forest_from_enju": "forest_align.parsing.forests.enju_forest",
        "forest_from_trees": "forest_align.parsing.forests.trees",
        "sentence_from_bracket": "forest_align.parsing.forests.trees",
        "sentence_from_enju": "forest_align.parsing.forests.enju_forest",
        "sentence_from_n_best": "forest_align.parsing.forests.trees",
        "sentence_from_trees": "forest_align.parsing.forests.trees",
        "with_best_tree": "forest_align.parsing.forests.trees",
    },
)
