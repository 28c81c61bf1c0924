"""The semi-Markov phrase aligner (Yao, Van Durme, Callison-Burch & Clark, 2013)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align._faces import lazy_face

if TYPE_CHECKING:
    from forest_align.aligners.semi_markov.aligner import SemiMarkovAligner
    from forest_align.aligners.semi_markov.lattice import LatticeOptions
    from forest_align.aligners.semi_markov.model import SemiMarkovModel

__all__ = [
    "LatticeOptions",
    "SemiMarkovAligner",
    "SemiMarkovModel",
]

__getattr__, __dir__ = lazy_face(
    __name__,
    {
        "forest_align.aligners.semi_markov.aligner": "SemiMarkovAligner",
        "forest_align.aligners.semi_markov.lattice": "LatticeOptions",
        "forest_align.aligners.semi_markov.model": "SemiMarkovModel",
    },
)
