"""Link models with random weights, and sentences with random word vectors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from forest_align.aligners.contextual.features import (
    BASE_FEATURES,
    CONTEXT_FEATURES,
    DIRECTION_FEATURES,
    LINK_CLASSES,
)
from forest_align.aligners.contextual.model import LinkModel
from forest_align.aligners.contextual.passes import MessageNetwork
from forest_align.cext import contextual as kernel
from forest_align.types import Sentence

SIZE, PROJECTED = 6, 4
WORDS = "the of cat cats DOG dog big Large NASA New York , . ? 7 it's".split()  # noqa: SIM905


def random_model(seed: int) -> LinkModel:
    """A model whose passes all leave some cells alone and score others."""
    rng = np.random.default_rng(seed)

    def normal(*shape: int, scale: float = 0.15) -> np.ndarray:
        return rng.normal(size=shape).astype(np.float32) * np.float32(scale)

    base, classes = len(BASE_FEATURES), len(LINK_CLASSES)
    features = base + len(DIRECTION_FEATURES) + len(CONTEXT_FEATURES)
    first = normal(classes, base + 1, scale=0.5)
    first[:, -1] -= 2
    second = MessageNetwork.without_rounds(normal(features, 5), normal(classes, 5, scale=2), normal(4))
    third = MessageNetwork(
        normal(features, 7),
        normal(classes, 7, scale=1),
        *(normal(2, 6, 3), normal(2, 3), normal(2, 6, 6)),
        *(normal(2, kernel.MESSAGE_SLOTS, 3, 6), normal(2, 6), normal(6)),
    )
    mean, directions = normal(SIZE, scale=1), normal(SIZE, len(DIRECTION_FEATURES), scale=1)
    projection = normal(SIZE, PROJECTED, scale=1).astype(np.float16).astype(np.float32)  # as in a file
    return LinkModel(mean, projection, directions, first, second, third, 0.4, {"trained on": ["nothing"]})


def sentence(words: list[str], seed: int = 0) -> Sentence:
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(len(words), SIZE))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    tags = rng.choice(["DT", "NN", "NNP", "VBD", "IN", "CC"], len(words)).tolist()
    return replace(Sentence.from_words(words, tags), vectors=vectors.astype(np.float32))
