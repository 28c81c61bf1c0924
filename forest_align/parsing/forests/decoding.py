"""From the span scores of a sentence to its best trees and the probabilities of its spans."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from forest_align.cext import chart
from forest_align.parsing.forests.forest_builder import (
    Constituent,
    forest_from_constituents,
    log_of_probabilities,
    write_constituents,
)
from forest_align.parsing.networks.span_scores import SpanScores
from forest_align.types import ParseForest, Token


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
