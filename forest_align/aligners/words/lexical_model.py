"""A small log-linear model that computes the link probability of every pair of words."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING

import numpy as np

from forest_align.aligners.words.lexical_features import (
    CONTEXT_FEATURES,
    LEXICAL_FEATURES,
    VECTOR_FEATURES,
    context_features,
)
from forest_align.types import ModelError

if TYPE_CHECKING:
    from collections.abc import Mapping

COEFFICIENTS_FILE = "candidates.json"

#: Features of each model: those of the encoder must not depend on the words.
MODEL_FEATURES = {
    "dictionary": LEXICAL_FEATURES,
    "encoder": (
        "content with function word",
        "two function words",
        "punctuation with word",
        "two punctuation marks",
        "distance",
        *VECTOR_FEATURES,
    ),
    "union": LEXICAL_FEATURES + VECTOR_FEATURES,
}
ALL_FEATURES = LEXICAL_FEATURES + VECTOR_FEATURES
#: Reasons why a group of words may correspond; the last feature is the mean estimate of its word pairs.
GROUP_FEATURES = ("bias", "block", "acronym", "collocation", "joined", "ppdb", "estimate")


@dataclass(frozen=True, slots=True, eq=False)
class LexicalModel:
    """Two logistic steps: an estimate of each link alone, then one that uses the estimates of all others.

    Attributes
    ----------
    first : numpy.ndarray
        float32 ``[F + 1]``: weights of the features and a bias.
    second : numpy.ndarray
        float32 ``[C + F + 1]``: weights of the context features, the features, and a bias.
    rows : numpy.ndarray
        int64 ``[F]``: the rows of the feature array that the model uses.
    groups : numpy.ndarray
        float64 ``[G]``: weights of :data:`GROUP_FEATURES`.
    """

    first: np.ndarray
    second: np.ndarray
    rows: np.ndarray
    groups: np.ndarray

    @classmethod
    def bundled(cls, name: str) -> LexicalModel:
        """The model of a provider, from the file that ``em/lexical/training.py`` made.

        Raises
        ------
        ModelError
            If the file lacks this model or a weight.
        """
        content = (resources.files("forest_align.data") / "resources" / COEFFICIENTS_FILE).read_bytes()
        return cls.from_weights(name, json.loads(content))

    @classmethod
    def from_weights(
        cls, name: str, weights: Mapping[str, Mapping[str, Mapping[str, float]]]
    ) -> LexicalModel:
        """Build the model of a provider from weights by model, step and feature name."""
        names = MODEL_FEATURES[name]
        try:
            steps = weights[name]
            first = [steps["first"][feature] for feature in (*names, "bias")]
            second = [steps["second"][feature] for feature in (*CONTEXT_FEATURES, *names, "bias")]
            groups = [steps["groups"][feature] for feature in GROUP_FEATURES]
        except KeyError as error:
            raise ModelError(f"{COEFFICIENTS_FILE} has no {error} for {name!r}") from error
        return cls(
            np.array(first, dtype=np.float32),
            np.array(second, dtype=np.float32),
            np.array([ALL_FEATURES.index(feature) for feature in names]),
            np.array(groups, dtype=np.float64),
        )

    @property
    def uses_vectors(self) -> bool:
        """Whether the model needs the vector features."""
        return bool((self.rows >= len(LEXICAL_FEATURES)).any())

    def link_logits(self, features: np.ndarray) -> np.ndarray:
        """Log-odds of each link, float32 ``[S, T]``, from the feature array ``[F, S, T]``."""
        features = features if len(self.rows) == len(features) else features[self.rows]
        estimate = np.tensordot(self.first[:-1], features, 1) + self.first[-1]
        known = len(CONTEXT_FEATURES)
        refined = np.tensordot(self.second[known:-1], features, 1) + self.second[-1]
        return refined + np.tensordot(self.second[:known], context_features(estimate), 1)

    def group_logit(self, kind: str, estimate: float) -> float:
        """Log-odds that all words of a group are linked, from its kind and its mean estimate (log-odds)."""
        bias, own, slope = self.groups[0], self.groups[GROUP_FEATURES.index(kind)], self.groups[-1]
        return float(bias + own + slope * estimate)


def probability(logits: np.ndarray) -> np.ndarray:
    """Probabilities of log-odds, strictly between 0 and 1."""
    return 1 / (1 + np.exp(-np.clip(logits, -12, 12)))
