"""Defines which candidates compete: turns phrases of sentence pairs into contexts and events of the M-step.

The paper writes ``Pr(τs, τt) ∝ exp(w·F)``, normalised over pairs with the same τs (Arase & Tsujii 2017,
§5.2). It does not specify the set of these pairs, nor the competitors of the null phrase on the target side.
Here a phrase competes with the phrases of the other sentence and null, seen from both sides: an aligned pair
has the product of both conditional probabilities. docs/background/training.md measures two other readings.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from forest_align.em.forest._objective import EventTable


@dataclass(frozen=True, slots=True, eq=False)
class PairEvents:
    """The events of one sentence pair; an aligned pair of classes uses one event of each table."""

    # int64, shape (S, T + 1): the event that a source class selects a target class, null last
    forward: np.ndarray
    backward: np.ndarray  # int64, shape (T, S + 1): the same from the target side

    def log_probabilities(self, log_events: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Log Pr of pairs of classes (S, T), of null-aligned source classes (S,) and target classes (T,)."""
        forward, backward = log_events[self.forward], log_events[self.backward]
        pairs = forward[:, :-1] + backward[:, :-1].T
        return np.ascontiguousarray(pairs), forward[:, -1], backward[:, -1]

    def used(
        self, source: np.ndarray, target: np.ndarray, source_nulls: np.ndarray, target_nulls: np.ndarray
    ) -> np.ndarray:
        """Events that an alignment uses, given the classes of its pairs and its null-aligned phrases."""
        return np.concatenate(
            [
                self.forward[source, target],
                self.forward[source_nulls, -1],
                self.backward[target_nulls, -1],
                self.backward[target, source],
            ]
        )


class EventTableBuilder:
    """Numbers events and contexts while pairs are added."""

    def __init__(self) -> None:
        self._rows: list[np.ndarray] = []
        self._multiplicities: list[np.ndarray] = []
        self._lengths: list[np.ndarray] = []
        self._event_count = 0

    def add(self, rows: np.ndarray) -> PairEvents:
        """Create the events of a sentence pair.

        Phrases with equal attributes are one class. ``rows``, int32 (S + 1, T + 1), has the row of
        :class:`EventTable` of each pair of classes. The last row and column belong to null; the last cell is
        not used.
        """
        return PairEvents(self._contexts(rows[:-1]), self._contexts(rows[:, :-1].T))

    def finish(self, feature_offsets: np.ndarray, feature_ids: np.ndarray, feature_count: int) -> EventTable:
        """The table, given the features of the rows."""
        lengths = np.concatenate(self._lengths)
        return EventTable(
            feature_offsets,
            feature_ids,
            feature_count,
            np.concatenate(self._rows).astype(np.int32),
            np.concatenate(self._multiplicities),
            np.concatenate(([0], np.cumsum(lengths))),
        )

    def _contexts(self, rows: np.ndarray) -> np.ndarray:
        """Make each line of a matrix of rows a context; candidates with equal rows become one event."""
        context_count = len(rows)
        keys = rows.astype(np.int64) + (np.arange(context_count, dtype=np.int64) << 32)[:, None]
        distinct, events = np.unique(keys, return_inverse=True)
        events = events.reshape(rows.shape)
        first_event = self._event_count
        self._rows.append(distinct & 0xFFFFFFFF)
        self._multiplicities.append(np.bincount(events.ravel()).astype(np.float64))
        self._lengths.append(np.bincount(distinct >> 32, minlength=context_count))
        self._event_count += len(distinct)
        return events + first_event
