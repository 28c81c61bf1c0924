"""A small network of rectified units, as the models of phrases use it, and its file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from forest_align.aligners.model_folder import SavedModel
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
        """What the last layer says about rows of inputs, shape (K, F): float32 (K, outputs)."""
        values: np.ndarray = inputs - self.mean
        values /= self.scale
        np.clip(values, -FARTHEST, FARTHEST, out=values)
        for number, (weights, bias) in enumerate(self.layers):
            if number:
                np.maximum(values, 0.0, out=values)
            values = values @ weights
            values += bias
        return values

    @property
    def fingerprint(self) -> str:
        """Short hash of the weights."""
        return fingerprint_of(self.mean, self.scale, *(array for layer in self.layers for array in layer))

    def tensors(self) -> dict[str, np.ndarray]:
        """The arrays by name, for a file."""
        found = {"mean": self.mean, "scale": self.scale}
        for number, (weights, bias) in enumerate(self.layers, start=1):
            found |= {f"weights_{number}": weights, f"bias_{number}": bias}
        return found

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

    @classmethod
    def of_saved(cls, saved: SavedModel) -> RectifierNetwork:
        """The network of a model that was read with :meth:`shapes`."""
        if not (saved.arrays["scale"] > 0).all():
            raise ModelError(f"expected scales above 0 in {str(saved.path)!r}")
        values = {name: array.astype(np.float32) for name, array in saved.arrays.items()}
        count = sum(name.startswith("bias_") for name in values)
        layers = [(values[f"weights_{number}"], values[f"bias_{number}"]) for number in range(1, count + 1)]
        return cls(values["mean"], values["scale"], layers)
