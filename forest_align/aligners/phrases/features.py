"""Which pairs of phrases may correspond, and the evidence for and against, for many pairs at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from forest_align.aligners.phrases import _word_tables as sums
from forest_align.aligners.phrases._word_tables import MOST_CERTAIN, WordMatrices, WordTables
from forest_align.aligners.phrases.sentence_spans import CATEGORIES, FORMS, SentenceSpans
from forest_align.lexicon.lexicon import Evidence
from forest_align.types import InputError, Sentence
from forest_align.types.spans import SpanSums

#: Least log-probability that no link leaves a pair: two certain links may, with their alternatives.
LEAST_CONSISTENT = -9.0

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


@dataclass(frozen=True, eq=False)
class SpanEvidence:
    """What is known about the phrases of two sentences."""

    source: SentenceSpans
    target: SentenceSpans
    words: WordMatrices  # What is known about their words
    # float64, shapes (S,) and (T,): lengths of the sums of the phrases' word vectors, each of length 1
    sizes: tuple[np.ndarray, np.ndarray]

    @cached_property
    def tables(self) -> WordTables:
        """Sums over the words."""
        return WordTables.of(self.words, self.source, self.target)

    def over(
        self, sentences: Sequence[Sentence], sides: Sequence[SentenceSpans]
    ) -> tuple[SpanEvidence, SpanPairIndex]:
        """The same about K other phrases on each side, and the K pairs of the phrases in the same places."""
        sizes = [
            _sizes_of_sums(_unit_vectors(sentence), side)
            for sentence, side in zip(sentences, sides, strict=True)
        ]
        evidence = replace(self, source=sides[0], target=sides[1], sizes=(sizes[0], sizes[1]))
        evidence.__dict__["tables"] = self.tables.over(self.words, sides[0], sides[1])
        every = np.arange(len(sides[0]))
        return evidence, SpanPairIndex(every, every)

    def ends(self, pairs: SpanPairIndex) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Start and end of the source phrase and of the target phrase of each pair, int64 (K,)."""
        (one, a), (two, b) = (self.source, pairs.source), (self.target, pairs.target)
        return one.start[a], one.end[a], two.start[b], two.end[b]


def phrase_features(
    phrases: SpanEvidence, pairs: SpanPairIndex, sides: tuple[np.ndarray, np.ndarray] | None = None
) -> np.ndarray:
    """Features of pairs of phrases; swapped sentences have the same features.

    Shapes: returns float32 (K, len(FEATURES)).
    """
    one, two = side_features(phrases, pairs) if sides is None else sides
    source, target, (a, b) = phrases.source, phrases.target, pairs
    kinds = np.zeros((len(CATEGORIES), len(a)))
    columns = np.arange(len(a))
    kinds[source.category[a], columns] += 0.5
    kinds[target.category[b], columns] += 0.5
    forms = source.forms[a].T, target.forms[b].T
    rows = (
        np.maximum(one, two).T,
        np.minimum(one, two).T,
        _both(phrases, pairs),
        kinds,
        (forms[0] + forms[1]) / 2,
        forms[0] * forms[1],
    )
    return np.ascontiguousarray(np.concatenate(rows, dtype=np.float32).T)


def side_features(phrases: SpanEvidence, pairs: SpanPairIndex) -> tuple[np.ndarray, np.ndarray]:
    """Facts about each side of each pair, float64 (K, len(SIDES)), in the order of :data:`SIDES`."""
    tables, (a, b) = phrases.tables, pairs
    (n, m), count = tables.lengths, len(a)
    start, end, first, last = phrases.ends(pairs)
    inside = np.tile(tables.links.between(start, end, first, last), 2)
    # Places of each side, and positions in the other sentence.
    here, beyond = np.concatenate([start, first + n + 1]), np.concatenate([end, last + n + 1])
    other_start, other_end = np.concatenate([first, start]), np.concatenate([last, end])
    size = (beyond - here).astype(np.float64)
    runs = tables.runs[:, beyond] - tables.runs[:, here]
    above, below = tables.cells(here), tables.cells(beyond)
    blocks = tables.corners[: sums.TO_OTHER]
    within = blocks[:, below + other_end] - blocks[:, above + other_end]
    within = within - blocks[:, below + other_start] + blocks[:, above + other_start]
    # Before the first word of a sentence comes its place without a word.
    before = np.where(here == 0, n, np.where(here == n + 1, n + m + 1, here - 1))
    rows = tables.cells(np.stack([here, beyond - 1, before, beyond]))
    to_other = tables.corners[sums.TO_OTHER]
    into = np.minimum(to_other[rows + other_end] - to_other[rows + other_start], 1.0)
    known = len(phrases.source), len(phrases.target)
    phrase = np.concatenate([b, a])
    best = (
        tables.best[tables.columns(beyond, known) + phrase]
        - tables.best[tables.columns(here, known) + phrase]
    )
    similar = best / size
    contents = np.maximum(runs[sums.CONTENT], 1.0)
    all_free = np.repeat(tables.runs[sums.FREE, [n, -1]], count)
    alike = within[sums.ALIKE_INSIDE]
    facts = np.stack(
        [
            np.minimum(np.maximum(runs[sums.LINKS] - inside, 0.0), 4.0),
            np.maximum(runs[sums.APART] - within[sums.APART_INSIDE], -12.0) / 4,
            np.minimum(inside, runs[sums.MASS]) / size,
            np.minimum(within[sums.CONTENT_INSIDE] / contents, 1.0),
            runs[sums.FREE] / contents,
            np.log1p(runs[sums.FREE]),
            runs[sums.FREE] / (all_free + 0.25),
            np.log(size),
            size / np.repeat([n, m], count),
            *into,
            tables.free[before],
            tables.free[beyond],
            similar,
            similar - runs[sums.SIMILAR] / size,
            np.concatenate([phrases.source.whole[a], phrases.target.whole[b]]),
            np.concatenate([phrases.source.marginal[a], phrases.target.marginal[b]]),
            np.minimum(runs[sums.ALIKE] - alike, 4.0) * (alike == 0) / 4,
        ]
    ).T
    return facts[:count], facts[count:]


def _both(phrases: SpanEvidence, pairs: SpanPairIndex) -> np.ndarray:
    """The features :data:`_PAIRS`, float64 (len(_PAIRS), K)."""
    source, target, words = phrases.source, phrases.target, phrases.words
    tables, (a, b) = phrases.tables, pairs
    n, m = tables.lengths
    start, end, first, last = phrases.ends(pairs)
    bordered = tables.bordered
    heads = source.head[a], target.head[b]
    evidence = words.evidence[heads]
    free = tables.unlinked
    of_source, of_target = free[0][end] - free[0][start], free[1][last] - free[1][first]
    elsewhere = free[0][-1] - of_source, free[1][-1] - of_target
    words_inside = (end - start) * (last - first)
    dense = tables.cosines.between(start, end, first, last)
    crosswise = np.maximum(bordered[start, last + 1], bordered[end + 1, first])
    return np.stack(
        [
            np.log1p(tables.links.between(start, end, first, last)),
            words_inside == 1,
            bordered[start, first],
            bordered[end + 1, last + 1],
            crosswise,
            words.links[heads],
            words.cosines[heads],
            (evidence & int(Evidence.IDENTICAL | Evidence.LEMMA)) != 0,
            (evidence & int(_RELATED)) != 0,
            tables.governors[source.governor[a], target.governor[b]],
            dense / (phrases.sizes[0][a] * phrases.sizes[1][b]),
            dense / words_inside,
            of_source * of_target / ((free[0][-1] + 0.25) * (free[1][-1] + 0.25)),
            np.log1p(np.maximum(*elsewhere)),
            np.log1p(np.minimum(*elsewhere)),
            source.category[a] == target.category[b],
            np.abs((start + end) / (2 * n) - (first + last) / (2 * m)),
        ]
    )


def _unit_vectors(sentence: Sentence) -> np.ndarray:
    """The word vectors of a sentence, scaled to length 1, float32."""
    if sentence.vectors is None:
        raise InputError("expected a sentence with word vectors, found none")
    lengths = np.linalg.norm(sentence.vectors, axis=1, keepdims=True)
    scaled: np.ndarray = (sentence.vectors / np.maximum(lengths, 1e-9)).astype(np.float32, copy=False)
    return scaled


def _sizes_of_sums(vectors: np.ndarray, spans: SentenceSpans) -> np.ndarray:
    """Lengths of the sums of the word vectors of phrases, float64 (S,)."""
    products = SpanSums.of((vectors @ vectors.T).astype(np.float64))
    squares = products.between(spans.start, spans.end, spans.start, spans.end)
    sizes: np.ndarray = np.sqrt(np.maximum(squares, 1e-18))
    return sizes


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
        pairs = _propose(phrases.source, phrases.target, links)
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
    ours, theirs = _unit_vectors(source), _unit_vectors(target)
    words = WordMatrices(links, ours @ theirs.T, evidence)
    return SpanEvidence(one, two, words, (_sizes_of_sums(ours, one), _sizes_of_sums(theirs, two)))


def _propose(source: SentenceSpans, target: SentenceSpans, links: np.ndarray) -> SpanPairIndex:
    """Pairs of phrases that people might align; none of two single words, which are word links."""
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
