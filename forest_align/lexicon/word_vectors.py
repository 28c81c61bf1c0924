"""Checks that word vectors, which callers may supply, can be used in computations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from forest_align.types import InputError

if TYPE_CHECKING:
    from forest_align.types import Sentence


def check_finite(source: Sentence, target: Sentence) -> None:
    """Make sure that the word vectors of two sentences, if any, are finite numbers."""
    for side, sentence in (("source", source), ("target", target)):
        if sentence.vectors is not None and not np.isfinite(sentence.vectors).all():
            raise InputError("expected word vectors of finite numbers", field=side)


def check_comparable(source: Sentence, target: Sentence) -> None:
    """Make sure that the word vectors of two sentences, if both have any, can be compared by cosine."""
    check_finite(source, target)
    if source.vectors is not None and target.vectors is not None:
        sizes = source.vectors.shape[1], target.vectors.shape[1]
        if sizes[0] != sizes[1]:
            message = f"expected word vectors of one size in both sentences, found {sizes[0]} and {sizes[1]}"
            raise InputError(message)
