"""Several alignments together, as notebooks show them."""

from __future__ import annotations

from forest_align.alignment._alignment import Alignment
from forest_align.alignment.html import to_iframe


class AlignmentList(tuple[Alignment, ...]):
    """A tuple of alignments that a notebook shows below each other: ``AlignmentList(align_many(pairs))``."""

    __slots__ = ()

    def __str__(self) -> str:
        """The alignments as text, with an empty line between two."""
        return "\n\n".join(map(str, self))

    def _repr_html_(self) -> str:
        """The view for notebooks."""
        return to_iframe(self)
