"""Packed forests: from span scores, n-best lists, or given trees.

:mod:`forest_align.parsing` offers the constructors that take trees of the user.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align._faces import lazy_face

if TYPE_CHECKING:
    from forest_align.parsing.forests.forest_builder import Constituent, forest_from_constituents
    from forest_align.parsing.forests.given_trees import with_given_trees
    from forest_align.parsing.forests.span_posteriors import log_posteriors

__all__ = [
    "Constituent",
    "forest_from_constituents",
    "log_posteriors",
    "with_given_trees",
]

__getattr__, __dir__ = lazy_face(
    __name__,
    {
        "Constituent": "forest_align.parsing.forests.forest_builder",
        "forest_from_constituents": "forest_align.parsing.forests.forest_builder",
        "log_posteriors": "forest_align.parsing.forests.span_posteriors",
        "with_given_trees": "forest_align.parsing.forests.given_trees",
    },
)
