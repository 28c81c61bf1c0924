"""The link model as a whole against a plain computation of all its passes, and what it refuses to read."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import load_file, save_file

from forest_align.aligners.canonical_order import is_after
from forest_align.aligners.contextual.features import (
    BASE_FEATURES,
    CONTEXT_FEATURES,
    DIRECTION_FEATURES,
    LINK_CLASSES,
    word_features,
)
from forest_align.aligners.contextual.messages import MessageNetwork
from forest_align.aligners.contextual.model import HOPELESS, IDENTICAL, UNLIKELY, LinkModel, _have_same_words
from forest_align.cext import contextual as kernel
from forest_align.lexicon.evidence import lexical_evidence
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.types import ModelError, Sentence

from ...cext.reference import contextual_reference as reference

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
    mean, projection = normal(SIZE, scale=1), normal(SIZE, PROJECTED, scale=1)
    directions = normal(SIZE, len(DIRECTION_FEATURES), scale=1)
    return LinkModel(mean, projection, directions, first, second, third, 0.4)


def sentence(words: list[str], seed: int) -> Sentence:
    vectors = np.random.default_rng(seed).normal(size=(len(words), SIZE))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return replace(Sentence.from_words(words), vectors=vectors.astype(np.float32))


def plain_probabilities(
    model: LinkModel, source: Sentence, target: Sentence, evidence: np.ndarray
) -> np.ndarray:
    """What the last pass says, by the plain twin of the kernel."""
    vectors, projected, words = [], [], []
    for side in (source, target):
        assert side.vectors is not None
        moved = (side.vectors.astype(float) - model.mean) @ model.projection
        vectors.append(side.vectors.astype(float))
        projected.append(moved / np.linalg.norm(moved, axis=1, keepdims=True))
        words.append([token.text for token in side.tokens])
    kinds = [np.array([kind_of(word) for word in side]) for side in words]
    capital = [np.array([word[0].isupper() for word in side]) for side in words]
    letters = [np.array([ord(x) for word in side for x in word.lower()]) for side in words]
    ends = [np.cumsum([len(word) for word in side]) for side in words]
    inputs = (
        *(vectors[0] @ vectors[1].T, projected[0] @ projected[1].T, evidence, *kinds, *capital),
        *(letters[0], ends[0], letters[1], ends[1]),
    )
    base, classes = reference.base_features(*inputs)
    probability = reference.first_probabilities(base, classes, model.first).reshape(evidence.shape)
    names = capital[0][:, None] & capital[1][None]
    rows, columns = np.divmod(np.arange(evidence.size), len(target))
    words_themselves = (vectors[0][rows] + vectors[1][columns]) @ model.directions
    for network, least in ((model.second, HOPELESS), (model.third, UNLIKELY)):
        cells = np.flatnonzero(probability >= least)
        context = reference.context_features(probability, names, evidence, *kinds, cells)
        features = np.concatenate([base[cells], words_themselves[cells], context], 1)
        weights = [getattr(network, name) for name in ("send", "send_bias", "own", "receive", "receive_bias")]
        probability, _ = reference.message_pass(
            *(probability, cells, classes[cells], features @ network.hidden, network.hidden_bias, *kinds),
            *(*weights, network.output),
        )
    return probability


def kind_of(word: str) -> int:
    """0 content word, 1 function word, 2 punctuation, of the words here."""
    return 2 if word in ",.?" else 1 if word in ("the", "of") else 0


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    st.integers(0, 20),
    *(st.builds(sentence, st.lists(st.sampled_from(WORDS[:-1]), min_size=1, max_size=9), st.integers(0, 5)),)
    * 2,
)
def test_all_passes_together_are_those_of_the_plain_computation(
    seed: int, source: Sentence, target: Sentence
) -> None:
    model = random_model(seed)
    evidence = lexical_evidence(source, target, load_lexicon()).astype(np.int32)
    found = model.link_probabilities(source, target, evidence)
    swapped = is_after(source, target)
    order = (target, source, evidence.T) if swapped else (source, target, evidence)
    expected = plain_probabilities(model, *order)
    if _have_same_words(source, target):
        expected = np.eye(len(source)) * IDENTICAL
    np.testing.assert_allclose(found, expected.T if swapped else expected, atol=2e-4)


def test_the_plain_computation_has_cells_that_each_pass_leaves_alone() -> None:
    counts = []
    for seed in range(20):
        model, source, target = random_model(seed), sentence(WORDS[:8], 1), sentence(WORDS[4:-1], 2)
        evidence = lexical_evidence(source, target, load_lexicon()).astype(np.int32)
        second, third = model._later_passes(*model.prepare(source, target), evidence)
        counts.append(
            (evidence.size - len(second.cells), len(second.cells) - len(third.cells), len(third.cells))
        )
    assert (np.sum(counts, 0) > 50).all()


def test_every_word_of_a_sentence_is_linked_to_itself_in_the_same_sentence() -> None:
    """Equal words stood in each other's way: of *No, no, no!* only the last *no* was linked."""
    model = random_model(0)
    for words in (["no", ",", "no", ",", "no", "!"], ["the"] * 9, ["cat"]):
        one, other = sentence(words, 1), sentence([word.title() for word in words], 2)
        evidence = lexical_evidence(one, other, load_lexicon()).astype(np.int32)
        for pair in ((one, one), (one, other), (other, one)):
            found = model.link_probabilities(*pair, evidence)
            assert found.dtype == np.float32
            assert found.tolist() == (np.eye(len(words), dtype=np.float32) * np.float32(IDENTICAL)).tolist()
    longer = sentence(["no", "no"], 1)
    evidence = lexical_evidence(sentence(["no"], 1), longer, load_lexicon()).astype(np.int32)
    assert model.link_probabilities(sentence(["no"], 1), longer, evidence).shape == (1, 2)


def test_what_a_sentence_is_to_the_model_is_told_word_by_word() -> None:
    kinds, capital, letters, ends = word_features(
        Sentence.from_words(["The", "NASA", "eBay", "...", "I\u0307x"])
    )
    assert kinds.tolist() == [1, 0, 0, 2, 0]
    assert capital.tolist() == [1, 1, 0, 0, 1]
    assert ends.tolist() == [3, 7, 11, 14, 17]
    assert "".join(map(chr, letters)) == "thenasaebay...i\u0307x"
    assert all(len(part) == 0 for part in word_features(Sentence(())))


@pytest.mark.parametrize("threshold", [True, -0.1, 1.5, "0.5", None, float("nan")])
def test_a_model_whose_threshold_is_no_probability_is_refused(tmp_path: Path, threshold: Any) -> None:
    random_model(0).save(tmp_path)
    assert LinkModel.load(tmp_path).threshold == 0.4
    card = json.loads((tmp_path / "model.json").read_text())
    (tmp_path / "model.json").write_text(json.dumps({**card, "threshold": threshold}))
    with pytest.raises(ModelError, match=r"model\.json' is damaged: field 'threshold'"):
        LinkModel.load(tmp_path)


@pytest.mark.parametrize(
    ("name", "cut"),
    [
        ("mean", np.s_[1:]),
        ("projection", np.s_[1:]),
        ("directions", np.s_[:, 1:]),
        ("first", np.s_[:, 1:]),
        ("first", np.s_[1:]),
        ("second_hidden", np.s_[1:]),
        ("second_hidden", np.s_[:, 1:]),
        ("second_hidden_bias", np.s_[:, 1:]),
        ("third_hidden", np.s_[:, 1:]),
        ("third_send", np.s_[:1]),
        ("third_own", np.s_[:, 1:]),
        ("third_receive", np.s_[:, 1:]),
        ("third_receive_bias", np.s_[:, 1:]),
    ],
)
def test_a_model_with_weights_of_another_shape_is_refused(tmp_path: Path, name: str, cut: Any) -> None:
    random_model(0).save(tmp_path)
    arrays = load_file(tmp_path / "model.safetensors")
    save_file({**arrays, name: arrays[name][cut].copy()}, tmp_path / "model.safetensors")
    with pytest.raises(ModelError, match="expected"):
        LinkModel.load(tmp_path)
    save_file({**arrays, name: arrays[name] * np.float16("nan")}, tmp_path / "model.safetensors")
    with pytest.raises(ModelError, match=f"expected weights {name} that are finite"):
        LinkModel.load(tmp_path)


@pytest.mark.parametrize("name", ["second", "third"])
def test_a_network_whose_units_and_outputs_are_not_as_many_is_refused(tmp_path: Path, name: str) -> None:
    random_model(0).save(tmp_path)
    arrays = load_file(tmp_path / "model.safetensors")
    fewer = {key: arrays[key][:, 1:].copy() for key in (f"{name}_hidden", f"{name}_hidden_bias")}
    save_file(arrays | fewer, tmp_path / "model.safetensors")
    with pytest.raises(ModelError, match="expected an output for each hidden unit but the last"):
        LinkModel.load(tmp_path)
