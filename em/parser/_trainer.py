"""The training state of the parser: weights, averages, optimiser, schedule, losses, and their checkpoint."""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from torch import nn

from forest_align.em.parser._examples import ExampleStore, Visit, with_case
from forest_align.em.parser._span_parser import SpanParser, negative_log_likelihood
from forest_align.parsing.networks.span_network import span_index
from forest_align.parsing.networks.torch_layers import collate, padded
from forest_align.storage.checkpoint import Checkpoint
from forest_align.types import InputError

_ENCODER_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
# Capabilities of processors that multiply bfloat16 natively.
_HALF_PRECISION = ("amx_bf16", "avx512_bf16")
_AVERAGED_EVERY = 5  # steps


@dataclass(frozen=True)
class ParserSettings:
    """How to train; exactly one of ``steps`` and ``minutes`` is positive and ends the training."""

    steps: int = 0
    minutes: float = 0.0
    encoder_rate: float = 2e-4
    head_rate: float = 1e-3
    warmup: int = 300
    clip: float = 1.0
    average: float = 0.999
    span_weight: float = 20.0
    tag_weight: float = 5.0


def encoder_weights(folder: Path) -> dict[str, torch.Tensor]:
    """The weights of the encoder whose upper layers are trained, after checking their hash."""
    path = folder / "model.safetensors"
    if hashlib.sha256(path.read_bytes()).hexdigest() != _ENCODER_SHA256:
        sys.exit(f"{path}: not the all-MiniLM-L6-v2 weights that this script was written for")
    return load_file(path)


def drop_attention_dropout(parser: SpanParser) -> None:
    """Switch off dropout in the encoder's attention, as the fused kernel does not support it."""
    for module in parser.pretrained_model.modules():
        if hasattr(module, "num_attention_heads") and hasattr(module, "dropout"):
            module.dropout.p = 0.0
            if hasattr(module, "dropout_prob"):
                module.dropout_prob = 0.0


def _half_precision(device: torch.device) -> AbstractContextManager[Any]:
    """Arithmetic of the forward pass: bfloat16 if the device supports it, and float32 where it matters.

    Processors that only emulate bfloat16 multiply matrices four to five times faster in float32.
    """
    has_it = torch.amp.is_autocast_available(device.type)
    if device.type == "cpu":
        able = torch.cpu.get_capabilities()
        has_it = any(able.get(name, False) for name in _HALF_PRECISION)
    return torch.autocast(device.type, torch.bfloat16) if has_it else nullcontext()


def losses(parser: SpanParser, store: ExampleStore, visits: list[Visit]) -> tuple[torch.Tensor, torch.Tensor]:
    """Return two losses of a batch: trees (nats a word), tags (nats)."""
    examples = [store.get(visit.key) for visit in visits]
    encoded = [with_case(x.encoded, visit.case) for x, visit in zip(examples, visits, strict=True)]
    batch = collate(encoded)
    states = padded([store.states(visit.key) for visit in visits]).to(parser.device)
    longest, words = int(batch.lengths.max()), int(batch.lengths.sum())
    batch = batch.to(parser.device)
    with _half_precision(parser.device):
        scores = parser(batch, states)
    index = span_index(batch.lengths)
    gold = torch.zeros(len(visits), longest, longest, dtype=torch.int64)
    tags = torch.full((len(visits), longest + 2), -100)
    for row, example in enumerate(examples):
        for first, last, label in example.spans:
            gold[row, first, last] = label
        tags[row, 1 : len(example.tags) + 1] = torch.from_numpy(example.tags)
    gold, tags = gold.to(parser.device), tags.to(parser.device)
    span_loss = negative_log_likelihood(scores.spans, index, gold[index], batch.lengths) / words
    tag_loss = nn.functional.cross_entropy(
        scores.tags.float().flatten(0, 1), tags.flatten(), ignore_index=-100
    )
    return span_loss, tag_loss


def saved_record(folder: Path) -> dict[str, Any]:
    """Return a checkpoint's record of its training: progress, labels, tags, options and data."""
    try:
        return _checkpoint(folder).load()[1]
    except InputError as error:
        sys.exit(str(error))


def _checkpoint(folder: Path) -> Checkpoint:
    # Options and data may change: the changes are printed, see :func:`changes`.
    return Checkpoint(folder / "checkpoint.safetensors", "a training run of the parser", {})


def changes(saved: Mapping[str, Any], present: Mapping[str, Any]) -> list[str]:
    """List how options and data differ from a checkpoint's, one line each; options may be new or removed."""
    return [
        f"{name} was {saved.get(name)}, is {present.get(name)}"
        for name in {**saved, **present}
        if saved.get(name) != present.get(name)
    ]


class Trainer:
    """Takes optimiser steps, averages weights, and saves and restores the complete training state."""

    def __init__(self, parser: SpanParser, settings: ParserSettings) -> None:
        self.parser, self.settings = parser, settings
        on_gpu = parser.device.type == "cuda"
        # Dropout draws its numbers from this generator.
        self._random = (
            torch.cuda.default_generators[parser.device.index] if on_gpu else torch.default_generator
        )
        self.named = [(name, weight) for name, weight in parser.named_parameters() if weight.requires_grad]
        by_rate_and_decay: dict[tuple[float, float], list[nn.Parameter]] = {}
        for name, weight in self.named:
            is_encoder = name.startswith("pretrained_model.")
            rate = settings.encoder_rate if is_encoder else settings.head_rate
            decay = 0.01 if weight.dim() > 1 else 0.0
            by_rate_and_decay.setdefault((rate, decay), []).append(weight)
        groups = [
            {"params": weights, "peak": rate, "weight_decay": decay}
            for (rate, decay), weights in by_rate_and_decay.items()
        ]
        self.optimizer = torch.optim.AdamW(groups, betas=(0.9, 0.98), foreach=True)
        self.average = {name: weight.detach().clone() for name, weight in self.named}
        self.step = self.epoch = self.batch_in_epoch = 0
        self.begun, self.seconds_before = time.monotonic(), 0.0

    def seconds(self) -> float:
        """Return the seconds trained so far, earlier runs included."""
        return self.seconds_before + time.monotonic() - self.begun

    def progress(self) -> float:
        """Return the share of the training that is done, measured in minutes or in steps."""
        if self.settings.minutes:
            return self.seconds() / (60 * self.settings.minutes)
        return self.step / self.settings.steps

    def take_step(self, loss: torch.Tensor) -> float:
        """Follow the gradient of a loss; return the gradient's norm before clipping."""
        warm = min(1.0, (self.step + 1) / max(1, self.settings.warmup))
        for group in self.optimizer.param_groups:
            group["lr"] = group["peak"] * min(warm, max(0.0, 1 - self.progress()))
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        norm = float(nn.utils.clip_grad_norm_([weight for _, weight in self.named], self.settings.clip))
        if norm < float("inf"):  # neither infinite nor NaN
            self.optimizer.step()
        self.step += 1
        self.batch_in_epoch += 1
        if self.step % _AVERAGED_EVERY == 0:
            keep = min(self.settings.average, (1 + self.step) / (10 + self.step)) ** _AVERAGED_EVERY
            weights = [weight.detach() for _, weight in self.named]
            with torch.no_grad():
                torch._foreach_lerp_(list(self.average.values()), weights, 1 - keep)
        return norm

    def averaged(self) -> dict[str, torch.Tensor]:
        """Return the parser's weights with the averages in place of the trained ones."""
        weights = {**self.parser.state_dict(), **self.average}
        return {name: value.cpu() for name, value in weights.items()}

    def save(self, folder: Path, made_with: Mapping[str, Any]) -> None:
        """Write everything needed to resume into one file, atomically, and a readable record beside it.

        ``made_with`` describes options and data as JSON values; a later run compares it with its own.
        """
        tensors = {f"model.{name}": value for name, value in self.parser.state_dict().items()}
        tensors |= {f"average.{name}": value for name, value in self.average.items()}
        for name, weight in self.named:
            for field, value in self.optimizer.state.get(weight, {}).items():
                tensors[f"optimizer.{field}.{name}"] = value
        record = {
            "step": self.step,
            "epoch": self.epoch,
            "batch_in_epoch": self.batch_in_epoch,
            "seconds": self.seconds(),
            "labels": list(self.parser.label_vocab),
            "tags": list(self.parser.tag_vocab),
            "made_with": dict(made_with),
            "device": self._random.device.type,
            "random_state": self._random.get_state().tolist(),
        }
        arrays = {name: value.detach().cpu().numpy() for name, value in tensors.items()}
        _checkpoint(folder).save(arrays, record)
        del record["random_state"]
        (folder / "checkpoint.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")

    def load(self, folder: Path) -> None:
        """Restore the state of a checkpoint."""
        checkpoint = _checkpoint(folder)
        arrays, record = checkpoint.load()
        tensors = {name: torch.from_numpy(array) for name, array in arrays.items()}
        weights = {
            name.removeprefix("model."): value for name, value in tensors.items() if name.startswith("model.")
        }
        try:
            self.parser.load_state_dict(weights)
        except RuntimeError as error:
            sys.exit(f"{checkpoint.path}: cannot resume: the weights are not those of this parser ({error})")
        for name, weight in self.named:
            self.average[name] = tensors[f"average.{name}"].to(weight.device)
            state = {
                field: tensors[f"optimizer.{field}.{name}"].to("cpu" if field == "step" else weight.device)
                for field in ("step", "exp_avg", "exp_avg_sq")
                if f"optimizer.{field}.{name}" in tensors
            }
            if state:
                self.optimizer.state[weight] = state
        self.step, self.epoch = record["step"], record["epoch"]
        self.batch_in_epoch, self.seconds_before = record["batch_in_epoch"], record["seconds"]
        # A different kind of device draws different numbers anyway.
        if record["device"] == self._random.device.type:
            self._random.set_state(torch.tensor(record["random_state"], dtype=torch.uint8))
