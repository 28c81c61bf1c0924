"""Features of chunk pairs, by hand and under a swap of the sentences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_align.aligners.chunks.chunk_features import CHUNK_FEATURES, chunk_features, swapped_features
from forest_align.aligners.contextual.features import DIRECTIONS
from forest_align.lexicon.lexicon import Evidence
from forest_align.types import Sentence, Token


def sentence(text: str, seed: int) -> Sentence:
    """Words with their tags, as ``the/DT dog/NN``, and random unit vectors."""
    pairs = [word.split("/") for word in text.split()]
    vectors = np.random.default_rng(seed).normal(size=(len(pairs), 8))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return Sentence(tuple(Token(word, tag=tag) for word, tag in pairs), vectors=vectors.astype(np.float32))


SOURCE = sentence("the/DT red/JJ dog/NN in/IN the/DT park/NN barked/VBD", 1)
TARGET = sentence("a/DT dog/NN ran/VBD in/IN a/DT garden/NN", 2)
DIRECTED = np.random.default_rng(3).normal(size=(8, DIRECTIONS)).astype(np.float32)
CHUNKS = [(0, 3), (3, 6), (6, 7)], [(0, 2), (2, 3), (3, 6)]


def features(probability: np.ndarray, evidence: np.ndarray | None = None) -> dict[str, np.ndarray]:
    nothing = np.zeros((7, 6), np.int32)
    found = chunk_features(
        SOURCE, TARGET, CHUNKS, probability, nothing if evidence is None else evidence, DIRECTED
    )
    assert found.shape == (3, 3, len(CHUNK_FEATURES))
    return {name: found[..., k] for k, name in enumerate(CHUNK_FEATURES)}


def test_coverage_is_the_mean_best_link_of_content_words() -> None:
    probability = np.zeros((7, 6), np.float32)
    probability[2, 1], probability[1, 1], probability[0, 0] = 0.8, 0.2, 0.9
    found = features(probability)
    # "red" and "dog" are the content words of the first chunk, "dog" is that of the other.
    assert found["source covered by links"][0].tolist() == pytest.approx([0.5, 0, 0])
    assert found["target covered by links"][0, 0] == pytest.approx(0.8)
    assert found["source covered by links of all words"][0, 0] == pytest.approx((0.9 + 0.2 + 0.8) / 3)
    assert found["source words without link"][0, 0] == pytest.approx(1)  # half of two words
    assert found["source linked elsewhere"][0].tolist() == pytest.approx([0, 0.5, 0.5])
    assert found["source coverage above rivals"][0].tolist() == pytest.approx([0.5, -0.5, -0.5])
    assert found["link of heads"][0, 0] == pytest.approx(0.8)
    assert found["chunks before covered"][1, 1] == pytest.approx(0.5 + 0.8)


def test_evidence_and_kinds_of_chunks() -> None:
    evidence = np.zeros((7, 6), np.int32)
    evidence[2, 1], evidence[5, 5] = int(Evidence.LEMMA), int(Evidence.SYNONYM)
    found = features(np.zeros((7, 6), np.float32), evidence)
    assert (found["same head"][0, 0], found["same head"][1, 2]) == (1, 0)
    assert found["target covered by related words"][1, 2] == 1
    assert found["source is preposition"][:, 0].tolist() == [0, 1, 0]
    assert found["target is verb"][0].tolist() == [0, 1, 0]
    assert found["same kind"].tolist() == [[1, 0, 0], [0, 0, 1], [0, 1, 0]]


def test_vectors_are_compared_along_the_directions() -> None:
    found = features(np.zeros((7, 6), np.float32))
    ours, theirs = (side.vectors[[2, 1][k]] @ DIRECTED[:, 4] for k, side in enumerate((SOURCE, TARGET)))
    assert found["product of heads along direction 5"][0, 0] == pytest.approx(ours * theirs, abs=1e-5)
    mean = SOURCE.vectors[[1, 2]].mean(axis=0) @ DIRECTED[:, 4]
    assert found["difference of means along direction 5"][0, 0] == pytest.approx(abs(mean - theirs), abs=1e-5)


@given(st.integers(0, 1000))
def test_swapped_sentences_have_swapped_features(seed: int) -> None:
    generator = np.random.default_rng(seed)
    probability = generator.random((7, 6)).astype(np.float32)
    evidence = generator.integers(0, 1 << 22, (7, 6), np.int32)
    there = chunk_features(SOURCE, TARGET, CHUNKS, probability, evidence, DIRECTED)
    back = chunk_features(TARGET, SOURCE, CHUNKS[::-1], probability.T, evidence.T, DIRECTED)
    np.testing.assert_allclose(swapped_features(back).transpose(1, 0, 2), there, atol=1e-6)
    np.testing.assert_array_equal(swapped_features(swapped_features(there)), there)
