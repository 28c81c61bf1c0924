"""Beginning and resuming the training of the parser, on a parser of next to no size."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import AutoConfig, BertModel

from forest_align.data.trees.treebanks import TreebankSentence
from forest_align.em.parser import training as train_parser
from forest_align.parsing.networks.model_files import ParserConfig, read_weights, write_model
from forest_align.parsing.networks.torch_layers import collate
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
    parameters = {**train_parser.HYPER_PARAMETERS, **sizes}
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
    losses = train_parser.losses(parser, store, visits)
    sum(losses).backward()
    named = {name: weight.grad.cpu() for name, weight in training.named if weight.grad is not None}
    return [loss.item() for loss in losses], named, training


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


def test_what_has_changed_since_the_checkpoint_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    saved = train_parser._made_with(options(), [SENTENCE])
    record = {"labels": LABELS, "tags": TAGS, "made_with": json.loads(json.dumps(saved))}
    same = options("--minutes", "71", "--resume", "--threads", "1", "--wsj", "elsewhere")
    found = train_parser._check_resumed(record, train_parser._made_with(same, [SENTENCE]), CONFIG)
    assert found == CONFIG and capsys.readouterr().out == ""
    longer = options("--minutes", "82", "--encoder-rate", "3e-4", "--craft-sentences", "40000")
    more = [SENTENCE, replace(SENTENCE, words=("We", "won"))]
    now = train_parser._made_with(longer, more)
    assert train_parser._check_resumed(record, now, replace(CONFIG, labels=(*LABELS, "X"))) == CONFIG
    lines = capsys.readouterr().out.splitlines()
    assert set(lines[:-2]) == {
        "changed: --craft-sentences was 20000, is 40000",
        "changed: --minutes was 71.0, is 82.0",
        "changed: --encoder-rate was 0.0002, is 0.0003",
    }
    assert lines[-2].startswith("changed: sentences was 1 (") and ", is 2 (" in lines[-2]
    assert lines[-1] == "labels that are not in the checkpoint, and are not learned: X"


def test_labels_cannot_be_made_in_another_way_in_the_middle() -> None:
    saved = train_parser._made_with(options(), [SENTENCE])
    record = {"labels": LABELS, "tags": TAGS, "made_with": saved}
    now = train_parser._made_with(options("--minutes", "71", "--rare", "2"), [SENTENCE])
    with pytest.raises(SystemExit, match="cannot resume with --rare 2: labels were made with --rare 5"):
        train_parser._check_resumed(record, now, CONFIG)


def test_training_may_begin_with_a_trained_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trained = trainer(tmp_path / "encoder")
    config = ParserConfig(LABELS, TAGS, {"d_model": 16}, LAYERS, temperature=1.5)
    write_model(tmp_path / "model", tmp_path / "encoder", trained.averaged(), config)
    more = replace(SENTENCE, tags=("PRP", "MD"))
    start = options("--minutes", "9", "--start", str(tmp_path / "model"))
    found, weights = train_parser._beginning(start, [SENTENCE, more])
    assert found == replace(config, temperature=1.0)
    assert capsys.readouterr().out == f"tags that are not in {tmp_path / 'model'}, and are not learned: MD\n"
    trained.parser.load_state_dict(weights)
    for name, value in read_weights(tmp_path / "model").items():
        np.testing.assert_array_equal(trained.parser.state_dict()[name], value)
    (tmp_path / "model" / "config.json").write_text("{}", encoding="utf-8")
    with pytest.raises(SystemExit, match="not a model of this package"):
        train_parser._beginning(start, [SENTENCE])


def test_training_begins_with_copied_layers_and_the_best_map_to_what_they_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parser = trainer(tmp_path / "encoder").parser
    whole = BertModel(AutoConfig.from_pretrained(tmp_path / "encoder"), add_pooling_layer=False).eval()
    monkeypatch.setattr(train_parser, "encoder_weights", lambda folder: whole.state_dict())
    words = ["they", "won", "cat", "bark", "the", "a", "x"]
    sentences = [
        TreebankSentence((words[k % 7], words[k % 5], words[k % 3]), ("NN",) * 3, ()) for k in range(40)
    ]
    store = train_parser.ExampleStore(sentences, LABELS, TAGS, WordVectors(tmp_path / "encoder"))
    train_parser._begin_with_encoder(parser, tmp_path / "encoder", store)
    upper = parser.pretrained_model.encoder.layer
    assert len(upper) == LAYERS["num_hidden_layers"] == len(whole.encoder.layer) - 1
    for number, layer in enumerate(upper, start=1):
        for name, weight in whole.encoder.layer[number].state_dict().items():
            assert torch.equal(layer.state_dict()[name], weight)
    states, targets = [], []
    with torch.inference_mode():
        for key in ((number, "") for number in range(40)):
            subwords = collate([store.get(key).encoded]).subwords
            states.append(torch.from_numpy(store.states(key)).float())
            targets.append(whole(subwords, output_hidden_states=True).hidden_states[1][0])
    read, target = torch.cat(states), torch.cat(targets)
    weight, bias = parser.input.weight.detach(), parser.input.bias.detach()

    def error(change: float = 0.0) -> float:
        """Squared errors of the map and its penalty, with every number of the map moved by chance."""
        moved = weight + change * torch.randn_like(weight), bias + change * torch.randn_like(bias)
        penalty = sum(part.square().sum() for part in moved)
        of_rows = (torch.nn.functional.linear(read, *moved) - target).square().sum()
        return float(of_rows + train_parser.RIDGE * penalty)

    torch.manual_seed(1)
    assert error() < 0.7 * float(target.square().sum())
    assert all(error(0.02) > error() for _ in range(20))
