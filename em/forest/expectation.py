"""The E-step: finds best alignments under the current weights and counts the events that they use."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from forest_align.em.forest._objective import EventTable


@dataclass(frozen=True, slots=True, eq=False)
class PairExpectation:
    """The best alignment of one sentence pair: its events and score."""

    # int64: the events that it uses, each once per use; empty if the roots are not aligned
    events: np.ndarray
    # Its log score: the events' log-probabilities and the penalties; 0 if the roots are not aligned
    log_score: float
    reached: bool  # Whether the two roots are aligned
    # null_words, words: Words under null-aligned phrases, and all words, in both sentences
    null_words: int
    words: int


class TrainingProblem(Protocol):
    """Sentence pairs to learn from: the trainer's interface to them."""

    @property
    def table(self) -> EventTable:
        """The events of all pairs."""

    @property
    def pair_count(self) -> int:
        """Number of sentence pairs."""

    @property
    def fingerprint(self) -> str:
        """Short text that differs between problems, so that a run is never resumed on another one."""

    def expect(self, pair: int, log_events: np.ndarray) -> PairExpectation:
        """Find the best alignment of a pair; called from several threads at once."""


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over the pairs of a batch or an epoch; see :class:`PairExpectation`."""

    pairs: int = 0
    reached: int = 0
    log_score: float = 0.0
    null_words: int = 0
    words: int = 0

    @classmethod
    def of(cls, one: PairExpectation) -> Totals:
        """The sums of a single pair."""
        return cls(1, int(one.reached), one.log_score, one.null_words, one.words)

    def __add__(self, other: Totals) -> Totals:
        return Totals(
            self.pairs + other.pairs,
            self.reached + other.reached,
            self.log_score + other.log_score,
            self.null_words + other.null_words,
            self.words + other.words,
        )

    @property
    def reachability(self) -> float:
        """Share of the pairs whose roots are aligned."""
        return self.reached / max(self.pairs, 1)

    @property
    def null_share(self) -> float:
        """Share of the words that align to nothing."""
        return self.null_words / max(self.words, 1)


#: Aligns the pairs of a batch: called with their numbers and the log-probabilities of all events. Results are
#: in the order of the pairs, so that sums over them do not depend on who has aligned which pair.
BatchExpectation = Callable[[Sequence[int], np.ndarray], Iterator[PairExpectation]]


@contextmanager
def expect_in_threads(problem: TrainingProblem, workers: int) -> Iterator[BatchExpectation]:
    """The E-step in threads of this process."""
    with ThreadPoolExecutor(workers) as executor:
        yield lambda pairs, log_events: executor.map(lambda pair: problem.expect(pair, log_events), pairs)


def count_events(found: Sequence[PairExpectation], event_count: int) -> np.ndarray:
    """Number of uses of each event: float64, shape (E,)."""
    used = np.concatenate([np.zeros(0, np.int64), *(one.events for one in found)])
    return np.bincount(used, minlength=event_count).astype(np.float64)


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
