"""Each loss is one step; the minimizer finds minima and restores its state bit by bit."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch

from forest_align.em.fitting.optimization import MEMORY, Function, Minimizer, descend
from forest_align.storage.checkpoint import load_arrays, save_arrays


def bowl(seed: int, size: int) -> tuple[Function, np.ndarray]:
    """A convex quadratic function, and its minimum."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(size, size))
    matrix, place = root @ root.T + 0.1 * np.eye(size), rng.normal(size=size)

    def function(point: np.ndarray) -> tuple[float, np.ndarray]:
        away = point - place
        return float(away @ matrix @ away) / 2, matrix @ away

    return function, place


def rosenbrock(point: np.ndarray) -> tuple[float, np.ndarray]:
    x, y = point
    gradient = np.array([-2 * (1 - x) - 400 * x * (y - x * x), 200 * (y - x * x)])
    return float((1 - x) ** 2 + 100 * (y - x * x) ** 2), gradient


@pytest.mark.parametrize("seed", range(4))
def test_the_minimum_of_a_quadratic_function_is_found(seed: int) -> None:
    function, place = bowl(seed, 8)
    minimizer = Minimizer(function, 8)
    values = [minimizer.value]
    for _ in range(80):
        minimizer.step()
        values.append(minimizer.value)
    assert values == sorted(values, reverse=True) and values[0] == function(np.zeros(8))[0]
    assert values[-1] == function(minimizer.point)[0]
    np.testing.assert_allclose(minimizer.point, place, atol=1e-4)


def test_a_curved_valley_is_followed_to_its_end() -> None:
    minimizer = Minimizer(rosenbrock, 2)
    for _ in range(100):
        minimizer.step()
    np.testing.assert_allclose(minimizer.point, [1, 1], atol=1e-4)


def test_each_step_meets_the_strong_wolfe_conditions() -> None:
    function, _ = bowl(5, 20)
    minimizer = Minimizer(function, 20)
    for _ in range(15):
        before = minimizer.point
        minimizer.step()
        move, slope = minimizer.point - before, float((minimizer.point - before) @ function(before)[1])
        assert minimizer.value <= function(before)[0] + 1e-4 * slope
        assert abs(float(move @ function(minimizer.point)[1])) <= 0.9 * abs(slope)


@pytest.mark.parametrize("killed_after", [0, 1, 2, MEMORY, MEMORY + 5])
def test_a_restored_minimizer_takes_the_same_steps(killed_after: int, tmp_path: Path) -> None:
    function, _ = bowl(6, 30)
    whole = Minimizer(function, 30)
    for _ in range(killed_after):
        whole.step()
    arrays, numbers = whole.state()
    save_arrays(tmp_path / "state", arrays, numbers)
    restored = Minimizer(function, 30)
    restored.step()
    restored.restore(*load_arrays(tmp_path / "state"))
    assert restored.value == whole.value and restored.point.tobytes() == whole.point.tobytes()
    for _ in range(MEMORY + 2):
        whole.step()
        restored.step()
        assert restored.value == whole.value and restored.point.tobytes() == whole.point.tobytes()
    for name, array in whole.state()[0].items():
        assert restored.state()[0][name].tobytes() == array.tobytes()
    assert len(whole.state()[0]["optimizer.ro"]) == MEMORY


def test_no_point_is_evaluated_twice_in_a_row() -> None:
    function, _ = bowl(7, 8)
    points: list[bytes] = []

    def counted(point: np.ndarray) -> tuple[float, np.ndarray]:
        points.append(point.tobytes())
        return function(point)

    minimizer = Minimizer(counted, 8)
    for _ in range(10):
        minimizer.step()
    assert all(one != other for one, other in pairwise(points))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("steepness", [5.0, 0.5])
def test_steps_are_shorter_where_the_value_is_not_finite(bad: float, steepness: float) -> None:
    def walled(point: np.ndarray) -> tuple[float, np.ndarray]:
        inside = point[0] <= 0.3
        return (-steepness * float(point[0]), np.array([-steepness])) if inside else (bad, np.array([bad]))

    minimizer = Minimizer(walled, 1)
    for _ in range(4):
        minimizer.step()
        assert minimizer.value == walled(minimizer.point)[0]
    assert 0.2 < minimizer.point[0] <= 0.3


def test_a_function_that_only_rises_leaves_the_point_where_it_is() -> None:
    # The gradient points the wrong way.
    minimizer = Minimizer(lambda point: (float(np.abs(point).sum()), np.ones(2)), 2)
    minimizer.step()
    assert minimizer.value == 0 and not minimizer.point.any()


def test_the_number_of_threads_is_put_back() -> None:
    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        seen = []

        def function(point: np.ndarray) -> tuple[float, np.ndarray]:
            seen.append(torch.get_num_threads())
            return float(point @ point - point.sum()), 2 * point - 1

        Minimizer(function, 2).step()
        assert seen[:2] == [2, 1] and torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(threads)


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
