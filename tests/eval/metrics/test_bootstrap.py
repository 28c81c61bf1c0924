"""Bootstrap intervals against all resamples of a small corpus, scored by plain sums."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from forest_align.eval.metrics.scores import MatchCounts, Statistic
from forest_align.eval.metrics.significance import bootstrap_interval

Row = tuple[int, int, int]


def naive_micro(rows: Sequence[Row]) -> float:
    right, found, wanted = (sum(row[k] for row in rows) for k in range(3))
    return 2 * right / (found + wanted)


def naive_macro(rows: Sequence[Row]) -> float:
    precision = sum(row[0] / row[1] for row in rows) / len(rows)
    recall = sum(row[0] / row[2] for row in rows) / len(rows)
    return 2 * precision * recall / (precision + recall) if precision + recall else 0


def micro(counts: MatchCounts) -> Statistic:
    return counts.micro_statistics()["f1"]


def macro(counts: MatchCounts) -> Statistic:
    return counts.macro_statistics()["f1"]


@pytest.mark.parametrize("confidence", [0.5, 0.8, 0.95])
@pytest.mark.parametrize(("score", "naive"), [(micro, naive_micro), (macro, naive_macro)])
@pytest.mark.parametrize("seed", range(4))
def test_the_interval_has_the_right_share_of_all_resamples_on_either_side(
    seed: int,
    score: Callable[[MatchCounts], Statistic],
    naive: Callable[[Sequence[Row]], float],
    confidence: float,
) -> None:
    random = np.random.default_rng(seed)
    found, wanted = random.integers(1, 9, (2, 5))
    right = random.integers(0, np.minimum(found, wanted) + 1)
    rows = list(zip(right.tolist(), found.tolist(), wanted.tolist(), strict=True))
    counts = MatchCounts.of([(r, f, r, w) for r, f, w in rows])
    low, high = bootstrap_interval(score(counts), confidence=confidence, seed=seed)
    # Every way to draw five pairs out of five, each as likely as the others.
    scores = np.array([naive(drawn) for drawn in itertools.product(rows, repeat=5)])
    tail = (1 - confidence) / 2
    # Five standard errors of a share of 10,000 resamples.
    tolerance = 5 * (tail * (1 - tail) / 10_000) ** 0.5
    assert np.mean(scores < low - 1e-9) <= tail + tolerance
    assert np.mean(scores <= low + 1e-9) >= tail - tolerance
    assert np.mean(scores > high + 1e-9) <= tail + tolerance
    assert np.mean(scores >= high - 1e-9) >= tail - tolerance
