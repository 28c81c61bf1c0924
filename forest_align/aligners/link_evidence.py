"""What the probabilities of word links say of phrases: links do not cross pairs, linked words are not null.

The features of a phrase pair know its heads alone (Arase & Tsujii 2017, §5.2). Here every word counts: a
phrase pair is consistent when no word link leads out of it (the condition of phrase extraction in machine
translation), and a phrase is null when none of its words is linked. Links are taken to be independent.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from forest_align.lexicon.candidates import Candidate
    from forest_align.types import ParseForest

#: No link is more certain than this, so that one of them cannot forbid a phrase pair.
MOST_CERTAIN = 0.98


@dataclass(frozen=True, slots=True, eq=False)
class LinkEvidence:
    """Log-probabilities that words are not linked, summed over rectangles of words.

    Attributes
    ----------
    sums : numpy.ndarray
        float64, shape (n + 1, m + 1): sum of log Pr(word i is not linked to word j) over all i and j below
        the indices.
    """

    sums: np.ndarray

    @classmethod
    def of(cls, candidates: Iterable[Candidate], source_length: int, target_length: int) -> LinkEvidence:
        """The evidence of word candidates; groups say nothing that their words do not say.

        Parameters
        ----------
        candidates : iterable of Candidate
            Words that are no candidate are certainly not linked.
        source_length, target_length : int
            Words of the sentences, n and m.
        """
        probability = np.zeros((source_length, target_length))
        for found in candidates:
            if not found.is_group:
                probability[found.source[0], found.target[0]] = found.score
        sums = np.zeros((source_length + 1, target_length + 1))
        sums[1:, 1:] = np.log1p(-np.minimum(probability, MOST_CERTAIN)).cumsum(0).cumsum(1)
        return cls(sums)

    def log_consistent(
        self, source: ParseForest, target: ParseForest
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Log-probabilities of what an alignment of two forests claims.

        Returns
        -------
        numpy.ndarray
            float64, shape (S, T): that no link leads out of a pair of nodes.
        numpy.ndarray, numpy.ndarray
            float64, shapes (S,) and (T,): that no word of a node is linked.
        """
        above, below = self.sums[source.start], self.sums[source.end]
        rows = below - above
        of_source = rows[:, -1]
        of_target = self.sums[-1, target.end] - self.sums[-1, target.start]
        inside = rows[:, target.end] - rows[:, target.start]
        return of_source[:, None] + of_target - 2 * inside, of_source, of_target
