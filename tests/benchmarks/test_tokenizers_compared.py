"""The script that compares tokenizers, on two sentences and two cases."""

from __future__ import annotations

import json
from pathlib import Path

import compare_tokenizers
import pytest

TREES = """( (S (NP (PRP They)) (VP (VBD left) (NP (NNP Mr.) (NNP Fox))) (. .)) )
( (S (NP (PRP He)) (VP (VBD said) (`` ``) (NP (DT no)) ('' ''))
    (PRN (-LRB- -LRB-) (RB so) (-RRB- -RRB-)) (. .)) )
"""


def test_characters_of_words_are_compared_whatever_double_quotes_a_tokenizer_writes() -> None:
    words = compare_tokenizers.as_written(["``", "a", "''", "``"], '"a" ``')
    assert words == ['"', "a", '"', "``"]
    assert compare_tokenizers.character_spans(words) == {(0, 1), (1, 2), (2, 3), (3, 5)}


def test_words_of_one_sentence_or_two_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "wsj_0001.mrg").write_text(TREES)
    cases = [
        {"text": "It ended.\u2028So", "expected_tokens": ["It", "ended", ".", "So"]},
        {"text": "a b", "expected_tokens": ["a b"]},
    ]
    path = tmp_path / "cases.jsonl"
    path.write_text("".join(json.dumps(case, ensure_ascii=False) + "\n" for case in cases), encoding="utf-8")
    compare_tokenizers.main(
        ["--wsj", str(tmp_path), "--cases", str(path), "--tokenizers", "forest-align", "nltk"]
    )
    rows = [line.split(" | ")[:5] for line in capsys.readouterr().out.splitlines()[2:]]
    assert [row[1:] for row in rows[:2]] == [[f"WSJ train, {k} a text", *["100.00"] * 3] for k in (1, 2)]
    assert rows[2][1] == "cases: 1 of 2"
    # nltk joins the stop inside the text to its word: 12 of its 13 words are right, of 14.
    assert rows[3][2:] == ["100.00"] * 3 and rows[4][2:] == ["92.31", "85.71", "88.89"]


def test_nothing_to_measure_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        compare_tokenizers.main([])
    assert "nothing to measure" in capsys.readouterr().err
