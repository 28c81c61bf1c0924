"""The relation model: how two corresponding phrases are related, and how similar they are in meaning."""

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
from forest_align.aligners.phrases.model import FARTHEST
from forest_align.aligners.phrases.relation_features import SIGNED, SYMMETRIC
from forest_align.alignment import RELATION_NAMES
from forest_align.types import ModelError

FORMAT_VERSION = 1
#: Similarity of phrases that mean the same.
MOST_SIMILAR = 5.0
_WEIGHTS = "relations.safetensors"
_INPUTS = len(SYMMETRIC) + len(SIGNED)
_SHAPES: dict[str, tuple[int | str, ...]] = {
    "mean": (_INPUTS,),
    "scale": (_INPUTS,),
    "weights_1": (_INPUTS, "hidden layer"),
    "bias_1": ("hidden layer",),
    "weights_2": ("hidden layer", len(RELATION_NAMES) + 1),
    "bias_2": (len(RELATION_NAMES) + 1,),
}
#: The scores of the relations seen from the other side.
SWAPPED = tuple(
    RELATION_NAMES.index({"more specific": "more general", "more general": "more specific"}.get(name, name))
    for name in RELATION_NAMES
)


@dataclass(frozen=True, slots=True, eq=False)
class RelationModel:
    """A network of one hidden layer; what it says is averaged over both directions.

    Attributes
    ----------
    mean, scale : numpy.ndarray
        float32, shape (F,): what is subtracted from the features, and what they are divided by.
    layers : tuple of (numpy.ndarray, numpy.ndarray)
        float32: weights of shape (inputs, outputs) and biases of shape (outputs,) of two layers. The outputs
        are a score for each of :data:`~forest_align.alignment.RELATION_NAMES`, and one for the similarity.
    card : dict
        Notes for people: how the model was trained, and on what data.
    """

    mean: np.ndarray
    scale: np.ndarray
    layers: tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
    card: dict[str, Any] = field(default_factory=dict)

    def judge(self, symmetric: np.ndarray, signed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Judge pairs of phrases by their features.

        For swapped sentences the result is the same, with *more specific* and *more general* exchanged.

        Parameters
        ----------
        symmetric, signed : numpy.ndarray
            From :func:`~forest_align.aligners.phrases.relation_features.relation_features`, of K pairs.

        Returns
        -------
        numpy.ndarray
            float64, shape (K, len(RELATION_NAMES)): probabilities of the relations.
        numpy.ndarray
            float64, shape (K,): similarity, from 0 to 5.
        """
        straight, turned = (
            self._outputs(np.concatenate([symmetric, values], axis=1)) for values in (signed, -signed)
        )
        scores = (straight[:, :-1] + turned[:, SWAPPED]) / 2
        odds = np.exp(scores - scores.max(axis=1, keepdims=True))
        similarity = MOST_SIMILAR / (1 + np.exp(-(straight[:, -1] + turned[:, -1]) / 2))
        return odds / odds.sum(axis=1, keepdims=True), similarity

    def _outputs(self, features: np.ndarray) -> np.ndarray:
        values = np.clip((features - self.mean) / self.scale, -FARTHEST, FARTHEST)
        (inner, shift), (weights, bias) = self.layers
        found: np.ndarray = (np.maximum(values @ inner + shift, 0.0) @ weights + bias).astype(np.float64)
        return found

    def save(self, folder: str | Path) -> None:
        """Write ``model.json`` and ``relations.safetensors``; create the folder if it is missing."""
        tensors = {"mean": self.mean, "scale": self.scale}
        for number, (weights, bias) in enumerate(self.layers, start=1):
            tensors |= {f"weights_{number}": weights, f"bias_{number}": bias}
        card = {
            "format": "relations",
            "version": FORMAT_VERSION,
            "relations": list(RELATION_NAMES),
            "features": [*SYMMETRIC, *SIGNED],
            "card": self.card,
        }
        write_model(folder, card, _WEIGHTS, tensors)

    @classmethod
    def load(cls, folder: str | Path) -> RelationModel:
        """Read what :meth:`save` wrote.

        Raises
        ------
        ModelError
            If a file is missing or damaged, or its features or relations are not those of this version.
        """
        folder = Path(folder)
        card = read_card(folder)
        lists = {"features": (*SYMMETRIC, *SIGNED), "relations": RELATION_NAMES}
        check_card(card, folder, "relations", FORMAT_VERSION, **lists)
        tensors = read_weights(folder / _WEIGHTS, _SHAPES)
        check_arrays(tensors, _SHAPES, folder / _WEIGHTS)
        if not (tensors["scale"] > 0).all():
            raise ModelError(f"expected scales above 0 in {str(folder / _WEIGHTS)!r}")
        values = {name: array.astype(np.float32) for name, array in tensors.items()}
        first, second = ((values[f"weights_{k}"], values[f"bias_{k}"]) for k in (1, 2))
        return cls(values["mean"], values["scale"], (first, second), notes_of(card))
