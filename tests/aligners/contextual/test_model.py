"""The link model: its files, what it refuses to read, and sentences with the same words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from forest_align.aligners.contextual.features import related_word_features
from forest_align.aligners.contextual.model import IDENTICAL, LinkModel
from forest_align.cext import contextual as kernel
from forest_align.lexicon.evidence import lexical_evidence
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.types import ModelError, Sentence

from ...bound_models import bind
from .link_models import random_model, sentence


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
    kinds, capital, letters, ends, related = related_word_features(
        Sentence.from_words(["The", "NASA", "eBay", "...", "I\u0307x"])
    )
    assert kinds.tolist() == [1, 0, 0, 2, 0]
    assert capital.tolist() == [1, 1, 0, 0, 1]
    assert ends.tolist() == [3, 7, 11, 14, 17]
    assert "".join(map(chr, letters)) == "thenasaebay...i\u0307x"
    assert related.shape == (5, *kernel.RELATED) and (related == -1).all()  # nothing is known without tags
    assert all(len(part) == 0 for part in related_word_features(Sentence(())))


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
    bind(tmp_path / "model.safetensors")
    with pytest.raises(ModelError, match="expected an output for each hidden unit but the last"):
        LinkModel.load(tmp_path)
