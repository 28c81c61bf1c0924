"""Where training of the parser begins, and what may change when it is resumed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from forest_align.em.parser import _beginning as beginning
from forest_align.parsing.networks.model_files import ParserConfig, read_weights, write_model

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
