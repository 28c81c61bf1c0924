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
    """Scores of all labelled spans of a sentence of n words, with labels and tags."""

    # float32, shape (n, n, L): log-potential of each label of each closed span `[first, last]`, after
    # division by the calibration temperature. The empty label, 0, scores 0; cells below the diagonal are 0.
    scores: np.ndarray = field(repr=False)
    # L label chains, joined by `::` from the top down; the first is `""`
    labels: tuple[str, ...] = field(repr=False)
    tags: tuple[str, ...]
    force_root: bool = True  # Whether the span of the whole sentence must be labelled
    # float32, shape (n, D): word vectors, if the same pass makes them
    vectors: np.ndarray | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.tags)


class SpanScorer(Protocol):
    """A parser as the rest of the package sees it."""

    word_vectors: WordVectors | None = None  # Makes the vectors that come with its scores; None if none do

    def score(
        self, batch: Sequence[Sequence[str]], space_after: Sequence[Sequence[bool]] | None = None
    ) -> list[SpanScores | InputError]:
        """Score a batch of tokenized sentences, in any order of length."""
        ...

    def tag(
        self, batch: Sequence[Sequence[str]], space_after: Sequence[Sequence[bool]] | None = None
    ) -> list[tuple[str, ...] | InputError]:
        """The same part-of-speech tags as in :meth:`score`, alone; some parsers predict them faster."""
        scored = self.score(batch, space_after)
        return [one if isinstance(one, InputError) else one.tags for one in scored]
