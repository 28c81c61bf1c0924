"""Sentences with tags, and models of the semi-Markov aligner with random or hand-set weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from forest_align.aligners.semi_markov._path_features import TRANSITIONS
from forest_align.aligners.semi_markov.lattice import DEFAULT_OPTIONS, LatticeOptions
from forest_align.aligners.semi_markov.model import SemiMarkovModel
from forest_align.types import Sentence


def tagged(text: str) -> Sentence:
    """A sentence of ``word/TAG`` items."""
    words, tags = zip(*(item.rsplit("/", 1) for item in text.split()), strict=True)
    return Sentence.from_words(words, tags)


def random_model(
    seed: int, scale: float = 1.0, options: LatticeOptions = DEFAULT_OPTIONS, **kind: Any
) -> SemiMarkovModel:
    rng = np.random.default_rng(seed)
    shapes = options.weight_shapes
    return SemiMarkovModel(
        {name: (scale * rng.normal(size=shape)).astype(np.float32) for name, shape in shapes.items()},
        options=options,
        **kind,
    )


def simple_model(phrases: Mapping[str, float] | None = None, **transitions: float) -> SemiMarkovModel:
    """Links words that are the same and no others; ``phrases`` are weights of phrase pairs of every class."""
    shapes, lists = DEFAULT_OPTIONS.weight_shapes, DEFAULT_OPTIONS.feature_lists
    weights = {name: np.zeros(shape, dtype=np.float32) for name, shape in shapes.items()}
    weights["words"][:, 0] = -5
    for number, name in enumerate(lists["word_classes"]):
        if name.startswith("same"):
            weights["words"][number, 0] = 5
    weights["phrases"][:, 0] = -20
    for name, weight in (phrases or {}).items():
        weights["phrases"][:, lists["phrase_features"].index(name)] = weight
    for name, weight in transitions.items():
        weights["transitions"][TRANSITIONS.index(name.replace("_", " "))] = weight
    return SemiMarkovModel(weights)


PAIRS = (
    ("he/PRP died/VBD in/IN New/NNP York/NNP City/NNP ./.", "in/IN NYC/NNP he/PRP passed/VBD away/RB ./."),
    ("the/DT old/JJ man/NN bought/VBD a/DT car/NN", "the/DT old/JJ man/NN purchased/VBD the/DT car/NN"),
    ("dogs/NNS bark/VBP", "cats/NNS"),
    ("yes/UH", "yes/UH"),
    ("to/TO be/VB or/CC not/RB to/TO be/VB", "to/TO be/VB to/TO be/VB to/TO be/VB"),
)
