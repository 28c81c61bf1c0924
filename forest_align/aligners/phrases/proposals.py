"""Which pairs of phrases are worth a closer look, and the evidence about them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from forest_align.aligners.phrases.features import (
    MOST_CERTAIN,
    SpanPairIndex,
    WordMatrices,
    mean_vectors,
    phrase_features,
    unit_vectors,
)
from forest_align.aligners.phrases.sentence_spans import SentenceSpans
from forest_align.types import InputError, Sentence
from forest_align.types.spans import SpanSums

#: Least log-probability that no link leaves a pair: two certain links may, with their alternatives.
LEAST_CONSISTENT = -9.0


@dataclass(frozen=True, slots=True, eq=False)
class ProposedPairs:
    """Pairs of phrases with their features.

    Attributes
    ----------
    source, target : SentenceSpans
        The phrases of both sentences.
    pairs : SpanPairIndex
        K pairs of them.
    features : numpy.ndarray
        float32, shape (K, F).
    """

    source: SentenceSpans
    target: SentenceSpans
    pairs: SpanPairIndex
    features: np.ndarray

    @classmethod
    def of(cls, source: Sentence, target: Sentence, links: np.ndarray, evidence: np.ndarray) -> ProposedPairs:
        """Propose pairs of phrases of two sentences with forests and word vectors.

        Parameters
        ----------
        source, target : Sentence
            The sentences, of n and m words.
        links : numpy.ndarray
            Float, shape (n, m): link probabilities.
        evidence : numpy.ndarray
            int32, shape (n, m): :class:`~forest_align.lexicon.kinds.Evidence` of every two words.

        Raises
        ------
        InputError
            If a sentence has no forest or no word vectors.
        """
        spans = SentenceSpans.of(source), SentenceSpans.of(target)
        pairs = propose(*spans, links)
        vectors = [_vectors(sentence) for sentence in (source, target)]
        means = mean_vectors(vectors[0], spans[0]), mean_vectors(vectors[1], spans[1])
        words = WordMatrices(links, vectors[0] @ vectors[1].T, evidence)
        return cls(*spans, pairs, phrase_features(*spans, words, means, pairs))

    def __len__(self) -> int:
        return len(self.pairs.source)


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
