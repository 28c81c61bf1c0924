"""The compiled semi-Markov CRF against its plain twin, against all paths listed, and at its limits."""

from __future__ import annotations

import itertools
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forest_align.cext import semicrf

from .reference import semicrf_reference

Problem = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def random_problem(
    seed: int, n: int, m: int, scale: float = 2.0, kept: float = 0.6, longest_null: int = 1
) -> Problem:
    rng = np.random.default_rng(seed)
    spans = [
        (i, i + size, j, j + width)
        for i in range(n)
        for size in range(1, min(3, n - i) + 1)
        for j in range(m)
        for width in range(1, min(3, m - j) + 1)
        if rng.random() < kept
    ]
    return (
        np.array(spans, dtype=np.int32).reshape(-1, 4),
        rng.normal(size=len(spans)) * scale,
        rng.normal(size=(n, longest_null)) * scale,
        rng.normal(size=(m + 2, m + 1)) * scale,
        rng.normal(size=m + 1) * scale,
    )


def all_paths(problem: Problem) -> Iterator[tuple[float, list[int]]]:
    """Every path with its score, by plain recursion."""
    spans, scores, null, transition, final = problem
    n, m = len(null), len(final) - 1

    def onward(at: int, row: int) -> Iterator[tuple[float, list[int]]]:
        if at == n:
            yield final[row], []
            return
        steps = [(-k, at + k, m, m, null[at, k - 1]) for k in range(1, min(null.shape[1], n - at) + 1)]
        steps += [
            (k, end, first, last - 1, scores[k])
            for k, (start, end, first, last) in enumerate(spans.tolist())
            if start == at
        ]
        for number, end, column, next_row, score in steps:
            for rest, path in onward(end, next_row):
                yield transition[row, column] + score + rest, [number, *path]

    yield from onward(0, m + 1)


def same(one: tuple[Any, ...], two: tuple[Any, ...], tolerance: float = 1e-8) -> None:
    for found, expected in zip(one, two, strict=True):
        np.testing.assert_allclose(found, expected, atol=tolerance, rtol=tolerance)


seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(1, 7)
null_lengths = st.integers(1, 4)


@settings(derandomize=True)
@given(seeds, sizes, sizes, st.sampled_from([0.1, 2.0, 20.0]), st.sampled_from([0.0, 0.3, 1.0]), null_lengths)
def test_kernel_and_twin_agree(
    seed: int, n: int, m: int, scale: float, kept: float, longest_null: int
) -> None:
    problem = random_problem(seed, n, m, scale, kept, longest_null)
    same(semicrf.marginals(*problem), semicrf_reference.marginals(*problem))
    score, steps = semicrf.best_path(*problem)
    expected, expected_steps = semicrf_reference.best_path(*problem)
    assert score == pytest.approx(expected)
    np.testing.assert_array_equal(steps, expected_steps)


@settings(derandomize=True)
@given(seeds, st.integers(1, 4), st.integers(1, 3), null_lengths)
def test_kernel_sums_and_searches_all_paths(seed: int, n: int, m: int, longest_null: int) -> None:
    problem = random_problem(seed, n, m, kept=0.5, longest_null=longest_null)
    paths = list(all_paths(problem))
    values = np.array([value for value, _ in paths])
    total, pairs, nulls, transitions, finals = semicrf.marginals(*problem)
    assert total == pytest.approx(np.logaddexp.reduce(values))
    expected, expected_nulls = np.zeros(len(pairs)), np.zeros(nulls.shape)
    for value, path in paths:
        at = 0
        for number in path:
            if number >= 0:
                expected[number] += np.exp(value - total)
                at = problem[0][number, 1]
            else:
                expected_nulls[at, -number - 1] += np.exp(value - total)
                at -= number
    np.testing.assert_allclose(pairs, expected, atol=1e-9)
    np.testing.assert_allclose(nulls, expected_nulls, atol=1e-9)
    covered = semicrf.link_marginals(problem[0], pairs, n, m)
    assert finals.sum() == pytest.approx(1)
    assert transitions.sum() == pytest.approx(nulls.sum() + pairs.sum())
    lengths = problem[0][:, 1] - problem[0][:, 0]
    null_words = (nulls * np.arange(1, nulls.shape[1] + 1)).sum()
    assert null_words + (pairs * lengths).sum() == pytest.approx(n)
    assert covered.sum() == pytest.approx((pairs * lengths * (problem[0][:, 3] - problem[0][:, 2])).sum())
    score, steps = semicrf.best_path(*problem)
    best_value, best = max(paths, key=lambda item: item[0])
    assert score == pytest.approx(best_value)
    assert steps.tolist() == best


@settings(max_examples=15, derandomize=True)
@given(seeds, st.integers(1, 5), st.integers(1, 5), null_lengths)
def test_marginals_are_the_derivatives_of_the_log_partition(
    seed: int, n: int, m: int, longest_null: int
) -> None:
    problem = random_problem(seed, n, m, kept=0.3, longest_null=longest_null)
    total, *expected = semicrf.marginals(*problem)
    step = 1e-6
    for which, counts in zip(range(1, 5), expected, strict=True):
        for place in itertools.islice(np.ndindex(*counts.shape), 12):
            moved = list(problem)
            moved[which] = problem[which].copy()
            moved[which][place] += step
            slope = (semicrf.marginals(*moved)[0] - total) / step
            assert slope == pytest.approx(counts[place], abs=1e-4)


@settings(max_examples=30, derandomize=True)
@given(seeds, sizes, sizes, st.floats(0, 3))
def test_a_cost_that_is_added_to_scores_never_lowers_the_log_partition(
    seed: int, n: int, m: int, cost: float
) -> None:
    spans, scores, null, transition, final = random_problem(seed, n, m)
    plain = semicrf.marginals(spans, scores, null, transition, final)[0]
    gold = semicrf.best_path(spans, scores, null, transition, final)[1]
    costly = scores + cost * np.isin(np.arange(len(scores)), gold, invert=True)
    assert (
        plain - 1e-9
        <= semicrf.marginals(spans, costly, null, transition, final)[0]
        <= plain + n * cost + 1e-9
    )


def test_huge_scores_of_both_signs_neither_overflow_nor_vanish() -> None:
    spans, scores, null, transition, final = random_problem(3, 6, 5, kept=1.0)
    huge = (spans, scores * 1e5, null * 1e5, np.clip(transition * 100, -290, 290), final * 1e5)
    total, pairs, nulls, transitions, _ = semicrf.marginals(*huge)
    score, steps = semicrf.best_path(*huge)
    assert total == pytest.approx(score)
    assert all(np.isfinite(table).all() for table in (pairs, nulls, transitions))
    assert pairs[steps[steps >= 0]] == pytest.approx(1)
    same((total, pairs, nulls, transitions), semicrf_reference.marginals(*huge)[:4])


def test_a_shift_of_all_transitions_moves_only_the_log_partition() -> None:
    spans, scores, null, transition, final = random_problem(5, 5, 4, kept=0.0)
    total, *counts = semicrf.marginals(spans, scores, null, transition, final)
    moved, *moved_counts = semicrf.marginals(spans, scores, null, transition + 1000, final)
    assert moved == pytest.approx(total + 5 * 1000)
    same(tuple(counts), tuple(moved_counts))


def test_equal_scores_give_the_same_path_as_the_twin() -> None:
    for n, m, longest_null in itertools.product((1, 3, 4), (1, 3), (1, 2)):
        problem = random_problem(0, n, m, scale=0.0, kept=1.0, longest_null=longest_null)
        np.testing.assert_array_equal(
            semicrf.best_path(*problem)[1], semicrf_reference.best_path(*problem)[1]
        )


def test_a_sentence_of_one_word_may_go_to_null_only() -> None:
    nothing = (np.zeros((0, 4), dtype=np.int32), np.zeros(0), np.zeros((1, 1)), np.zeros((3, 2)), np.zeros(2))
    total, pairs, nulls, transitions, finals = semicrf.marginals(*nothing)
    assert (total, len(pairs), nulls.tolist(), finals.tolist()) == (0.0, 0, [[1.0]], [0.0, 1.0])
    assert transitions.tolist() == [[0, 0], [0, 0], [0, 1]]
    assert semicrf.best_path(*nothing)[1].tolist() == [-1]


@pytest.mark.parametrize(
    ("which", "value", "message"),
    [
        (0, [[0, 1, 0, 4]], "lies outside the sentences of 2 and 3 words"),
        (0, [[0, 0, 0, 1]], "or is empty"),
        (0, [[-1, 1, 0, 1]], "lies outside"),
        (0, [[1, 2, 0, 1], [0, 1, 0, 1]], "order of their source starts"),
        (1, [0.0, 0.0, 0.0], "expected 2 scores, found 3"),
        (1, [np.nan, 0.0], "finite"),
        (1, [1e7, 0.0], "from -1000000 to 1000000, found 10000000"),
        (2, [[np.inf], [0.0]], "finite"),
        (2, np.zeros((2, 0)), "nulls of at least one word"),
        (3, np.full((5, 4), -1e7), "from -1000000 to 1000000"),
        (2, np.zeros((0, 1)), "at least one word"),
        (3, np.zeros((4, 4)), r"shape \(5, 4\)"),
        (3, np.arange(20.0).reshape(5, 4) * 100, "600 apart, found 1900"),
        (4, [0.0, 0.0, np.nan, 0.0], "finite"),
    ],
)
@pytest.mark.parametrize("function", [semicrf.marginals, semicrf.best_path])
def test_what_cannot_be_used_is_refused(function: Any, which: int, value: Any, message: str) -> None:
    problem: list[Any] = [
        np.array([[0, 1, 0, 1], [1, 2, 1, 3]], dtype=np.int32),
        np.zeros(2),
        np.zeros((2, 1)),
        np.zeros((5, 4)),
        np.zeros(4),
    ]
    problem[which] = np.array(value, dtype=problem[which].dtype)
    if which == 0 and len(value) == 1:
        problem[1] = np.zeros(1)
    with pytest.raises(ValueError, match=message):
        function(*problem)


OVERFLOWING = """
import numpy as np
from forest_align.cext import semicrf

places = np.array([(i, i + 1, j, j + 1) for i in range(8) for j in range(3)], np.int32)
for value in (-1e308, 1e308):
    for function in (semicrf.best_path, semicrf.marginals):
        try:
            print(function(places, *(np.full(shape, value) for shape in (24, (8, 1), (5, 4), 4))))
        except ValueError:
            print("refused")
"""


def test_finite_scores_whose_sums_overflow_are_refused() -> None:
    # The best path was read off a table that no path had filled.
    run = subprocess.run([sys.executable, "-c", OVERFLOWING], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout.split(), run.stderr) == (0, ["refused"] * 4, "")


def test_links_of_other_sentences_are_refused() -> None:
    spans = np.array([[0, 1, 0, 2]], dtype=np.int32)
    with pytest.raises(ValueError, match="expected 1 probabilities, found 2"):
        semicrf.link_marginals(spans, np.zeros(2), 1, 2)
    with pytest.raises(ValueError, match="lies outside"):
        semicrf.link_marginals(spans, np.zeros(1), 1, 1)
