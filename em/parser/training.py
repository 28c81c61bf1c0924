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
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from tqdm import tqdm

from forest_align.data.trees.treebanks import NON_COMMERCIAL
from forest_align.em.parser._beginning import begin_with_encoder, beginning, check_resumed, made_with
from forest_align.em.parser._examples import ExampleStore, Mix, Visit, epoch_batches, treebank_mix
from forest_align.em.parser._span_parser import OnStates, SpanParser
from forest_align.em.parser._trainer import (
    ParserSettings,
    Trainer,
    drop_attention_dropout,
    losses,
    saved_record,
)
from forest_align.eval.parser_quality import evaluate
from forest_align.parsing.networks.encoder_scorer import EncoderScorer
from forest_align.parsing.networks.model_files import write_model
from forest_align.parsing.networks.vector_network import BUNDLED, WordVectors
from forest_align.system.terminal import positive
from forest_align.types import InputError


class TrainingRun:
    """One training run: data, model, and the places of reports and files."""

    def __init__(self, options: argparse.Namespace, settings: ParserSettings) -> None:
        self.options = options
        self.mix: Mix = treebank_mix(
            options.wsj,
            options.gum,
            options.craft,
            options.masc,
            wsj_copies=options.wsj_copies,
            gum_copies=options.gum_copies,
            masc_copies=options.masc_copies,
            craft_copies=options.craft_copies,
            craft_sentences=options.craft_sentences,
            longest=options.longest,
            seed=options.seed,
            gum_without=options.gum_without,
        )
        self.made_with = made_with(options, self.mix.sentences)
        resumes = options.resume and (options.work / "checkpoint.safetensors").exists()
        self.config, weights = beginning(options, self.mix.sentences)
        if resumes:
            self.config = check_resumed(saved_record(options.work), self.made_with, self.config)
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
            begin_with_encoder(parser, options.encoder, self.store)
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
                    self._report(recent, norm)
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

    def _report(self, recent: list[tuple[float, float]], norm: float) -> None:
        spans, tags = np.mean(recent, axis=0)
        trainer = self.trainer
        print(
            f"step {trainer.step} epoch {trainer.epoch} {trainer.seconds():.0f} s: trees {spans:.4f} "
            f"tags {tags:.4f} gradient {norm:.1f}",
            flush=True,
        )

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
        options = self.options
        write_model(options.work / "export", BUNDLED, self.trainer.averaged(), self.config)


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
        message = f"{options.work} holds a checkpoint: continue with --resume, or name another folder"
        raise InputError(message)
    settings = ParserSettings(
        **{field.name: getattr(options, field.name) for field in dataclasses.fields(ParserSettings)}
    )
    torch.manual_seed(options.seed)
    torch.set_num_threads(options.threads)
    options.work.mkdir(parents=True, exist_ok=True)
    run = TrainingRun(options, settings)
    print(f"{len(run.mix.sentences)} sentences, {sum(run.mix.copies):.0f} visits an epoch", file=sys.stderr)
    run.train()
