"""Defines which candidates compete: turns phrases of sentence pairs into contexts and events of the M-step.

The paper writes ``Pr(τs, τt) ∝ exp(w·F)``, normalised over pairs with the same τs (Arase & Tsujii 2017,
§5.2). It does not specify the set of these pairs, nor the competitors of the null phrase on the target side.
:class:`Normalizer` names the possible readings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from forest_align.em.forest._objective import EventTable


class Normalizer(StrEnum):
    """The candidates of a phrase.

    ``PAIR``
        The phrases of the other sentence, and null. A null-aligned target phrase is chosen by the source's
        null phrase among all target phrases.
    ``SYMMETRIC``
        The phrases of the other sentence, and null, for both source and target phrases. The probability of an
        aligned pair is the product of the two conditional probabilities. It equals that of the swapped pair
        under mirrored weights.
    ``TRAINING``
        All target attributes that occur together with the source attribute in some training pair, and null.
        For the null phrase, all target attributes.
    """

    PAIR = "pair"
    SYMMETRIC = "symmetric"
    TRAINING = "training"


@dataclass(frozen=True, slots=True, eq=False)
class PairRows:
    """The classes of phrases of one sentence pair; phrases with equal attributes are one class."""

    # int32, shape (S + 1, T + 1): the row of EventTable of each pair of classes. The last row and column
    # belong to null; the last cell is not used.
    rows: np.ndarray
    # source_attributes, target_attributes: int64, shapes (S,) and (T,): the attributes of each class; numbers
    # are unique in the corpus
    source_attributes: np.ndarray
    target_attributes: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class PairEvents:
    """The events of one sentence pair; an aligned pair of classes uses one event of each existing table."""

    # int64, shape (S, T + 1): the event that a source class selects a target class, null last
    forward: np.ndarray
    backward: np.ndarray  # int64, shape (T, S + 1) or (T, 1): the same from the target side, or null only

    def log_probabilities(self, log_events: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Log Pr of pairs of classes (S, T), of null-aligned source classes (S,) and target classes (T,)."""
        forward, backward = log_events[self.forward], log_events[self.backward]
        pairs = forward[:, :-1]
        if backward.shape[1] > 1:
            pairs = pairs + backward[:, :-1].T
        return np.ascontiguousarray(pairs), forward[:, -1], backward[:, -1]

    def used(
        self, source: np.ndarray, target: np.ndarray, source_nulls: np.ndarray, target_nulls: np.ndarray
    ) -> np.ndarray:
        """Events that an alignment uses, given the classes of its pairs and its null-aligned phrases."""
        parts = [
            self.forward[source, target],
            self.forward[source_nulls, -1],
            self.backward[target_nulls, -1],
        ]
        if self.backward.shape[1] > 1:
            parts.append(self.backward[target, source])
        return np.concatenate(parts)


class EventTableBuilder:
    """Numbers events and contexts while pairs are added."""

    def __init__(self, normalizer: Normalizer) -> None:
        self.normalizer = normalizer
        self._rows: list[np.ndarray] = []
        self._multiplicities: list[np.ndarray] = []
        self._lengths: list[np.ndarray] = []
        self._event_count = 0

    def add(self, pairs: Sequence[PairRows]) -> list[PairEvents]:
        """Create the events of all pairs; must be called only once."""
        if self.normalizer is Normalizer.TRAINING:
            return self._add_training(pairs)
        return [self._add_pair(pair) for pair in pairs]

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

    def _add_pair(self, pair: PairRows) -> PairEvents:
        forward = self._contexts(pair.rows[:-1])
        if self.normalizer is Normalizer.SYMMETRIC:
            backward = self._contexts(pair.rows[:, :-1].T)
        else:
            backward = self._contexts(pair.rows[-1:, :-1]).T
        return PairEvents(forward, backward)

    def _contexts(self, rows: np.ndarray) -> np.ndarray:
        """Make each line of a matrix of rows a context; candidates with equal rows become one event."""
        context_count = len(rows)
        keys = rows.astype(np.int64) + (np.arange(context_count, dtype=np.int64) << 32)[:, None]
        distinct, events = np.unique(keys, return_inverse=True)
        events = events.reshape(rows.shape)
        self._append(distinct, np.bincount(events.ravel()).astype(np.float64), context_count)
        return events + (self._event_count - len(distinct))

    def _append(self, distinct: np.ndarray, multiplicities: np.ndarray, context_count: int) -> None:
        """Add events, given as ``context << 32 | row`` in ascending order."""
        self._rows.append(distinct & 0xFFFFFFFF)
        self._multiplicities.append(multiplicities)
        self._lengths.append(np.bincount(distinct >> 32, minlength=context_count))
        self._event_count += len(distinct)

    def _add_training(self, pairs: Sequence[PairRows]) -> list[PairEvents]:
        """One context for each source attribute of the corpus, and one for null."""
        null = 1 + max(
            max(int(pair.source_attributes.max()), int(pair.target_attributes.max())) for pair in pairs
        )
        sources, targets, rows = [], [], []
        for pair in pairs:
            source, target = np.append(pair.source_attributes, null), np.append(pair.target_attributes, null)
            s, t = np.broadcast_arrays(source[:, None], target[None, :])
            keep = np.ones(pair.rows.shape, dtype=bool)
            keep[-1, -1] = False
            sources.append(s[keep])
            targets.append(t[keep])
            rows.append(pair.rows[keep].astype(np.int64))
        context_of, contexts = np.unique(np.concatenate(sources), return_inverse=True)
        # A pair of attributes counts once, with the features of its first occurrence.
        attribute_pairs = contexts * (null + 1) + np.concatenate(targets)
        _, first = np.unique(attribute_pairs, return_index=True)
        every = (contexts << 32) + np.concatenate(rows)
        # The features of an attribute pair may differ between occurrences; each variant is an event as well.
        distinct, events = np.unique(every, return_inverse=True)
        counted = np.bincount(events[first], minlength=len(distinct)).astype(np.float64)
        self._append(distinct, np.maximum(counted, 1.0), len(context_of))
        return _split_back(pairs, events)


def _split_back(pairs: Sequence[PairRows], events: np.ndarray) -> list[PairEvents]:
    """Cut a flat list of events, in the order of the pairs' cells, into tables."""
    found, at = [], 0
    for pair in pairs:
        size = pair.rows.size - 1
        table = np.append(events[at : at + size], -1).reshape(pair.rows.shape)
        found.append(PairEvents(table[:-1], table[-1, :-1, None]))
        at += size
    return found
