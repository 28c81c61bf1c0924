"""How well sentences of two documents cover each other: similar sentences first, then their words.

A matrix of similarities over all pairs of sentences finds a few candidates for each sentence. Only the
words of candidates are compared one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from forest_align.lexicon.quantities import read_quantities
from forest_align.lexicon.tables import is_content_word
from forest_align.types import Sentence

#: Candidates of a sentence among those of the other document, for each of two similarities.
CANDIDATES = 8
# A word weighs its information content in the two documents; a function word much less.
_FUNCTION_WORD = 0.1
# Words of one lemma are at least this similar, whatever their contexts.
_SAME_LEMMA = 0.9
# What a document's length of distance takes away from a similarity when candidates are chosen.
_NEARNESS = 1e-3
# Words of a numbered heading at most, and marks at which no heading ends.
_LONGEST_HEADING = 8
_MARKS = frozenset(".?!")
# Lemmas whose columns are held at once.
_COLUMNS = 4096

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class Coverage:
    """How similar each word of two sentences is to its best partner in the other one."""

    source: np.ndarray  # float32, shape (n,): cosines
    target: np.ndarray  # float32, shape (m,)


class SentenceTable:
    """The words of a document's sentences in one table.

    Shapes: ``begin`` int64 (n + 1,); ``lemmas`` int64 (words,); ``content`` float32 (words,); ``vectors``
    float32 (words, D).
    """

    def __init__(self, sentences: Sequence[Sentence], lemma_numbers: dict[str, int]) -> None:
        lengths = [len(sentence) if sentence.vectors is not None else 0 for sentence in sentences]
        self.begin = np.cumsum([0, *lengths], dtype=np.int64)
        filled = [sentence for sentence, length in zip(sentences, lengths, strict=True) if length]
        lemmas = [lemma for sentence in filled for lemma in _lemmas(sentence)]
        numbers = [lemma_numbers.setdefault(lemma, len(lemma_numbers)) for lemma in lemmas]
        self.lemmas = np.array(numbers, np.int64)
        words = [word for sentence in filled for word in sentence.words]
        weights = [1.0 if is_content_word(word) else _FUNCTION_WORD for word in words]
        self.content = np.array(weights, np.float32)
        vectors = [sentence.vectors for sentence in filled if sentence.vectors is not None]
        self.vectors = np.concatenate(vectors) if vectors else np.zeros((0, 1), np.float32)

    def __len__(self) -> int:
        return len(self.begin) - 1

    @cached_property
    def copies(self) -> np.ndarray:
        """A number for each sentence, the same for sentences of the same lemmas, int64."""
        numbers: dict[bytes, int] = {}
        texts = (self.lemmas[self.words(number)].tobytes() for number in range(len(self)))
        return np.array([numbers.setdefault(text, len(numbers)) for text in texts], np.int64)

    @cached_property
    def sentence_of(self) -> np.ndarray:
        """The sentence of each word, int64."""
        return np.repeat(np.arange(len(self)), np.diff(self.begin))

    def words(self, sentence: int) -> slice:
        """The words of a sentence."""
        return slice(int(self.begin[sentence]), int(self.begin[sentence + 1]))


class SentenceMatches:
    """Similarities of the sentences of two documents, and of the words of the candidates among them.

    Shapes: ``cosine``, ``overlap`` float32 (n, m).
    """

    def __init__(self, source: Sequence[Sentence], target: Sequence[Sentence]) -> None:
        numbers: dict[str, int] = {}
        self.source, self.target = SentenceTable(source, numbers), SentenceTable(target, numbers)
        self.weights = self._weights(len(numbers))
        self.cosine = self._cosines()
        self.overlap = self._overlaps(len(numbers))
        self.coverage: Mapping[Pair, Coverage] = dict(self._compared(self._candidates()))

    def distance(self) -> np.ndarray:
        """How far apart the places of two sentences in their documents are, from 0 to 1: float32 (n, m)."""
        places = [
            (np.arange(len(table), dtype=np.float32) + 0.5) / max(1, len(table))
            for table in (self.source, self.target)
        ]
        return np.asarray(np.abs(np.subtract.outer(*places)))

    def shares(self, pair: Pair) -> tuple[float, float]:
        """Mean similarity of the words of each sentence of a candidate to the other one, by weight."""
        (i, j), similar = pair, self.coverage[pair]
        return (
            _mean(similar.source, self.weights[0][self.source.words(i)]),
            _mean(similar.target, self.weights[1][self.target.words(j)]),
        )

    def gain(self, first: Pair, second: Pair) -> float:
        """How much better two candidates with one sentence in common cover it than the better one alone."""
        side = 0 if first[0] == second[0] else 1
        table = (self.source, self.target)[side]
        weights = self.weights[side][table.words(first[side])]
        one, other = (
            (self.coverage[pair].source, self.coverage[pair].target)[side] for pair in (first, second)
        )
        alone = max(_mean(one, weights), _mean(other, weights))
        return _mean(np.maximum(one, other), weights) - alone

    def _sides(self) -> Iterator[tuple[SentenceTable, np.ndarray]]:
        return zip((self.source, self.target), self.weights, strict=True)

    def _weights(self, lemma_count: int) -> tuple[np.ndarray, np.ndarray]:
        """Information content of words, smoothed so that short documents have nearly equal weights."""
        occurrences = np.zeros(lemma_count)
        for table in (self.source, self.target):
            distinct = np.unique(np.stack([table.sentence_of, table.lemmas]), axis=1)[1]
            occurrences += np.bincount(distinct, minlength=lemma_count)
        count = len(self.source) + len(self.target)
        information = (1 + np.log((count + 10) / (occurrences + 10))).astype(np.float32)
        return (
            information[self.source.lemmas] * self.source.content,
            information[self.target.lemmas] * self.target.content,
        )

    def _cosines(self) -> np.ndarray:
        means = []
        for table, weights in self._sides():
            sums = np.zeros((len(table), table.vectors.shape[1]), np.float32)
            filled = np.flatnonzero(np.diff(table.begin))
            if len(filled):
                sums[filled] = np.add.reduceat(table.vectors * weights[:, None], table.begin[filled])
            means.append(_unit(sums))
        if not all(len(table.vectors) for table in (self.source, self.target)):
            return np.zeros((len(self.source), len(self.target)), np.float32)
        # All sentences have much in common. Few sentences do not show what, so the common part is kept there.
        rows = np.concatenate([mean[mean.any(1)] for mean in means])
        common = rows.mean(0) * (len(rows) / (len(rows) + 10))
        centred = [_unit(np.where(mean.any(axis=1, keepdims=True), mean - common, 0)) for mean in means]
        return np.asarray(centred[0] @ centred[1].T)

    def _overlaps(self, lemma_count: int) -> np.ndarray:
        overlaps = np.zeros((len(self.source), len(self.target)), np.float32)
        norms = [np.zeros(len(table), np.float32) for table in (self.source, self.target)]
        for first in range(0, lemma_count, _COLUMNS):
            blocks = []
            for norm, (table, weights) in zip(norms, self._sides(), strict=True):
                inside = (table.lemmas >= first) & (table.lemmas < first + _COLUMNS)
                block = np.zeros((len(table), _COLUMNS), np.float32)
                block[table.sentence_of[inside], table.lemmas[inside] - first] = weights[inside]
                norm += np.square(block).sum(1)
                blocks.append(block)
            overlaps += blocks[0] @ blocks[1].T
        scale = np.sqrt(np.outer(*norms))
        return np.divide(overlaps, scale, out=overlaps, where=scale > 0)

    def _candidates(self) -> list[list[int]]:
        """For each source sentence the targets to compare, ascending."""
        filled = np.outer(np.diff(self.source.begin) > 0, np.diff(self.target.begin) > 0)
        chosen = np.zeros(filled.shape, bool)
        # Of equal sentences, those at nearly the same place of their document come first.
        apart = _NEARNESS * self.distance()
        for similarity in (self.cosine, self.overlap):
            for axis in (0, 1):
                count = min(CANDIDATES, similarity.shape[axis])
                if count:
                    best = np.argpartition(apart - similarity, count - 1, axis=axis)
                    np.put_along_axis(chosen, best.take(range(count), axis=axis), True, axis=axis)
        return [np.flatnonzero(row).tolist() for row in chosen & filled]

    def _compared(self, candidates: Sequence[Sequence[int]]) -> Iterator[tuple[Pair, Coverage]]:
        source, target = self.source, self.target
        for i, others in enumerate(candidates):
            if not others:
                continue
            rows = source.words(i)
            parts = [np.arange(target.begin[j], target.begin[j + 1]) for j in others]
            columns = np.concatenate(parts)
            similar = source.vectors[rows] @ target.vectors[columns].T
            same = source.lemmas[rows, None] == target.lemmas[columns]
            np.maximum(similar, _SAME_LEMMA, out=similar, where=same)
            begin = np.cumsum([0, *map(len, parts)])
            of_source = np.maximum.reduceat(similar, begin[:-1], axis=1)
            of_target = similar.max(0)
            for place, j in enumerate(others):
                yield (i, j), Coverage(of_source[:, place], of_target[begin[place] : begin[place + 1]])


def _lemmas(sentence: Sentence) -> list[str]:
    """The lemmas of a sentence; the number of a heading (*Chapter II*, *Part the First*) is in digits."""
    lemmas = [token.lemma or token.text.lower() for token in sentence.tokens]
    if len(lemmas) <= _LONGEST_HEADING and sentence.words[-1] not in _MARKS:
        quantities = read_quantities(sentence.words, sentence.tags if any(sentence.tags) else ())
        numbers = [
            quantity
            for quantity in quantities
            if quantity.end - quantity.start == 1 and quantity.kind in ("cardinal", "ordinal")
        ]
        if len(numbers) == 1:
            lemmas[numbers[0].start] = str(numbers[0].value)
    return lemmas


def _mean(values: np.ndarray, weights: np.ndarray) -> float:
    return float(values @ weights / weights.sum())


def _unit(rows: np.ndarray) -> np.ndarray:
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(np.divide(rows, norms, out=np.zeros_like(rows, np.float32), where=norms > 0))
