r"""Train the bundled English parser: tree-CRF likelihood, and tags.

It learns three layers of BERT, which begin as the upper ones of all-MiniLM-L6-v2, on the states of the word
vectors' encoder, which stays as it is. Example (two cores)::

    python -m forest_align.em.recipes parser --gum TREEBANKS/gum --craft TREEBANKS/craft --masc TREEBANKS/masc
            --encoder FOLDER_OF_MINILM --work WORK --minutes 85

Interrupt it at any time; ``--resume`` continues. The folder ``WORK/export`` has the model so far: averaged
weights, without a temperature (:mod:`forest_align.em.parser.calibration` chooses it). A GPU is used if there
is one.
"""

from __future__ import annotations

import argparse
import dataclasses
import random
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tqdm import tqdm
from transformers import AutoConfig, BertModel

from forest_align.data.trees.treebanks import NON_COMMERCIAL, TreebankSentence
from forest_align.em.parser._examples import ExampleStore, Visit, epoch_batches, treebank_mix, vocabularies
from forest_align.em.parser._span_parser import OnStates, SpanParser
from forest_align.em.parser._trainer import (
    ParserSettings,
    Trainer,
    changes,
    drop_attention_dropout,
    encoder_weights,
    losses,
    saved_record,
)
from forest_align.eval.parser_quality import evaluate
from forest_align.parsing.networks.encoder_scorer import EncoderScorer
from forest_align.parsing.networks.model_files import (
    SECTION,
    ParserConfig,
    parser_config,
    read_config,
    read_weights,
    write_model,
)
from forest_align.parsing.networks.torch_layers import collate
from forest_align.parsing.networks.vector_network import BUNDLED, WordVectors
from forest_align.parsing.parser_loading import locate_parser
from forest_align.storage.fingerprints import fingerprint_of
from forest_align.system.terminal import positive
from forest_align.types import InputError

#: Sentences that the map is fitted on, and how much weight its squared numbers have against a row's error.
SENTENCES, RIDGE = 1500, 10.0


def _begin_with_encoder(parser: SpanParser, folder: Path, store: ExampleStore) -> None:
    """Copy the upper layers of an encoder, and fit the map from the frozen states to what they read there.

    The map is the least-squares fit to the hidden states of the layer below them.
    """
    whole = BertModel(AutoConfig.from_pretrained(folder), add_pooling_layer=False)
    whole.load_state_dict(encoder_weights(folder), strict=False)
    upper, layers = parser.pretrained_model.encoder.layer, whole.encoder.layer
    below = len(layers) - len(upper)
    upper.load_state_dict(layers[below:].state_dict())
    width = parser.input.in_features
    squares, products = torch.eye(width + 1) * RIDGE, torch.zeros(width + 1, parser.input.out_features)
    with torch.inference_mode():
        for number in random.Random(0).sample(range(store.size), min(SENTENCES, store.size)):
            key = (number, "")
            states = torch.from_numpy(store.states(key)).float()
            rows = torch.cat([states, torch.ones(len(states), 1)], 1)
            subwords = collate([store.get(key).encoded]).subwords
            target = whole(subwords, output_hidden_states=True).hidden_states[below][0]
            squares += rows.T @ rows
            products += rows.T @ target
        solution = torch.linalg.solve(squares, products)
        parser.input.weight.copy_(solution[:-1].T)
        parser.input.bias.copy_(solution[-1])


HYPER_PARAMETERS = {
    "use_pretrained": True,
    "pretrained_model": "all-MiniLM-L6-v2",
    "use_encoder": True,
    "use_chars_lstm": False,
    "predict_tags": True,
    "force_root_constituent": True,
    "d_model": 512,
    "num_layers": 2,
    "num_heads": 8,
    "d_kv": 64,
    "d_ff": 1024,
    "d_label_hidden": 250,
    "d_tag_hidden": 250,
    "encoder_max_len": 512,
    "tag_loss_scale": 5.0,
    "attention_dropout": 0.2,
    "relu_dropout": 0.1,
    "residual_dropout": 0.2,
    "morpho_emb_dropout": 0.2,
}

# The upper three layers of all-MiniLM-L6-v2.
_UPPER_LAYERS = {
    "model_type": "bert",
    "hidden_act": "gelu",
    "hidden_size": 384,
    "intermediate_size": 1536,
    "num_attention_heads": 12,
    "num_hidden_layers": 3,
    "layer_norm_eps": 1e-12,
}

# Options that do not change the result. Folders may be moved: only their content matters.
_FOLDERS = ("wsj", "gum", "craft", "masc", "encoder", "work")
_WITHOUT_EFFECT = (*_FOLDERS, "device", "resume", "threads", "report", "evaluate_every", "save_minutes")


def _made_with(options: argparse.Namespace, sentences: list[TreebankSentence]) -> dict[str, Any]:
    """Options by name and a hash of the sentences, for the checkpoint."""
    values = {name: value for name, value in vars(options).items() if name not in _WITHOUT_EFFECT}
    named = {f"--{name.replace('_', '-')}": value for name, value in values.items()}
    return {**named, "sentences": f"{len(sentences)} ({fingerprint_of(*sentences)})"}


def _beginning(
    options: argparse.Namespace, sentences: list[TreebankSentence]
) -> tuple[ParserConfig, dict[str, torch.Tensor] | None]:
    """Where training starts: the plain encoder with the sentences' labels and tags, or a trained model."""
    labels, tags = vocabularies(sentences, options.rare)
    if not options.start:
        return ParserConfig(labels, tags, HYPER_PARAMETERS, _UPPER_LAYERS), None
    folder = locate_parser(options.start)
    description = read_config(folder)
    if SECTION not in description:
        sys.exit(f"--start {options.start}: not a model of this package")
    config = dataclasses.replace(parser_config(folder, description), temperature=1.0)
    _report_unknown(config, f"in {options.start}", labels, tags)
    return config, {name: torch.from_numpy(value) for name, value in read_weights(folder).items()}


def _check_resumed(record: dict[str, Any], made_with: dict[str, Any], config: ParserConfig) -> ParserConfig:
    """Print what has changed since a checkpoint; return its labels and tags, which cannot change."""
    saved, rare = record["made_with"], "--rare"
    if saved[rare] != made_with[rare]:
        sys.exit(f"cannot resume with {rare} {made_with[rare]}: labels were made with {rare} {saved[rare]}")
    for change in changes(saved, made_with):
        print(f"changed: {change}")
    known = dataclasses.replace(config, labels=tuple(record["labels"]), tags=tuple(record["tags"]))
    _report_unknown(known, "in the checkpoint", config.labels, config.tags)
    return known


def _report_unknown(known: ParserConfig, place: str, labels: Sequence[str], tags: Sequence[str]) -> None:
    """Print those labels and tags of the sentences that are unknown and so cannot be learned."""
    for kind, have, needed in (("labels", known.labels, labels), ("tags", known.tags, tags)):
        if unknown := sorted(set(needed) - set(have)):
            print(f"{kind} that are not {place}, and are not learned: {' '.join(unknown)}")


class TrainingRun:
    """One training run: data, model, and the places of reports and files."""

    def __init__(self, options: argparse.Namespace, settings: ParserSettings) -> None:
        self.options = options
        self.mix = treebank_mix(options)
        self.made_with = _made_with(options, self.mix.sentences)
        resumes = options.resume and (options.work / "checkpoint.safetensors").exists()
        self.config, weights = _beginning(options, self.mix.sentences)
        if resumes:
            self.config = _check_resumed(saved_record(options.work), self.made_with, self.config)
        tags = {name: index for index, name in enumerate(self.config.tags)}
        labels = {name: index for index, name in enumerate(self.config.labels)}
        frozen = WordVectors()
        layers = self.config.layers["num_hidden_layers"]
        parser = SpanParser(tags, labels, self.config.hparams, options.encoder, layers, frozen.network.width)
        drop_attention_dropout(parser)
        self.store = ExampleStore(self.mix.sentences, self.config.labels, self.config.tags, frozen)
        if weights:
            parser.load_state_dict(weights)
        elif not resumes:
            _begin_with_encoder(parser, options.encoder, self.store)
        parser.to(options.device)
        self.trainer = Trainer(parser, settings)
        if resumes:
            self.trainer.load(options.work)
            print(f"resuming after step {self.trainer.step}, {self.trainer.progress():.0%} of the training")

    def train(self) -> None:
        """Take steps until the last one, an interrupt, or the end of the time allowed."""
        options, trainer, settings = self.options, self.trainer, self.trainer.settings
        interrupts: list[int] = []
        signal.signal(signal.SIGINT, lambda number, frame: interrupts.append(number))
        trainer.parser.train()
        trainer.begun = saved = time.monotonic()
        recent: list[tuple[float, float]] = []
        with tqdm(total=settings.steps or None, initial=trainer.step, disable=None) as bar:
            for visits in self._batches():
                span_loss, tag_loss = losses(trainer.parser, self.store, visits)
                norm = trainer.take_step(settings.span_weight * span_loss + settings.tag_weight * tag_loss)
                recent.append((span_loss.item(), tag_loss.item()))
                bar.update()
                if trainer.step % options.report == 0:
                    spans, tags = np.mean(recent, axis=0)
                    print(
                        f"step {trainer.step} epoch {trainer.epoch} {trainer.seconds():.0f} s: "
                        f"trees {spans:.4f} tags {tags:.4f} gradient {norm:.1f}",
                        flush=True,
                    )
                    recent.clear()
                if time.monotonic() - saved > options.save_minutes * 60:
                    trainer.save(options.work, self.made_with)
                    saved = time.monotonic()
                if trainer.step % options.evaluate_every == 0:
                    self.evaluate()
                    self.export()
                if interrupts or trainer.progress() >= 1:
                    break
        trainer.save(options.work, self.made_with)
        self.export()

    def _batches(self) -> Iterator[list[Visit]]:
        """Yield batches, epoch after epoch, from the trainer's current position."""
        trainer, options = self.trainer, self.options
        while trainer.progress() < 1:
            batches = epoch_batches(self.store, self.mix.copies, options.budget, options.seed, trainer.epoch)
            yield from batches[trainer.batch_in_epoch :]
            trainer.epoch += 1
            trainer.batch_in_epoch = 0

    def evaluate(self) -> None:
        """Print labelled F1 and tag accuracy of the averaged weights on the dev parts."""
        parser = self.trainer.parser
        present = {name: value.clone() for name, value in parser.state_dict().items()}
        parser.load_state_dict(self.trainer.averaged())
        scorer = EncoderScorer(OnStates(parser.eval(), self.store), self.store.encode, self.config)
        for name, part in self.mix.dev.items():
            print(f"step {self.trainer.step} dev {name:5} {evaluate(scorer, part, 'words')}", flush=True)
        parser.load_state_dict(present)
        parser.train()

    def export(self) -> None:
        """Write the averaged model in the format that forest_align loads."""
        write_model(self.options.work / "export", BUNDLED, self.trainer.averaged(), self.config)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the recipe."""
    parser.add_argument("--wsj", type=Path, help="folder of the WSJ sample (wsj_*.mrg); default: none")
    parser.add_argument("--gum", type=Path, required=True, help="folder of GUM (*.ptb, splits.md)")
    parser.add_argument(
        "--gum-without",
        nargs="+",
        default=list(NON_COMMERCIAL),
        metavar="GENRE",
        help="genres of GUM that are not trained on; default: those for non-commercial use only",
    )
    parser.add_argument("--craft", type=Path, required=True, help="folder of CRAFT (*.tree)")
    parser.add_argument("--masc", type=Path, required=True, help="folder of MASC (*.mrg)")
    parser.add_argument("--encoder", type=Path, required=True, help="folder of all-MiniLM-L6-v2")
    parser.add_argument("--work", type=Path, required=True, help="folder for checkpoints and the export")
    parser.add_argument("--start", help="begin with a trained model: a name or a folder; labels stay its own")
    parser.add_argument(
        "--device", default="cuda" if torch.cuda.is_available() else "cpu", help="where to train: cpu or cuda"
    )
    parser.add_argument("--resume", action="store_true", help="continue from the checkpoint in --work")
    parser.add_argument("--budget", type=positive, default=1000, help="subwords a batch, with padding")
    parser.add_argument("--wsj-copies", type=float, default=3.0, help="visits of a WSJ sentence an epoch")
    parser.add_argument("--gum-copies", type=float, default=3.0, help="visits of a GUM sentence an epoch")
    parser.add_argument("--masc-copies", type=float, default=2.0, help="visits of a MASC sentence an epoch")
    parser.add_argument("--craft-copies", type=float, default=0.7, help="visits of a CRAFT sentence an epoch")
    parser.add_argument("--craft-sentences", type=int, default=20000)
    parser.add_argument("--longest", type=int, default=70, help="longest training sentence in words")
    parser.add_argument("--rare", type=int, default=5, help="label chains seen less often are shortened")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=positive, default=2)
    parser.add_argument("--report", type=positive, default=10, help="steps between two lines of losses")
    parser.add_argument("--evaluate-every", type=positive, default=1500, help="steps between two evaluations")
    parser.add_argument("--save-minutes", type=float, default=10.0)
    for field in dataclasses.fields(ParserSettings):
        parser.add_argument(
            f"--{field.name.replace('_', '-')}", type=type(field.default), default=field.default
        )


def run(options: argparse.Namespace) -> None:
    """Follow the recipe."""
    if (options.steps > 0) == (options.minutes > 0):
        raise InputError("give --steps or --minutes")
    if not options.resume and (options.work / "checkpoint.safetensors").exists():
        raise InputError(f"{options.work} holds a checkpoint: continue with --resume, or name another folder")
    names = [field.name for field in dataclasses.fields(ParserSettings)]
    settings = ParserSettings(**{name: getattr(options, name) for name in names})
    torch.manual_seed(options.seed)
    torch.set_num_threads(options.threads)
    options.work.mkdir(parents=True, exist_ok=True)
    run = TrainingRun(options, settings)
    print(f"{len(run.mix.sentences)} sentences, {sum(run.mix.copies):.0f} visits an epoch", file=sys.stderr)
    run.train()
