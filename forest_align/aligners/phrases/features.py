"""Evidence for and against the correspondence of two phrases, computed for many pairs at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from forest_align.aligners.phrases.sentence_spans import CATEGORIES, FORMS, SentenceSpans
from forest_align.lexicon.kinds import Evidence
from forest_align.types.spans import SpanSums

#: Upper bound for the probability of a link, so that a single link does not outweigh all else.
MOST_CERTAIN = 0.98
_RELATED = (
    Evidence.SYNONYM | Evidence.DERIVATION | Evidence.SUFFIX | Evidence.SPELLING | Evidence.NUMBER
    | Evidence.ABBREVIATION | Evidence.ACRONYM | Evidence.PPDB
)  # fmt: skip
#: Facts about each side; the model sees the larger and the smaller of both values.
SIDES = (
    "links that leave it",
    "certainty that no link leaves it",
    "share of its words linked inside",
    "share of its content words linked inside",
    "share of its content words without a link",
    "number of content words without a link",
    "share of the sentence's unlinked content words",
    "number of words",
    "share of the sentence",
    "first word linked inside",
    "last word linked inside",
    "word before linked into the other phrase",
    "word after linked into the other phrase",
    "word before is an unlinked content word",
    "word after is an unlinked content word",
    "most similar words of the other phrase",
    "similarity inside against outside",
    "constituent",
    "probability under the parser",
    "words with their like outside the other phrase alone",
)
_PAIRS = (
    "links inside",
    "both are single words",
    "words before linked to each other",
    "words after linked to each other",
    "words around linked crosswise",
    "heads linked",
    "cosine of heads",
    "heads have the same lemma",
    "heads are related",
    "governors linked",
    "cosine of mean vectors",
    "mean cosine of words",
    "product of shares of unlinked content words",
    "unlinked content words elsewhere, either side",
    "unlinked content words elsewhere, both sides",
    "same category",
    "difference of positions",
)
FEATURES = (
    *(f"{name}, larger" for name in SIDES),
    *(f"{name}, smaller" for name in SIDES),
    *_PAIRS,
    *(f"either is a {name}" for name in CATEGORIES),
    *(f"either is {name}" for name in FORMS),
    *(f"both are {name}" for name in FORMS),
)


class SpanPairIndex(NamedTuple):
    """K pairs of phrases: int64 arrays of shape (K,), places in two :class:`SentenceSpans`."""

    source: np.ndarray
    target: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class WordMatrices:
    """What is known about every two words of two sentences.

    Attributes
    ----------
    links : numpy.ndarray
        float64, shape (n, m): link probabilities.
    cosines : numpy.ndarray
        float32, shape (n, m): cosines of word vectors.
    evidence : numpy.ndarray
        int32, shape (n, m): see :func:`~forest_align.aligners.contextual.pair_evidence.pair_evidence`.
    """

    links: np.ndarray
    cosines: np.ndarray
    evidence: np.ndarray

    @property
    def transposed(self) -> WordMatrices:
        """The same for the swapped sentences."""
        return WordMatrices(self.links.T, self.cosines.T, self.evidence.T)


@dataclass(frozen=True, slots=True, eq=False)
class SpanEvidence:
    """What is known about the phrases of two sentences.

    Attributes
    ----------
    source, target : SentenceSpans
        The phrases.
    words : WordMatrices
        What is known about their words.
    means : (numpy.ndarray, numpy.ndarray)
        float32, shapes (S, D) and (T, D): mean vectors of the phrases, of length 1.
    """

    source: SentenceSpans
    target: SentenceSpans
    words: WordMatrices
    means: tuple[np.ndarray, np.ndarray]

    @property
    def swapped(self) -> SpanEvidence:
        """The same for the swapped sentences."""
        return SpanEvidence(self.target, self.source, self.words.transposed, self.means[::-1])

    def ends(self, pairs: SpanPairIndex) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Start and end of the source phrase and of the target phrase of each pair, int64 (K,)."""
        (one, a), (two, b) = (self.source, pairs.source), (self.target, pairs.target)
        return one.start[a], one.end[a], two.start[b], two.end[b]


def phrase_features(
    phrases: SpanEvidence, pairs: SpanPairIndex, sides: tuple[np.ndarray, np.ndarray] | None = None
) -> np.ndarray:
    """Features of pairs of phrases; swapped sentences have the same features.

    Parameters
    ----------
    phrases : SpanEvidence
        The phrases of two sentences.
    pairs : SpanPairIndex
        K pairs of them.
    sides : (numpy.ndarray, numpy.ndarray), optional
        Their :func:`side_features`, if known.

    Returns
    -------
    numpy.ndarray
        float32, shape (K, len(FEATURES)).
    """
    one, two = side_features(phrases, pairs) if sides is None else sides
    both = _both(phrases, pairs)
    larger, smaller = np.maximum(one, two), np.minimum(one, two)
    source, target, (a, b) = phrases.source, phrases.target, pairs
    kinds = np.zeros((len(a), len(CATEGORIES)))
    rows = np.arange(len(a))
    kinds[rows, source.category[a]] += 0.5
    kinds[rows, target.category[b]] += 0.5
    forms = source.forms[a], target.forms[b]
    columns = (larger, smaller, both, kinds, (forms[0] + forms[1]) / 2, forms[0] * forms[1])
    return np.concatenate(columns, axis=1, dtype=np.float32)


def side_features(phrases: SpanEvidence, pairs: SpanPairIndex) -> tuple[np.ndarray, np.ndarray]:
    """Facts about each side of each pair, float64 (K, len(SIDES)), in the order of :data:`SIDES`."""
    links = SpanSums.of(np.minimum(phrases.words.links, MOST_CERTAIN).astype(np.float64))
    inside = links.between(*phrases.ends(pairs))
    swapped = SpanPairIndex(pairs.target, pairs.source)
    return _side(phrases, pairs, inside), _side(phrases.swapped, swapped, inside)


def _side(phrases: SpanEvidence, pairs: SpanPairIndex, inside: np.ndarray) -> np.ndarray:
    """The facts about the source side of each pair."""
    spans, others, words, (at, other) = phrases.source, phrases.target, phrases.words, pairs
    links = np.minimum(words.links, MOST_CERTAIN).astype(np.float64)
    start, end, first, last = phrases.ends(pairs)
    length, size = links.shape[0], (end - start).astype(np.float64)
    linked = np.minimum(links.sum(axis=1), 1.0)
    content = spans.content.astype(np.float64)
    free = (1 - linked) * content
    mass, contents, frees = _running(linked), _running(content), _running(free)
    total_free, free_inside = frees[-1], frees[end] - frees[start]
    content_inside = contents[end] - contents[start]
    rows = _running(links.sum(axis=1))
    leaving = np.maximum(rows[end] - rows[start] - inside, 0.0)
    apart = SpanSums.of(np.log1p(-links))
    all_apart = apart.between(start, end)
    consistent = all_apart - apart.between(start, end, first, last)
    of_content = SpanSums.of(links * content[:, None]).between(start, end, first, last)
    # Sums over the other phrase of each word's links.
    to_other = np.concatenate([np.zeros((length, 1)), links.cumsum(axis=1)], axis=1)
    before, after = np.maximum(start - 1, 0), np.minimum(end, length - 1)
    has_before, has_after = start > 0, end < length

    def into(word: np.ndarray) -> np.ndarray:
        found: np.ndarray = np.minimum(to_other[word, last] - to_other[word, first], 1.0)
        return found

    best, overall = _best_similarity(words.cosines, others)
    similar = (best[end, other] - best[start, other]) / size
    at_all = (overall[end] - overall[start]) / size
    alike = (words.evidence & int(Evidence.IDENTICAL | Evidence.LEMMA)) != 0
    counted = SpanSums.of((alike & (content[:, None] > 0)).astype(np.float64))
    alike_inside = counted.between(start, end, first, last)
    alike_outside = counted.between(start, end) - alike_inside
    return np.stack(
        [
            np.minimum(leaving, 4.0),
            np.maximum(consistent, -12.0) / 4,
            np.minimum(inside, mass[end] - mass[start]) / size,
            np.minimum(of_content / np.maximum(content_inside, 1.0), 1.0),
            free_inside / np.maximum(content_inside, 1.0),
            np.log1p(free_inside),
            free_inside / (total_free + 0.25),
            np.log(size),
            size / length,
            into(start),
            into(end - 1),
            np.where(has_before, into(before), 0.0),
            np.where(has_after, into(after), 0.0),
            np.where(has_before, free[before], 0.0),
            np.where(has_after, free[after], 0.0),
            similar,
            similar - at_all,
            spans.whole[at],
            spans.marginal[at],
            np.minimum(alike_outside, 4.0) * (alike_inside == 0) / 4,
        ],
        axis=1,
    )


def _both(phrases: SpanEvidence, pairs: SpanPairIndex) -> np.ndarray:
    """The features :data:`_PAIRS`, float64 (K, len(_PAIRS))."""
    source, target, words, means = phrases.source, phrases.target, phrases.words, phrases.means
    a, b = pairs
    links = words.links
    n, m = links.shape
    start, end, first, last = phrases.ends(pairs)
    inside = SpanSums.of(np.minimum(links, MOST_CERTAIN).astype(np.float64)).between(start, end, first, last)
    # A border around the matrix: the edges of both sentences correspond.
    padded = np.zeros((n + 2, m + 2))
    padded[1:-1, 1:-1] = links
    padded[0, 0] = padded[-1, -1] = 1.0
    heads = source.head[a], target.head[b]
    cosines, evidence = words.cosines[heads], words.evidence[heads]
    governors = np.zeros((n + 1, m + 1))
    governors[:-1, :-1] = links
    governors[-1, -1] = 1.0  # the heads of both sentences
    free = [
        _running((1 - np.minimum(links.sum(axis=axis), 1.0)) * side.content)
        for axis, side in ((1, source), (0, target))
    ]
    of_source, of_target = free[0][end] - free[0][start], free[1][last] - free[1][first]
    elsewhere = free[0][-1] - of_source, free[1][-1] - of_target
    products = of_source * of_target / ((free[0][-1] + 0.25) * (free[1][-1] + 0.25))
    dense = SpanSums.of(words.cosines.astype(np.float64)).between(start, end, first, last)
    sizes = (end - start) * (last - first)
    left, right = padded[start, first], padded[end + 1, last + 1]
    crosswise = np.maximum(padded[start, last + 1], padded[end + 1, first])
    position = (start + end) / (2 * n) - (first + last) / (2 * m)
    return np.stack(
        [
            np.log1p(inside),
            sizes == 1,
            left,
            right,
            crosswise,
            links[heads],
            cosines,
            (evidence & int(Evidence.IDENTICAL | Evidence.LEMMA)) != 0,
            (evidence & int(_RELATED)) != 0,
            governors[source.governor[a], target.governor[b]],
            (means[0][a] * means[1][b]).sum(axis=1),
            dense / sizes,
            products,
            np.log1p(np.maximum(*elsewhere)),
            np.log1p(np.minimum(*elsewhere)),
            source.category[a] == target.category[b],
            np.abs(position),
        ],
        axis=1,
    )


def _running(values: np.ndarray) -> np.ndarray:
    """Sums of all values before each place."""
    return np.concatenate([[0.0], np.cumsum(values)])


def _best_similarity(cosines: np.ndarray, others: SentenceSpans) -> tuple[np.ndarray, np.ndarray]:
    """Running sums, over words, of the cosine with the most similar word of each other phrase, and of all.

    Returns
    -------
    numpy.ndarray, numpy.ndarray
        float64, shapes (n + 1, T) and (n + 1,).
    """
    length = cosines.shape[0]
    best = np.zeros((length + 1, len(others)))
    for place, (first, last) in enumerate(zip(others.start.tolist(), others.end.tolist(), strict=True)):
        cosines[:, first:last].max(axis=1, out=best[1:, place])
    np.cumsum(best, axis=0, out=best)
    return best, _running(cosines.max(axis=1))


def unit_vectors(vectors: np.ndarray) -> np.ndarray:
    """Vectors scaled to length 1, float32."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    result: np.ndarray = (vectors / np.maximum(lengths, 1e-9)).astype(np.float32, copy=False)
    return result


def mean_vectors(vectors: np.ndarray, spans: SentenceSpans) -> np.ndarray:
    """Mean vectors of phrases, scaled to length 1, float32 (S, D)."""
    sums = np.concatenate([np.zeros((1, vectors.shape[1]), np.float32), np.cumsum(vectors, axis=0)])
    return unit_vectors(sums[spans.end] - sums[spans.start])
