"""Trains the network of the phrase-pair model."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from torch.nn.functional import binary_cross_entropy_with_logits

from forest_align.aligners.phrases.model import PhraseModel
from forest_align.aligners.phrases.rectifier import FARTHEST, RectifierNetwork

#: Sizes of the two hidden layers.
HIDDEN = (96, 32)
EPOCHS, BATCH = 10, 512
LEARNING_RATE, WEIGHT_DECAY, DROPOUT = 3e-3, 5e-2, 0.2


@dataclass(frozen=True, slots=True, eq=False)
class PhraseExamples:
    """Pairs of phrases to learn from.

    Attributes
    ----------
    features : numpy.ndarray
        float32, shape (K, F).
    wanted : numpy.ndarray
        float32, shape (K,): probability that people align the pair.
    weight : numpy.ndarray
        float32, shape (K,).
    convention : numpy.ndarray
        float32, shape (K,): 0 for phrases that people marked, 1 for those that word links imply.
    """

    features: np.ndarray
    wanted: np.ndarray
    weight: np.ndarray
    convention: np.ndarray


def train_network(examples: PhraseExamples, convention: float, seed: int = 0) -> PhraseModel:
    """Minimize the weighted cross-entropy with AdamW; the rate rises and falls once.

    People mark phrases more freely than word links imply. The network learns both conventions, told apart by
    an input of its own, and the model keeps one value of it.

    Parameters
    ----------
    examples : PhraseExamples
        From all corpora.
    convention : float
        From 0 to 1: what the model stands for, see :attr:`PhraseExamples.convention`.
    seed : int
        Of the weights at the start, the order and the dropout.
    """
    torch.manual_seed(seed)
    mean = examples.features.mean(axis=0, dtype=np.float64)
    scale = examples.features.std(axis=0, dtype=np.float64) + 1e-3
    inputs = np.clip((examples.features - mean) / scale, -FARTHEST, FARTHEST)
    rows = torch.from_numpy(np.column_stack([inputs, examples.convention]).astype(np.float32))
    wanted, weight = torch.from_numpy(examples.wanted), torch.from_numpy(examples.weight)
    sizes = (rows.shape[1], *HIDDEN, 1)
    linear = [torch.nn.Linear(one, two) for one, two in pairwise(sizes)]
    layers: list[torch.nn.Module] = []
    for layer in linear[:-1]:
        layers += [layer, torch.nn.ReLU(), torch.nn.Dropout(DROPOUT)]
    network = torch.nn.Sequential(*layers, linear[-1])
    optimizer = torch.optim.AdamW(network.parameters(), lr=LEARNING_RATE, weight_decay=WEIGHT_DECAY)
    steps = EPOCHS * -(-len(rows) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, LEARNING_RATE, total_steps=steps)
    order = torch.Generator().manual_seed(seed)
    for _ in range(EPOCHS):
        for batch in torch.randperm(len(rows), generator=order).split(BATCH):
            scores = network(rows[batch]).squeeze(1)
            losses = binary_cross_entropy_with_logits(scores, wanted[batch], reduction="none")
            optimizer.zero_grad()
            (losses * weight[batch]).mean().backward()
            optimizer.step()
            schedule.step()
    arrays = [
        (layer.weight.detach().numpy().T.copy(), layer.bias.detach().numpy().copy()) for layer in linear
    ]
    first, bias = arrays[0]
    arrays[0] = first[:-1], bias + np.float32(convention) * first[-1]
    return PhraseModel(RectifierNetwork(mean.astype(np.float32), scale.astype(np.float32), arrays))
