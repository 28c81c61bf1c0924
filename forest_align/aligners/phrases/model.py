"""The phrase-pair model, and the small network with a folder that all models of phrases are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from forest_align.aligners.model_folder import ModelFormat
from forest_align.aligners.phrases.features import FEATURES
from forest_align.storage.fingerprints import fingerprint_of
from forest_align.types import ModelError

#: Inputs further from the mean than so many standard deviations count as that far.
FARTHEST = 5.0


@dataclass(frozen=True, slots=True, eq=False)
class RectifierNetwork:
    """A network whose layers but the last one have rectified units."""

    # mean, scale: float32, shape (F,): what is subtracted from the inputs, and what they are divided by
    mean: np.ndarray
    scale: np.ndarray
    # float32: weights of shape (inputs, outputs) and biases of shape (outputs,) of each layer
    layers: Sequence[tuple[np.ndarray, np.ndarray]]

    def outputs(self, inputs: np.ndarray) -> np.ndarray:
        """The last layer's values for rows of inputs, shape (K, F): float32 (K, outputs)."""
        values: np.ndarray = inputs - self.mean
        values /= self.scale
        np.clip(values, -FARTHEST, FARTHEST, out=values)
        for number, (weights, bias) in enumerate(self.layers):
            if number:
                np.maximum(values, 0.0, out=values)
            values = values @ weights
            values += bias
        return values

    def tensors(self) -> dict[str, np.ndarray]:
        """The arrays by name, for a file."""
        arrays = {"mean": self.mean, "scale": self.scale}
        for number, (weights, bias) in enumerate(self.layers, start=1):
            arrays |= {f"weights_{number}": weights, f"bias_{number}": bias}
        return arrays

    @staticmethod
    def shapes(inputs: int, hidden: int, outputs: int) -> dict[str, tuple[int | str, ...]]:
        """Names and shapes of the arrays of a network with so many inputs, hidden layers and outputs."""
        between = (f"hidden layer {number}" for number in range(1, hidden + 1))
        sizes: list[int | str] = [inputs, *between, outputs]
        shapes: dict[str, tuple[int | str, ...]] = {"mean": (inputs,), "scale": (inputs,)}
        for number in range(1, hidden + 2):
            shapes[f"weights_{number}"] = (sizes[number - 1], sizes[number])
            shapes[f"bias_{number}"] = (sizes[number],)
        return shapes


@dataclass(frozen=True, slots=True, eq=False)
class NetworkModel:
    """A network and its folder, ``model.json`` and a file of weights; each kind of model has its format."""

    FORMAT: ClassVar[ModelFormat]
    network: RectifierNetwork
    # Notes for people: how the model was trained, and on what data
    card: dict[str, Any] = field(default_factory=dict)

    @property
    def fingerprint(self) -> str:
        """Short hash of the weights."""
        return fingerprint_of(*self.network.tensors().values())

    def save(self, folder: str | Path) -> None:
        """Write the folder, which is created if it is missing."""
        self.FORMAT.save(folder, {"card": self.card}, self.network.tensors())

    @classmethod
    def load(cls, folder: str | Path) -> Self:
        """Read what :meth:`save` wrote."""
        saved = cls.FORMAT.load(folder)
        if not (saved.arrays["scale"] > 0).all():
            raise ModelError(f"expected scales above 0 in {str(saved.path)!r}")
        arrays = {name: array.astype(np.float32) for name, array in saved.arrays.items()}
        count = sum(name.startswith("bias_") for name in arrays)
        layers = [(arrays[f"weights_{number}"], arrays[f"bias_{number}"]) for number in range(1, count + 1)]
        return cls(RectifierNetwork(arrays["mean"], arrays["scale"], layers), saved.notes())


class PhraseModel(NetworkModel):
    """Judges pairs of phrases: two hidden layers from the evidence for two phrases to log-odds."""

    FORMAT = ModelFormat(
        "phrases",
        1,
        "phrases.safetensors",
        RectifierNetwork.shapes(len(FEATURES), 2, 1),
        {"features": FEATURES},
    )

    def log_odds(self, features: np.ndarray) -> np.ndarray:
        """Log-odds that people would align pairs with these features, (K, len(FEATURES)): float32 (K,)."""
        return self.network.outputs(features)[:, 0]
