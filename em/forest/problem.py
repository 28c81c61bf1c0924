"""Sentence pairs as a training problem: the kernel finds the best alignment, this lists its events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from forest_align.aligners.forest.prepared_pair import PreparedPair
from forest_align.cext.alignment_arrays import AlignmentArrays, SearchOptions
from forest_align.em.forest._features import EventTableBuilder, PairEvents
from forest_align.em.forest._objective import EventTable
from forest_align.em.forest.expectation import PairExpectation
from forest_align.storage.fingerprints import fingerprint_of
from forest_align.types import ParseForest

#: Log-probabilities of pairs of classes (S, T), of null-aligned source classes (S,) and target classes (T,).
ClassScores = tuple[np.ndarray, np.ndarray, np.ndarray]

# The options on which a prepared pair depends; the parser has no weight in training.
_WEIGHTS = ("link_weight", "tree_weight", "phrase_weight", "phrase_bias")


@dataclass(frozen=True, slots=True, eq=False)
class AlignmentProblem:
    """A :class:`~.expectation.TrainingProblem` over prepared pairs; see :func:`build_problem`."""

    pairs: Sequence[PreparedPair]
    events: Sequence[PairEvents]
    table: EventTable
    options: Sequence[SearchOptions]  # How to search each pair
    fingerprint: str = ""  # Hash of everything that the result depends on

    @property
    def pair_count(self) -> int:
        """Number of pairs."""
        return len(self.pairs)

    @property
    def search(self) -> PairSearch:
        """What aligns the pairs, without the table: it can be sent to other processes."""
        return PairSearch(self.pairs, self.events, self.options)

    def scores(self, pair: int, log_events: np.ndarray) -> ClassScores:
        """What :attr:`search` needs to align a pair."""
        return self.events[pair].log_probabilities(log_events)

    def align(self, pair: int, log_events: np.ndarray) -> AlignmentArrays:
        """Best alignment of a pair."""
        return self.search.align(pair, self.scores(pair, log_events))

    def expect(self, pair: int, log_events: np.ndarray) -> PairExpectation:
        """See :class:`~.expectation.TrainingProblem`."""
        return self.search.expect(pair, self.scores(pair, log_events))


@dataclass(frozen=True, slots=True, eq=False)
class PairSearch:
    """The part of an :class:`AlignmentProblem` that finds the best alignments of pairs."""

    pairs: Sequence[PreparedPair]
    events: Sequence[PairEvents]
    options: Sequence[SearchOptions]

    def align(self, pair: int, scores: ClassScores) -> AlignmentArrays:
        """Best alignment of a pair, given the log-probabilities of its classes."""
        return self.pairs[pair].align(*scores, self.options[pair])

    def expect(self, pair: int, scores: ClassScores) -> PairExpectation:
        """The events that the best alignment of a pair uses, and its score."""
        prepared, found = self.pairs[pair], self.align(pair, scores)
        source, target = prepared.source, prepared.target
        words = source.token_count + target.token_count
        null_words = _covered(source, found.source_nulls) + _covered(target, found.target_nulls)
        if not found.root_aligned:
            return PairExpectation(np.zeros(0, np.int64), 0.0, False, null_words, words)
        used = self.events[pair].used(
            prepared.source_class[found.source],
            prepared.target_class[found.target],
            prepared.source_class[found.source_nulls],
            prepared.target_class[found.target_nulls],
        )
        return PairExpectation(used, float(found.log_score), True, null_words, words)


def _covered(forest: ParseForest, nodes: np.ndarray) -> int:
    return int((forest.end[nodes] - forest.start[nodes]).sum())


def build_problem(
    pairs: Sequence[PreparedPair],
    rows: Sequence[np.ndarray],
    feature_offsets: np.ndarray,
    feature_ids: np.ndarray,
    feature_count: int,
    options: Sequence[SearchOptions],
) -> AlignmentProblem:
    """Create the events of all pairs from their rows, and from these a training problem."""
    builder = EventTableBuilder()
    events = [builder.add(of_pair) for of_pair in rows]
    table = builder.finish(feature_offsets, feature_ids, feature_count)
    named = [sorted(one._asdict().items()) for one in options]
    parts: list[Any] = [named, feature_count, feature_offsets, feature_ids]
    for pair, pair_rows in zip(pairs, rows, strict=True):
        parts += _arrays_of(pair, pair_rows)
    return AlignmentProblem(pairs, events, table, options, fingerprint_of(*parts))


def _arrays_of(pair: PreparedPair, pair_rows: np.ndarray) -> list[np.ndarray]:
    """Everything that a pair's best alignments and their events depend on."""
    forests = (
        (forest.start, forest.end, forest.edges, forest.roots, forest.log_marginal, forest.edge_log_marginal)
        for forest in (pair.source, pair.target)
    )
    return [
        *(part for forest in forests for part in forest),
        pair_rows,
        pair.source_class,
        pair.target_class,
        pair.base_source,
        pair.base_target,
        pair.base_log_prior,
        np.zeros((0, 0)) if pair.links is None else pair.links.sums.corners,
        *((np.zeros(0),) * 3 if pair.phrases is None else pair.phrases.arrays),
        np.array([getattr(pair.options, name) for name in _WEIGHTS]),
    ]
