"""The script that measures support on WiCE."""

from __future__ import annotations

import json
from pathlib import Path

import measure_support
import numpy as np
import pytest

from forest_align.alignment import SummarySpan, SupportingSpan, SupportReport
from forest_align.em.attribution import SupportExample
from forest_align.parsing.tokenize import tokenize
from forest_align.types import Sentence


def test_both_rows_are_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    claim = {
        "claim": "Two men sold cars in Oslo.",
        "claim_tokens": ["Two", "men", "sold", "cars", "in", "Oslo", "."],
        "non_supported_spans": [False, False, False, False, True, True, False],
        "supporting_sentences": [[0]],
        "evidence": ["Two men sold cars.", "It rained."],
    }
    path = tmp_path / "wice.jsonl"
    path.write_text(json.dumps(claim) + "\n", encoding="utf-8")
    measure_support.main([str(path)])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "| 1 claims | P | R | F1 |"
    assert [line.split(" | ")[0] for line in lines[2:]] == ["| links", "| support"]
    measure_support.main([str(path), "--whole"])
    assert capsys.readouterr().out.splitlines()[2:] == lines[3:]


def test_words_in_no_span_go_with_the_next_span() -> None:
    text = "It rained, and Ann left."
    claim = Sentence(tokenize(text), text=text)
    support = (SupportingSpan(0, (0, 2), 0.9, "equivalent"),)
    spans = (
        SummarySpan(0, (0, 2), 0.9, support),
        SummarySpan(0, (15, 18), 0.1),
        SummarySpan(0, (19, 23), 0.9, support),
    )
    report = SupportReport((text,), ("It rained.",), spans)
    example = SupportExample(claim, (), (), np.ones(len(claim), bool))
    found = measure_support.unsupported_words(report, example)
    words = [word for word, said in zip(claim.words, found, strict=True) if said]
    assert words == ["rained", ",", "and", "Ann"]
