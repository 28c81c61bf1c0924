"""Train the bundled English parser: tree-CRF likelihood, tags, and word vectors held near the original's.

Example (two cores, about 80 minutes)::

    python scripts/train_parser.py --wsj TREEBANKS/wsj_sample --gum TREEBANKS/gum --craft TREEBANKS/craft \\
        --encoder FOLDER_OF_MINILM --work WORK --minutes 80

``WORK`` gets ``checkpoint.safetensors`` and ``checkpoint.json`` (what ``--resume`` reads; nothing is pickled)
and ``export/``, the model in the format that forest_align loads.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import random
import shutil
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import nn
from tqdm import tqdm

from forest_align.data.treebanks import (
    PUNCTUATION_TAGS,
    TreebankSentence,
    known_chain,
    label_inventory,
    read_craft,
    read_gum,
    read_wsj,
    without_words,
)
from forest_align.parsing.encoder_batches import EncodedSentence, WordEncoder, collate, length_batches
from forest_align.parsing.span_parser import SpanParser, span_index
from forest_align.parsing.tree_crf_loss import negative_log_likelihood

ENCODER_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

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


@dataclass(frozen=True)
class TrainingExample:
    """One sentence ready for training: encoder input and gold structure."""

    encoded: EncodedSentence
    tags: np.ndarray
    spans: tuple[tuple[int, int, int], ...]


class ExampleStore:
    """Training examples, made from treebank sentences when first asked for."""

    def __init__(
        self,
        sentences: list[TreebankSentence],
        encode: WordEncoder,
        labels: dict[str, int],
        tags: dict[str, int],
    ) -> None:
        self.sentences, self._encode, self._labels, self._tags = sentences, encode, labels, tags
        self._made: dict[tuple[int, str], TrainingExample | None] = {}
        self.vectors: dict[tuple[int, str], torch.Tensor] = {}

    def get(self, key: tuple[int, str]) -> TrainingExample:
        """Return sentence ``key[0]`` in punctuation variant ``key[1]`` (as it is when nothing would be left)."""
        if key not in self._made:
            sentence: TreebankSentence | None = self.sentences[key[0]]
            if key[1] == "no final":
                sentence = without_words(sentence, _not_final(sentence))
            elif key[1] == "no punctuation":
                sentence = without_words(sentence, [tag not in PUNCTUATION_TAGS for tag in sentence.tags])
            self._made[key] = self._example(sentence or self.sentences[key[0]])
        return self._made[key]

    def _example(self, sentence: TreebankSentence) -> TrainingExample:
        spans = []
        for first, last, chain in sentence.spans:
            label = known_chain(chain, self._labels)
            if label:
                spans.append((first, last, self._labels[label]))
        tags = np.array([self._tags.get(tag, -100) for tag in sentence.tags], dtype=np.int64)
        return TrainingExample(self._encode(sentence.words), tags, tuple(spans))


def _not_final(sentence: TreebankSentence) -> list[bool]:
    """Flag all words but the punctuation that ends the sentence."""
    end = len(sentence)
    while end > 1 and sentence.tags[end - 1] in PUNCTUATION_TAGS:
        end -= 1
    return [place < end for place in range(len(sentence))]


@dataclass(frozen=True)
class Visit:
    """One use of a sentence in an epoch: which, in what punctuation and what letter case."""

    key: tuple[int, str]
    case: str


def epoch_batches(
    store: ExampleStore, copies: list[int], budget: int, seed: int, epoch: int
) -> list[list[Visit]]:
    """Draw variants for one epoch, group visits of similar length into batches and shuffle the batches."""
    chance = random.Random(f"{seed}/{epoch}")
    visits = []
    for place, count in enumerate(copies):
        whole, part = int(count), count - int(count)
        for _ in range(whole + (chance.random() < part)):
            form = chance.random()
            variant = "no final" if form < 0.05 else "no punctuation" if form < 0.08 else ""
            letters = chance.random()
            case = "lower" if letters < 0.13 else "upper" if letters < 0.145 else "title" if letters < 0.16 else ""
            visits.append(Visit((place, variant), case))
    chance.shuffle(visits)
    batches = []
    pool = 100 * budget // 30
    for start in range(0, len(visits), pool):
        part_visits = visits[start : start + pool]
        sizes = [len(store.get(visit.key).encoded.subwords) for visit in part_visits]
        batches.extend([part_visits[item] for item in items] for items in length_batches(sizes, budget))
    chance.shuffle(batches)
    return batches


# Letter-case classes as they become when a sentence is lower-cased, upper-cased or title-cased.
_AS_CASE = {
    "lower": np.array([0, 1, 1, 1, 1, 1, 6, 7, 7]),
    "upper": np.array([0, 4, 4, 3, 4, 4, 6, 8, 8]),
    "title": np.array([0, 2, 2, 3, 2, 2, 6, 8, 8]),
}


def with_case(encoded: EncodedSentence, case: str) -> EncodedSentence:
    """Give a sentence the letter-case classes of another way of writing it."""
    if not case:
        return encoded
    from forest_align.parsing.encoder_batches import CASE_CLASSES

    shift = encoded.cases >= len(CASE_CLASSES)
    cases = _AS_CASE[case][encoded.cases - shift * len(CASE_CLASSES)] + shift * len(CASE_CLASSES)
    return EncodedSentence(encoded.subwords, encoded.word_ends, cases)


def load_encoder(folder: Path, model: nn.Module) -> None:
    """Load the original encoder's weights, after checking that they are the ones expected."""
    path = folder / "model.safetensors"
    if hashlib.sha256(path.read_bytes()).hexdigest() != ENCODER_SHA256:
        sys.exit(f"{path}: not the all-MiniLM-L6-v2 weights this script was written for")
    weights = {name: value for name, value in load_file(path).items() if not name.startswith("pooler.")}
    weights.pop("embeddings.position_ids", None)
    missing, unexpected = model.load_state_dict(weights, strict=False)
    if unexpected or [name for name in missing if not name.startswith(("pooler", "embeddings.position_ids"))]:
        sys.exit(f"{path}: missing {missing}, unexpected {unexpected}")


def drop_attention_dropout(parser: SpanParser) -> None:
    """Switch off dropout inside the encoder's attention, which would rule out the fused kernel."""
    for module in parser.pretrained_model.modules():
        if hasattr(module, "num_attention_heads") and hasattr(module, "dropout"):
            module.dropout.p = 0.0
            if hasattr(module, "dropout_prob"):
                module.dropout_prob = 0.0


class Teacher:
    """The original encoder up to the vector layer; its vectors are kept, since they never change."""

    def __init__(self, parser: SpanParser, folder: Path) -> None:
        from transformers import AutoModel

        self.model = AutoModel.from_config(parser.pretrained_model.config)
        load_encoder(folder, self.model)
        self.model.encoder.layer = self.model.encoder.layer[: parser.vector_layer]
        self.model.eval()

    def vectors(self, store: ExampleStore, visits: list[Visit], batch: Any) -> torch.Tensor:
        """Return ``[B, T, D]`` hidden states for a batch."""
        keys = [visit.key for visit in visits]
        if any(key not in store.vectors for key in keys):
            with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
                hidden = self.model(batch.subwords, attention_mask=batch.subword_mask).last_hidden_state
            for row, key in enumerate(keys):
                store.vectors[key] = hidden[row, : int(batch.subword_mask[row].sum())].to(torch.bfloat16).clone()
        return nn.utils.rnn.pad_sequence([store.vectors[key] for key in keys], batch_first=True)


def losses(
    parser: SpanParser, store: ExampleStore, visits: list[Visit], teacher: Teacher
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return span, tag and distillation losses of one batch, each on its own natural scale."""
    examples = [store.get(visit.key) for visit in visits]
    encoded = [with_case(x.encoded, visit.case) for x, visit in zip(examples, visits, strict=True)]
    batch = collate(encoded)
    with torch.autocast("cpu", torch.bfloat16):
        scores = parser(batch)
    index = span_index(batch.lengths)
    longest = int(batch.lengths.max())
    gold = torch.zeros(len(visits), longest, longest, dtype=torch.int64)
    tags = torch.full((len(visits), longest + 2), -100)
    for row, example in enumerate(examples):
        for first, last, label in example.spans:
            gold[row, first, last] = label
        tags[row, 1 : len(example.tags) + 1] = torch.from_numpy(example.tags)
    words = float(batch.lengths.sum())
    span_loss = negative_log_likelihood(scores.spans, index, gold[index], batch.lengths) / words
    tag_loss = nn.functional.cross_entropy(scores.tags.float().flatten(0, 1), tags.flatten(), ignore_index=-100)
    original = teacher.vectors(store, visits, batch)
    similarity = nn.functional.cosine_similarity(scores.subword_vectors.float(), original.float(), dim=-1)
    return span_loss, tag_loss, 1 - similarity[batch.subword_mask].mean()


def decode(label_scores: np.ndarray) -> list[tuple[int, int, int]]:
    """Find the best tree: closed spans ``(first, last, label)`` from scores ``[n, n, L]`` (label 0 scores 0)."""
    size = len(label_scores)
    best_label = label_scores[..., 1:].argmax(-1) + 1
    best = label_scores[..., 1:].max(-1)
    value = np.zeros((size, size))
    cut = np.zeros((size, size), dtype=int)
    for width in range(1, size + 1):
        for first in range(size - width + 1):
            last = first + width - 1
            below = 0.0
            if width > 1:
                joined = value[first, first:last] + value[first + 1 : last + 1, last]
                cut[first, last] = joined.argmax()
                below = joined[cut[first, last]]
            value[first, last] = max(best[first, last], 0.0) + below
    found, stack = [], [(0, size - 1)]
    while stack:
        first, last = stack.pop()
        if best[first, last] > 0 or (first == 0 and last == size - 1):
            found.append((first, last, int(best_label[first, last])))
        if last > first:
            middle = first + cut[first, last]
            stack += [(middle + 1, last), (first, middle)]
    return found


def bracketing_counts(
    gold: TreebankSentence, predicted: list[tuple[int, int, str]]
) -> tuple[int, int, int]:
    """Count matched, gold and predicted brackets, as evalb does: punctuation out, ADVP equal to PRT."""
    from collections import Counter

    kept = np.concatenate([[0], np.cumsum([tag not in PUNCTUATION_TAGS for tag in gold.tags])])

    def brackets(spans: Any) -> Counter[tuple[int, int, str]]:
        found: Counter[tuple[int, int, str]] = Counter()
        for first, last, chain in spans:
            if kept[last + 1] > kept[first]:
                for label in chain.split("::"):
                    found[int(kept[first]), int(kept[last + 1]), "ADVP" if label == "PRT" else label] += 1
        return found

    gold_brackets, predicted_brackets = brackets(gold.spans), brackets(predicted)
    return (
        sum((gold_brackets & predicted_brackets).values()),
        sum(gold_brackets.values()),
        sum(predicted_brackets.values()),
    )


def evaluate(
    parser: SpanParser, sentences: list[TreebankSentence], encode: WordEncoder
) -> tuple[float, float]:
    """Return labelled F1 and tag accuracy in percent."""
    parser.eval()
    encoded = [encode(sentence.words) for sentence in sentences]
    labels = {index: label for label, index in parser.label_vocab.items()}
    matched = gold_total = predicted_total = right = total = 0
    for items in length_batches([len(x.subwords) for x in encoded], 2000):
        batch = collate([encoded[item] for item in items])
        with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
            scores = parser(batch)
        rows, first, last = (part.numpy() for part in span_index(batch.lengths))
        spans, tags = scores.spans.float().numpy(), scores.tags.argmax(-1).numpy()
        for row, item in enumerate(items):
            sentence, mine = sentences[item], rows == row
            chart = np.zeros((len(sentence), len(sentence), spans.shape[1] + 1), dtype=np.float32)
            chart[first[mine], last[mine], 1:] = spans[mine]
            tree = [(start, end, labels[label]) for start, end, label in decode(chart)]
            counts = bracketing_counts(sentence, tree)
            matched, gold_total = matched + counts[0], gold_total + counts[1]
            predicted_total += counts[2]
            predicted_tags = [parser.tag_from_index[int(tag)] for tag in tags[row, 1 : len(sentence) + 1]]
            right += sum(a == b for a, b in zip(predicted_tags, sentence.tags, strict=True))
            total += len(sentence)
    parser.train()
    return 200 * matched / max(1, gold_total + predicted_total), 100 * right / max(1, total)


class Trainer:
    """The training state: parser, optimiser, averaged weights, and where in the data it is."""

    def __init__(self, parser: SpanParser, options: argparse.Namespace) -> None:
        self.parser, self.options = parser, options
        for weight in parser.pretrained_model.embeddings.parameters():
            weight.requires_grad_(False)
        self.named = [(name, w) for name, w in parser.named_parameters() if w.requires_grad]
        groups: dict[tuple[bool, bool], list[nn.Parameter]] = {}
        for name, weight in self.named:
            groups.setdefault((name.startswith("pretrained_model."), weight.dim() > 1), []).append(weight)
        self.optimizer = torch.optim.AdamW(
            [
                {
                    "params": weights,
                    "peak": options.encoder_rate if encoder else options.head_rate,
                    "weight_decay": 0.01 if matrix else 0.0,
                }
                for (encoder, matrix), weights in groups.items()
            ],
            betas=(0.9, 0.98),
            foreach=True,
        )
        self.average = {name: weight.detach().clone() for name, weight in self.named}
        self.step = self.epoch = self.batch_in_epoch = 0
        self.begun, self.seconds_before = time.monotonic(), 0.0

    def progress(self) -> float:
        """Return the share of the training that is done: of the time where minutes were given, else of the steps."""
        if self.options.minutes:
            return (self.seconds_before + time.monotonic() - self.begun) / (60 * self.options.minutes)
        return self.step / self.options.steps

    def set_rates(self) -> None:
        """Warm up linearly, then decay linearly to zero at the last step."""
        warm = min(1.0, (self.step + 1) / self.options.warmup)
        left = max(0.0, 1 - self.progress())
        for group in self.optimizer.param_groups:
            group["lr"] = group["peak"] * min(warm, left)

    def update_average(self, every: int = 5) -> None:
        """Move the averaged weights toward the present ones."""
        if self.step % every:
            return
        keep = min(self.options.average, (1 + self.step) / (10 + self.step)) ** every
        with torch.no_grad():
            torch._foreach_lerp_(list(self.average.values()), [w.detach() for _, w in self.named], 1 - keep)

    def save(self, folder: Path) -> None:
        """Write weights, averages and optimiser state, atomically and without pickle."""
        tensors = {f"model.{name}": value.contiguous() for name, value in self.parser.state_dict().items()}
        tensors |= {f"average.{name}": value for name, value in self.average.items()}
        for name, weight in self.named:
            for field, value in self.optimizer.state.get(weight, {}).items():
                tensors[f"optimizer.{field}.{name}"] = value
        record = {
            "step": self.step,
            "epoch": self.epoch,
            "batch_in_epoch": self.batch_in_epoch,
            "seconds": self.seconds_before + time.monotonic() - self.begun,
            "labels": list(self.parser.label_vocab),
            "tags": list(self.parser.tag_vocab),
        }
        save_file(tensors, folder / "checkpoint.safetensors.new", {"record": json.dumps(record)})
        os.replace(folder / "checkpoint.safetensors.new", folder / "checkpoint.safetensors")
        (folder / "checkpoint.json").write_text(json.dumps(record, indent=1))

    def load(self, folder: Path) -> None:
        """Go on where a checkpoint stopped."""
        from safetensors import safe_open

        with safe_open(folder / "checkpoint.safetensors", "pt") as file:
            record = json.loads(file.metadata()["record"])
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        self.parser.load_state_dict(
            {name.removeprefix("model."): value for name, value in tensors.items() if name.startswith("model.")}
        )
        for name, weight in self.named:
            self.average[name] = tensors[f"average.{name}"]
            self.optimizer.state[weight] = {
                field: tensors[f"optimizer.{field}.{name}"]
                for field in ("step", "exp_avg", "exp_avg_sq")
                if f"optimizer.{field}.{name}" in tensors
            }
        self.step, self.epoch = record["step"], record["epoch"]
        self.batch_in_epoch, self.seconds_before = record["batch_in_epoch"], record["seconds"]

    def averaged(self) -> dict[str, torch.Tensor]:
        """Return the parser's weights with the averages in place of the trained ones."""
        return {**self.parser.state_dict(), **self.average}


def export(trainer: Trainer, encoder_folder: Path, folder: Path) -> None:
    """Write the averaged model in the format that forest_align loads: half precision, JSON, tokenizer."""
    fresh = folder.with_name(folder.name + ".new")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    for name in ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "vocab.txt"):
        shutil.copy(encoder_folder / name, fresh / name)
    parser = trainer.parser
    config = json.loads((encoder_folder / "config.json").read_text())
    for key in ("_name_or_path", "gradient_checkpointing", "use_cache", "transformers_version"):
        config.pop(key, None)
    config["forest_align"] = {
        "format": 1,
        "labels": list(parser.label_vocab),
        "tags": list(parser.tag_vocab),
        "hparams": HYPER_PARAMETERS,
        "vector_layer": parser.vector_layer,
        "temperature": 1.0,
    }
    (fresh / "config.json").write_text(json.dumps(config, indent=1) + "\n")
    save_file(
        {name: value.to(torch.float16).contiguous() for name, value in trainer.averaged().items()},
        fresh / "model.safetensors",
    )
    shutil.rmtree(folder, ignore_errors=True)
    fresh.rename(folder)


def treebank_mix(
    options: argparse.Namespace,
) -> tuple[list[TreebankSentence], list[float], dict[str, list[TreebankSentence]]]:
    """Read the treebanks: training sentences, how often each is seen in an epoch, and the dev parts."""
    wsj = read_wsj(options.wsj, dev=range(180, 185))
    gum, craft = read_gum(options.gum), read_craft(options.craft)
    chance = random.Random(options.seed)
    sentences: list[TreebankSentence] = []
    copies: list[float] = []
    for part, times in ((wsj.train, options.wsj_copies), (gum.train, options.gum_copies)):
        short = [sentence for sentence in part if len(sentence) <= options.longest]
        sentences += short
        copies += [times] * len(short)
    short = [s for s in craft.train if 3 <= len(s) <= options.longest]
    sentences += chance.sample(short, min(len(short), options.craft_sentences))
    copies += [1.0] * (len(sentences) - len(copies))
    dev = {
        "wsj": list(wsj.dev),
        "gum": chance.sample(gum.dev, min(200, len(gum.dev))),
        "craft": chance.sample(craft.dev, min(80, len(craft.dev))),
    }
    return sentences, copies, dev


def vocabularies(sentences: list[TreebankSentence], rare: int) -> tuple[dict[str, int], dict[str, int]]:
    """Number the labels (the empty one first) and the tags (an unknown one first)."""
    labels = {label: index for index, label in enumerate(label_inventory(sentences, rare))}
    names = sorted({tag for sentence in sentences for tag in sentence.tags})
    return labels, {tag: index for index, tag in enumerate(["UNK", *names])}


def train(options: argparse.Namespace) -> None:
    """Run the training from start (or checkpoint) to the last step."""
    torch.manual_seed(options.seed)
    torch.set_num_threads(options.threads)
    options.work.mkdir(parents=True, exist_ok=True)
    sentences, copies, dev = treebank_mix(options)
    labels, tags = vocabularies(sentences, options.rare)
    parser = SpanParser(tags, labels, HYPER_PARAMETERS, options.encoder)
    drop_attention_dropout(parser)
    load_encoder(options.encoder, parser.pretrained_model)
    teacher = Teacher(parser, options.encoder)
    encode = WordEncoder(options.encoder)
    store = ExampleStore(sentences, encode, labels, tags)
    trainer = Trainer(parser, options)
    if options.resume and (options.work / "checkpoint.safetensors").exists():
        trainer.load(options.work)
    print(f"{len(sentences)} sentences, {sum(copies):.0f} visits an epoch, {len(labels)} labels, {len(tags)} tags")
    stop: list[int] = []
    signal.signal(signal.SIGINT, lambda number, frame: stop.append(number))
    parser.train()
    run_steps(trainer, store, copies, teacher, dev, encode, stop)
    trainer.save(options.work)
    export(trainer, options.encoder, options.work / "export")


def run_steps(
    trainer: Trainer,
    store: ExampleStore,
    copies: list[float],
    teacher: Teacher,
    dev: dict[str, list[TreebankSentence]],
    encode: WordEncoder,
    stop: list[int],
) -> None:
    """Take optimiser steps until the last one, a signal, or the end of the time allowed."""
    options, parser = trainer.options, trainer.parser
    begun = saved = time.monotonic()
    recent: list[tuple[float, float, float]] = []
    bar = tqdm(total=options.steps or None, initial=trainer.step, disable=None)
    seen = 0
    trainer.begun = begun
    while not stop and trainer.progress() < 1:
        batches = epoch_batches(store, copies, options.budget, options.seed, trainer.epoch)
        for visits in batches[trainer.batch_in_epoch :]:
            trainer.set_rates()
            span_loss, tag_loss, distance = losses(parser, store, visits, teacher)
            loss = options.span_weight * span_loss + options.tag_weight * tag_loss + options.distill * distance
            trainer.optimizer.zero_grad(set_to_none=True)
            loss.backward()
            norm = nn.utils.clip_grad_norm_([w for _, w in trainer.named], options.clip)
            if math.isfinite(float(norm)):
                trainer.optimizer.step()
            trainer.step += 1
            trainer.batch_in_epoch += 1
            trainer.update_average()
            seen += len(visits)
            recent.append((span_loss.item(), tag_loss.item(), distance.item()))
            bar.update()
            if trainer.step % options.report == 0:
                means = np.mean(recent, axis=0)
                recent.clear()
                elapsed = time.monotonic() - begun
                print(
                    f"step {trainer.step} epoch {trainer.epoch} {elapsed:.0f} s, {seen / elapsed:.1f} sentences/s: "
                    f"spans {means[0]:.4f} tags {means[1]:.4f} vectors {1 - means[2]:.4f} norm {float(norm):.2f}",
                    flush=True,
                )
            if time.monotonic() - saved > options.save_minutes * 60:
                trainer.save(options.work)
                saved = time.monotonic()
            if trainer.step % options.evaluate_every == 0 or trainer.step == options.first_evaluation:
                report_dev(trainer, dev, encode)
                export(trainer, options.encoder, options.work / "export")
            if stop or trainer.progress() >= 1:
                break
        else:
            trainer.epoch += 1
            trainer.batch_in_epoch = 0
            continue
        break
    bar.close()


def report_dev(trainer: Trainer, dev: dict[str, list[TreebankSentence]], encode: WordEncoder) -> None:
    """Print labelled F1 and tag accuracy of the averaged weights on the dev parts."""
    present = {name: value.clone() for name, value in trainer.parser.state_dict().items()}
    trainer.parser.load_state_dict(trainer.averaged())
    figures = {name: evaluate(trainer.parser, part, encode) for name, part in dev.items()}
    trainer.parser.load_state_dict(present)
    line = "  ".join(f"{name} F1 {f1:.2f} tags {tags:.2f}" for name, (f1, tags) in figures.items())
    print(f"dev at step {trainer.step}: {line}", flush=True)


def parse_options(arguments: list[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wsj", type=Path, required=True, help="folder of the WSJ sample (wsj_*.mrg)")
    parser.add_argument("--gum", type=Path, required=True, help="folder of GUM (*.ptb, splits.md)")
    parser.add_argument("--craft", type=Path, required=True, help="folder of CRAFT (*.tree)")
    parser.add_argument("--encoder", type=Path, required=True, help="folder of all-MiniLM-L6-v2")
    parser.add_argument("--work", type=Path, required=True, help="folder for checkpoints and the export")
    length = parser.add_mutually_exclusive_group(required=True)
    length.add_argument("--steps", type=int, default=0, help="train for so many optimiser steps")
    length.add_argument("--minutes", type=float, default=0.0, help="train for so long, whatever number of steps that is")
    parser.add_argument("--budget", type=int, default=1000, help="subwords a batch, padding included")
    parser.add_argument("--encoder-rate", type=float, default=1.5e-4)
    parser.add_argument("--head-rate", type=float, default=8e-4)
    parser.add_argument("--warmup", type=int, default=300)
    parser.add_argument("--clip", type=float, default=1.0)
    parser.add_argument("--average", type=float, default=0.999, help="decay of the averaged weights")
    parser.add_argument("--span-weight", type=float, default=20.0)
    parser.add_argument("--tag-weight", type=float, default=5.0)
    parser.add_argument("--distill", type=float, default=15.0, help="weight of staying near the original vectors")
    parser.add_argument("--wsj-copies", type=float, default=3.0)
    parser.add_argument("--gum-copies", type=float, default=2.0)
    parser.add_argument("--craft-sentences", type=int, default=14000)
    parser.add_argument("--longest", type=int, default=60, help="longest training sentence in words")
    parser.add_argument("--rare", type=int, default=5, help="label chains seen less often are shortened")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--report", type=int, default=50)
    parser.add_argument("--first-evaluation", type=int, default=0)
    parser.add_argument("--evaluate-every", type=int, default=1500)
    parser.add_argument("--save-minutes", type=float, default=10.0)
    parser.add_argument("--resume", action="store_true")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    train(parse_options())
