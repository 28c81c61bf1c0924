"""The softmax-margin objective of the semi-Markov aligner over all training pairs at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from forest_align.aligners.semi_markov.lattice import DEFAULT_OPTIONS, Lattice, LatticeOptions
from forest_align.aligners.semi_markov.model import null_scores
from forest_align.alignment import Links
from forest_align.cext import semicrf
from forest_align.types import InputError
from forest_align.types.spans import SpanSums

_FEWER_STEPS = 0.01
_FEWER_NULLS = 1e-5


@dataclass(frozen=True, slots=True, eq=False)
class LatticeExample:
    """A sentence pair with its gold path."""

    lattice: Lattice
    path: np.ndarray  # int32: steps of the gold path from left to right, -l for a null of l words

    @classmethod
    def of(cls, lattice: Lattice, links: Links) -> LatticeExample:
        """The pair with the path through its lattice that agrees best with gold links.

        A path agrees in each of its links that is gold, and disagrees in every other link. If several paths
        agree equally well, the one with the fewest steps is chosen: phrases rather than their words, and
        words that go to null together if one step can take several.
        """
        gold = np.full((lattice.rows, lattice.columns), -1.0)
        for i, j in links:
            gold[i, j] = 1
        agreement = SpanSums.of(gold).between(*lattice.spans.T)
        null = np.zeros((lattice.rows, 1 + lattice.null_phrases.shape[2]))
        if null.shape[1] > 1:
            null -= _FEWER_NULLS
        free = np.zeros(lattice.transitions.shape), np.zeros(lattice.ends.shape)
        _, path = semicrf.best_path(lattice.spans, agreement - _FEWER_STEPS, null, *free)
        return cls(lattice, path)

    def costs(self) -> tuple[np.ndarray, np.ndarray]:
        """Hamming cost of each pair and of null: the number of source words in other steps of the path.

        Shapes: returns float64 (k,); returns float64 (n,).
        """
        spans = self.lattice.spans
        wanted = np.zeros((self.lattice.rows, 2), dtype=np.int32)
        for number in self.path[self.path >= 0]:
            start, end, first, last = spans[number]
            wanted[start:end] = first, last
        costs = np.zeros(len(spans))
        for offset in range(int((spans[:, 1] - spans[:, 0]).max(initial=1))):
            place = np.minimum(spans[:, 0] + offset, spans[:, 1] - 1)
            wrong = (wanted[place] != spans[:, 2:]).any(1)
            costs += wrong & (spans[:, 0] + offset < spans[:, 1])
        return costs, (wanted[:, 1] > 0).astype(np.float64)


class LatticeObjective:
    """Loss and gradient over all weights in one vector.

    The loss of a pair is log Z with costs added, minus the score of the gold path (softmax-margin, Gimpel &
    Smith 2010). To the sum over the pairs, ``regularization / 2`` times the squared weights is added.
    """

    def __init__(
        self,
        examples: Sequence[LatticeExample],
        regularization: float,
        options: LatticeOptions = DEFAULT_OPTIONS,
    ) -> None:
        if not examples:
            raise InputError("expected at least one sentence pair with links to train on")
        self.regularization = regularization
        self.shapes = options.weight_shapes
        self._examples = [(example, *example.costs()) for example in examples]
        lattices = [example.lattice for example in examples]
        words, phrases, null = (self.shapes[name][0] for name in ("words", "phrases", "null"))
        self._words = _Block.of([x.words for x in lattices], [x.word_classes for x in lattices], words)
        self._phrases = _Block.of(
            [x.phrases for x in lattices], [x.phrase_classes for x in lattices], phrases
        )
        self._null = _Block.of([x.null for x in lattices], [x.null_classes for x in lattices], null)
        self._tag_pairs = np.concatenate([x.tag_pairs for x in lattices])
        self._chunk_pairs = np.concatenate([x.chunk_pairs for x in lattices])
        self._null_tags = np.concatenate([x.null_tags for x in lattices])

    def __call__(self, point: np.ndarray) -> tuple[float, np.ndarray]:
        """Loss and gradient, float64 (d,), at weights of the shape of :func:`pack`'s result."""
        weights = unpack(point, self.shapes)
        words = self._words.scores(weights["words"]) + weights["tag_pairs"][self._tag_pairs]
        phrases = self._phrases.scores(weights["phrases"]) + weights["chunk_pairs"][self._chunk_pairs]
        null = self._null.scores(weights["null"]) + weights["null_tags"][self._null_tags]
        transitions = np.zeros(self.shapes["transitions"])
        null_phrases = weights.get("null_phrases")
        null_phrase_counts = np.zeros(self.shapes.get("null_phrases", (0,)))
        loss = 0.0
        word_at = phrase_at = null_at = 0
        for example, pair_costs, null_costs in self._examples:
            lattice = example.lattice
            of_words = slice(word_at, word_at + lattice.words.shape[1])
            of_phrases = slice(phrase_at, phrase_at + lattice.phrases.shape[1])
            of_null = slice(null_at, null_at + lattice.rows)
            mixed = np.concatenate((words[of_words], phrases[of_phrases]))
            costly = null_scores(null[of_null] + null_costs, lattice.null_phrases, null_phrases)
            lack, pair_counts, null_counts, moves = _margin(
                example, mixed[lattice.order] + pair_costs, costly, weights["transitions"]
            )
            loss += lack
            mixed[lattice.order] = pair_counts
            words[of_words], phrases[of_phrases] = np.split(mixed, [lattice.words.shape[1]])
            null[of_null] = _of_each_word(null_counts)
            if null_phrases is not None:
                null_phrase_counts += np.tensordot(lattice.null_phrases, null_counts[:, 1:], 2)
            transitions += moves
            word_at, phrase_at, null_at = of_words.stop, of_phrases.stop, of_null.stop
        gradient = pack(
            {
                "words": self._words.gradient(words),
                "phrases": self._phrases.gradient(phrases),
                "null": self._null.gradient(null),
                "tag_pairs": np.bincount(self._tag_pairs, words, self.shapes["tag_pairs"][0]),
                "chunk_pairs": np.bincount(self._chunk_pairs, phrases, self.shapes["chunk_pairs"][0]),
                "null_tags": np.bincount(self._null_tags, null, self.shapes["null_tags"][0]),
                "transitions": transitions,
                "null_phrases": null_phrase_counts,
            },
            self.shapes,
        )
        loss += self.regularization / 2 * float(point @ point)
        return loss, gradient + self.regularization * point


def _margin(
    example: LatticeExample, pairs: np.ndarray, null: np.ndarray, weights: np.ndarray
) -> tuple[float, np.ndarray, np.ndarray, np.ndarray]:
    """Loss of one pair, and expected minus gold counts of pairs, null and transitions."""
    lattice, path = example.lattice, example.path
    table, ends = weights[lattice.transitions], weights[lattice.ends]
    total, pair_counts, null_counts, moves, finals = semicrf.marginals(
        lattice.spans, pairs, null, table, ends
    )
    used = path[path >= 0]
    lengths = -path.astype(np.int64)
    firsts = np.full(len(path), lattice.columns)
    lasts = firsts.copy()
    spans = lattice.spans[used]
    lengths[path >= 0] = spans[:, 1] - spans[:, 0]
    firsts[path >= 0], lasts[path >= 0] = spans[:, 2], spans[:, 3] - 1
    nulls = (lengths.cumsum() - lengths)[path < 0], lengths[path < 0] - 1
    before = np.concatenate(([lattice.columns + 1], lasts[:-1]))
    wanted = pairs[used].sum() + null[nulls].sum() + table[before, firsts].sum() + ends[lasts[-1]]
    pair_counts[used] -= 1
    null_counts[nulls] -= 1
    np.subtract.at(moves, (before, firsts), 1)
    finals[lasts[-1]] -= 1
    size = len(weights)
    counts = np.bincount(lattice.transitions.ravel(), moves.ravel(), size)
    return total - float(wanted), pair_counts, null_counts, counts + np.bincount(lattice.ends, finals, size)


def _of_each_word(nulls: np.ndarray) -> np.ndarray:
    """Sums over the nulls of one or several words that hold each word; (n, l) becomes (n,)."""
    words = np.zeros(len(nulls))
    for more in range(nulls.shape[1]):
        for place in range(min(more + 1, len(nulls))):
            words[place:] += nulls[: len(nulls) - place, more]
    return words


@dataclass(frozen=True, slots=True, eq=False)
class _Block:
    """Features of all pairs by class: the positions of each class's columns, and the columns."""

    places: tuple[np.ndarray, ...]
    features: tuple[np.ndarray, ...]

    @classmethod
    def of(cls, features: Sequence[np.ndarray], classes: Sequence[np.ndarray], count: int) -> _Block:
        every, kinds = np.concatenate(classes), range(count)
        # Class by class, as one table of all would copy the largest array once more.
        chosen = (
            [table.compress(own == kind, axis=1) for table, own in zip(features, classes, strict=True)]
            for kind in kinds
        )
        tables = (np.concatenate(parts, axis=1) for parts in chosen)
        return cls(tuple(np.flatnonzero(every == k) for k in kinds), tuple(tables))

    def scores(self, weights: np.ndarray) -> np.ndarray:
        result = np.empty(sum(map(len, self.places)))
        for row, place, features in zip(weights, self.places, self.features, strict=True):
            result[place] = row.astype(np.float32) @ features
        return result

    def gradient(self, counts: np.ndarray) -> np.ndarray:
        narrow = counts.astype(np.float32)
        return np.array(
            [features @ narrow[place] for place, features in zip(self.places, self.features, strict=True)]
        )


def pack(weights: Mapping[str, np.ndarray], shapes: Mapping[str, tuple[int, ...]]) -> np.ndarray:
    """All weights with the names of ``shapes`` in one vector, float64."""
    return np.concatenate([np.asarray(weights[name], dtype=np.float64).ravel() for name in shapes])


def unpack(point: np.ndarray, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, np.ndarray]:
    """The inverse of :func:`pack`."""
    ends = np.cumsum([int(np.prod(shape)) for shape in shapes.values()])
    parts = np.split(point, ends[:-1])
    return {name: part.reshape(shape) for (name, shape), part in zip(shapes.items(), parts, strict=True)}
