"""Random sentence pairs with word vectors, and models of random weights, for tests of phrases."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise

import numpy as np

from forest_align.aligners.phrases.features import FEATURES
from forest_align.aligners.phrases.model import PhraseModel, RectifierNetwork
from forest_align.aligners.words.candidate import Candidate
from forest_align.types import Sentence

from ..random_sentences import random_pair


def pair_with_vectors(seed: int) -> tuple[Sentence, Sentence, tuple[Candidate, ...]]:
    """See :func:`.random_pair`; every word has a random vector."""
    source, target, candidates = random_pair(random.Random(seed))
    rng = np.random.default_rng(seed)
    sides = (
        replace(side, vectors=rng.normal(size=(len(side), 6)).astype(np.float32)) for side in (source, target)
    )
    return *sides, candidates  # type: ignore[return-value]


def random_network(seed: int, *sizes: int) -> RectifierNetwork:
    """A network whose weights were never trained, with layers of so many units."""
    rng = np.random.default_rng(seed)
    layers = tuple(
        (
            rng.normal(size=(one, two)).astype(np.float32) / np.float32(one**0.5),
            rng.normal(size=two).astype(np.float32),
        )
        for one, two in pairwise(sizes)
    )
    ones = np.ones(sizes[0], np.float32)
    return RectifierNetwork(0.3 * ones, 0.5 * ones, layers)


def random_model(seed: int = 0) -> PhraseModel:
    return PhraseModel(random_network(seed, len(FEATURES), 7, 5, 1), {"made": "by chance"})
