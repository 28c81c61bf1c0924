"""The best known alignment of each sentence pair, so that Viterbi EM on full batches never gets worse.

The search for alignments is heuristic: under new weights it may return a worse alignment than before. The
E-step then keeps the earlier one (Neal & Hinton 1998: each step must only improve the objective, not
maximise it).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from forest_align.em.forest.expectation import PairExpectation


@dataclass(frozen=True, slots=True, eq=False)
class HardAssignments:
    """The events of one alignment of each pair, and the constant part of its score."""

    events: np.ndarray  # int64, shape (N,): the events of all pairs, pair by pair
    # int64, shape (P + 1,): index of the first event of each pair. A pair whose roots were never aligned has
    # no events.
    first_event: np.ndarray
    # float64, shape (P,): log score without the log-probabilities of the events. It consists of penalties and
    # of the evidence of links and trees.
    constant: np.ndarray
    null_words: np.ndarray  # int64, shape (P,): words under null-aligned phrases

    @classmethod
    def of(cls, found: Sequence[PairExpectation], log_events: np.ndarray) -> HardAssignments:
        """The assignments of all pairs, in order; these log-probabilities were used to score them."""
        lengths = [len(one.events) for one in found]
        return cls(
            np.concatenate([np.zeros(0, np.int64), *(one.events for one in found)]),
            np.concatenate(([0], np.cumsum(lengths, dtype=np.int64))),
            np.array([one.log_score - log_events[one.events].sum() for one in found], np.float64),
            np.array([one.null_words for one in found], np.int64),
        )

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, np.ndarray]) -> HardAssignments:
        """The inverse of :meth:`arrays`."""
        return cls(**{name: arrays[name] for name in cls.__dataclass_fields__})

    def arrays(self) -> dict[str, np.ndarray]:
        """The attributes by name."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    def or_better(self, pair: int, found: PairExpectation, log_events: np.ndarray) -> PairExpectation:
        """The alignment with the higher score under the current weights: the kept one or the new one."""
        events = self.events[self.first_event[pair] : self.first_event[pair + 1]]
        if not len(events):
            return found
        score = float(self.constant[pair] + log_events[events].sum())
        if found.reached and found.log_score >= score:
            return found
        return PairExpectation(events, score, True, int(self.null_words[pair]), found.words)
