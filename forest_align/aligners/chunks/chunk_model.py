"""A small network that judges pairs of chunks: whether they are aligned, how related and how similar."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from forest_align.aligners.chunks.chunk_features import CHUNK_FEATURES, swapped_features
from forest_align.aligners.logistic_function import logistic
from forest_align.aligners.model_folder import ModelFormat, damaged
from forest_align.alignment import CHUNK_RELATIONS, SWAPPED_RELATIONS
from forest_align.types import InputError
from forest_align.types.json_fields import Fields

#: Similarities that two aligned chunks may have.
SIMILARITIES: tuple[int, ...] = (1, 2, 3, 4, 5)
#: Weights: the input layer, and one output layer for each of the three questions.
SHAPES: dict[str, tuple[int | str, ...]] = {
    "mean": (len(CHUNK_FEATURES),),
    "scale": (len(CHUNK_FEATURES),),
    "hidden": (len(CHUNK_FEATURES), "hidden"),
    "hidden_bias": ("hidden",),
    "aligned": ("hidden", 1),
    "aligned_bias": (1,),
    "relations": ("hidden", len(CHUNK_RELATIONS)),
    "relations_bias": (len(CHUNK_RELATIONS),),
    "similarities": ("hidden", len(SIMILARITIES)),
    "similarities_bias": (len(SIMILARITIES),),
}
FORMAT = ModelFormat(
    "chunks",
    1,
    "model.safetensors",
    SHAPES,
    {"features": CHUNK_FEATURES, "relations": CHUNK_RELATIONS},
)


@dataclass(frozen=True, slots=True, eq=False)
class ChunkJudgement:
    """What a model says about every pair of A and B chunks."""

    aligned: np.ndarray  # float64, shape (A, B): probability that the two correspond
    relations: np.ndarray  # float64, shape (A, B, 6): probabilities of the chunk relations, if they do
    similarities: np.ndarray  # float64, shape (A, B, 5): probabilities of SIMILARITIES, if they do


@dataclass(frozen=True, slots=True, eq=False)
class ChunkModel:
    """Weights of a network with one hidden layer, and thresholds.

    The network reads each pair in both directions, and the mean of its log-odds counts. So swapped sentences
    get the same probabilities.

    Attributes
    ----------
    weights : mapping of str to numpy.ndarray
        float32 arrays of :data:`SHAPES`.
    threshold : float
        Minimum probability of two chunks without other partners.
    joining : float
        Minimum probability with which a chunk without partner joins a chunk that has one.
    card : mapping
        Notes for people: data, figures.
    """

    weights: Mapping[str, np.ndarray]
    threshold: float
    joining: float
    card: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def load(cls, folder: str | Path) -> ChunkModel:
        """Read what :meth:`save` wrote.

        Raises
        ------
        ModelError
            If there is no such model, or its files are damaged or of another version.
        """
        saved = FORMAT.load(folder)
        try:
            fields = Fields(saved.card)
            threshold, joining = fields.probability("threshold"), fields.probability("joining")
        except InputError as error:
            raise damaged(folder, error) from None
        return cls(saved.arrays, threshold, joining, saved.notes())

    def save(self, folder: str | Path) -> None:
        """Write the model into a folder."""
        fields = {"threshold": self.threshold, "joining": self.joining, "card": dict(self.card)}
        FORMAT.save(folder, fields, self.weights)

    def judge(self, features: np.ndarray) -> ChunkJudgement:
        """Judge chunk pairs.

        Parameters
        ----------
        features : numpy.ndarray
            float32, shape (A, B, F), of :func:`~forest_align.aligners.chunks.chunk_features.chunk_features`.
        """
        there, back = self._outputs(features), self._outputs(swapped_features(features))
        return ChunkJudgement(
            logistic((there[0] + back[0])[..., 0] / 2),
            _softmax((there[1] + back[1][..., SWAPPED_RELATIONS]) / 2),
            _softmax((there[2] + back[2]) / 2),
        )

    def _outputs(self, features: np.ndarray) -> list[np.ndarray]:
        w = {name: np.asarray(one, np.float64) for name, one in self.weights.items()}
        hidden = np.maximum((features - w["mean"]) / w["scale"] @ w["hidden"] + w["hidden_bias"], 0)
        return [hidden @ w[name] + w[f"{name}_bias"] for name in ("aligned", "relations", "similarities")]


def _softmax(scores: np.ndarray) -> np.ndarray:
    found = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(found / found.sum(axis=-1, keepdims=True))
