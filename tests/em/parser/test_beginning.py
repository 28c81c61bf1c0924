"""The first weights of the parser, and which layers of the encoder it reads."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoConfig, BertModel

from forest_align.data.trees.treebanks import TreebankSentence
from forest_align.em.parser import _beginning as beginning
from forest_align.em.parser._examples import ExampleStore
from forest_align.parsing.networks.model_files import ParserConfig, read_weights, write_model
from forest_align.parsing.networks.torch_layers import collate
from forest_align.parsing.networks.vector_network import WordVectors

from .test_training import CONFIG, LABELS, LAYERS, SENTENCE, TAGS, options, trainer


def test_what_has_changed_since_the_checkpoint_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    saved = beginning.made_with(options(), [SENTENCE])
    record = {"labels": LABELS, "tags": TAGS, "made_with": json.loads(json.dumps(saved))}
    same = options("--minutes", "71", "--resume", "--threads", "1", "--wsj", "elsewhere")
    found = beginning.check_resumed(record, beginning.made_with(same, [SENTENCE]), CONFIG)
    assert found == CONFIG and capsys.readouterr().out == ""
    longer = options("--minutes", "82", "--encoder-rate", "3e-4", "--craft-sentences", "40000")
    more = [SENTENCE, replace(SENTENCE, words=("We", "won"))]
    now = beginning.made_with(longer, more)
    assert beginning.check_resumed(record, now, replace(CONFIG, labels=(*LABELS, "X"))) == CONFIG
    lines = capsys.readouterr().out.splitlines()
    assert set(lines[:-2]) == {
        "changed: --craft-sentences was 20000, is 40000",
        "changed: --minutes was 71.0, is 82.0",
        "changed: --encoder-rate was 0.0002, is 0.0003",
    }
    assert lines[-2].startswith("changed: sentences was 1 (") and ", is 2 (" in lines[-2]
    assert lines[-1] == "labels that are not in the checkpoint, and are not learned: X"


def test_labels_cannot_be_made_in_another_way_in_the_middle() -> None:
    saved = beginning.made_with(options(), [SENTENCE])
    record = {"labels": LABELS, "tags": TAGS, "made_with": saved}
    now = beginning.made_with(options("--minutes", "71", "--rare", "2"), [SENTENCE])
    with pytest.raises(SystemExit, match="cannot resume with --rare 2: labels were made with --rare 5"):
        beginning.check_resumed(record, now, CONFIG)


def test_training_may_begin_with_a_trained_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trained = trainer(tmp_path / "encoder")
    config = ParserConfig(LABELS, TAGS, {"d_model": 16}, LAYERS, temperature=1.5)
    write_model(tmp_path / "model", tmp_path / "encoder", trained.averaged(), config)
    more = replace(SENTENCE, tags=("PRP", "MD"))
    start = options("--minutes", "9", "--start", str(tmp_path / "model"))
    found, weights = beginning.beginning(start, [SENTENCE, more])
    assert found == replace(config, temperature=1.0)
    assert capsys.readouterr().out == f"tags that are not in {tmp_path / 'model'}, and are not learned: MD\n"
    trained.parser.load_state_dict(weights)
    for name, value in read_weights(tmp_path / "model").items():
        np.testing.assert_array_equal(trained.parser.state_dict()[name], value)
    (tmp_path / "model" / "config.json").write_text("{}", encoding="utf-8")
    with pytest.raises(SystemExit, match="not a model of this package"):
        beginning.beginning(start, [SENTENCE])


def test_training_begins_with_copied_layers_and_the_best_map_to_what_they_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parser = trainer(tmp_path / "encoder").parser
    whole = BertModel(AutoConfig.from_pretrained(tmp_path / "encoder"), add_pooling_layer=False).eval()
    monkeypatch.setattr(beginning, "encoder_weights", lambda folder: whole.state_dict())
    words = ["they", "won", "cat", "bark", "the", "a", "x"]
    sentences = [
        TreebankSentence((words[k % 7], words[k % 5], words[k % 3]), ("NN",) * 3, ()) for k in range(40)
    ]
    store = ExampleStore(sentences, LABELS, TAGS, WordVectors(tmp_path / "encoder"))
    beginning.begin_with_encoder(parser, tmp_path / "encoder", store)
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
        return float(of_rows + beginning.RIDGE * penalty)

    torch.manual_seed(1)
    assert error() < 0.7 * float(target.square().sum())
    assert all(error(0.02) > error() for _ in range(20))
