"""Encoded sentences as rows of one batch, one after the other, without padding."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from forest_align.parsing.networks.encoder_batches import BOUNDARY_CASE, EncodedSentence


@dataclass(frozen=True, slots=True)
class RowBatch:
    """B sentences with R subwords; V words, including a start and a stop symbol of each sentence."""

    subwords: np.ndarray  # int64, shape (R,): ids
    starts: np.ndarray  # int64, shape (B + 1,): where the subwords of each sentence begin
    word_rows: np.ndarray  # int64, shape (V,): the last subword of each word
    word_starts: np.ndarray  # int64, shape (B + 1,): where the words of each sentence begin
    cases: np.ndarray  # int64, shape (V,): letter-case classes

    def subword_cases(self) -> np.ndarray:
        """The letter-case class of each subword's word: int64, shape (R,)."""
        return np.repeat(self.cases, np.diff(self.word_rows, prepend=-1))

    def is_word(self) -> np.ndarray:
        """Mark the words that are no start or stop symbols: bool, shape (V,)."""
        marked = np.ones(len(self.word_rows), dtype=bool)
        marked[self.word_starts[:-1]] = marked[self.word_starts[1:] - 1] = False
        return marked


def join_rows(sentences: Sequence[EncodedSentence]) -> RowBatch:
    """Join encoded sentences, one or more, to a batch."""
    starts = running_sums([len(sentence.subwords) for sentence in sentences])
    ends = [[0, *sentence.word_ends, len(sentence.subwords) - 1] for sentence in sentences]
    boundary = np.array([BOUNDARY_CASE])
    return RowBatch(
        np.concatenate([sentence.subwords for sentence in sentences]),
        starts,
        np.concatenate([start + np.array(places) for start, places in zip(starts[:-1], ends, strict=True)]),
        running_sums([len(places) for places in ends]),
        np.concatenate([part for one in sentences for part in (boundary, one.cases, boundary)]),
    )


def running_sums(sizes: Sequence[int]) -> np.ndarray:
    """Where each part of joined rows begins, and where the last one ends: int64, shape (n + 1,)."""
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).astype(np.int64)


def places_within(starts: np.ndarray) -> np.ndarray:
    """The place of each row in its sentence."""
    return np.arange(starts[-1]) - np.repeat(starts[:-1], np.diff(starts))


def mean_vectors(hidden: np.ndarray, batch: RowBatch) -> np.ndarray:
    """Average the subwords of each word, and scale to unit length.

    Shapes: ``hidden`` float32 (R, D); returns float32 (V - 2 B, D).
    """
    first = np.concatenate([[0], batch.word_rows[:-1] + 1])
    means = np.add.reduceat(hidden, first)
    means /= (batch.word_rows + 1 - first)[:, None]
    means = means[batch.is_word()]
    means /= np.maximum(np.sqrt((means * means).sum(1)), 1e-12)[:, None]
    return means


def distance_buckets(length: int, count: int, distance: int) -> np.ndarray:
    """T5's bucket numbers for all pairs of ``length`` positions, int64, shape (length, length).

    Half of the ``count`` buckets are for positions ahead. In each half, the first half of the buckets hold
    one distance each. The others hold growing ranges up to ``distance`` (Raffel et al. 2020, §2.1).
    """
    half, exact = count // 2, count // 4
    ahead = np.arange(length)[None, :] - np.arange(length)[:, None]
    far = np.abs(ahead)
    ratio = np.maximum(far, 1).astype(np.float32) / np.float32(exact)
    grown = np.log(ratio) / np.float32(math.log(distance / exact)) * np.float32(half - exact)
    bucket = np.where(far < exact, far, np.minimum(exact + grown.astype(np.int64), half - 1))
    return bucket + half * (ahead > 0)
