"""What is similar in Sultan's aligner where the user brings no paraphrase table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_align.aligners.sultan.aligner import SultanAligner
from forest_align.aligners.sultan.parameters import PublishedParameters
from forest_align.aligners.sultan.sentence_view import RELATION_WORTH, similar_words
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.lexicon.pair_table import PairTable
from forest_align.types import Sentence

LEXICON = load_lexicon()
ALIGNER = SultanAligner()
NEAR, FAR = PublishedParameters().cosine + 0.05, PublishedParameters().cosine - 0.05
WORDS = "the/DT of/IN cat/NN car/NN automobile/NN mice/NNS ran/VBD 7/CD seven/CD 8/CD 's/POS ./.".split()  # noqa: SIM905


def tagged(text: str, vectors: Sequence[Sequence[float]] | None = None) -> Sentence:
    """A sentence written word/TAG."""
    words, tags = zip(*(item.rsplit("/", 1) for item in text.split()), strict=True)
    plain = Sentence.from_words(words, tags)
    return Sentence(plain.tokens, vectors=None if vectors is None else np.array(vectors, dtype=np.float32))


def with_cosine(one: str, two: str, cosine: float) -> tuple[Sentence, Sentence]:
    """Two sentences of one word each, whose vectors have this cosine."""
    return tagged(one, [[1, 0]]), tagged(two, [[cosine, (1 - cosine**2) ** 0.5]])


def are_similar(one: str, two: str, cosine: float | None = None) -> bool:
    pair = (tagged(one), tagged(two)) if cosine is None else with_cosine(one, two, cosine)
    return bool(similar_words(*pair, LEXICON, PublishedParameters().cosine))


def linked(one: Sentence, two: Sentence, aligner: SultanAligner = ALIGNER) -> set[tuple[int, int]]:
    return set(aligner.align_prepared(one, two).words)


def test_synonyms_are_linked_without_a_table_and_without_vectors() -> None:
    one, two = tagged("red/JJ car/NN"), tagged("big/JJ automobile/NN")
    assert linked(one, two) == {(1, 1)}


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("create/VB", "creation/NN"),
        ("colour/NN", "color/NN"),
        ("government/NN", "govt./NN"),
        ("two/CD", "2/CD"),
    ],
)
def test_other_relations_of_the_lexicon_count_too(left: str, right: str) -> None:
    assert are_similar(left, right) and are_similar(right, left)


def test_where_the_lexicon_relates_two_words_less_likeness_is_enough_but_some_is_needed() -> None:
    assert are_similar("car/NN", "automobile/NN", FAR)
    assert not are_similar("car/NN", "automobile/NN", NEAR - 2 * RELATION_WORTH)


def test_different_numbers_are_never_similar() -> None:
    assert not are_similar("7/CD", "8/CD", 1)
    assert not are_similar("2004/CD", "120041/CD", 1)
    assert are_similar("7/CD", "seven/CD", NEAR)


def test_a_table_takes_the_place_of_lexicon_and_vectors() -> None:
    one, two = tagged("car/NN rain/NN", np.eye(2)), tagged("automobile/NN snow/NN", np.eye(2))
    assert linked(one, two) == {(0, 0), (1, 1)}
    table = PairTable([("rain", "snow")])
    assert linked(one, two, SultanAligner(ppdb=table)) == {(1, 1)}


@st.composite
def sentences(draw: st.DrawFn) -> Sentence:
    words = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=8))
    vectors = np.random.default_rng(draw(st.integers(0, 5))).normal(size=(len(words), 2))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return tagged(" ".join(words), vectors.tolist() if draw(st.booleans()) else None)


@given(sentences(), sentences())
def test_links_of_swapped_sentences_are_the_transpose(one: Sentence, two: Sentence) -> None:
    assert linked(one, two) == {(i, j) for j, i in linked(two, one)}


@given(sentences(), st.integers(0, 5))
def test_so_are_those_of_the_same_words_with_other_vectors(one: Sentence, seed: int) -> None:
    vectors = np.random.default_rng(seed).normal(size=(len(one), 2))
    two = Sentence(one.tokens, vectors=(vectors / np.linalg.norm(vectors, axis=1, keepdims=True)))
    only_text = PublishedParameters(modules=frozenset({"text"}))
    for aligner in (ALIGNER, SultanAligner(only_text)):
        assert linked(one, two, aligner) == {(i, j) for j, i in linked(two, one, aligner)}
