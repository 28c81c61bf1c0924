"""Trains the small networks of the models of phrases."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch

from forest_align.aligners.phrases.rectifier import FARTHEST, RectifierNetwork
from forest_align.em.fitting.descent import descend

LEARNING_RATE, WEIGHT_DECAY = 3e-3, 5e-2

#: The mean loss of the outputs (k, outputs) of some rows, whose numbers are int64 (k,).
Loss = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


@dataclass(frozen=True, slots=True)
class RectifierSettings:
    """How a network is trained.

    Attributes
    ----------
    hidden : tuple of int
        Sizes of the hidden layers.
    epochs, batch : int
        How often each row is seen, and how many rows a step sees.
    dropout : float
        Share of the hidden units that a step ignores.
    """

    hidden: tuple[int, ...]
    epochs: int
    batch: int
    dropout: float


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

    Parameters
    ----------
    features : numpy.ndarray
        Shape (K, F). They are standardised.
    outputs : int
        How many.
    loss : callable
        What is minimized.
    settings : RectifierSettings
        How.
    seed : int
        Of the weights at the start, the order and the dropout.
    marks : numpy.ndarray, optional
        Shape (K,): one more input, which is not standardised. The first layer then has F + 1 inputs.
    """
    torch.manual_seed(seed)
    mean = features.mean(axis=0, dtype=np.float64)
    scale = features.std(axis=0, dtype=np.float64) + 1e-3
    inputs = np.clip((features - mean) / scale, -FARTHEST, FARTHEST)
    columns = [inputs] if marks is None else [inputs, marks]
    rows = torch.from_numpy(np.column_stack(columns).astype(np.float32))
    linear = [torch.nn.Linear(*sizes) for sizes in pairwise((rows.shape[1], *settings.hidden, outputs))]
    layers: list[torch.nn.Module] = []
    for layer in linear[:-1]:
        layers += [layer, torch.nn.ReLU(), torch.nn.Dropout(settings.dropout)]
    network = torch.nn.Sequential(*layers, linear[-1])

    def losses() -> Iterator[torch.Tensor]:
        order = torch.Generator().manual_seed(seed)
        for _ in range(settings.epochs):
            for batch in torch.randperm(len(rows), generator=order).split(settings.batch):
                yield loss(network(rows[batch]), batch)

    optimizer = torch.optim.AdamW(network.parameters(), lr=LEARNING_RATE, weight_decay=WEIGHT_DECAY)
    steps = settings.epochs * -(-len(rows) // settings.batch)
    descend(
        losses(), optimizer, torch.optim.lr_scheduler.OneCycleLR(optimizer, LEARNING_RATE, total_steps=steps)
    )
    arrays = [
        (layer.weight.detach().numpy().T.copy(), layer.bias.detach().numpy().copy()) for layer in linear
    ]
    return RectifierNetwork(mean.astype(np.float32), scale.astype(np.float32), arrays)


def with_convention(network: RectifierNetwork, mark: float) -> RectifierNetwork:
    """The network that says what one with ``marks`` says of pairs that all have the same mark."""
    (first, bias), *others = network.layers
    kept = first[:-1], bias + np.float32(mark) * first[-1]
    return RectifierNetwork(network.mean, network.scale, [kept, *others])
