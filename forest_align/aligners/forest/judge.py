"""The judge of a derivation: how probable it is that people mark each of its pairs, given all others."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from forest_align.aligners.forest.judge_features import JUDGE_FEATURES
from forest_align.aligners.logistic_function import logistic
from forest_align.aligners.model_folder import ModelFormat
from forest_align.aligners.phrases.rectifier import RectifierNetwork

_HIDDEN_LAYERS = 2
#: What the network says about a pair: that people mark it, and that they mark it or one near it.
OUTPUTS = ("exact", "near")
FORMAT = ModelFormat(
    "judge",
    1,
    "judge.safetensors",
    RectifierNetwork.shapes(len(JUDGE_FEATURES), _HIDDEN_LAYERS, len(OUTPUTS)),
    {"features": JUDGE_FEATURES},
)


@dataclass(frozen=True, slots=True, eq=False)
class JudgeModel:
    """A network of two hidden layers."""

    network: RectifierNetwork  # Reads the features of a pair and says two numbers, log-odds
    # Notes for people: how the model was trained, and on what data
    card: dict[str, Any] = field(default_factory=dict)

    def probabilities(self, features: np.ndarray) -> np.ndarray:
        """Probabilities of :data:`OUTPUTS` for rows of features, float64 (K, 2)."""
        return logistic(self.network.outputs(features).astype(np.float64))

    def save(self, folder: str | Path) -> None:
        """Write ``model.json`` and ``judge.safetensors``; create the folder if it is missing."""
        FORMAT.save(folder, {"card": self.card}, self.network.tensors())

    @classmethod
    def load(cls, folder: str | Path) -> JudgeModel:
        """Read what :meth:`save` wrote."""
        saved = FORMAT.load(folder)
        return cls(RectifierNetwork.of_saved(saved), saved.notes())
