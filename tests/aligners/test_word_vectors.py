"""Word vectors that nobody can compute with are the error of the pair that brings them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from forest_align.aligners.base import Aligner
from forest_align.aligners.contextual.aligner import ContextualAligner
from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.aligners.joint.aligner import JointAligner
from forest_align.aligners.sultan.aligner import SultanAligner
from forest_align.lexicon.evidence import word_evidence
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.types import InputError

from .joint.joint_sentences import sentence

ONE, TWO = sentence("the old man bought a car", 768), sentence("he sold a car in London", 768)
NARROW = sentence("he sold a car in London", 24)
NO_NUMBERS = [
    replace(TWO, vectors=np.where(np.arange(768) == 5, np.float32(odd), TWO.vectors))
    for odd in ("nan", "inf")
]


def forest(words: str) -> ForestAligner:
    return ForestAligner(candidates=words)


ALIGNERS = [
    pytest.param(lambda: forest("contextual"), id="forest, contextual"),
    pytest.param(ContextualAligner, id="contextual"),
    pytest.param(JointAligner.load, id="joint"),
]
SULTAN = pytest.param(SultanAligner, id="sultan")


@pytest.mark.parametrize("make", [*ALIGNERS, SULTAN])
def test_vectors_that_are_no_numbers_are_the_error_of_their_pair(make: Callable[[], Aligner]) -> None:
    bad, worse = NO_NUMBERS
    first, second, third, last = make().align_many([(ONE, bad), (bad, ONE), (worse, TWO), (ONE, TWO)])
    message = "expected word vectors of finite numbers"
    assert first.error == f"field 'target': {message}"
    assert second.error == third.error == f"field 'source': {message}"
    assert not last.error and last.words


@pytest.mark.parametrize("make", ALIGNERS)
def test_vectors_of_two_sizes_are_the_error_of_their_pair(make: Callable[[], Aligner]) -> None:
    first, second, last = make().align_many([(ONE, NARROW), (NARROW, ONE), (ONE, TWO)])
    assert all("word vectors of" in one.error and "24" in one.error for one in (first, second))
    assert not last.error and last.words


def test_evidence_asks_for_vectors_of_one_size() -> None:
    with pytest.raises(InputError, match="one size in both sentences, found 768 and 24"):
        word_evidence(ONE, NARROW, load_lexicon())


def test_an_explanation_refuses_vectors_that_are_no_numbers() -> None:
    with pytest.raises(InputError, match="'target': expected word vectors of finite numbers"):
        ContextualAligner().explain(ONE, NO_NUMBERS[0], 0, 0)
