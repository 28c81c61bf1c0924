"""The M-step: its gradient, its optimum, and what it does with contexts that were never used."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from forest_align.em.forest._objective import EventTable, Objective, maximize
from forest_align.types import InputError


def random_table(random: np.random.Generator, feature_count: int = 6) -> EventTable:
    """A table of a few contexts over rows with zero to three features."""
    rows = [
        np.sort(random.choice(feature_count, size=random.integers(0, 4), replace=False)) for _ in range(8)
    ]
    lengths = random.integers(1, 6, size=4)
    events = int(lengths.sum())
    return EventTable(
        np.concatenate(([0], np.cumsum([len(row) for row in rows]))),
        np.concatenate(rows).astype(np.int32),
        feature_count,
        random.integers(0, len(rows), size=events).astype(np.int32),
        random.integers(1, 4, size=events).astype(np.float64),
        np.concatenate(([0], np.cumsum(lengths))),
    )


@given(st.integers(0, 2**32 - 1))
def test_gradient_agrees_with_finite_differences(seed: int) -> None:
    random = np.random.default_rng(seed)
    table = random_table(random)
    counts = random.integers(0, 3, size=table.event_count) * random.random(table.event_count)
    objective = Objective(table, counts, 0.3)
    weights = random.normal(size=table.feature_count)
    _, gradient = objective.value_and_gradient(weights)
    step = 1e-5
    for feature in range(table.feature_count):
        shift = np.zeros_like(weights)
        shift[feature] = step
        above, _ = objective.value_and_gradient(weights + shift)
        below, _ = objective.value_and_gradient(weights - shift)
        assert gradient[feature] == pytest.approx((above - below) / (2 * step), abs=1e-6)


@given(st.integers(0, 2**32 - 1))
def test_value_is_the_plain_sum_over_events_and_contexts_sum_to_one(seed: int) -> None:
    random = np.random.default_rng(seed)
    table = random_table(random)
    weights = random.normal(size=table.feature_count)
    counts = random.random(table.event_count)
    offsets, features = table.context_offsets, np.split(table.feature_ids, table.feature_offsets[1:-1])
    expected = 0.0
    for first, last in pairwise(offsets):
        scores = np.array([weights[features[row]].sum() for row in table.event_row[first:last]])
        total = (table.event_multiplicity[first:last] * np.exp(scores)).sum()
        expected += float((counts[first:last] * (scores - np.log(total))).sum())
    value, _ = Objective(table, counts, 0.0).value_and_gradient(weights)
    assert value == pytest.approx(expected)
    probabilities = np.exp(table.log_probabilities(weights)) * table.event_multiplicity
    assert np.add.reduceat(probabilities, offsets[:-1]) == pytest.approx(np.ones(len(offsets) - 1))


def test_planted_weights_are_recovered_from_their_own_expected_counts() -> None:
    random = np.random.default_rng(11)
    table = random_table(random)
    planted = random.normal(size=table.feature_count)
    counts = 100 * np.exp(table.log_probabilities(planted)) * table.event_multiplicity
    weights, _ = maximize(Objective(table, counts, 0.0), np.zeros_like(planted), 500)
    assert table.log_probabilities(weights) == pytest.approx(table.log_probabilities(planted), abs=1e-3)


def test_the_number_of_threads_does_not_change_a_bit() -> None:
    code = (
        "import numpy as np\n"
        "from forest_align.em.forest._objective import EventTable, Objective\n"
        "random, n = np.random.default_rng(3), 300_000\n"
        "rows = np.arange(n, dtype=np.int32)\n"
        "table = EventTable(np.arange(n + 1), rows, n, rows, np.ones(n), np.arange(0, n + 1, 3))\n"
        "value, _ = Objective(table, random.random(n), 0.1).value_and_gradient(random.normal(size=n))\n"
        "print(value.hex())"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for threads in ("1", "2")
    }
    assert len(found) == 1


def test_large_weights_do_not_overflow() -> None:
    table = EventTable(
        np.arange(3),
        np.arange(2, dtype=np.int32),
        2,
        np.arange(2, dtype=np.int32),
        np.array([1.0, 2.0]),
        np.array([0, 2]),
    )
    weights = np.array([2000.0, 2000.0 + np.log(2)])
    assert table.log_probabilities(weights) == pytest.approx(np.log([0.2, 0.4]))
    assert table.log_probabilities(weights - 4000) == pytest.approx(np.log([0.2, 0.4]))
    value, gradient = Objective(table, np.array([1.0, 1.0]), 0.0).value_and_gradient(weights)
    assert value == pytest.approx(np.log(0.08)) and gradient == pytest.approx([0.6, -0.6])


def test_a_climb_that_ends_lower_gives_back_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    def descend(optimizer: torch.optim.LBFGS, closure: Callable[[], float]) -> None:
        with torch.no_grad():
            optimizer.param_groups[0]["params"][0].add_(10.0)

    monkeypatch.setattr(torch.optim.LBFGS, "step", descend)
    table = random_table(np.random.default_rng(2))
    objective, start = Objective(table, np.ones(table.event_count), 1.0), np.full(6, 0.25)
    found, value = maximize(objective, start)
    assert (found == start).all() and value == objective.value_and_gradient(start)[0]


def test_counts_that_do_not_fit_are_refused() -> None:
    table = random_table(np.random.default_rng(1))
    with pytest.raises(InputError, match="one an event"):
        Objective(table, np.zeros(1), 0.0)
    with pytest.raises(InputError, match="at least 0"):
        Objective(table, np.full(table.event_count, -1.0), 0.0)
    with pytest.raises(InputError, match="at least 0"):
        Objective(table, np.zeros(table.event_count), -0.1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"event_multiplicity": np.ones(1)}, "one multiplicity an event"),
        ({"feature_ids": np.array([0, 2], np.int32)}, "feature numbers below 2"),
        ({"feature_ids": np.array([-1, 1], np.int32)}, "feature numbers below 2"),
        ({"context_offsets": np.array([0, 3])}, "divide the events"),
    ],
)
def test_arrays_that_do_not_fit_together_are_refused(change: dict[str, np.ndarray], message: str) -> None:
    ids = np.arange(2, dtype=np.int32)
    table = EventTable(np.arange(3), ids, 2, ids, np.ones(2), np.array([0, 2]))
    with pytest.raises(InputError, match=message):
        replace(table, **change)
