"""The network of the phrase-pair model, and its folder."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

from forest_align.aligners.phrases.features import FEATURES
from forest_align.aligners.phrases.model import FARTHEST, PhraseModel

from .phrase_cases import random_model


def test_log_odds_are_those_of_the_same_network_in_torch() -> None:
    model = random_model()
    network = model.network
    rows = np.random.default_rng(1).normal(size=(50, len(FEATURES)), scale=3).astype(np.float32)
    values = torch.from_numpy(np.clip((rows - network.mean) / network.scale, -FARTHEST, FARTHEST))
    for number, (weights, bias) in enumerate(network.layers, start=1):
        values = torch.nn.functional.linear(values, torch.from_numpy(weights.T), torch.from_numpy(bias))
        values = values if number == len(network.layers) else torch.relu(values)
    np.testing.assert_allclose(model.log_odds(rows), values[:, 0].numpy(), atol=1e-4)


def test_a_saved_model_is_the_same(tmp_path: Path) -> None:
    model = random_model()
    model.save(tmp_path)
    found = PhraseModel.load(tmp_path)
    rows = np.random.default_rng(1).normal(size=(9, len(FEATURES))).astype(np.float32)
    np.testing.assert_array_equal(found.log_odds(rows), model.log_odds(rows))
    assert found.card == model.card
