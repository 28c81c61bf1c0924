"""What a step of the parser's training does, and that a resumed training equals an unbroken one."""

from __future__ import annotations

import copy
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional

from forest_align.cext import chart
from forest_align.data.trees.treebanks import TreebankSentence
from forest_align.em.parser import training as script
from forest_align.em.parser._examples import Mix
from forest_align.parsing.networks.model_files import ParserConfig, read_weights
from forest_align.parsing.networks.span_network import span_index
from forest_align.parsing.networks.torch_layers import collate, padded
from forest_align.parsing.networks.vector_network import WordVectors
from forest_align.types import InputError

from .test_training import LABELS, LAYERS, SENTENCE, TAGS, options, trainer

SENTENCES = [
    SENTENCE,
    TreebankSentence(("The", "He", "bark"), ("XX", "PRP", "VBD"), ((0, 2, "S"), (0, 1, "NP"), (2, 2, "VP"))),
    TreebankSentence(("Go",), ("VBD",), ((0, 0, "S"),)),
]


def prepared(folder: Path, **settings: Any) -> Any:
    """A trainer with settings of its own."""
    made = trainer(folder / "encoder")
    return script.Trainer(made.parser, script.ParserSettings(**settings))


def squares(training: Any) -> torch.Tensor:
    """A loss that every weight has a part in."""
    return sum(weight.square().sum() for _, weight in training.named)  # type: ignore[return-value]


def test_rates_rise_and_fall_and_only_matrices_decay(tmp_path: Path) -> None:
    training = prepared(tmp_path, steps=8, warmup=4, encoder_rate=0.1, head_rate=0.2)
    names = {id(weight): name for name, weight in training.named}
    assert not any("embeddings" in name for name in names.values())
    assert {"case_embedding.weight", "pretrained_model.encoder.layer.0.output.dense.weight"} <= set(
        names.values()
    )
    for step in range(8):
        training.take_step(squares(training))
        for group in training.optimizer.param_groups:
            for weight in group["params"]:
                peak = 0.1 if names[id(weight)].startswith("pretrained_model.") else 0.2
                assert group["lr"] == pytest.approx(peak * min((step + 1) / 4, 1 - step / 8))
                assert group["weight_decay"] == (0.01 if weight.dim() > 1 else 0)
    assert sum(len(group["params"]) for group in training.optimizer.param_groups) == len(names)
    assert training.progress() == 1
    prepared(tmp_path, steps=1, warmup=0).take_step(squares(training))


def test_minutes_of_an_earlier_run_count(tmp_path: Path) -> None:
    training = prepared(tmp_path, minutes=1)
    training.seconds_before = 45
    training.save(tmp_path, {})
    again = prepared(tmp_path, minutes=1)
    assert again.progress() < 0.5
    again.load(tmp_path)
    assert again.progress() > 0.75


def test_every_fifth_step_moves_the_averages_that_are_exported(tmp_path: Path) -> None:
    training = prepared(tmp_path, steps=20, warmup=1, head_rate=0.1)
    name, weight = next(one for one in training.named if one[0] == "case_embedding.weight")
    before = weight.detach().clone()
    for step in range(1, 6):
        assert torch.equal(training.averaged()[name], before)
        training.take_step(squares(training))
        assert training.step == step
    assert not torch.equal(weight, before)
    keep = (6 / 15) ** 5  # five steps' worth of (1 + step) / (10 + step)
    torch.testing.assert_close(training.averaged()[name], keep * before + (1 - keep) * weight.detach())
    assert set(training.averaged()) == set(training.parser.state_dict())


@pytest.mark.parametrize("bad", [float("inf"), float("nan")])
def test_a_step_with_a_gradient_that_is_no_number_changes_nothing(tmp_path: Path, bad: float) -> None:
    training = prepared(tmp_path, steps=8)
    before = copy.deepcopy(training.parser.state_dict())
    assert not training.take_step(squares(training) * bad) < float("inf")
    assert training.step == 1
    for name, value in training.parser.state_dict().items():
        assert torch.equal(value, before[name])


def test_losses_are_those_of_each_sentence_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.amp, "is_autocast_available", lambda kind: False)
    monkeypatch.setattr(torch.cpu, "get_capabilities", dict)
    parser = prepared(tmp_path, steps=1).parser.eval()
    with torch.no_grad():
        for weight in parser.parameters():
            weight.add_(0.2 * torch.randn_like(weight))
    store = script.ExampleStore(SENTENCES, LABELS, TAGS, WordVectors(tmp_path / "encoder"))
    visits = [script.Visit((0, ""), "lower"), script.Visit((1, ""), "upper"), script.Visit((2, ""), "")]
    with torch.no_grad():
        losses = script.losses(parser, store, visits)
        trees, tags = 0.0, []
        for sentence, case in zip(SENTENCES, ("lower", "upper", ""), strict=True):
            words = [getattr(word, case)() if case else word for word in sentence.words]
            encoded = store.encode(words)
            batch = collate([encoded])
            scores = parser(batch, padded([store.states_of(encoded)]))
            size = len(words)
            table = np.zeros((size, size, len(LABELS)), dtype=np.float32)
            _, first, last = span_index(batch.lengths)
            table[first, last, 1:] = scores.spans.numpy()
            everything = chart.k_best(table, 10**5, True)[4]
            gold = sum(float(table[i, j, LABELS.index(label)]) for i, j, label in sentence.spans)
            trees += np.logaddexp.reduce(everything) - gold
            shares = functional.log_softmax(scores.tags[0, 1 : size + 1], -1)
            known = [(k, TAGS.index(tag)) for k, tag in enumerate(sentence.tags) if tag in TAGS]
            tags += [-shares[place, tag].item() for place, tag in known]
    expected = trees / sum(map(len, SENTENCES)), np.mean(tags)
    assert [loss.item() for loss in losses] == pytest.approx(expected, rel=1e-4)


def test_all_layers_learn(tmp_path: Path) -> None:
    training = prepared(tmp_path, steps=8, warmup=1)
    parser = training.parser
    store = script.ExampleStore(SENTENCES, LABELS, TAGS, WordVectors(tmp_path / "encoder"))
    before = copy.deepcopy(parser.state_dict())
    parser.train()
    training.take_step(sum(script.losses(parser, store, [script.Visit((1, ""), "upper")])))
    assert all(module.training for module in parser.modules())
    changed = {name for name, value in parser.state_dict().items() if not torch.equal(value, before[name])}
    upper = [f"pretrained_model.encoder.layer.{number}." for number in range(3)]
    for part in ("input.", "case_embedding.", *upper, "f_label."):
        assert any(name.startswith(part) for name in changed)
    assert set(training.averaged()) == set(before)


def run(work: Path, after_loss: Callable[[int], None] = lambda step: None) -> Any:
    """A training run of a parser of next to no size, without the treebanks and the real encoder."""
    made = object.__new__(script.TrainingRun)
    made.options = options("--steps", "8", "--budget", "25", "--report", "2", "--evaluate-every", "6")
    made.options.work, made.options.encoder = work, work / "encoder"
    made.trainer = prepared(work, steps=8, warmup=2, encoder_rate=0.01, head_rate=0.01)
    made.config = ParserConfig(LABELS, TAGS, made.trainer.parser.config["hparams"], LAYERS)
    made.mix = Mix(SENTENCES * 2, [1.0] * 6, {"toy": SENTENCES[:2]})
    made.store = script.ExampleStore(made.mix.sentences, LABELS, TAGS, WordVectors(work / "encoder"))
    made.made_with = {}

    take_step = made.trainer.take_step

    def observed(loss: torch.Tensor) -> float:
        after_loss(made.trainer.step)
        norm: float = take_step(loss)
        return norm

    made.trainer.take_step = observed
    return made


def test_a_training_that_was_interrupted_ends_with_the_weights_of_one_that_was_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(signal, "signal", lambda number, handler: handlers.append(handler))
    handlers: list[Any] = []
    folders = [tmp_path / "whole", tmp_path / "broken"]
    whole = run(folders[0])
    torch.manual_seed(7)
    whole.train()
    assert whole.trainer.step == 8 and whole.trainer.epoch > 1
    told = capsys.readouterr().out
    assert told.count("gradient") == 4 and told.count("dev toy") == 1
    broken = run(folders[1], lambda step: step == 4 and handlers[-1](2, None))
    torch.manual_seed(7)
    broken.train()
    assert broken.trainer.step == 5 and broken.trainer.batch_in_epoch > 0
    last = run(folders[1])
    torch.manual_seed(99)
    last.trainer.load(folders[1])
    last.train()
    assert last.trainer.step == 8
    trained, averaged = last.trainer.parser.state_dict(), last.trainer.averaged()
    for found, expected in (
        (trained, whole.trainer.parser.state_dict()),
        (averaged, whole.trainer.averaged()),
    ):
        for name, value in expected.items():
            torch.testing.assert_close(found[name], value, rtol=1e-4, atol=1e-6)
    exported = read_weights(folders[1] / "export")
    for name, value in averaged.items():
        # Weights that are hardly more than 0, as keys' biases, differ as those above may.
        assert np.allclose(exported[name], value, atol=float(value.abs().max()) / 127 + 1e-6), name


def test_a_checkpoint_is_never_begun_over_by_mistake(tmp_path: Path) -> None:
    prepared(tmp_path, steps=1).save(tmp_path, {})
    with pytest.raises(InputError, match="holds a checkpoint: continue with --resume"):
        script.run(options("--steps", "5", "--work", str(tmp_path)))


def test_a_checkpoint_that_is_not_whole_takes_no_other_ones_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    training = prepared(tmp_path, steps=8)
    training.save(tmp_path, {})
    before = (tmp_path / "checkpoint.safetensors").read_bytes()

    def killed(descriptor: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("os.fsync", killed)
    with pytest.raises(KeyboardInterrupt):
        training.save(tmp_path, {})
    assert (tmp_path / "checkpoint.safetensors").read_bytes() == before


def test_an_evaluation_of_the_averages_leaves_the_weights_and_dropout_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = run(tmp_path)
    made.trainer.take_step(squares(made.trainer))
    before = copy.deepcopy(made.trainer.parser.state_dict())
    assert any(not torch.equal(value, before[name]) for name, value in made.trainer.averaged().items())
    made.trainer.parser.train()
    made.evaluate()
    assert made.trainer.parser.training
    for name, value in made.trainer.parser.state_dict().items():
        assert torch.equal(value, before[name])
    assert capsys.readouterr().out.startswith("step 1 dev toy")
