"""Training of the model of changed spans, on pairs whose spans follow a plain rule."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from forest_align.alignment import Alignment, Links
from forest_align.em.phrases.changed_span_training import cross_fitted, main, report, train_changed_spans
from forest_align.eval.benchmarks.marked_pairs import MarkedPair
from forest_align.types import InputError, Sentence


def toy(number: int) -> MarkedPair:
    """Determiners are marked with the noun that changed; it differs in meaning if its number is odd."""
    rng = np.random.default_rng(number)
    sides = []
    for noun in (["x", "y"], ["x", "six"])[number % 2]:
        words = ["he", "saw", "the", noun, "in", "may"]
        one = Sentence.from_words(words, ["PRP", "VBD", "DT", "NN", "IN", "NNP"])
        vectors = np.eye(7, dtype=np.float32)[[0, 1, 2, 6 if noun == "six" else 3, 4, 5]]
        sides.append(replace(one, vectors=vectors + rng.normal(scale=0.01, size=(6, 7)).astype(np.float32)))
    alignment = Alignment(*sides, Links.from_pharaoh("0-0 1-1 2-2 4-4 5-5"))
    return MarkedPair(alignment, [((2, 4), (2, 4), not number % 2)])


def test_what_is_marked_and_what_differs_is_learned_for_pairs_left_out() -> None:
    pairs = [toy(number) for number in range(40)]
    for number, (span,) in enumerate(cross_fitted(pairs, 4)):
        assert (span.source, span.target) == ((2, 4), (2, 4))
        assert (span.probability > 0.5) == bool(number % 2)
    rows = [line.split(" | ") for line in report(pairs, 4)]
    assert rows[2][1:] == ["50.0", "50.0", "50.0", "100.0", "0.0 |"]
    assert rows[4][1:] == ["100.0"] * 4 + ["100.0 |"]


def test_spans_of_both_kinds_are_needed() -> None:
    with pytest.raises(InputError, match="some that do not"):
        train_changed_spans([toy(2 * number) for number in range(10)])
    with pytest.raises(InputError, match="at least 5 pairs"):
        train_changed_spans([toy(1)] * 4)


def test_the_command_writes_a_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = ["premise\thypothesis\tspan_similarity\tsentence_similarity"]
    for number in range(6):
        rows.append(f"He saw {{{{the dog}}}} {number} times .\tHe saw {{{{the cat}}}} {number} times .\t0\t0")
        rows.append(f"She {{{{bought}}}} {number} cars .\tShe {{{{purchased}}}} {number} cars .\t1\t1")
    path = tmp_path / "pairs.tsv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    assert main([str(path), str(tmp_path / "model"), "--folds", "3"]) == 0
    assert "| nothing differs | 50.0 |" in capsys.readouterr().out
    assert (tmp_path / "model" / "weights.safetensors").exists()
