"""The semi-Markov CRF in plain Python: what the tests compare the compiled kernel with."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np


def _log_sum(values: Iterable[float]) -> float:
    listed = [x for x in values if x > -math.inf]
    if not listed:
        return -math.inf
    high = max(listed)
    return high + math.log(math.fsum(math.exp(x - high) for x in listed))


def marginals(
    spans: np.ndarray, scores: np.ndarray, null: np.ndarray, transition: np.ndarray, final: np.ndarray
) -> tuple[float, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """See ``semicrf.marginals``."""
    n, m = len(null), len(final) - 1
    before = np.full((n + 1, m + 2), -math.inf)
    before[0, m + 1] = 0.0
    after = np.full((n + 1, m + 2), -math.inf)
    after[n, : m + 1] = final
    steps = _steps(spans, scores, null, m)
    for start, end, first, last, score, _ in steps:
        onto = _log_sum(before[start] + transition[:, first])
        before[end, last] = _log_sum((before[end, last], onto + score))
    for start, end, first, last, score, _ in reversed(steps):
        for row in range(m + 2):
            onward = transition[row, first] + score + after[end, last]
            after[start, row] = _log_sum((after[start, row], onward))
    total = _log_sum(before[n, : m + 1] + final)
    pairs, nulls = np.zeros(len(spans)), np.zeros(null.shape)
    transitions = np.zeros((m + 2, m + 1))
    for start, end, first, last, score, number in steps:
        used = np.exp(before[start] + transition[:, first] + score + after[end, last] - total)
        transitions[:, first] += used
        if number < 0:
            nulls[start, end - start - 1] = used.sum()
        else:
            pairs[number] = used.sum()
    return total, pairs, nulls, transitions, np.exp(before[n, : m + 1] + final - total)


def best_path(
    spans: np.ndarray, scores: np.ndarray, null: np.ndarray, transition: np.ndarray, final: np.ndarray
) -> tuple[float, np.ndarray]:
    """See ``semicrf.best_path``."""
    n, m = len(null), len(final) - 1
    best: dict[tuple[int, int], tuple[float, list[int]]] = {(0, m + 1): (0.0, [])}
    for start, end, first, last, score, number in _steps(spans, scores, null, m):
        for row in range(m + 2):
            if (start, row) in best:
                value, path = best[start, row]
                value += transition[row, first] + score
                if (end, last) not in best or value > best[end, last][0]:
                    best[end, last] = value, [*path, number]
    ends = [(best[n, row][0] + final[row], best[n, row][1]) for row in range(m + 1) if (n, row) in best]
    value, path = max(ends, key=lambda item: item[0])
    return float(value), np.array(path, dtype=np.int32)


def link_marginals(spans: np.ndarray, pairs: np.ndarray, n: int, m: int) -> np.ndarray:
    """See ``semicrf.link_marginals``."""
    table = np.zeros((n, m))
    for (start, end, first, last), probability in zip(spans.tolist(), pairs, strict=True):
        table[start:end, first:last] += probability
    return table


def _steps(
    spans: np.ndarray, scores: np.ndarray, null: np.ndarray, m: int
) -> list[tuple[int, int, int, int, float, int]]:
    """All steps by source start: start, end, column, row, score, number (-l for a null of l words)."""
    steps = [
        (i, i + length, m, m, float(score), -length)
        for i, scores_there in enumerate(null)
        for length, score in enumerate(scores_there[: len(null) - i], 1)
    ]
    for number, ((start, end, first, last), score) in enumerate(zip(spans.tolist(), scores, strict=True)):
        steps.append((start, end, first, last - 1, float(score), number))
    return sorted(steps, key=lambda step: step[0])
