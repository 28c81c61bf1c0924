"""Running sums over the words of two sentences, from which facts about any of their phrases are read off.

Words of both sentences are numbered by *places*: word i of the source, of n words, has place i, word j of the
target place n + 1 + j. Each sentence is followed by a place without a word, so a place also stands for the
position before its word. All sums over words are 0 at the first place of a sentence.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from forest_align.aligners.phrases.sentence_spans import SentenceSpans
from forest_align.lexicon.lexicon import SAME_LEMMA
from forest_align.types.spans import SpanSums

#: Upper bound for the probability of a link, so that a single link does not outweigh all else.
MOST_CERTAIN = 0.98
#: Rows of :attr:`WordTables.runs`, and the first rows of :attr:`WordTables.corners`.
MASS, CONTENT, FREE, LINKS, APART, SIMILAR, ALIKE = range(7)
APART_INSIDE, CONTENT_INSIDE, ALIKE_INSIDE, TO_OTHER = range(4)


@dataclass(frozen=True, slots=True, eq=False)
class WordMatrices:
    """What is known about every two words of two sentences."""

    links: np.ndarray  # float64, shape (n, m): link probabilities
    cosines: np.ndarray  # float32, shape (n, m): cosines of word vectors
    evidence: np.ndarray  # int32, shape (n, m): see pair_evidence


@dataclass(frozen=True, slots=True, eq=False)
class WordTables:
    """Running sums; W = n + m + 2 is the number of places, and link probabilities are bounded."""

    # float64, shape (7, W): sums over the words before each place. Rows: whether the word is linked, is a
    # content word, is an unlinked content word; its links; log-probability that it has none; its best cosine;
    # how many words are like it, if it is a content word.
    runs: np.ndarray
    free: np.ndarray  # float64, shape (W,): probability that the word is an unlinked content word
    # float64, shape (4, 2 (n + 1) (m + 1)): sums over the words before a place and the words of the other
    # sentence before a position; see cells. The first rows are as above: no link, links of content words,
    # words that are alike. The last one has the links of the word *at* the place alone.
    corners: np.ndarray
    # float64, shape ((n + 1) T + (m + 1) S,): sums, over the words before each place, of the best cosine with
    # a word of each phrase of the other sentence
    best: np.ndarray
    links: SpanSums
    cosines: SpanSums  # Of the cosines, float64
    # float64, shape (n + 2, m + 2): links as they are, not bounded; the edges of both sentences correspond
    bordered: np.ndarray
    # float64, shape (n + 1, m + 1): the same for governors; the last ones are those of both roots
    governors: np.ndarray
    # float64, shapes (n + 1,) and (m + 1,): sums as of `free`, with links as they are
    unlinked: tuple[np.ndarray, np.ndarray]

    @classmethod
    def of(cls, words: WordMatrices, source: SentenceSpans, target: SentenceSpans) -> WordTables:
        """Add up what is known about the words of two sentences with phrases."""
        n, m = words.links.shape
        bordered = np.zeros((n + 2, m + 2))
        bordered[1:-1, 1:-1] = words.links
        bordered[0, 0] = bordered[-1, -1] = 1.0
        governors = np.zeros((n + 1, m + 1))
        governors[:-1, :-1] = words.links
        governors[-1, -1] = 1.0
        links = np.minimum(words.links, MOST_CERTAIN).astype(np.float64)
        apart, alike = np.log1p(-links), words.evidence & SAME_LEMMA != 0
        straight = _side(links, apart, alike, words.cosines, source, target)
        turned = _side(links.T, apart.T, alike.T, words.cosines.T, target, source)
        runs, free, corners, best = (
            np.concatenate(both, axis=-1) for both in zip(straight, turned, strict=True)
        )
        unlinked = (
            _running((1 - np.minimum(words.links.sum(axis=1), 1.0)) * source.content),
            _running((1 - np.minimum(words.links.sum(axis=0), 1.0)) * target.content),
        )
        cosines = SpanSums.of(words.cosines.astype(np.float64))
        return cls(runs, free, corners, best, SpanSums.of(links), cosines, bordered, governors, unlinked)

    def over(self, words: WordMatrices, source: SentenceSpans, target: SentenceSpans) -> WordTables:
        """The sums for other phrases of the same sentences."""
        best = _best_cosines(words.cosines, target), _best_cosines(words.cosines.T, source)
        return replace(self, best=np.concatenate([table.ravel() for table in best]))

    @property
    def lengths(self) -> tuple[int, int]:
        """Numbers of words: n, m."""
        n, m = self.governors.shape
        return n - 1, m - 1

    def cells(self, places: np.ndarray) -> np.ndarray:
        """Where the rows of places begin in :attr:`corners`: add a position of the other sentence."""
        n, m = self.governors.shape
        return np.where(places < n, places * m, n * (m - n) + places * n)

    def columns(self, places: np.ndarray, phrases: tuple[int, int]) -> np.ndarray:
        """Where the rows of places begin in :attr:`best`: add a phrase of the other sentence, of S and T."""
        n = self.governors.shape[0]
        return np.where(places < n, places * phrases[1], n * (phrases[1] - phrases[0]) + places * phrases[0])


def _side(
    links: np.ndarray,
    apart: np.ndarray,
    alike: np.ndarray,
    cosines: np.ndarray,
    spans: SentenceSpans,
    others: SentenceSpans,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """One sentence's part of :attr:`WordTables.runs`, ``free``, ``corners`` and ``best``."""
    (n, m), content = links.shape, spans.content.astype(np.float64)
    tables = np.empty((3, n, m))
    tables[APART_INSIDE] = apart
    np.multiply(links, content[:, None], out=tables[CONTENT_INSIDE])
    np.multiply(alike, content[:, None], out=tables[ALIKE_INSIDE])
    corners = np.zeros((4, n + 1, m + 1))
    tables.cumsum(axis=1).cumsum(axis=2, out=corners[:3, 1:, 1:])
    links.cumsum(axis=1, out=corners[TO_OTHER, :-1, 1:])
    rows = links.sum(axis=1)
    linked = np.minimum(rows, 1.0)
    free = np.zeros(n + 1)
    np.multiply(1 - linked, content, out=free[:-1])
    best = _best_cosines(cosines, others)
    runs = np.zeros((7, n + 1))
    summed = np.stack([linked, content, free[:-1], rows])
    summed.cumsum(axis=1, out=runs[: len(summed), 1:])
    runs[APART], runs[ALIKE] = corners[APART_INSIDE, :, -1], corners[ALIKE_INSIDE, :, -1]
    runs[SIMILAR, 1:] = cosines.max(axis=1).cumsum()
    return runs, free, corners.reshape(4, -1), best.ravel()


def _best_cosines(cosines: np.ndarray, others: SentenceSpans) -> np.ndarray:
    """Running sums, over words, of the best cosine with a word of each other phrase, float64 (n + 1, T)."""
    length, other_length = cosines.shape
    padded = np.zeros((length, other_length + 1), cosines.dtype)
    padded[:, :-1] = cosines
    ends = np.stack([others.start, others.end], axis=1).ravel()
    best = np.zeros((length + 1, len(others)))
    best[1:] = np.maximum.reduceat(padded, ends, axis=1)[:, ::2]
    found: np.ndarray = np.cumsum(best, axis=0, out=best)
    return found


def _running(values: np.ndarray) -> np.ndarray:
    """Sums of all values before each place."""
    return np.concatenate([[0.0], np.cumsum(values)])
