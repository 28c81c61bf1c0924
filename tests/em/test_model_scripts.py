"""The scripts that make the forest aligner's bundled models again, and the tables of what training does."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from forest_align.aligners.forest import ForestAligner
from forest_align.aligners.forest_model import ForestModel
from forest_align.aligners.phrase_calibration import PhraseCalibration
from forest_align.data.pair_types import SentencePair
from forest_align.em.corpus import CorpusReader

from .test_dev_set import gold_pairs, parse_many

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    return importlib.import_module


@pytest.fixture
def table_script(script: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch) -> Any:
    """Reads two pairs from any file."""

    def reader(forest_size: int = 10, cache: Path | None = None) -> CorpusReader:
        made = CorpusReader("toy", forest_size=forest_size, candidates="dictionary")
        monkeypatch.setattr(made, "_parse_many", parse_many)
        return made

    def read_pairs(path: str) -> list[SentencePair]:
        return gold_pairs()

    module = script("training_table")
    monkeypatch.setattr(module, "CorpusReader", reader)
    monkeypatch.setattr(module, "read_pairs", read_pairs)
    return module


def cells(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()]


def test_normalizers_are_compared_with_the_default(
    table_script: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    table_script.main(
        ["pairs", "--gold", "a", "b", "--skip", "1", "--start", "uniform", "--epochs", "1",
         "--normalizers", "pair", "training", "--uses", "symmetric"]
    )  # fmt: skip
    head, _, *rows = cells(capsys.readouterr().out)
    assert head[0] == "trained by, 2 pairs (2 pairs)"  # one of each of two files
    trained = ["nothing", "symmetric", "pair", "training"]
    assert [row[0] for row in rows] == [
        f"{name}, used as {use}" for name in trained for use in ("sides", "symmetric")
    ]
    probabilities = {row[0]: row[-1] for row in rows}
    assert probabilities.pop("symmetric, used as sides") == ""
    assert all(0 < float(value) <= 1 for value in probabilities.values())


def test_forest_sizes_are_compared_with_the_model_s_own(
    table_script: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    table_script.main(["--gold", "a", "--forest-sizes", "50", "1"])
    _, _, *rows = cells(capsys.readouterr().out)
    assert [(row[0], bool(row[-1])) for row in rows] == [("1", True), ("10", False), ("50", True)]


def test_the_table_of_sizes_has_a_line_for_each(
    table_script: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    sizes = ["--sizes", "1", "0", "--batch-sizes", "1", "0", "--epochs", "1"]
    table_script.main(["pairs", "--gold", "a", "--start", "uniform", *sizes])
    _, _, *rows = cells(capsys.readouterr().out)
    assert [row[:2] for row in rows] == [["1", "all"], ["2", "1"], ["2", "all"]]


def test_training_needs_pairs(table_script: Any, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        table_script.main(["--gold", "a"])
    assert "needs PAIRS" in capsys.readouterr().err


def test_an_untuned_model_has_nothing_of_a_sweep(script: Callable[[str], Any], tmp_path: Path) -> None:
    for name in ("uniform", "fixed"):
        model = ForestAligner.load(name).model
        other = replace(
            model,
            options=replace(model.options, null_penalty=1.1, beam=20),
            calibration=PhraseCalibration(temperature=3.0),
            description={"weights": model.description["weights"]},
        )
        other.save(tmp_path / "other")
        for start, output in ((name, "first"), (str(tmp_path / "other"), "second")):
            script("untuned_model").main([start, "-o", str(tmp_path / output)])
        for file in (tmp_path / "first").iterdir():
            assert file.read_bytes() == (tmp_path / "second" / file.name).read_bytes()
        untuned = ForestModel.load(tmp_path / "first")
        assert (untuned.weights == model.weights).all() and untuned.lexical == model.lexical
        assert (untuned.options.null_penalty, untuned.options.generation_gap) == (1.4, 5)


def test_no_sweep_of_the_bundled_models_starts_with_options_that_came_out_of_one() -> None:
    text = (SCRIPTS / "fit_forest_model.sh").read_text(encoding="utf-8")
    swept = re.findall(r'^tune_model "([^"]*)"', text, re.MULTILINE)
    assert swept == ["$out/start/uniform", "$out/em", "$out/start/fixed"]
    assert '--start "$out/uniform"' in text and 'untuned_model.py" "$bundled/$weights"' in text
