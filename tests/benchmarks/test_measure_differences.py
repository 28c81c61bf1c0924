"""The labels and figures of the measurement of differences."""

from __future__ import annotations

import measure_differences as script
import numpy as np
import pytest

from forest_align.data.formats.format import MarkedSpans
from forest_align.data.pairs import SentencePair
from forest_align.types import Sentence

from ..places import SHARED


@pytest.mark.parametrize(
    ("scores", "wanted", "expected"),
    [
        ([0.9, 0.8, 0.7, 0.6], [1, 0, 1, 0], (1 + 2 / 3) / 2),
        ([0.5, 0.5, 0.1], [1, 0, 0], 0.5),
        ([0.5, 0.5, 0.1], [0, 1, 0], 0.5),
    ],
)
def test_average_precision_is_the_mean_precision_at_wanted_words(
    scores: list[float], wanted: list[int], expected: float
) -> None:
    assert script.average_precision(np.array(scores), np.array(wanted, bool)) == pytest.approx(expected)


def test_words_in_marked_spans_of_another_meaning_are_labelled() -> None:
    source, target = Sentence.from_words(["a", "red", "dog"]), Sentence.from_words(["one", "cat"])
    marked = (MarkedSpans((0, 1), (0, 3), True), MarkedSpans((2, 9), (4, 7), False))
    pair = SentencePair("1", source, target, marked=marked)
    assert script.span_labels(pair, (source, target)) == ([0.0, 1.0, 1.0], [0.0, 1.0])


def test_the_script_prints_a_table_for_each_corpus(capsys: pytest.CaptureFixture[str]) -> None:
    if not (SHARED / "data" / "ists").is_dir():
        pytest.skip("needs the corpora of the folder shared")
    script.main([str(SHARED / "data"), "--limit", "3", "--aligner", "contextual"])
    out = capsys.readouterr().out
    assert "| ists, 9 pairs |" in out and "| ssd, 3 pairs |" in out
    assert out.count("| differences |") == 2
