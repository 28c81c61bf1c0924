"""Evidence of word links for phrases: links do not cross pairs, and linked words are not null.

The features of a phrase pair depend only on its heads (Arase & Tsujii 2017, §5.2). Here every word counts. A
phrase pair is consistent if no word link leads out of it (the condition of phrase extraction in machine
translation). A phrase is null if none of its words is linked. Links are assumed to be independent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from forest_align.aligners.words.candidate import link_probabilities
from forest_align.types.spans import SpanSums

if TYPE_CHECKING:
    from forest_align.aligners.words.candidate import Candidate
    from forest_align.types import ParseForest

#: Upper bound for the probability of a link, so that a single link cannot forbid a phrase pair.
MOST_CERTAIN = 0.98


class SpanPairs(NamedTuple):
    """K pairs of half-open spans of words; every field is an int array of shape (K,)."""

    source_start: np.ndarray
    source_end: np.ndarray
    target_start: np.ndarray
    target_end: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class LinkEvidence:
    """Log-probabilities that words are not linked, summed over rectangles of words."""

    sums: SpanSums  # float64: sums of log Pr(word i is not linked to word j)

    @classmethod
    def of(
        cls,
        candidates: Sequence[Candidate],
        source_length: int,
        target_length: int,
        *,
        lone_groups: bool = False,
    ) -> LinkEvidence:
        """The evidence of word candidates that have a probability; groups add nothing to it.

        Word pairs that are not candidates are certainly not linked. With ``lone_groups``, a group counts if
        none of its word pairs are candidates: all its words are then linked with its probability. If several
        such groups overlap, the most probable one counts.
        """
        words = link_probabilities(candidates, source_length, target_length)
        probability = words.copy()
        for found in candidates if lone_groups else ():
            cells = slice(*found.source), slice(*found.target)
            if found.weighted and found.is_group and not words[cells].any():
                probability[cells] = np.maximum(probability[cells], found.score)
        return cls(SpanSums.of(np.log1p(-np.minimum(probability, MOST_CERTAIN))))

    def log_consistent(
        self, source: ParseForest, target: ParseForest
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Log-probabilities of the claims of an alignment of two forests.

        No link leads out of a pair of nodes: float64 (S, T). No word of a node is linked: float64 (S,) of the
        source, and (T,) of the target.
        """
        of_source = self.sums.between(source.start, source.end)
        of_target = self.sums.between(0, -1, target.start, target.end)
        inside = self.sums.grid(source.start, source.end, target.start, target.end)
        return of_source[:, None] + of_target - 2 * inside, of_source, of_target

    def log_closed(self, pairs: SpanPairs) -> np.ndarray:
        """Log-probabilities that no link leads out of a pair of spans, float64 (K,)."""
        of_source = self.sums.between(pairs.source_start, pairs.source_end)
        of_target = self.sums.between(0, -1, pairs.target_start, pairs.target_end)
        result: np.ndarray = of_source + of_target - 2 * self._inside(pairs)
        return result

    def log_linked(self, pairs: SpanPairs) -> np.ndarray:
        """Log-probabilities that a link lies inside a pair of spans, float64 (K,)."""
        with np.errstate(divide="ignore"):
            result: np.ndarray = np.log(-np.expm1(self._inside(pairs)))
        return result

    def _inside(self, pairs: SpanPairs) -> np.ndarray:
        """Log-probabilities that no link lies inside a pair of spans, float64 (K,)."""
        top, bottom, left, right = pairs
        sums = self.sums.between(0, bottom, left, right) - self.sums.between(0, top, left, right)
        # If there are no links inside, rounding may leave a sum slightly above 0.
        result: np.ndarray = np.minimum(sums, 0.0)
        return result
