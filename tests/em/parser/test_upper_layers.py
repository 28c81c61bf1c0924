"""Where the layers of the parser begin: as the upper ones of an encoder, on a map of the frozen states."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from transformers import AutoConfig, BertModel

from forest_align.data.trees.treebanks import TreebankSentence
from forest_align.em.parser import _beginning as upper_layers
from forest_align.em.parser._examples import ExampleStore
from forest_align.parsing.networks.torch_layers import collate
from forest_align.parsing.networks.vector_network import WordVectors

from .test_training import LABELS, LAYERS, TAGS, trainer


def test_training_begins_with_copied_layers_and_the_best_map_to_what_they_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parser = trainer(tmp_path / "encoder").parser
    whole = BertModel(AutoConfig.from_pretrained(tmp_path / "encoder"), add_pooling_layer=False).eval()
    monkeypatch.setattr(upper_layers, "encoder_weights", lambda folder: whole.state_dict())
    words = ["they", "won", "cat", "bark", "the", "a", "x"]
    sentences = [
        TreebankSentence((words[k % 7], words[k % 5], words[k % 3]), ("NN",) * 3, ()) for k in range(40)
    ]
    store = ExampleStore(sentences, LABELS, TAGS, WordVectors(tmp_path / "encoder"))
    upper_layers.begin_with_encoder(parser, tmp_path / "encoder", store)
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
        return float(of_rows + upper_layers.RIDGE * penalty)

    torch.manual_seed(1)
    assert error() < 0.7 * float(target.square().sum())
    assert all(error(0.02) > error() for _ in range(20))
