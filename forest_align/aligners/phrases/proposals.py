"""Which pairs of phrases are worth a closer look, and the evidence about them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from forest_align.aligners.phrases.features import (
    SpanEvidence,
    SpanPairIndex,
    phrase_features,
    sizes_of_sums,
    unit_vectors,
)
from forest_align.aligners.phrases.sentence_spans import SentenceSpans
from forest_align.aligners.phrases.word_tables import MOST_CERTAIN, WordMatrices
from forest_align.types import InputError, Sentence
from forest_align.types.spans import SpanSums

#: Least log-probability that no link leaves a pair: two certain links may, with their alternatives.
LEAST_CONSISTENT = -9.0


@dataclass(frozen=True, slots=True, eq=False)
class ProposedPairs:
    """Pairs of phrases with their features."""

    phrases: SpanEvidence  # The phrases of both sentences
    pairs: SpanPairIndex
    features: np.ndarray  # float32, shape (K, F)

    @classmethod
    def of(cls, source: Sentence, target: Sentence, links: np.ndarray, evidence: np.ndarray) -> ProposedPairs:
        """Propose pairs of phrases of two sentences with forests and word vectors.

        Shapes: ``evidence`` int32 (n, m).
        """
        phrases = span_evidence(source, target, links, evidence)
        pairs = propose(phrases.source, phrases.target, links)
        return cls(phrases, pairs, phrase_features(phrases, pairs))

    @property
    def spans(self) -> np.ndarray:
        """Start and end in the source, start and end in the target, int32 (K, 4)."""
        return np.stack(self.phrases.ends(self.pairs), axis=1).astype(np.int32)

    def __len__(self) -> int:
        return len(self.pairs.source)


def span_evidence(
    source: Sentence, target: Sentence, links: np.ndarray, evidence: np.ndarray
) -> SpanEvidence:
    """Gather what is known about the phrases of two sentences; see :meth:`ProposedPairs.of`."""
    one, two = SentenceSpans.of(source), SentenceSpans.of(target)
    ours, theirs = _vectors(source), _vectors(target)
    words = WordMatrices(links, ours @ theirs.T, evidence)
    return SpanEvidence(one, two, words, (sizes_of_sums(ours, one), sizes_of_sums(theirs, two)))


def _vectors(sentence: Sentence) -> np.ndarray:
    if sentence.vectors is None:
        raise InputError("expected a sentence with word vectors, found none")
    return unit_vectors(sentence.vectors)


def propose(source: SentenceSpans, target: SentenceSpans, links: np.ndarray) -> SpanPairIndex:
    """Pairs of phrases that people might align.

    A pair of two single words is not proposed: that is a word link.
    """
    apart = SpanSums.of(np.log1p(-np.minimum(links, MOST_CERTAIN)).astype(np.float64))
    of_source = apart.between(source.start, source.end)
    of_target = apart.between(0, -1, target.start, target.end)
    inside = apart.grid(source.start, source.end, target.start, target.end)
    consistent = of_source[:, None] + of_target - 2 * inside >= LEAST_CONSISTENT
    sizes = source.end - source.start, target.end - target.start
    consistent &= (sizes[0][:, None] > 1) | (sizes[1] > 1)
    # Nothing inside and a large difference in length: no evidence can make up for it.
    ratio = np.maximum(sizes[0][:, None], sizes[1]) > 3 * np.minimum(sizes[0][:, None], sizes[1]) + 5
    consistent &= ~(ratio & (inside > -0.5))
    a, b = np.nonzero(consistent)
    return SpanPairIndex(a, b)
