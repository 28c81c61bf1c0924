"""Ranking of candidate answers and other items by scores."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np

from forest_align.eval.metrics.scores import mean
from forest_align.types import InputError


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Ranking of candidate answers over Q questions: two figures, each float64 (Q,)."""

    average_precision: np.ndarray
    reciprocal_rank: np.ndarray

    @property
    def mean_average_precision(self) -> float:
        """MAP."""
        return mean(self.average_precision).value

    @property
    def mean_reciprocal_rank(self) -> float:
        """MRR."""
        return mean(self.reciprocal_rank).value


def rank(questions: Sequence[Hashable], scores: Sequence[float], labels: Sequence[bool]) -> Ranking:
    """Rank the candidates of each question by score; raises InputError if the sequences differ in length.

    Questions without a right or without a wrong candidate are skipped, as in the literature since Wang et al.
    2007. Candidates with equal scores are in random order, and the figures are the exact expectations over it
    (McSherry and Najork 2008). Files often list right answers first, so a fixed order would reward ties.
    """
    if not len(questions) == len(scores) == len(labels):
        raise InputError(
            f"expected one score and one label a candidate, found {len(questions)} candidates, "
            f"{len(scores)} scores and {len(labels)} labels"
        )
    groups: dict[Hashable, list[tuple[float, bool]]] = {}
    for question, score, label in zip(questions, scores, labels, strict=True):
        groups.setdefault(question, []).append((score, bool(label)))
    ties = [_ties(group) for group in groups.values() if 0 < sum(label for _, label in group) < len(group)]
    return Ranking(
        np.array([_expected_average_precision(group) for group in ties]),
        np.array([_expected_reciprocal_rank(group) for group in ties]),
    )


def area(scores: Sequence[float] | np.ndarray, labels: Sequence[bool] | np.ndarray) -> float:
    """Area under the ROC curve: how often a right item scores above a wrong one, in percent; ties count half.

    50 if there are no right or no wrong items.
    """
    values, right = np.asarray(scores, float), np.asarray(labels, bool)
    wrong = np.sort(values[~right])
    if not len(wrong) or not right.any():
        return 50.0
    below, not_above = (wrong.searchsorted(values[right], side=side) for side in ("left", "right"))
    return float(50 * (below + not_above).mean() / len(wrong))


def _ties(group: Iterable[tuple[float, bool]]) -> list[tuple[int, int]]:
    """Size and number of right candidates of each set of equal scores, best score first."""
    by_score: dict[float, tuple[int, int]] = {}
    for score, label in group:
        size, right = by_score.get(score, (0, 0))
        by_score[score] = (size + 1, right + label)
    return [by_score[score] for score in sorted(by_score, reverse=True)]


def _expected_average_precision(ties: Sequence[tuple[int, int]]) -> float:
    total, above, right_above = 0.0, 0, 0
    for size, right in ties:
        for place in range(1, size + 1):
            others = (place - 1) * (right - 1) / (size - 1) if size > 1 else 0.0
            total += right / size * (right_above + others + 1) / (above + place)
        above, right_above = above + size, right_above + right
    return total / right_above


def _expected_reciprocal_rank(ties: Sequence[tuple[int, int]]) -> float:
    above = 0
    for size, right in ties:
        if right:
            ways = comb(size, right)
            places = range(1, size - right + 2)
            return sum(comb(size - place, right - 1) / ways / (above + place) for place in places)
        above += size
    return 0.0
