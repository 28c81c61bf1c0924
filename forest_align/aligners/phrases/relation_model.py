"""The relation model: how two corresponding phrases are related, and how similar they are in meaning."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from forest_align.aligners.model_folder import ModelFormat
from forest_align.aligners.phrases.rectifier import RectifierNetwork
from forest_align.aligners.phrases.relation_features import SIGNED, SYMMETRIC
from forest_align.alignment import CHUNK_RELATIONS, MOST_SIMILAR, SWAPPED_RELATIONS

_FEATURES = (*SYMMETRIC, *SIGNED)
FORMAT = ModelFormat(
    "relations",
    1,
    "relations.safetensors",
    RectifierNetwork.shapes(len(_FEATURES), 1, len(CHUNK_RELATIONS) + 1),
    {"relations": CHUNK_RELATIONS, "features": _FEATURES},
)


@dataclass(frozen=True, slots=True, eq=False)
class RelationModel:
    """A network of one hidden layer; what it says is averaged over both directions."""

    # Reads the features and says a score for each of CHUNK_RELATIONS, and one for the similarity
    network: RectifierNetwork
    # Notes for people: how the model was trained, and on what data
    card: dict[str, Any] = field(default_factory=dict)

    def judge(self, symmetric: np.ndarray, signed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Judge pairs of phrases by their features.

        For swapped sentences the result is the same, with *more specific* and *more general* exchanged.

        Shapes: returns float64 (K, len(CHUNK_RELATIONS); returns float64 (K,).
        """
        straight, turned = (
            self.network.outputs(np.concatenate([symmetric, values], axis=1)).astype(np.float64)
            for values in (signed, -signed)
        )
        scores = (straight[:, :-1] + turned[:, SWAPPED_RELATIONS]) / 2
        odds = np.exp(scores - scores.max(axis=1, keepdims=True))
        log_odds = np.clip((straight[:, -1] + turned[:, -1]) / 2, -30.0, 30.0)
        similarity = MOST_SIMILAR / (1 + np.exp(-log_odds))
        return odds / odds.sum(axis=1, keepdims=True), similarity

    def save(self, folder: str | Path) -> None:
        """Write ``model.json`` and ``relations.safetensors``; create the folder if it is missing."""
        FORMAT.save(folder, {"card": self.card}, self.network.tensors())

    @classmethod
    def load(cls, folder: str | Path) -> RelationModel:
        """Read what :meth:`save` wrote."""
        saved = FORMAT.load(folder)
        return cls(RectifierNetwork.of_saved(saved), saved.notes())
