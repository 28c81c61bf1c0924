"""The script that measures support on SSD and RTE."""

from __future__ import annotations

from pathlib import Path

import measure_support as script
import numpy as np
import pytest

from forest_align.types import Sentence

SSD = """premise\thypothesis\tspan_similarity\tsentence_similarity
The airport {{offers}} a public {{taxi}}.\tThe airport {{provides}} a public {{bus}}.\t1,0\t0
Nobody {{came}}.\tNobody {{arrived}}.\t1\t1
"""
RTE = """<?xml version="1.0" encoding="UTF-8"?>
<entailment-corpus>
<pair id="1" value="TRUE"><t>Two men sold cars in Oslo.</t><h>Two men sold cars.</h></pair>
<pair id="2" value="FALSE"><t>It rained.</t><h>Two men sold cars.</h></pair>
</entailment-corpus>
"""


def test_both_tables_are_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "ssd.tsv").write_text(SSD, encoding="utf-8")
    (tmp_path / "rte1_dev.xml").write_text(RTE, encoding="utf-8")
    rte = str(tmp_path / "rte1_dev.xml")
    script.main(["--ssd", str(tmp_path / "ssd.tsv"), "--rte", rte, rte])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "| 3 spans of SSD, 66.7% the same | AUC | accuracy |"
    assert [line.split(" | ")[0] for line in lines[2:5]] == ["| links", "| support, at 0.5", "| RTE"]
    assert lines[-1] == "| mean support | 100.0 |"


def test_marked_spans_replace_the_chunks_that_they_overlap() -> None:
    tags = ["DT", "NN", "VBZ", "DT", "JJ", "NN"]
    sentence = Sentence.from_words(["The", "airport", "offers", "a", "public", "taxi"], tags)
    assert script.tokens_of(sentence, (21, 27)) == (4, 5)
    assert script.chunks_with(sentence, [(4, 6)]) == [(0, 2), (2, 3), (4, 6)]
    assert script.chunks_with(sentence, []) == [(0, 2), (2, 3), (3, 6)]


def test_a_threshold_is_the_most_accurate_one() -> None:
    scores, right = np.array([0.1, 0.4, 0.6, 0.9]), np.array([False, True, False, True])
    assert script.best_threshold(scores, right) in (0.4, 0.9)
    assert script.accuracy(scores, right, 0.4) == 75
