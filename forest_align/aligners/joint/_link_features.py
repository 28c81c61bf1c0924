"""Features of the joint aligner's edits, from the link probabilities of the contextual aligner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from forest_align.aligners.link_convention import check_convention, no_all_links

if TYPE_CHECKING:
    from forest_align.aligners.contextual.model import LinkModel
    from forest_align.types import Sentence

#: Features of a pair of words. A link is *probable* if the link model would make it.
LINK_WORD_FEATURES = (
    "log-odds of the link",
    "log-odds of the link over 0",
    "log-odds of the link over -2",
    "probability of the link",
    "probable link",
)
#: Features of a pair of phrases. The *best* links are the most probable ones of each word inside.
LINK_PHRASE_FEATURES = (
    "mean log-odds of the best links",
    "mean log-odds of links",
    "sum of the log-odds of links",
    "expected links",
    "share of probable links",
    "least log-odds of the best links",
)
#: Features of a deletion of one word.
LINK_DELETION_FEATURES = (
    "log-odds of the best link",
    "log-odds of the best link over 0",
    "probability of the best link",
    "expected links, at most 1",
)
# Log-odds are clipped at this value: beyond it, they only show that the model is certain.
_MOST_ODDS = 7.0


@dataclass(frozen=True, slots=True, eq=False)
class LinkTable:
    """The results of a link model for all pairs of words of two sentences."""

    probability: np.ndarray  # float32, shape (n, m): of a link
    threshold: float  # Minimum probability at which the model makes the link
    log_odds: np.ndarray  # float32, shape (n, m): of a link, clipped to ±7

    @classmethod
    def of(cls, probability: np.ndarray, threshold: float) -> LinkTable:
        exact = probability.astype(np.float64)
        odds = np.log(exact + 1e-6) - np.log1p(1e-6 - exact)
        return cls(probability, threshold, np.clip(odds, -_MOST_ODDS, _MOST_ODDS).astype(np.float32))

    def of_words(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """Features of P pairs of words, int (P,) each: float32 (P, len(LINK_WORD_FEATURES))."""
        odds, probability = self.log_odds[rows, columns], self.probability[rows, columns]
        likely = probability >= self.threshold
        values = (odds, np.maximum(odds, 0), np.maximum(odds + 2, 0), probability, likely)
        return np.stack(values, axis=1).astype(np.float32)

    def of_blocks(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """Features of P pairs of phrases of a and b words: float32 (P, len(LINK_PHRASE_FEATURES))."""
        odds, probability = self.log_odds[rows, columns], self.probability[rows, columns]
        best = np.concatenate([odds.max(axis=2), odds.max(axis=1)], axis=1)
        values = (
            best.mean(axis=1),
            odds.mean(axis=(1, 2)),
            odds.sum(axis=(1, 2)),
            probability.sum(axis=(1, 2)),
            (probability >= self.threshold).mean(axis=(1, 2)),
            best.min(axis=1),
        )
        return np.stack(values, axis=1).astype(np.float32)

    def of_deletions(self, side: int) -> np.ndarray:
        """Features of deletions of words of side 0 or 1: float32 (words, len(LINK_DELETION_FEATURES))."""
        odds, best = self.log_odds.max(axis=1 - side), self.probability.max(axis=1 - side)
        values = odds, np.maximum(odds, 0), best, np.minimum(self.probability.sum(axis=1 - side), 1)
        return np.stack(values, axis=1).astype(np.float32)


def link_table(
    model: LinkModel, source: Sentence, target: Sentence, evidence: np.ndarray, links: str = "sure"
) -> LinkTable:
    """The results of the model for two sentences with word vectors; swapping them transposes the table.

    A model that knows sure links only is refused if all links are wanted. Shapes: ``evidence`` int32 (n, m).
    """
    probability = model.link_probabilities(source, target, evidence)
    if not check_convention(links):
        return LinkTable.of(probability, model.threshold)
    if model.all_links is None:
        raise no_all_links("link model")
    return LinkTable.of(model.all_links.probabilities(probability), model.all_links.threshold)
