"""Going on with the training of the parser, on a parser of next to no size."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from forest_align.data.trees.treebanks import TreebankSentence
from forest_align.em.parser import _beginning as beginning
from forest_align.em.parser import training as train_parser
from forest_align.parsing.networks.model_files import ParserConfig
from forest_align.parsing.networks.vector_network import WordVectors

from ...tiny_encoder import STATES, write_encoders
from .lazy_device import lazy_device

SENTENCE = TreebankSentence(("They", "won"), ("PRP", "VBD"), ((0, 1, "S"), (0, 0, "NP"), (1, 1, "VP")))
LABELS, TAGS = ("", "NP", "S", "VP"), ("UNK", "PRP", "VBD")
LAYERS = {
    "model_type": "bert",
    "hidden_act": "gelu",
    "hidden_size": 16,
    "intermediate_size": 8,
    "num_attention_heads": 2,
    "num_hidden_layers": 3,
    "layer_norm_eps": 1e-12,
}
CONFIG = ParserConfig(LABELS, TAGS, {}, LAYERS)
FOLDERS = ["--wsj", "w", "--gum", "g", "--craft", "c", "--masc", "m", "--encoder", "e", "--work", "k"]


def options(*more: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    train_parser.add_arguments(parser)
    return parser.parse_args([*FOLDERS, *(more or ("--minutes", "71"))])


def trainer(encoder: Path, width: int = 16, device: str = "cpu") -> Any:
    """A trainer of an untrained parser with the upper three layers of an encoder of four."""
    torch.manual_seed(0)
    if not encoder.exists():
        sizes = {name: value for name, value in LAYERS.items() if isinstance(value, int)}
        write_encoders(encoder, **{**sizes, "num_hidden_layers": 4})
    sizes = {"d_model": width, "num_layers": 1, "num_heads": 2, "d_kv": 4, "d_ff": 8}
    sizes |= {"d_label_hidden": 8, "d_tag_hidden": 8}
    numbers = [{name: place for place, name in enumerate(names)} for names in (TAGS, LABELS)]
    parameters = {**beginning.HYPER_PARAMETERS, **sizes}
    parser = train_parser.SpanParser(*numbers, parameters, encoder, LAYERS["num_hidden_layers"], STATES)
    return train_parser.Trainer(parser.to(device), train_parser.ParserSettings(steps=10))


def test_a_trainer_goes_on_where_its_checkpoint_stopped(tmp_path: Path) -> None:
    first, again = (trainer(tmp_path / "encoder") for _ in range(2))
    first.take_step(sum(weight.square().sum() for _, weight in first.named))
    first.save(tmp_path, {"--seed": 1})
    again.load(tmp_path)
    assert (again.step, again.batch_in_epoch) == (1, 1)
    for name, value in first.parser.state_dict().items():
        assert torch.equal(value, again.parser.state_dict()[name])
    assert train_parser.saved_record(tmp_path)["made_with"] == {"--seed": 1}


def test_a_checkpoint_of_another_shape_or_none_at_all_is_refused(tmp_path: Path) -> None:
    trainer(tmp_path / "encoder").save(tmp_path, {})
    with pytest.raises(SystemExit, match="cannot resume: the weights are not those of this parser"):
        trainer(tmp_path / "encoder", width=32).load(tmp_path)
    (tmp_path / "checkpoint.safetensors").write_text("precious notes", encoding="utf-8")
    with pytest.raises(SystemExit, match="expected a file of arrays written by forest-align"):
        train_parser.saved_record(tmp_path)


@pytest.fixture
def other_device(monkeypatch: pytest.MonkeyPatch) -> str:
    return lazy_device(monkeypatch)


def gradients(encoder: Path, device: str) -> tuple[list[float], dict[str, torch.Tensor], Any]:
    """Losses of two sentences, their gradients, and the trainer."""
    training = trainer(encoder, device=device)
    parser = training.parser.eval()  # no dropout: devices draw other random numbers
    longer = replace(SENTENCE, words=("They", "won", "."), tags=("PRP", "VBD", "XX"))
    store = train_parser.ExampleStore([SENTENCE, longer], LABELS, TAGS, WordVectors(encoder))
    visits = [train_parser.Visit((0, ""), "lower"), train_parser.Visit((1, ""), "")]
    found = train_parser.losses(parser, store, visits)
    sum(found).backward()
    named = {name: weight.grad.cpu() for name, weight in training.named if weight.grad is not None}
    return [loss.item() for loss in found], named, training


def test_training_is_the_same_on_another_device(
    tmp_path: Path, other_device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The other device has no half precision, so that neither has any here.
    monkeypatch.setattr(torch.amp, "is_autocast_available", lambda kind: False)
    monkeypatch.setattr(torch.cpu, "get_capabilities", dict)
    expected, here, _ = gradients(tmp_path / "encoder", "cpu")
    found, there, training = gradients(tmp_path / "encoder", other_device)
    assert found == pytest.approx(expected, rel=1e-4)
    assert set(there) == set(here) and len(here) > 20
    for name, value in here.items():
        torch.testing.assert_close(there[name], value, rtol=1e-3, atol=1e-5)
    # What is saved there can be gone on with here, and there again; what is exported lies in main memory.
    training.take_step(sum(weight.square().sum() for _, weight in training.named))
    training.save(tmp_path, {})
    for device in ("cpu", other_device):
        again = trainer(tmp_path / "encoder", device=device)
        again.load(tmp_path)
        assert {value.device.type for value in again.averaged().values()} == {"cpu"}
        assert {value.device.type for value in again.average.values()} == {device}
        again.take_step(sum(weight.square().sum() for _, weight in again.named))
        assert again.step == 2


def test_a_parser_on_another_device_gives_scores_in_main_memory(tmp_path: Path, other_device: str) -> None:
    found = []
    for device in ("cpu", other_device):
        parser = trainer(tmp_path / "encoder", device=device).parser.eval()
        store = train_parser.ExampleStore([], LABELS, TAGS, WordVectors(tmp_path / "encoder"))
        found.append(train_parser.OnStates(parser, store)([store.encode(SENTENCE.words)]))
    for here, there in zip(*found, strict=True):
        np.testing.assert_allclose(there, here, rtol=1e-4, atol=1e-5)
