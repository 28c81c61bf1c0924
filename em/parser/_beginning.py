"""Where training of the parser begins: at plain sentences, a trained model, or a checkpoint."""

from __future__ import annotations

import argparse
import dataclasses
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from transformers import AutoConfig, BertModel

from forest_align.data.trees.treebanks import TreebankSentence
from forest_align.em.parser._examples import ExampleStore, vocabularies
from forest_align.em.parser._span_parser import SpanParser
from forest_align.em.parser._trainer import changes, encoder_weights
from forest_align.parsing.networks.model_files import (
    SECTION,
    ParserConfig,
    parser_config,
    read_config,
    read_weights,
)
from forest_align.parsing.networks.torch_layers import collate
from forest_align.parsing.parser_loading import locate_parser
from forest_align.storage.fingerprints import fingerprint_of

#: Sentences that the map is fitted on, and how much weight its squared numbers have against a row's error.
SENTENCES, RIDGE = 1500, 10.0


def begin_with_encoder(parser: SpanParser, folder: Path, store: ExampleStore) -> None:
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
    chosen = random.Random(0).sample(range(store.size), min(SENTENCES, store.size))
    with torch.inference_mode():
        for number in chosen:
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


def made_with(options: argparse.Namespace, sentences: list[TreebankSentence]) -> dict[str, Any]:
    """Options by name and a hash of the sentences, for the checkpoint."""
    values = {
        f"--{name.replace('_', '-')}": value
        for name, value in vars(options).items()
        if name not in _WITHOUT_EFFECT
    }
    return {**values, "sentences": f"{len(sentences)} ({fingerprint_of(*sentences)})"}


def beginning(
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


def check_resumed(record: dict[str, Any], made_with: dict[str, Any], config: ParserConfig) -> ParserConfig:
    """Print what has changed since a checkpoint; return its labels and tags, which cannot change.

    Raises SystemExit if labels were made differently.
    """
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
    for kind, have, found in (("labels", known.labels, labels), ("tags", known.tags, tags)):
        if unknown := sorted(set(found) - set(have)):
            print(f"{kind} that are not {place}, and are not learned: {' '.join(unknown)}")
