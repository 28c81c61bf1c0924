"""The phrase-pair model: a small network from the evidence for two phrases to a probability."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from forest_align.aligners.model_folder import ModelFormat
from forest_align.aligners.phrases.features import FEATURES
from forest_align.aligners.phrases.proposals import ProposedPairs
from forest_align.aligners.phrases.rectifier import RectifierNetwork

_HIDDEN_LAYERS = 2
FORMAT = ModelFormat(
    "phrases",
    1,
    "phrases.safetensors",
    RectifierNetwork.shapes(len(FEATURES), _HIDDEN_LAYERS, 1),
    {"features": FEATURES},
)


@dataclass(frozen=True, slots=True, eq=False)
class PhraseModel:
    """A network of two hidden layers."""

    network: RectifierNetwork  # Reads the features and says one number, log-odds
    # Notes for people: how the model was trained, and on what data
    card: dict[str, Any] = field(default_factory=dict)

    @property
    def fingerprint(self) -> str:
        """Short hash of the weights."""
        return self.network.fingerprint

    def log_odds(self, proposed: ProposedPairs) -> np.ndarray:
        """Log-odds that people would align each proposed pair, float32 (K,)."""
        return self.log_odds_of(proposed.features)

    def log_odds_of(self, features: np.ndarray) -> np.ndarray:
        """Log-odds for rows of features of shape (K, len(FEATURES)), float32 (K,)."""
        return self.network.outputs(features)[:, 0]

    def save(self, folder: str | Path) -> None:
        """Write ``model.json`` and ``phrases.safetensors``; create the folder if it is missing."""
        FORMAT.save(folder, {"card": self.card}, self.network.tensors())

    @classmethod
    def load(cls, folder: str | Path) -> PhraseModel:
        """Read what :meth:`save` wrote."""
        saved = FORMAT.load(folder)
        return cls(RectifierNetwork.of_saved(saved), saved.notes())
