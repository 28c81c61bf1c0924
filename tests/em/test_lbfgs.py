"""L-BFGS finds minima, and may be stopped and continued at any step."""

from __future__ import annotations

import numpy as np
import pytest

from forest_align.em.lbfgs import Descent


def bowl(seed: int, size: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(size, size))
    return root @ root.T + 0.1 * np.eye(size), rng.normal(size=size)


@pytest.mark.parametrize("seed", range(4))
def test_the_minimum_of_a_quadratic_function_is_found(seed: int) -> None:
    matrix, place = bowl(seed, 8)

    def function(point: np.ndarray) -> tuple[float, np.ndarray]:
        away = point - place
        return float(away @ matrix @ away) / 2, matrix @ away

    descent = Descent.start(function, np.zeros(8))
    for _ in range(80):
        if descent.stuck or descent.value < 1e-12:
            break
        following = descent.step(function)
        assert following.value <= descent.value
        descent = following
    np.testing.assert_allclose(descent.point, place, atol=1e-4)


def test_a_curved_valley_is_followed_to_its_end() -> None:
    def rosenbrock(point: np.ndarray) -> tuple[float, np.ndarray]:
        x, y = point
        gradient = np.array([-2 * (1 - x) - 400 * x * (y - x * x), 200 * (y - x * x)])
        return float((1 - x) ** 2 + 100 * (y - x * x) ** 2), gradient

    descent = Descent.start(rosenbrock, np.array([-1.2, 1.0]))
    for _ in range(100):
        descent = descent.step(rosenbrock)
    np.testing.assert_allclose(descent.point, [1, 1], atol=1e-4)


def test_at_the_minimum_no_further_step_is_made() -> None:
    def flat(point: np.ndarray) -> tuple[float, np.ndarray]:
        return 1.0, np.zeros_like(point)

    descent = Descent.start(flat, np.ones(3)).step(flat)
    assert descent.stuck and descent.point.tolist() == [1, 1, 1]


def test_a_function_that_only_rises_leaves_the_point_where_it_is() -> None:
    def lying(point: np.ndarray) -> tuple[float, np.ndarray]:
        return float(np.abs(point).sum()), np.ones_like(point)  # the gradient points the wrong way at 0

    descent = Descent.start(lying, np.zeros(2)).step(lying)
    assert descent.stuck and not descent.point.any()
