"""The span parser: its fast forward pass, its loss, its files, and input of every kind."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from benepar.parse_chart import ChartParser
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file
from transformers import BertTokenizerFast

from forest_align.cext import chart
from forest_align.em.parser._examples import ExampleStore
from forest_align.em.parser._span_parser import OnStates, SpanParser, log_partition
from forest_align.em.parser.training import HYPER_PARAMETERS
from forest_align.parsing.forests.decoding import SpanScores
from forest_align.parsing.networks import span_network
from forest_align.parsing.networks.devices import EXACT, Device, find_device
from forest_align.parsing.networks.encoder_batches import (
    CASE_CLASSES,
    case_class,
    join_rows,
    length_batches,
)
from forest_align.parsing.networks.encoder_scorer import EncoderScorer
from forest_align.parsing.networks.model_files import (
    ENCODER_FILES,
    WEIGHTS,
    ParserConfig,
    check_weights,
    network_sizes,
    parser_config,
    read_config,
    read_weights,
    write_model,
)
from forest_align.parsing.networks.span_network import SpanNetwork, score_spans, span_index
from forest_align.parsing.networks.torch_layers import EncoderBatch, collate, padded
from forest_align.parsing.networks.vector_network import WordVectors
from forest_align.parsing.parser_loading import MODELS, load_span_parser
from forest_align.types import InputError, ModelError

from ...tiny_encoder import POSITIONS, STATES, write_encoders
from .test_training import LAYERS as SMALL_LAYERS

LABELS = ("", "NP", "S", "S::VP")
TAGS = ("UNK", "NN", "VB", ".")
_SIZES = {"d_model": 16, "num_layers": 1, "num_heads": 2, "d_kv": 8, "d_ff": 16, "encoder_max_len": 40}
HPARAMS = {**HYPER_PARAMETERS, **_SIZES, "d_label_hidden": 12, "d_tag_hidden": 12}
LAYERS: dict[str, Any] = {**SMALL_LAYERS, "intermediate_size": 32, "num_hidden_layers": 2}
SENTENCES = [["The", "cat", "sat", "."], ["Go"], ["a", "b", "don't", "(", "COVID-19", ")"]]


@pytest.fixture(scope="module")
def encoder_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A frozen encoder, a three-layer BERT of whose layers two are used, and a tokenizer."""
    sizes = {name: value for name, value in LAYERS.items() if isinstance(value, int)}
    return write_encoders(
        tmp_path_factory.mktemp("encoder"), **{**sizes, "num_hidden_layers": 3, "max_position_embeddings": 40}
    )


def numbered(names: Sequence[str]) -> dict[str, int]:
    return {name: index for index, name in enumerate(names)}


def tiny_parser(encoder_folder: Path) -> SpanParser:
    torch.manual_seed(3)
    parser = SpanParser(numbered(TAGS), numbered(LABELS), HPARAMS, encoder_folder, 2, STATES)
    with torch.no_grad():
        for weight in parser.parameters():
            weight.add_(0.3 * torch.randn_like(weight))
    return parser.eval()


@pytest.fixture(scope="module")
def model_folder(encoder_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "tiny"
    config = ParserConfig(LABELS, TAGS, HPARAMS, LAYERS, temperature=2.0)
    write_model(folder, encoder_folder, tiny_parser(encoder_folder).state_dict(), config)
    return folder


@pytest.fixture(scope="module")
def scorer(model_folder: Path) -> EncoderScorer:
    return EncoderScorer.read(model_folder, EXACT)


def scored(found: SpanScores | InputError) -> SpanScores:
    assert isinstance(found, SpanScores), found
    return found


# -- forward pass ------------------------------------------------------------------------------------------


def read_states(folder: Path, sentences: Sequence[Sequence[str]]) -> tuple[EncoderBatch, torch.Tensor]:
    """Sentences as the networks read them, with the states of the frozen encoder."""
    vectors = WordVectors(folder)
    encoded = [vectors.encode(words) for words in sentences]
    return collate(encoded), padded([vectors.network.states(join_rows([one])) for one in encoded])


class Upper(torch.nn.Module):
    """The layers that a parser trains, in the place of the whole encoder that benepar asks."""

    def __init__(self, parser: SpanParser, batch: EncoderBatch, states: torch.Tensor) -> None:
        super().__init__()
        self.read = parser.input(states) + parser.case_embedding(batch.cases)
        self.layers = parser.pretrained_model.encoder

    def forward(self, subwords: torch.Tensor, attention_mask: torch.Tensor) -> Any:
        hidden = self.layers(self.read, torch.where(attention_mask[:, None, None] > 0, 0.0, -1e9))
        return SimpleNamespace(last_hidden_state=hidden[0])


def test_the_forward_pass_above_the_encoder_equals_benepars(encoder_folder: Path) -> None:
    parser = tiny_parser(encoder_folder)
    batch, states = read_states(encoder_folder, SENTENCES)
    with torch.no_grad():
        fast = parser(batch, states)
        parser.pretrained_model = Upper(parser, batch, states)
        spans, tags = ChartParser.forward(
            parser,
            {
                "input_ids": batch.subwords,
                "attention_mask": batch.subword_mask.long(),
                "words_from_tokens": torch.where(batch.word_mask, batch.word_ends, -100),
                "valid_token_mask": batch.word_mask,
            },
        )
    sentence, first, last = span_index(batch.lengths)
    assert len(sentence) == sum(len(words) * (len(words) + 1) // 2 for words in SENTENCES)
    assert torch.allclose(fast.spans, spans[sentence, first, last, 1:], atol=1e-5)
    for row, words in enumerate(SENTENCES):
        assert torch.allclose(fast.tags[row, : len(words) + 2], tags[row, : len(words) + 2], atol=1e-5)


def networks(parser: SpanParser, folder: Path) -> tuple[SpanParser, SpanNetwork]:
    """A parser as benepar's module and as the network that parses, in single precision."""
    config = parser_config(folder, read_config(folder))
    sizes = network_sizes(folder, config, WordVectors(folder).network.width)
    check_weights(folder, parser.state_dict(), sizes)
    return parser, SpanNetwork(parser.state_dict(), sizes, torch.float32)


def assert_equal_scores(
    parser: SpanParser, network: SpanNetwork, batch: EncoderBatch, states: torch.Tensor
) -> None:
    with torch.inference_mode():
        expected, found = parser(batch, states), network(batch, states)
        assert torch.equal(network.tags(batch, states), found.tags)
    assert torch.allclose(found.spans, expected.spans, atol=2e-4)
    assert torch.allclose(found.tags[batch.word_mask], expected.tags[batch.word_mask], atol=2e-4)


@pytest.mark.parametrize("sentences", [SENTENCES, SENTENCES[:1]], ids=["padded", "alone"])
def test_the_network_that_parses_equals_the_one_that_is_trained(
    encoder_folder: Path, model_folder: Path, sentences: list[list[str]]
) -> None:
    parser = tiny_parser(encoder_folder)
    assert_equal_scores(*networks(parser, model_folder), *read_states(encoder_folder, sentences))


@pytest.mark.parametrize("device", [EXACT, find_device()], ids=lambda device: device.dtype)
@pytest.mark.parametrize("allowed", [20, 40])
def test_a_sentence_is_read_up_to_what_both_the_frozen_encoder_and_the_settings_allow(
    model_folder: Path, tmp_path: Path, device: Device, allowed: int
) -> None:
    folder, longest = copied(model_folder, tmp_path), min(allowed, POSITIONS) - 2
    config = json.loads((folder / "config.json").read_text())
    config["forest_align"]["hparams"]["encoder_max_len"] = allowed
    (folder / "config.json").write_text(json.dumps(config))
    weights = load_file(folder / "parser.safetensors")
    for kind in (".int8", ".scale"):
        name = f"add_timing.timing_table{kind}"
        weights[name] = weights[name][:allowed].clone()
    save_file(weights, folder / "parser.safetensors")
    long, longer = EncoderScorer.read(folder, device).score([["a"] * longest, ["a"] * (longest + 1)])
    assert len(scored(long).tags) == longest
    assert isinstance(longer, InputError) and f"({longest} subwords)" in str(longer)


def test_spans_scored_in_several_chunks_get_the_scores_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = torch.Generator().manual_seed(4)
    annotations = torch.randn(2, 72, 6, generator=generator)
    layers = torch.randn(5, 6, generator=generator), torch.randn(5, generator=generator)
    lengths = torch.tensor([70, 40])
    first_layer = partial(torch.nn.functional.linear, weight=layers[0]), layers[1]
    found = score_spans(annotations, lengths, first_layer, torch.tanh)
    assert len(found) == 70 * 71 // 2 + 40 * 41 // 2 > span_network.SPAN_CHUNK
    monkeypatch.setattr(span_network, "SPAN_CHUNK", 10**6)
    assert torch.allclose(found, score_spans(annotations, lengths, first_layer, torch.tanh), atol=1e-6)
    sentence, first, last = (column[3000] for column in span_index(lengths))
    fences = annotations[sentence, last + 1, :3] - annotations[sentence, first, :3]
    fences = torch.cat([fences, annotations[sentence, last + 2, 3:] - annotations[sentence, first + 1, 3:]])
    assert torch.allclose(found[3000], torch.tanh(layers[0] @ fences + layers[1]), atol=1e-5)


@pytest.mark.parametrize("device", [EXACT, find_device()], ids=lambda device: device.dtype)
def test_scores_come_with_the_vectors_of_the_encoder_that_the_parser_reads(
    model_folder: Path, device: Device
) -> None:
    scorer, expected = EncoderScorer.read(model_folder, device), WordVectors(model_folder, device)(SENTENCES)
    assert scorer.word_vectors is not None
    for made in ([scored(one).vectors for one in scorer.score(SENTENCES)], scorer.word_vectors(SENTENCES)):
        for found, vectors in zip(made, expected, strict=True):
            assert isinstance(found, np.ndarray) and found.shape[1] == STATES
            np.testing.assert_array_equal(found, vectors)


def test_the_parser_in_training_scores_as_the_one_that_is_exported(
    encoder_folder: Path, model_folder: Path
) -> None:
    parser = tiny_parser(encoder_folder)
    parser.load_state_dict({name: torch.from_numpy(v) for name, v in read_weights(model_folder).items()})
    store = ExampleStore([], LABELS, TAGS, WordVectors(encoder_folder, find_device()))
    config = ParserConfig(LABELS, TAGS, HPARAMS, LAYERS, temperature=2.0)
    trained = EncoderScorer(OnStates(parser, store), store.encode, config).score(SENTENCES)
    for one, other in zip(trained, EncoderScorer.read(model_folder).score(SENTENCES), strict=True):
        assert np.abs(scored(one).scores - scored(other).scores).max() < 0.2
        np.testing.assert_allclose(scored(one).vectors, scored(other).vectors, atol=1e-3)
    assert OnStates(parser, store).tags([store.encode(["a", "b"])]).shape == (2, len(TAGS))


def test_each_word_has_a_letter_case_class() -> None:
    words = ["--", "cat", "Cat", "I", "USA", "iPhone", "1,000", "3rd", "COVID-19"]
    assert list(map(case_class, words)) == list(range(len(CASE_CLASSES) - 1))


# -- loss --------------------------------------------------------------------------------------------------


@settings(max_examples=25)
@given(st.lists(st.integers(1, 9), min_size=1, max_size=4), st.integers(0, 10**6))
def test_the_batched_partition_and_its_gradient_equal_the_kernels(lengths: list[int], seed: int) -> None:
    longest = max(lengths)
    generator = torch.Generator().manual_seed(seed)
    labelled = 3 * torch.randn(len(lengths), longest, longest, dtype=torch.float64, generator=generator)
    labelled.requires_grad_()
    totals = log_partition(labelled, torch.tensor(lengths))
    totals.sum().backward()
    assert labelled.grad is not None
    for row, size in enumerate(lengths):
        total, marginals = chart.inside_outside(labelled[row, :size, :size].detach().numpy())
        assert np.isclose(totals[row].item(), total)
        assert np.allclose(labelled.grad[row, :size, :size].numpy(), marginals, atol=1e-9)


# -- scoring sentences -------------------------------------------------------------------------------------


def test_scores_have_the_promised_shape_and_the_temperature_is_divided_out(
    scorer: EncoderScorer, model_folder: Path, tmp_path: Path, encoder_folder: Path
) -> None:
    config = ParserConfig(LABELS, TAGS, HPARAMS, LAYERS, temperature=1.0)
    write_model(tmp_path / "plain", encoder_folder, read_weights(model_folder), config)
    plain = scored(EncoderScorer.read(tmp_path / "plain", EXACT).score(SENTENCES[:1])[0])
    found = scored(scorer.score(SENTENCES[:1])[0])
    assert found.scores.shape == (4, 4, len(LABELS))
    assert found.scores.dtype == np.float32
    assert found.labels == LABELS
    assert not found.scores[..., 0].any()
    assert not found.scores[np.tril_indices(4, -1)].any()
    assert set(found.tags) <= set(TAGS[1:])
    assert np.allclose(found.scores, plain.scores / 2, atol=2e-2)


@pytest.mark.parametrize("device", [EXACT, find_device()], ids=lambda device: device.dtype)
def test_a_sentence_gets_the_same_scores_alone_and_among_others(model_folder: Path, device: Device) -> None:
    exactly = device.is_integer
    scorer = EncoderScorer.read(model_folder, device)
    sentences = [["the", "cat", "b"][number % 3 :] * number for number in range(1, 9)]
    for chosen in (sentences, sentences[2:5], sentences[::-3]):
        for words, found in zip(chosen, scorer.score(chosen), strict=True):
            alone, together = scored(scorer.score([words])[0]), scored(found)
            tolerance = 0 if exactly else 1e-4
            np.testing.assert_allclose(together.scores, alone.scores, rtol=0, atol=tolerance)
            assert together.tags == alone.tags


def test_a_sentence_too_long_or_empty_gets_an_error_in_its_place(scorer: EncoderScorer) -> None:
    scores = scorer.score([["a"], ["a"] * 600, [], ["a" * 100], ["b", "a"]])
    assert [isinstance(one, InputError) for one in scores] == [False, True, True, True, False]
    assert "600 words" in str(scores[1])


ODD_WORDS = [
    "\x00",
    "\x07\x08",
    "\ud800",
    "a\udfffb",
    "🙂",
    "👩‍👩‍👧",
    "שלום",
    "\u200b",
    "\u00a0",
    "",
    "[SEP]",
]
ODD_WORDS += ["[SEP]", "[CLS]", "``", "-LRB-", "é" * 20]


def test_any_word_at_all_is_scored(scorer: EncoderScorer) -> None:
    for word, scores in zip(
        ODD_WORDS, scorer.score([["the", word, "cat"] for word in ODD_WORDS]), strict=True
    ):
        assert len(scored(scores).tags) == 3 and np.isfinite(scored(scores).scores).all(), word


@given(st.lists(st.integers(1, 50), max_size=40), st.integers(1, 100))
def test_batches_hold_each_sentence_once_within_the_budget(sizes: list[int], budget: int) -> None:
    batches = list(length_batches(sizes, budget))
    assert sorted(item for batch in batches for item in batch) == list(range(len(sizes)))
    for batch in batches:
        assert len(batch) == 1 or len(batch) * max(sizes[item] for item in batch) <= budget


# -- files -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("content", ["not JSON", "[]", "{}"])
def test_a_folder_that_is_no_model_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "config.json").write_text(content)
    with pytest.raises(ModelError, match=r"config\.json"):
        load_span_parser(tmp_path)


def copied(folder: Path, other: Path) -> Path:
    other.mkdir(exist_ok=True)
    for path in folder.iterdir():
        (other / path.name).write_bytes(path.read_bytes())
    return other


@pytest.mark.parametrize(
    ("section", "key", "value", "message"),
    [
        (None, "hidden_act", "relu", "expected 'gelu' as 'hidden_act', found 'relu'"),
        (None, "model_type", "t5", "expected 'bert' as 'model_type', found 't5'"),
        (None, "num_attention_heads", 3, "no multiple of num_attention_heads"),
        (None, "layer_norm_eps", "small", "layer_norm_eps"),
        (None, "hidden_size", 32, r"expected 'input.weight' as \(32, 24\), found \(16, 24\)"),
        (None, "num_hidden_layers", 1, "is unknown"),
        ("hparams", "num_layers", 2, "is missing"),
        ("hparams", "predict_tags", False, "expected True as 'predict_tags', found False"),
        (
            "hparams",
            "d_kv",
            "8",
            "expected a whole number above 0 and at most 2147483647 as 'd_kv', found",
        ),
        ("", "format", 1, r"config\.json.*format 1, this version reads 2"),  # an encoder of its own
    ],
)
def test_a_network_of_another_kind_or_size_is_refused(
    model_folder: Path, tmp_path: Path, section: str | None, key: str, value: Any, message: str
) -> None:
    config = json.loads((copied(model_folder, tmp_path) / "config.json").read_text())
    ours = config["forest_align"]
    place = config if section is None else ours[section] if section else ours
    place[key] = value
    (tmp_path / "config.json").write_text(json.dumps(config))
    with pytest.raises(ModelError, match=message):
        load_span_parser(tmp_path)


# -- the bundled model -------------------------------------------------------------------------------------


def test_the_bundled_network_equals_benepars_module(tmp_path: Path) -> None:
    folder = MODELS / "en"
    config = parser_config(folder, read_config(folder))
    (tmp_path / "config.json").write_text(json.dumps(config.layers))
    BertTokenizerFast(tokenizer_file=str(folder / "tokenizer.json")).save_pretrained(tmp_path)
    batch, states = read_states(folder, SENTENCES)
    layers = config.layers["num_hidden_layers"]
    numbers = numbered(config.tags), numbered(config.labels)
    parser = SpanParser(*numbers, config.hparams, tmp_path, layers, states.shape[2]).eval()
    parser.load_state_dict({n: torch.from_numpy(v) for n, v in read_weights(folder).items()})
    assert_equal_scores(*networks(parser, folder), batch, states)


def test_the_bundled_folder_is_small_and_read_by_name() -> None:
    files = [path for path in (MODELS / "en").rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 40_000_000
    assert {path.name for path in files} == {"README.md", "config.json", "tagger.json", WEIGHTS} | {
        *ENCODER_FILES,
        "tagger.safetensors",
    }
