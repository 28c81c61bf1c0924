"""Numbers the features of a corpus: general ones, and lexicalised ones that are frequent enough to learn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from forest_align.aligners.forest.features import (
    CATEGORIES,
    GENERAL_FEATURES,
    NULL,
    RELATIONS,
    PairFeatures,
    PhraseClasses,
)
from forest_align.aligners.forest.model import ForestModel
from forest_align.em.forest._objective import EventTable

_RELATION_BITS = 1 << np.arange(len(RELATIONS))
_GENERAL_CODES = len(CATEGORIES) ** 2 << len(RELATIONS)


@dataclass(frozen=True, slots=True, eq=False)
class CorpusFeatures:
    """The features of all pairs of a corpus.

    Features 0 to ``len(GENERAL_FEATURES) - 1`` are the general ones; the lexicalised ones follow.
    """

    # For each sentence pair, the rows of its class pairs, see `EventTableBuilder.add`
    pairs: list[np.ndarray]
    # feature_offsets, feature_ids: Features of the rows, see EventTable
    feature_offsets: np.ndarray
    feature_ids: np.ndarray
    lexical_keys: tuple[str, ...]  # Names of the lexicalised features, see ForestModel

    @property
    def feature_count(self) -> int:
        """Number of features."""
        return len(GENERAL_FEATURES) + len(self.lexical_keys)

    def weights_of(self, model: ForestModel) -> np.ndarray:
        """The model's weights in the order of these features; 0 if it has no weight."""
        lexical = [model.lexical.get(key, 0.0) for key in self.lexical_keys]
        return np.concatenate([model.weights, np.array(lexical, np.float64)])

    def lexical_weights(self, weights: np.ndarray, smallest: float) -> dict[str, float]:
        """Lexicalised weights whose absolute value is at least ``smallest``, by name."""
        values = weights[len(GENERAL_FEATURES) :].tolist()
        return {key: w for key, w in zip(self.lexical_keys, values, strict=True) if abs(w) >= smallest}


def number_features(pairs: Sequence[PairFeatures], least_pairs: int) -> CorpusFeatures:
    """Number the features of a corpus."""
    names: dict[str, int] = {}
    keys = [
        (_attributes(pair.source, names)[:, None] << 32) + _attributes(pair.target, names) for pair in pairs
    ]
    kept, counts = np.unique(np.concatenate([key[_used(key)] for key in keys]), return_counts=True)
    kept = kept[counts >= least_pairs]
    codes = [
        _general_codes(pair) + _GENERAL_CODES * _lexical(key, kept)
        for pair, key in zip(pairs, keys, strict=True)
    ]
    distinct, rows = np.unique(np.concatenate([code.ravel() for code in codes]), return_inverse=True)
    ends = np.cumsum([code.size for code in codes])[:-1]
    parts = zip(np.split(rows.ravel(), ends), codes, strict=True)
    numbered = [part.reshape(code.shape).astype(np.int32) for part, code in parts]
    by_number = list(names)
    lexical_keys = tuple(f"{by_number[key >> 32]}\t{by_number[key & 0xFFFFFFFF]}" for key in kept.tolist())
    return CorpusFeatures(numbered, *_features_of(distinct), lexical_keys)


def _attributes(classes: PhraseClasses, names: dict[str, int]) -> np.ndarray:
    """Numbers of the attributes of a sentence's classes, null last."""
    return np.array([names.setdefault(name, len(names)) for name in classes.attributes()], np.int64)


def _used(table: np.ndarray) -> np.ndarray:
    """All cells except that of null with null."""
    used = np.ones(table.shape, dtype=bool)
    used[-1, -1] = False
    return used


def _general_codes(pair: PairFeatures) -> np.ndarray:
    """One number for the general features of each cell: category pair, and a bit for each relation."""
    source, target = np.append(pair.source.categories, NULL), np.append(pair.target.categories, NULL)
    code = (source[:, None].astype(np.int64) * len(CATEGORIES) + target[None, :]) << len(RELATIONS)
    code[:-1, :-1] += (pair.relations != 0) @ _RELATION_BITS
    return code


def _lexical(keys: np.ndarray, kept: np.ndarray) -> np.ndarray:
    """1 + number of the lexicalised feature of each cell; 0 if there is none."""
    if not len(kept):
        return np.zeros(keys.shape, np.int64)
    places = np.minimum(np.searchsorted(kept, keys), len(kept) - 1)
    return np.where(kept[places] == keys, places + 1, 0)


def _features_of(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Offsets and numbers of the features that each code stands for."""
    lexical, general = np.divmod(codes, _GENERAL_CODES)
    categories = len(RELATIONS) + (general >> len(RELATIONS))
    columns = np.full((len(codes), len(RELATIONS) + 2), -1, np.int64)
    related = (general[:, None] & _RELATION_BITS) != 0
    columns[:, : len(RELATIONS)] = np.where(related, np.arange(len(RELATIONS)), -1)
    columns[:, -2] = categories
    columns[:, -1] = np.where(lexical > 0, len(GENERAL_FEATURES) + lexical - 1, -1)
    present = columns >= 0
    return np.concatenate(([0], np.cumsum(present.sum(1)))), columns[present].astype(np.int32)


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
