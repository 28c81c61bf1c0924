"""The loop of small networks: each loss sees the weights that the step before left."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from forest_align.em.fitting.small_networks import descend


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
