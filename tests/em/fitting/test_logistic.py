"""Small fits: logistic regression and the loop of small networks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from forest_align.em.fitting.logistic import fit_logistic
from forest_align.em.fitting.small_networks import descend


def loss(found: np.ndarray, inputs: np.ndarray, labels: np.ndarray, ridge: float) -> float:
    logits = inputs @ found[:-1] + found[-1]
    return float(np.logaddexp(0, np.where(labels, -logits, logits)).sum() + ridge / 2 * found @ found)


numbers = st.floats(-3, 3, allow_nan=False, width=32)


@given(arrays(np.float64, (6, 2), elements=numbers), arrays(np.bool_, 6), st.sampled_from([0.1, 2.0]))
def test_no_coefficient_can_be_moved_to_a_lower_loss(
    inputs: np.ndarray, labels: np.ndarray, ridge: float
) -> None:
    found = fit_logistic(inputs, labels, ridge=ridge)
    best = loss(found, inputs, labels, ridge)
    for place in range(3):
        for step in (-1e-3, 1e-3):
            moved = found.copy()
            moved[place] += step
            assert loss(moved, inputs, labels, ridge) > best


def test_the_share_is_found_where_inputs_say_nothing() -> None:
    found = fit_logistic(np.zeros((400, 1)), np.arange(400) % 4 == 0, ridge=1e-6)
    assert found == pytest.approx([0.0, np.log(1 / 3)])


def test_labels_that_a_line_tells_apart_leave_coefficients_finite() -> None:
    found = fit_logistic(np.array([[-1.0], [1.0]]), np.array([False, True]), ridge=1e-3)
    assert np.isfinite(found).all() and found[0] > 3


def test_log_odds_beyond_the_limit_count_as_the_limit() -> None:
    inputs, labels = np.array([[-1.0], [1.0]]), np.array([False, True])
    found = fit_logistic(inputs, labels, ridge=1.0, limit=0.5)
    # Both labels pull at the coefficient with what their probability at the limit lacks of 1.
    assert found == pytest.approx([2 / (1 + np.exp(0.5)), 0.0])


def test_each_loss_is_computed_after_the_step_before_it_at_its_own_rate() -> None:
    weight = torch.tensor([8.0], requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.5)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.5)
    seen = []

    def losses() -> Iterator[torch.Tensor]:
        for _ in range(3):
            seen.append(weight.item())
            yield weight.square().sum() / 2

    # The gradient is the weight: with rates of 1/2, 1/4 and 1/8 it is halved, and so on.
    assert descend(losses(), optimizer, schedule) == pytest.approx((32 + 8 + 4.5) / 3)
    assert (seen, weight.item()) == ([8.0, 4.0, 3.0], 2.625)
    assert descend([], optimizer, schedule) == 0
    assert weight.item() == 2.625
