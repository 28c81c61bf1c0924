"""What a span parser gives for a sentence, apart from torch, so that the rest need not import it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from forest_align.types import InputError

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True, slots=True, eq=False)
class SpanScores:
    """Scores of all labelled spans of a sentence of n words, and what comes with them.

    Attributes
    ----------
    scores : numpy.ndarray
        float32, shape (n, n, L): log-potential of each label of each closed span ``[first, last]``, the
        calibration temperature divided out. Label 0 is the empty one and scores 0; 0 below the diagonal.
    labels : tuple of str
        L label chains, joined by ``::`` from the top down; the first is ``""``.
    tags : tuple of str
        n predicted part-of-speech tags.
    force_root : bool
        Whether the span of the whole sentence must be labelled.
    """

    scores: np.ndarray = field(repr=False)
    labels: tuple[str, ...] = field(repr=False)
    tags: tuple[str, ...]
    force_root: bool = True

    def __len__(self) -> int:
        return len(self.tags)


class SpanScorer(Protocol):
    """A parser as the rest of the package sees it."""

    def score(
        self, batch: Sequence[Sequence[str]], space_after: Sequence[Sequence[bool]] | None = None
    ) -> list[SpanScores | InputError]:
        """Score a batch of tokenized sentences, in any order of length.

        Parameters
        ----------
        batch : sequence of sequence of str
            Words of each sentence, as written (``(`` as well as ``-LRB-``, any quotes).
        space_after : sequence of sequence of bool, optional
            Whether white space follows each word; guessed by parsers that need it when not given.

        Returns
        -------
        list of SpanScores or InputError
            In the order of the batch. A sentence without words, or longer than the parser can read, gets an
            error in its place, not raised, so that the others go on.
        """
        ...

    def tag(
        self, batch: Sequence[Sequence[str]], space_after: Sequence[Sequence[bool]] | None = None
    ) -> list[tuple[str, ...] | InputError]:
        """The predicted part-of-speech tags alone, those of :meth:`score`; some parsers have them faster."""
        scored = self.score(batch, space_after)
        return [one if isinstance(one, InputError) else one.tags for one in scored]
