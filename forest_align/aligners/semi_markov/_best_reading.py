"""The best path of the semi-Markov CRF with its probabilities, and the union of two directions."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from forest_align.aligners.semi_markov.lattice import Lattice
from forest_align.aligners.semi_markov.model import SemiMarkovModel
from forest_align.cext import semicrf


@dataclass(frozen=True, slots=True, eq=False)
class BestReading:
    """What the CRF finds when it reads one sentence of n words against another one of m."""

    spans: np.ndarray  # int32, shape (k, 4): the phrase pairs of the best path
    probabilities: np.ndarray  # float64, shape (k,): their marginals
    # possible, marginals: int32, shape (p, 4), and float64, shape (p,): all possible phrase pairs and their
    # marginals
    possible: np.ndarray
    marginals: np.ndarray
    links: np.ndarray  # float64, shape (n, m): marginals of the word links
    log_probability: float
    score: float

    @classmethod
    def of(cls, lattice: Lattice, model: SemiMarkovModel) -> BestReading:
        """Find the best path, and sum over all."""
        spans, scores = lattice.spans, model.scores(lattice)
        best, path = semicrf.best_path(spans, *scores)
        total, pairs, *_ = semicrf.marginals(spans, *scores)
        links = semicrf.link_marginals(spans, pairs, lattice.rows, lattice.columns)
        used = path[path >= 0]
        return cls(spans[used], pairs[used], spans, pairs, links, min(best - total, 0.0), best)

    def swap(self) -> BestReading:
        """The same seen from the other sentence."""
        columns = [2, 3, 0, 1]
        return replace(
            self, spans=self.spans[:, columns], possible=self.possible[:, columns], links=self.links.T
        )

    def union(self, other: BestReading) -> BestReading:
        """The phrase pairs of either path, with means of the probabilities; the score is that of this one.

        The log-probability is that of both paths together.
        """
        possible, places = np.unique(
            np.concatenate((self.possible, other.possible)), axis=0, return_inverse=True
        )
        places = places.ravel()
        marginals = np.bincount(places, np.concatenate((self.marginals, other.marginals))) / 2
        spans = np.unique(np.concatenate((self.spans, other.spans)), axis=0)
        used = {tuple(span): k for k, span in enumerate(possible.tolist())}
        probabilities = marginals[[used[tuple(span)] for span in spans.tolist()]]
        links = (self.links + other.links) / 2
        together = self.log_probability + other.log_probability
        return BestReading(spans, probabilities, possible, marginals, links, together, self.score)

    def in_order(self) -> tuple[np.ndarray, np.ndarray]:
        """The phrase pairs in the order of :meth:`forest_align.Alignment.swap`, and their probabilities."""
        start, end, first, last = self.spans.T
        order = np.lexsort((last - first, last, end - start, end))
        return self.spans[order], np.minimum(self.probabilities[order], 1.0)
