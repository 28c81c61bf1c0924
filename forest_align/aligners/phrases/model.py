"""The phrase-pair model: a small network from the evidence for two phrases to a probability."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from forest_align.aligners.model_folder import (
    check_arrays,
    check_card,
    notes_of,
    read_card,
    read_weights,
    write_model,
)
from forest_align.aligners.phrases.features import FEATURES
from forest_align.aligners.phrases.proposals import ProposedPairs
from forest_align.storage.fingerprints import fingerprint_of
from forest_align.types import ModelError

FORMAT_VERSION = 1
_WEIGHTS = "phrases.safetensors"
#: Features further from the mean than so many standard deviations count as that far.
FARTHEST = 5.0
_SHAPES: dict[str, tuple[int | str, ...]] = {
    "mean": (len(FEATURES),),
    "scale": (len(FEATURES),),
    "weights_1": (len(FEATURES), "first layer"),
    "bias_1": ("first layer",),
    "weights_2": ("first layer", "second layer"),
    "bias_2": ("second layer",),
    "weights_3": ("second layer", 1),
    "bias_3": (1,),
}


@dataclass(frozen=True, slots=True, eq=False)
class PhraseModel:
    """A network of two hidden layers of rectified units.

    Attributes
    ----------
    mean, scale : numpy.ndarray
        float32, shape (F,): what is subtracted from the features, and what they are divided by.
    layers : tuple of (numpy.ndarray, numpy.ndarray)
        float32: weights of shape (inputs, outputs) and biases of shape (outputs,) of three layers.
    card : dict
        Notes for people: how the model was trained, and on what data.
    """

    mean: np.ndarray
    scale: np.ndarray
    layers: tuple[tuple[np.ndarray, np.ndarray], ...]
    card: dict[str, Any] = field(default_factory=dict)

    @property
    def fingerprint(self) -> str:
        """Short hash of the weights."""
        return fingerprint_of(self.mean, self.scale, *(array for layer in self.layers for array in layer))

    def log_odds(self, proposed: ProposedPairs) -> np.ndarray:
        """Log-odds that people would align each proposed pair, float32 (K,)."""
        return self.log_odds_of(proposed.features)

    def log_odds_of(self, features: np.ndarray) -> np.ndarray:
        """Log-odds for rows of features of shape (K, len(FEATURES)), float32 (K,)."""
        values = np.clip((features - self.mean) / self.scale, -FARTHEST, FARTHEST)
        *hidden, (weights, bias) = self.layers
        for inner, shift in hidden:
            values = np.maximum(values @ inner + shift, 0.0)
        result: np.ndarray = (values @ weights + bias)[:, 0]
        return result

    def save(self, folder: str | Path) -> None:
        """Write ``model.json`` and ``phrases.safetensors``; create the folder if it is missing."""
        tensors = {"mean": self.mean, "scale": self.scale}
        for number, (weights, bias) in enumerate(self.layers, start=1):
            tensors |= {f"weights_{number}": weights, f"bias_{number}": bias}
        card = {
            "format": "phrases",
            "version": FORMAT_VERSION,
            "features": list(FEATURES),
            "card": self.card,
        }
        write_model(folder, card, _WEIGHTS, tensors)

    @classmethod
    def load(cls, folder: str | Path) -> PhraseModel:
        """Read what :meth:`save` wrote.

        Raises
        ------
        ModelError
            If a file is missing or damaged, or its features are not those of this version.
        """
        folder = Path(folder)
        card = read_card(folder)
        check_card(card, folder, "phrases", FORMAT_VERSION, features=FEATURES)
        tensors = read_weights(folder / _WEIGHTS, _SHAPES)
        check_arrays(tensors, _SHAPES, folder / _WEIGHTS)
        if not (tensors["scale"] > 0).all():
            raise ModelError(f"expected scales above 0 in {str(folder / _WEIGHTS)!r}")
        tensors = {name: values.astype(np.float32) for name, values in tensors.items()}
        layers = tuple((tensors[f"weights_{k}"], tensors[f"bias_{k}"]) for k in (1, 2, 3))
        return cls(tensors["mean"], tensors["scale"], layers, notes_of(card))
