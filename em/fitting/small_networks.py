"""Trains the small networks of the models of phrases."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

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
