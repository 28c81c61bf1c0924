"""Minimises a smooth function by torch's L-BFGS, one iteration at a time, with a state that can be saved."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch

#: Value and gradient, float64 (d,), at a point.
Function = Callable[[np.ndarray], tuple[float, np.ndarray]]

#: Number of last steps from which the curvature is estimated.
MEMORY = 10
# Most evaluations of one line search.
_MOST_TRIALS = 25
# Stands for a value that is not finite, which torch's line search could not interpolate.
_TOO_HIGH = 1e100
# Lists of tensors in the state of torch's L-BFGS, one element a remembered step.
_LISTS = ("old_dirs", "old_stps", "ro")


class Minimizer:
    """L-BFGS with a strong-Wolfe line search (Nocedal & Wright 2006, chapters 3 and 7), from zeros.

    Each step uses one thread of torch. So a restored minimizer takes the same steps, bit by bit, if the
    function returns the same bits for the same point.
    """

    def __init__(self, function: Function, size: int) -> None:
        self._function = function
        self._variables = torch.zeros(size, dtype=torch.float64)
        self._variables.grad = torch.zeros_like(self._variables)
        self._optimizer = torch.optim.LBFGS(
            [self._variables],
            max_iter=1,
            max_eval=1 + _MOST_TRIALS,
            history_size=MEMORY,
            line_search_fn="strong_wolfe",
        )
        self._evaluated: tuple[np.ndarray, float] | None = None
        self.value = self._evaluate()

    @property
    def point(self) -> np.ndarray:
        """The best point so far, float64 (d,)."""
        return self._variables.numpy().copy()

    def step(self) -> None:
        """Take one step; stay at the point if no lower value is found."""
        before = self._variables.clone()
        with _one_thread():
            self._optimizer.step(self._evaluate)
        value = self._evaluate()
        if value < self.value:
            self.value = value
        else:
            self._variables.copy_(before)

    def state(self) -> tuple[dict[str, np.ndarray], dict[str, float]]:
        """Return the arrays and the numbers that the next step depends on."""
        found = self._optimizer.state_dict()["state"].get(0, {})
        tensors = {name: value for name, value in found.items() if isinstance(value, torch.Tensor)}
        tensors |= {name: torch.stack(found[name]) for name in _LISTS if found.get(name)}
        numbers = {name: value for name, value in found.items() if isinstance(value, int | float)}
        arrays = {f"optimizer.{name}": value.numpy() for name, value in tensors.items()}
        return {"point": self.point, **arrays}, numbers

    def restore(self, arrays: Mapping[str, np.ndarray], numbers: Mapping[str, float]) -> None:
        """Continue from a state that :meth:`state` returned."""
        state: dict[str, Any] = dict(numbers)
        for name, array in arrays.items():
            # A copy: torch aligns its own memory, and sums over aligned memory have the same bits each time.
            state[name.removeprefix("optimizer.")] = torch.tensor(array)
        self._variables.copy_(state.pop("point"))
        if "d" in state:
            state |= {name: list(state.get(name, ())) for name in _LISTS}
        groups = self._optimizer.state_dict()["param_groups"]
        self._optimizer.load_state_dict({"state": {0: state}, "param_groups": groups})
        self.value = self._evaluate()

    def _evaluate(self) -> float:
        """The value at the variables; their gradient is set. The last evaluation is not repeated."""
        point = self.point
        if self._evaluated is None or not np.array_equal(self._evaluated[0], point):
            value, gradient = self._function(point)
            if not math.isfinite(value):
                value, gradient = _TOO_HIGH, np.zeros_like(point)
            assert self._variables.grad is not None
            self._variables.grad.copy_(torch.from_numpy(gradient))
            self._evaluated = point, value
        return self._evaluated[1]


@contextmanager
def _one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
