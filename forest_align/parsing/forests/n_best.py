"""The k best trees of a sentence or text, from a parser."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from forest_align.parsing.forests.forest_builder import (
    Constituent,
    forest_from_constituents,
    write_constituents,
)
from forest_align.types import ParseForest, Token


@dataclass(frozen=True, slots=True)
class NBest:
    """The k best trees of a sentence, or of a text of several, sharing equal subtrees.

    Iteration yields ``(log_probability, tree in Penn brackets)``, best first.

    Attributes
    ----------
    tokens : tuple of Token
        Tokens with tags.
    text : str
        Raw text.
    constituents : list of Constituent
        The constituents of all trees, children before parents.
    tops : list of int
        The trees, best first, as numbers of constituents.
    log_probabilities : numpy.ndarray
        float64: log-probability of each tree among all trees of the sentence. Without log-posteriors, it is
        known only up to a constant.
    log_posteriors : numpy.ndarray or None
        float64, one per constituent: see :attr:`ParseForest.log_posterior`.
    """

    tokens: tuple[Token, ...]
    text: str
    constituents: list[Constituent]
    tops: list[int]
    log_probabilities: np.ndarray
    log_posteriors: np.ndarray | None

    @property
    def words(self) -> list[str]:
        """Surface forms."""
        return [token.text for token in self.tokens]

    def forest(self) -> ParseForest:
        """The trees as a packed forest."""
        return forest_from_constituents(
            self.constituents, self.tops, self.log_probabilities, self.words, self.log_posteriors
        )

    def brackets(self) -> list[str]:
        """The trees in Penn brackets, best first."""
        words = self.words
        return [write_constituents(self.constituents, top, words) for top in self.tops]

    def __len__(self) -> int:
        return len(self.tops)

    def __iter__(self) -> Iterator[tuple[float, str]]:
        return zip(self.log_probabilities.tolist(), self.brackets(), strict=True)
