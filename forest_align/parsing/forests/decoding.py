"""From the span scores of a sentence or a text to its best trees and the probabilities of its spans."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Protocol

import numpy as np

from forest_align.cext import chart
from forest_align.parsing.forests._forest_builder import (
    Constituent,
    Packing,
    forest_from_constituents,
    log_of_probabilities,
    write_constituents,
)
from forest_align.types import InputError, ParseForest, Token
from forest_align.types.brackets import TEXT

if TYPE_CHECKING:
    from forest_align.parsing.networks.vector_network import WordVectors


@dataclass(frozen=True, slots=True, eq=False)
class SpanScores:
    """Scores of all labelled spans of a sentence of n words, with labels and tags."""

    # float32, shape (n, n, L): log-potential of each label of each closed span `[first, last]`, after
    # division by the calibration temperature. The empty label, 0, scores 0; cells below the diagonal are 0.
    scores: np.ndarray = field(repr=False)
    # L label chains, joined by `::` from the top down; the first is `""`
    labels: tuple[str, ...] = field(repr=False)
    tags: tuple[str, ...]
    force_root: bool = True  # Whether the span of the whole sentence must be labelled
    # float32, shape (n, D): word vectors, if the same pass makes them
    vectors: np.ndarray | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.tags)


class SpanScorer(Protocol):
    """A parser as the rest of the package sees it."""

    word_vectors: WordVectors | None = None  # Makes the vectors that come with its scores; None if none do

    def score(
        self, batch: Sequence[Sequence[str]], space_after: Sequence[Sequence[bool]] | None = None
    ) -> list[SpanScores | InputError]:
        """Score a batch of tokenized sentences, in any order of length."""
        ...

    def tag(
        self, batch: Sequence[Sequence[str]], space_after: Sequence[Sequence[bool]] | None = None
    ) -> list[tuple[str, ...] | InputError]:
        """The same part-of-speech tags as in :meth:`score`, alone; some parsers predict them faster."""
        scored = self.score(batch, space_after)
        return [one if isinstance(one, InputError) else one.tags for one in scored]


def log_posteriors(scores: SpanScores, spans: np.ndarray) -> tuple[float, np.ndarray]:
    """Log-probabilities of constituents: inside–outside marginal of the span times the label's share.

    Shapes: ``spans`` int32 (C, 3); returns float64 (C,).
    """
    labelled = _log_sums(scores.scores)
    log_partition, marginals = chart.inside_outside(labelled, scores.force_root)
    first, last, label = spans[:, 0], spans[:, 1] - 1, spans[:, 2]
    marginal = marginals[first, last]
    log_share = scores.scores[first, last, label] - scores.scores[first, last, 0] - labelled[first, last]
    log_share[label == 0] = 0.0
    probability = np.where(label == 0, 1.0 - marginal, marginal * np.exp(log_share))
    return log_partition, log_of_probabilities(probability)


def _log_sums(scores: np.ndarray) -> np.ndarray:
    """Log of the summed exponentiated scores of all labels except the empty one, relative to it: (n, n)."""
    length, _, labels = scores.shape
    upper = _upper(length)
    # A logaddexp over the whole chart would take ten times as long.
    rows = scores.reshape(-1, labels).take(upper, axis=0)
    highest = rows[:, 1:].max(axis=1).astype(np.float64)
    # If every label is forbidden, keep -inf; it must not become NaN.
    highest[np.isneginf(highest)] = 0.0
    relative = rows[:, 1:] - highest[:, None]
    sums = np.zeros(length * length)
    with np.errstate(divide="ignore"):
        sums[upper] = np.log(np.exp(relative, out=relative).sum(axis=1)) + highest - rows[:, 0]
    return sums.reshape(length, length)


@lru_cache(maxsize=64)
def _upper(length: int) -> np.ndarray:
    """Flat indices of the spans of a sentence in its chart."""
    return np.flatnonzero(np.triu(np.ones((length, length), dtype=bool)))


@dataclass(frozen=True, slots=True)
class NBest:
    """The k best trees of a sentence, or of a text of several, sharing equal subtrees.

    Iteration yields ``(log_probability, tree in Penn brackets)``, best first.

    Attributes
    ----------
    tokens : tuple of Token
        Tokens with tags.
    text : str
        Raw text.
    constituents : list of Constituent
        The constituents of all trees, children before parents.
    tops : list of int
        The trees, best first, as numbers of constituents.
    log_probabilities : numpy.ndarray
        float64: log-probability of each tree among all trees of the sentence. Without log-posteriors, it is
        known only up to a constant.
    log_posteriors : numpy.ndarray or None
        float64, one per constituent: see :attr:`ParseForest.log_posterior`.
    """

    tokens: tuple[Token, ...]
    text: str
    constituents: list[Constituent]
    tops: list[int]
    log_probabilities: np.ndarray
    log_posteriors: np.ndarray | None

    @property
    def words(self) -> list[str]:
        """Surface forms."""
        return [token.text for token in self.tokens]

    def forest(self) -> ParseForest:
        """The trees as a packed forest."""
        return forest_from_constituents(
            self.constituents, self.tops, self.log_probabilities, self.words, self.log_posteriors
        )

    def brackets(self) -> list[str]:
        """The trees in Penn brackets, best first."""
        words = self.words
        return [write_constituents(self.constituents, top, words) for top in self.tops]

    def __len__(self) -> int:
        return len(self.tops)

    def __iter__(self) -> Iterator[tuple[float, str]]:
        return zip(self.log_probabilities.tolist(), self.brackets(), strict=True)


def best_trees(
    scores: SpanScores,
    tokens: tuple[Token, ...],
    text: str,
    size: int,
    *,
    least_ratio: float,
    posteriors: bool,
) -> NBest:
    """Decode the best trees of a sentence."""
    trees = chart.k_best(scores.scores, size, scores.force_root)
    if least_ratio:
        probable = int((trees[4] >= trees[4][0] + np.log(least_ratio)).sum())
        if probable < len(trees[4]):  # decoding again is cheaper than separating shared subtrees
            trees = chart.k_best(scores.scores, probable, scores.force_root)
    spans, offsets, children, tops, values = trees
    of_spans = None
    if posteriors:
        log_partition, of_spans = log_posteriors(scores, spans)
        values = values - log_partition
    bounds, below = offsets.tolist(), children.tolist()
    constituents = []
    for number, (start, end, label_index) in enumerate(spans.tolist()):
        parts = tuple(below[bounds[number] : bounds[number + 1]])
        label = scores.labels[label_index]
        if not parts:
            label = f"{label}::{scores.tags[start]}" if label else scores.tags[start]
        constituents.append(Constituent(start, end, label or "TOP", parts))
    return NBest(tokens, text, constituents, tops.tolist(), values, of_spans)


def joined_forest(forests: Sequence[ParseForest]) -> ParseForest:
    """Join the forests of consecutive sentences under a root labelled ``TEXT``.

    No other constituent crosses a sentence boundary. The root is binarized from the right: the last two
    sentences, the last three and so on have a node each, which is no constituent. Sentences are independent,
    so each keeps its log ℓ(τ). The head of a node is that of its first sentence's best tree.
    """
    if len(forests) == 1:
        return forests[0]
    packing = Packing()
    shifts = list(accumulate((forest.token_count for forest in forests), initial=0))
    numbers = [_add_shifted(packing, forest, shift) for forest, shift in zip(forests, shifts, strict=False)]
    right = _shares_of_roots(forests[-1], numbers[-1])
    top = -1
    for place in reversed(range(len(forests) - 1)):
        left = _shares_of_roots(forests[place], numbers[place])
        label = TEXT if place == 0 else f"{TEXT}'"
        top = packing.node(shifts[place], shifts[-1], label, place == 0, packing.spans[left[0][0]][2], 1.0)
        for first, share in left:
            for second, other in right:
                is_best = (first, second) == (left[0][0], right[0][0])
                packing.edge(top, first, second, share * other, is_best)
        right = [(top, 1.0)]
    forest, order = packing.finish([top])
    posteriors = np.concatenate([forest.log_posterior for forest in forests])
    if np.isnan(posteriors).all():
        return forest
    of_nodes = np.full(len(forest), np.nan)
    of_nodes[[order[number] for number in chain.from_iterable(numbers)]] = posteriors
    of_nodes[order[top]] = 0.0
    return replace(forest, log_posterior=of_nodes)


def joined_n_best(parts: Sequence[NBest], text: str, size: int, least_ratio: float) -> NBest:
    """The best trees of a text, given those of its sentences; see :func:`joined_forest`."""
    if len(parts) == 1:
        return parts[0]
    constituents: list[Constituent] = []
    shift = 0
    values, chosen = np.zeros(1), np.zeros((1, 0), dtype=np.int64)
    for part in parts:
        before = len(constituents)
        for start, end, label, children in part.constituents:
            below = tuple([before + child for child in children])
            constituents.append(Constituent(shift + start, shift + end, label, below))
        shift += len(part.tokens)
        first, second = _best_sums(values, part.log_probabilities, size)
        values = values[first] + part.log_probabilities[second]
        tops = before + np.asarray(part.tops, dtype=np.int64)[second]
        chosen = np.concatenate([chosen[first], tops[:, None]], axis=1)
    if least_ratio:
        values = values[values >= values[0] + np.log(least_ratio)]
    tops = list(range(len(constituents), len(constituents) + len(values)))
    constituents += [Constituent(0, shift, TEXT, tuple(below)) for below in chosen[: len(values)].tolist()]
    posteriors = [part.log_posteriors for part in parts if part.log_posteriors is not None]
    return NBest(
        tuple(chain.from_iterable(part.tokens for part in parts)),
        text,
        constituents,
        tops,
        values,
        np.concatenate([*posteriors, np.zeros(len(tops))]) if posteriors else None,
    )


def starts_of_sentences(forest: ParseForest) -> tuple[int, ...]:
    """Where the second and further sentences of a text begin in the best tree; none for a single sentence."""
    todo, starts = [int(forest.roots[0])], []
    if forest.labels[todo[0]] != TEXT:
        return ()
    while todo:
        for child in forest.edges[forest.best_edge[todo.pop()], 1:].tolist():
            if forest.is_constituent[child]:
                starts.append(int(forest.start[child]))
            else:
                todo.append(child)
    return tuple(sorted(starts)[1:])


def _add_shifted(packing: Packing, forest: ParseForest, shift: int) -> list[int]:
    """Add the nodes and hyperedges of a sentence's forest; return the numbers of its nodes."""
    spans = [(column + shift).tolist() for column in (forest.start, forest.end)]
    kinds = (forest.labels, forest.is_constituent.tolist())
    heads, weights = (forest.head + shift).tolist(), np.exp(forest.log_marginal).tolist()
    numbers = list(map(packing.node, *spans, *kinds, heads, weights))
    best = set(forest.best_edge.tolist())
    shares = np.exp(forest.edge_log_marginal).tolist()
    for edge, (below, share) in enumerate(zip(forest.edges.tolist(), shares, strict=True)):
        parent, left, right = (numbers[node] for node in below)
        packing.edge(parent, left, right, share, edge in best)
    return numbers


def _shares_of_roots(forest: ParseForest, numbers: Sequence[int]) -> list[tuple[int, float]]:
    """The roots of a sentence and their shares of the probability of its trees; the best tree's first."""
    shares = np.exp(forest.log_marginal[forest.roots])
    roots = [numbers[root] for root in forest.roots.tolist()]
    return list(zip(roots, (shares / shares.sum()).tolist(), strict=True))


def _best_sums(first: np.ndarray, second: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Places of the largest sums of two falling sequences, at most ``size``, the largest first."""
    # The sum of places i and j has (i + 1) (j + 1) - 1 others that are no smaller.
    counts = np.minimum(len(second), size // np.arange(1, min(len(first), size) + 1))
    rows = np.repeat(np.arange(len(counts)), counts)
    columns = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    order = np.argsort(-(first[rows] + second[columns]), kind="stable")[:size]
    return rows[order], columns[order]
