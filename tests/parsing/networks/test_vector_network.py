"""Word vectors: the network against transformers' MPNet, and what any sentence gets."""

from __future__ import annotations

import importlib
import json
import shutil
from pathlib import Path
from typing import Any

import build_word_vectors
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file
from transformers import MPNetConfig, MPNetModel

from forest_align.parsing.networks.devices import EXACT
from forest_align.parsing.networks.encoder_batches import (
    WordEncoder,
    distance_buckets,
    join_rows,
    mean_vectors,
)
from forest_align.parsing.networks.stored_tables import GROUP, FourBitTable, pack_table
from forest_align.parsing.networks.vector_network import FORMAT, WordVectors
from forest_align.parsing.parser_loading import locate_parser
from forest_align.types import ModelError

LAYERS, HEADS, WIDTH, POSITIONS = 2, 4, 128, 60
SENTENCES = [
    ["The", "cat", "sat", "on", "the", "mat", "."],
    ["Unbelievably", ",", "antidisestablishmentarianism", "won", "(", "again", ")"],
    ["cat"],
    ["a"] * 40,  # further apart than the buckets of single distances
]
START, STOP, UNKNOWN = 101, 102, 100  # of BERT's vocabulary


@pytest.fixture(scope="module")
def original() -> MPNetModel:
    torch.manual_seed(0)
    config = MPNetConfig(
        vocab_size=30527,
        hidden_size=WIDTH,
        num_hidden_layers=LAYERS + 1,
        num_attention_heads=HEADS,
        intermediate_size=192,
        max_position_embeddings=POSITIONS + 2,
        relative_attention_num_buckets=32,
        initializer_range=0.2,
    )
    return MPNetModel(config, add_pooling_layer=False).eval()


@pytest.fixture(scope="module")
def folder(original: MPNetModel, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small encoder as the script writes it."""
    made = tmp_path_factory.mktemp("vectors")
    stored = build_word_vectors.stored_weights(
        {name: value.data for name, value in original.named_parameters()}, LAYERS
    )
    save_file(stored, made / "encoder.safetensors")
    config = {"format": FORMAT, "layers": LAYERS, "heads": HEADS, "distance": 128, "epsilon": 1e-12}
    (made / "encoder.json").write_text(json.dumps(config))
    shutil.copyfile(locate_parser("en") / "tokenizer.json", made / "tokenizer.json")
    return made


def as_stored(original: MPNetModel, folder: Path) -> MPNetModel:
    """transformers' model with the weights that the folder holds, rounded as they are."""
    stored = load_file(folder / "encoder.safetensors")
    rounded = dict(stored)
    for name in [name for name in stored if name.endswith(".int4")]:
        table = FourBitTable(stored[name].numpy(), stored[f"{name}.scale"].numpy())
        rounded[name.removesuffix(".int4")] = torch.from_numpy(table.whole())
    state = original.state_dict()
    for number, row in enumerate(rounded["words"]):
        known = {UNKNOWN: 3, START: 0, STOP: 2}.get(number, number + 4)
        state["embeddings.word_embeddings.weight"][known] = row
    state["embeddings.position_embeddings.weight"][2:] = rounded["positions"]
    state["encoder.relative_attention_bias.weight"].copy_(rounded["relative_attention_bias"])
    names = {"q": "self.query", "k": "self.key", "v": "self.value", "o": "output.dense"}
    for layer in range(LAYERS):
        for kind in ("weight", "bias"):
            for theirs, ours in names.items():
                place = f"encoder.layer.{layer}.attention.attn.{theirs}.{kind}"
                state[place].copy_(rounded[f"layer.{layer}.attention.{ours}.{kind}"])
            for name in ("intermediate.dense", "output.dense", "output.LayerNorm"):
                state[f"encoder.layer.{layer}.{name}.{kind}"].copy_(rounded[f"layer.{layer}.{name}.{kind}"])
            state[f"encoder.layer.{layer}.attention.LayerNorm.{kind}"].copy_(
                rounded[f"layer.{layer}.attention.output.LayerNorm.{kind}"]
            )
    original.load_state_dict(state)
    return original


def test_the_vectors_are_those_of_the_layer_in_transformers(original: MPNetModel, folder: Path) -> None:
    encode, reference = WordEncoder(folder), as_stored(original, folder)
    found = WordVectors(folder, EXACT)(SENTENCES)
    for words, vectors in zip(SENTENCES, found, strict=True):
        numbers = encode(words).subwords.tolist()
        known = [{UNKNOWN: 3, START: 0, STOP: 2}.get(number, number + 4) for number in numbers]
        with torch.inference_mode():
            states = reference(torch.tensor([known]), output_hidden_states=True).hidden_states[LAYERS][0]
        ends = encode(words).word_ends.tolist()
        for number, (before, end) in enumerate(zip([0, *ends], ends, strict=False)):
            mean = states[before + 1 : end + 1].mean(0)
            np.testing.assert_allclose(vectors[number], mean / mean.norm(), atol=1e-4)


def test_a_sentence_gets_the_same_vectors_alone_and_among_others(folder: Path) -> None:
    vectors = WordVectors(folder)
    for words, found in zip(SENTENCES, vectors(SENTENCES), strict=True):
        np.testing.assert_array_equal(found, vectors([words])[0])


def test_integers_give_nearly_the_same_vectors(folder: Path) -> None:
    exact, fast = (WordVectors(folder, kind)(SENTENCES) for kind in (EXACT, None))
    for one, other in zip(exact, fast, strict=True):
        assert (one * other).sum(axis=1).min() > 0.97


@pytest.mark.parametrize("count", [0, 1, 57, 58, 59, 200])
def test_a_sentence_of_any_length_has_a_vector_for_each_word(folder: Path, count: int) -> None:
    assert WordVectors(folder)([]) == []
    (found,) = WordVectors(folder)([["cat"] * count])
    assert found.shape == (count, WIDTH) and found.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)


def test_a_sentence_that_is_too_long_is_read_in_halves(folder: Path) -> None:
    vectors = WordVectors(folder)
    words = [f"{number}" for number in range(80)]
    whole, first, second = vectors([words, words[:40], words[40:]])
    np.testing.assert_array_equal(whole, np.concatenate([first, second]))


@pytest.mark.parametrize("word", ["x" * 3000, "\ud800", "🙂", "\x00", "", "[SEP]", "-LRB-", "שלום"])
def test_any_word_at_all_has_a_vector(folder: Path, word: str) -> None:
    one, other = WordVectors(folder)([["the", word, "cat"], [word]])
    assert one.shape == (3, WIDTH) and other.shape == (1, WIDTH)
    assert np.isfinite(one).all() and np.isfinite(other).all()


def test_the_bundled_encoder_knows_which_meaning_is_meant() -> None:
    bank, river, money = WordVectors()(
        [
            ["He", "sat", "on", "the", "bank", "of", "the", "stream"],
            ["She", "swam", "to", "the", "shore", "of", "the", "river"],
            ["They", "took", "a", "loan", "from", "the", "lender"],
        ]
    )
    assert bank[4] @ river[4] > bank[4] @ money[6]
    assert WordVectors()([["cat"]])[0].shape == (1, 768)


def test_word_vectors_are_unit_means_of_subwords(folder: Path) -> None:
    batch = join_rows([WordEncoder(folder)(words) for words in SENTENCES])
    hidden = np.random.default_rng(0).normal(size=(len(batch.subwords), 5)).astype(np.float32)
    first, last = batch.starts[1] + 1, batch.word_rows[batch.word_starts[1] + 1]
    assert last > first  # it has several
    expected = hidden[first : last + 1].mean(0)
    vectors = mean_vectors(hidden, batch)
    np.testing.assert_allclose(vectors[len(SENTENCES[0])], expected / np.linalg.norm(expected), atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert len(vectors) == sum(map(len, SENTENCES))


@settings(max_examples=30)
@given(st.integers(1, 5), st.integers(1, 3), st.integers(0, 10**6), st.floats(1e-3, 1e3))
def test_a_packed_table_is_within_half_a_step_of_the_table(
    rows: int, groups: int, seed: int, scale: float
) -> None:
    table = np.random.default_rng(seed).normal(size=(rows, 2 * groups, GROUP)).astype(np.float32) * scale
    packed = FourBitTable(*pack_table(table.reshape(rows, -1)))
    steps = np.abs(table).max(2, keepdims=True) / 7
    difference = np.abs(table - packed(np.arange(rows)).reshape(table.shape))
    assert (difference <= 0.51 * steps).all()  # scales are rounded, too


def test_distances_have_the_buckets_of_transformers() -> None:
    encoder: Any = importlib.import_module("transformers.models.mpnet.modeling_mpnet").MPNetEncoder
    ahead = torch.arange(300)[None, :] - torch.arange(300)[:, None]
    expected = encoder.relative_position_bucket(ahead, num_buckets=32, max_distance=128)
    np.testing.assert_array_equal(distance_buckets(300, 32, 128), expected)


# -- files -------------------------------------------------------------------------------------------------


@pytest.fixture
def copy(folder: Path, tmp_path: Path) -> Path:
    return shutil.copytree(folder, tmp_path / "copy")


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("format", 99, "format 99"),
        ("layers", 0, "'layers', found number 0"),
        ("layers", True, "'layers', found true"),
        ("heads", None, "'heads', found null"),
        ("distance", "far", "'distance', found string .far"),
        ("epsilon", -1.0, "'epsilon', found number -1"),
        ("layers", 3, "does not fit encoder.json"),
    ],
)
def test_a_wrong_description_is_refused(copy: Path, field: str, value: Any, message: str) -> None:
    config = json.loads((copy / "encoder.json").read_text())
    (copy / "encoder.json").write_text(json.dumps(config | {field: value}))
    with pytest.raises(ModelError, match=message):
        WordVectors(copy)
