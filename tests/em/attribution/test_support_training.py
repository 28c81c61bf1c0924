"""Examples of support, and how the regressions are fitted."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import pytest

from forest_align.em.attribution import read_entailed, read_wice, support_training
from forest_align.types import InputError

CLAIM = {
    "claim": "Ann's dog won in 2018.",
    "claim_tokens": ["Ann", "'", "s", "dog", "won", "in", "2018", "."],
    "non_supported_spans": [False, False, False, True, False, False, True, False],
    "supporting_sentences": [[1], [1, 0]],
    "evidence": ["Ann won.", "Ann's cat won a race.", "It rained."],
}
RTE = """<?xml version="1.0"?><entailment-corpus>
<pair id="1" entailment="YES" task="IE"><t>Ann won a race. It rained.</t><h>Ann won.</h></pair>
<pair id="2" entailment="NO" task="IE"><t>Ann won.</t><h>Bob won.</h></pair>
</entailment-corpus>"""


def test_marked_words_of_a_claim_are_unsupported(tmp_path: Path) -> None:
    path = tmp_path / "wice.jsonl"
    path.write_text(json.dumps(CLAIM) + "\n[1]\n", encoding="utf-8")
    (example,) = read_wice(path, 1)
    unsupported = [example.claim.words[k] for k in np.flatnonzero(~example.supported)]
    assert unsupported == ["dog", "2018"]
    assert example.chosen == (0, 1)
    assert [one.text for one in example.evidence] == CLAIM["evidence"]
    with pytest.raises(InputError, match=r"wice.jsonl:2: expected a claim of WiCE"):
        list(read_wice(path))


def test_all_words_of_an_entailed_hypothesis_are_supported(tmp_path: Path) -> None:
    path = tmp_path / "rte.xml"
    path.write_text(RTE, encoding="utf-8")
    (example,) = read_entailed(path)
    assert example.supported.all() and len(example.supported) == len(example.claim) == 3
    assert example.chosen == (0, 1)


def test_the_threshold_is_in_the_middle_of_the_good_ones() -> None:
    scores = {0.4: 0.5, 0.5: 0.669, 0.6: 0.67, 0.65: 0.668, 0.7: 0.666, 0.8: 0.6}
    assert support_training.middle_of_best(scores) == 0.6


def test_the_recipe_prints_weights(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in (
        ("attribution/wice-unsupported-train.jsonl", 6 * (json.dumps(CLAIM) + "\n")),
        ("extrinsic/rte/rte2_dev.xml", RTE),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    support_training.run(argparse.Namespace(data=tmp_path, limit=None))
    figures, words = capsys.readouterr().out.splitlines()
    assert "'f1': " in figures
    assert words.startswith("WORD_WEIGHTS = (") and words.count(",") == 20
