"""L-BFGS finds minima, and may be stopped and continued at any step."""

from __future__ import annotations

import numpy as np
import pytest

from forest_align.em.semi_markov._lbfgs import MEMORY, Descent


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


@pytest.mark.parametrize("seed", range(4))
def test_each_step_meets_the_weak_wolfe_conditions_and_few_are_remembered(seed: int) -> None:
    matrix, place = bowl(seed, 20)

    def function(point: np.ndarray) -> tuple[float, np.ndarray]:
        # Nearly flat at the start, so that a first step of length 1 is far too short.
        away = point - 20 * place
        return float(np.sqrt(1 + away @ matrix @ away)), matrix @ away / np.sqrt(1 + away @ matrix @ away)

    descent = Descent.start(function, np.zeros(20))
    for step in range(1, MEMORY + 6):
        following = descent.step(function)
        move = following.point - descent.point
        slope = float(move @ descent.gradient)
        assert following.value <= descent.value + 1e-4 * slope
        assert float(move @ following.gradient) >= 0.9 * slope
        np.testing.assert_allclose(following.moves[-1], move, atol=1e-12)
        np.testing.assert_allclose(following.changes[-1], following.gradient - descent.gradient, atol=1e-12)
        assert len(following.moves) == len(following.changes) == min(step, MEMORY)
        descent = following


def test_the_first_trial_goes_where_the_updated_inverse_hessian_points() -> None:
    rng = np.random.default_rng(8)
    matrix, _ = bowl(8, 5)
    moves = rng.normal(size=(3, 5))
    changes, gradient = moves @ matrix, rng.normal(size=5)
    # Nocedal & Wright 2006, equations 7.20 and 6.17: dense, from the oldest change to the newest.
    inverse = np.eye(5) * (moves[-1] @ changes[-1]) / (changes[-1] @ changes[-1])
    for move, change in zip(moves, changes, strict=True):
        share = 1 / (move @ change)
        left = np.eye(5) - share * np.outer(move, change)
        inverse = left @ inverse @ left.T + share * np.outer(move, move)
    tried: list[np.ndarray] = []

    def function(point: np.ndarray) -> tuple[float, np.ndarray]:
        tried.append(point)
        return -1e9, np.zeros(5)

    Descent(np.ones(5), 0.0, gradient, moves, changes).step(function)
    np.testing.assert_allclose(tried[0], 1 - inverse @ gradient)


def test_where_the_function_has_no_value_the_step_is_shorter() -> None:
    def walled(point: np.ndarray) -> tuple[float, np.ndarray]:
        return (float(-5 * point[0]) if point[0] <= 0.3 else np.nan), np.array([-5.0])

    descent = Descent.start(walled, np.zeros(1)).step(walled)
    assert 0.2 < descent.point[0] <= 0.3 and not descent.stuck


def test_a_step_along_a_straight_slope_tells_nothing_of_the_curvature() -> None:
    def slope(point: np.ndarray) -> tuple[float, np.ndarray]:
        return float(-point[0]), np.array([-1.0])

    descent = Descent.start(slope, np.zeros(1)).step(slope)
    assert not len(descent.moves)
    assert np.isfinite(descent.step(slope).point).all()


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
