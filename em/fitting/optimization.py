"""Gradient descent with AdamW, the small networks of the models of phrases, and L-BFGS with a saved state."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import torch

from forest_align.aligners.phrases.model import FARTHEST, RectifierNetwork


def descend(
    losses: Iterable[torch.Tensor],
    optimizer: torch.optim.Optimizer,
    schedule: torch.optim.lr_scheduler.LRScheduler,
) -> float:
    """Take a step for each loss."""
    values = []
    for loss in losses:
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        values.append(loss.item())
    return sum(values) / max(1, len(values))


LEARNING_RATE, WEIGHT_DECAY = 3e-3, 5e-2

#: The mean loss of the outputs (k, outputs) of some rows, whose numbers are int64 (k,).
Loss = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


@dataclass(frozen=True, slots=True)
class RectifierSettings:
    """How a network is trained."""

    hidden: tuple[int, ...]  # Sizes of the hidden layers
    # epochs, batch: how often each row is seen, and how many rows a step sees
    epochs: int
    batch: int
    dropout: float  # Share of the hidden units that a step ignores
    learning_rate: float = LEARNING_RATE  # The highest one


def fit_rectifier(
    features: np.ndarray,
    outputs: int,
    loss: Loss,
    settings: RectifierSettings,
    seed: int,
    *,
    marks: np.ndarray | None = None,
) -> RectifierNetwork:
    """Minimize a loss with AdamW; the rate rises and falls once.

    Features (K, F) are standardised. Marks (K,) are one more input, which is not. The seed determines the
    weights at the start, the order and the dropout.
    """
    torch.manual_seed(seed)
    mean = features.mean(axis=0, dtype=np.float64)
    scale = features.std(axis=0, dtype=np.float64) + 1e-3
    inputs = np.clip((features - mean) / scale, -FARTHEST, FARTHEST)
    columns = [inputs] if marks is None else [inputs, marks]
    rows = torch.from_numpy(np.column_stack(columns).astype(np.float32))
    linear = [torch.nn.Linear(*sizes) for sizes in pairwise((rows.shape[1], *settings.hidden, outputs))]
    layers = _trained_layers(linear, rows, loss, settings, seed)
    return RectifierNetwork(mean.astype(np.float32), scale.astype(np.float32), layers)


def adapt_rectifier(
    network: RectifierNetwork, features: np.ndarray, loss: Loss, settings: RectifierSettings, seed: int
) -> RectifierNetwork:
    """Train a network further; the scales of its inputs stay. Arguments as for fit_rectifier."""
    torch.manual_seed(seed)  # of the dropout
    inputs = np.clip((features - network.mean) / network.scale, -FARTHEST, FARTHEST)
    linear = []
    for weights, bias in network.layers:
        layer = torch.nn.Linear(*weights.shape)
        with torch.no_grad():
            layer.weight.copy_(torch.from_numpy(weights.T.copy()))
            layer.bias.copy_(torch.from_numpy(bias.copy()))
        linear.append(layer)
    rows = torch.from_numpy(inputs.astype(np.float32))
    return RectifierNetwork(network.mean, network.scale, _trained_layers(linear, rows, loss, settings, seed))


def _trained_layers(
    linear: Sequence[torch.nn.Linear], rows: torch.Tensor, loss: Loss, settings: RectifierSettings, seed: int
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Train the layers of a network, and return their weights and biases."""
    layers: list[torch.nn.Module] = []
    for layer in linear[:-1]:
        layers += [layer, torch.nn.ReLU(), torch.nn.Dropout(settings.dropout)]
    network = torch.nn.Sequential(*layers, linear[-1])

    def losses() -> Iterator[torch.Tensor]:
        order = torch.Generator().manual_seed(seed)
        for _ in range(settings.epochs):
            for batch in torch.randperm(len(rows), generator=order).split(settings.batch):
                yield loss(network(rows[batch]), batch)

    rate = settings.learning_rate
    optimizer = torch.optim.AdamW(network.parameters(), lr=rate, weight_decay=WEIGHT_DECAY)
    steps = settings.epochs * -(-len(rows) // settings.batch)
    descend(losses(), optimizer, torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=steps))
    return [(layer.weight.detach().numpy().T.copy(), layer.bias.detach().numpy().copy()) for layer in linear]


def with_convention(network: RectifierNetwork, mark: float) -> RectifierNetwork:
    """The network that says what one with ``marks`` says of pairs that all have the same mark."""
    (first, bias), *others = network.layers
    kept = first[:-1], bias + np.float32(mark) * first[-1]
    return RectifierNetwork(network.mean, network.scale, [kept, *others])


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
        with one_thread():
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
def one_thread() -> Iterator[None]:
    """Let torch use one thread, so that sums have the same order."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
