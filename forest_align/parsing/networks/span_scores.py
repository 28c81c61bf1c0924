"""The output of a span parser for a sentence, in a module without torch, which loads slowly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from forest_align.types import InputError

if TYPE_CHECKING:
    import numpy as np

    from forest_align.parsing.networks.vector_network import WordVectors


@dataclass(frozen=True, slots=True, eq=False)
class SpanScores:
    """Scores of all labelled spans of a sentence of n words, with labels and tags.

    Attributes
    ----------
    scores : numpy.ndarray
        float32, shape (n, n, L): log-potential of each label of each closed span ``[first, last]``, after
        division by the calibration temperature. The empty label, 0, scores 0; cells below the diagonal are 0.
    labels : tuple of str
        L label chains, joined by ``::`` from the top down; the first is ``""``.
    tags : tuple of str
        n predicted part-of-speech tags.
    force_root : bool
        Whether the span of the whole sentence must be labelled.
    vectors : numpy.ndarray or None
        float32, shape (n, D): word vectors, if the same pass makes them.
    """

    scores: np.ndarray = field(repr=False)
    labels: tuple[str, ...] = field(repr=False)
    tags: tuple[str, ...]
    force_root: bool = True
    vectors: np.ndarray | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.tags)


class SpanScorer(Protocol):
    """A parser as the rest of the package sees it.

    Attributes
    ----------
    word_vectors : WordVectors or None
        Makes the vectors that come with its scores; None if none do.
    """

    word_vectors: WordVectors | None = None

    def score(
        self, batch: Sequence[Sequence[str]], space_after: Sequence[Sequence[bool]] | None = None
    ) -> list[SpanScores | InputError]:
        """Score a batch of tokenized sentences, in any order of length.

        Parameters
        ----------
        batch : sequence of sequence of str
            Words of each sentence, as written (``(`` as well as ``-LRB-``, any quotes).
        space_after : sequence of sequence of bool, optional
            Whether white space follows each word. If not given, parsers that need it guess it.

        Returns
        -------
        list of SpanScores or InputError
            In the order of the batch. For a sentence without words, or too long for the parser, the list has
            an error. It is not raised, so the other sentences are still scored.
        """
        ...

    def tag(
        self, batch: Sequence[Sequence[str]], space_after: Sequence[Sequence[bool]] | None = None
    ) -> list[tuple[str, ...] | InputError]:
        """The same part-of-speech tags as in :meth:`score`, alone; some parsers predict them faster."""
        scored = self.score(batch, space_after)
        return [one if isinstance(one, InputError) else one.tags for one in scored]
