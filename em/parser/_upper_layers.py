"""Where the parser's layers begin: as the upper ones of all-MiniLM-L6-v2, with a map of what they read."""

from __future__ import annotations

import random
from pathlib import Path

import torch
from transformers import AutoConfig, BertModel

from forest_align.em.parser._examples import ExampleStore
from forest_align.em.parser._span_parser import SpanParser
from forest_align.em.parser._trainer import encoder_weights
from forest_align.parsing.networks.torch_layers import collate

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
