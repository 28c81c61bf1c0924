"""Trains the network of the phrase-pair model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch.nn.functional import binary_cross_entropy_with_logits

from forest_align.aligners.phrases.model import PhraseModel
from forest_align.em.fitting.small_networks import RectifierSettings, fit_rectifier, with_convention

SETTINGS = RectifierSettings(hidden=(96, 32), epochs=10, batch=512, dropout=0.2)


@dataclass(frozen=True, slots=True, eq=False)
class PhraseExamples:
    """Pairs of phrases to learn from."""

    features: np.ndarray  # float32, shape (K, F)
    wanted: np.ndarray  # float32, shape (K,): probability that people align the pair
    weight: np.ndarray  # float32, shape (K,)
    # float32, shape (K,): 0 for phrases that people marked, 1 for those that word links imply
    convention: np.ndarray


def train_network(examples: PhraseExamples, convention: float, seed: int = 0) -> PhraseModel:
    """Minimize the weighted cross-entropy.

    People mark phrases more freely than word links imply. The network learns both conventions, told apart by
    an input of its own, and the model keeps one value of it, see :attr:`PhraseExamples.convention`.
    """
    wanted, weight = torch.from_numpy(examples.wanted), torch.from_numpy(examples.weight)

    def loss(scores: torch.Tensor, batch: torch.Tensor) -> torch.Tensor:
        losses = binary_cross_entropy_with_logits(scores.squeeze(1), wanted[batch], reduction="none")
        return (losses * weight[batch]).mean()

    network = fit_rectifier(examples.features, 1, loss, SETTINGS, seed, marks=examples.convention)
    return PhraseModel(with_convention(network, convention))
