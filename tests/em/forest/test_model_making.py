"""The scripts that make the forest aligner's bundled models again, and the tables of what training does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import training_table

from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.aligners.forest.model import ForestModel
from forest_align.aligners.forest.options import PhraseCalibration
from forest_align.data.formats.format import SentencePair
from forest_align.em import recipes
from forest_align.em.corpus.corpus import CorpusPair, CorpusReader
from forest_align.em.forest import calibrate
from forest_align.em.forest._calibration import JudgedPhrases
from forest_align.em.forest.state import TrainingSettings

from .test_dev_set import gold_pairs, parse_many


@pytest.fixture
def table_script(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Reads two pairs from any file."""

    def reader(forest_size: int = 10, cache: Path | None = None) -> CorpusReader:
        made = CorpusReader("toy", forest_size=forest_size, candidates="dictionary")
        monkeypatch.setattr(made, "_parser", parse_many)
        return made

    def read_pairs(path: str) -> list[SentencePair]:
        return gold_pairs()

    def for_model(model: ForestModel, forest_size: int = 10, cache: Path | None = None) -> CorpusReader:
        return reader(forest_size, cache)

    reader.for_model = for_model  # type: ignore[attr-defined]
    module = training_table
    monkeypatch.setattr(module, "CorpusReader", reader)
    monkeypatch.setattr(module, "read_pairs", read_pairs)
    return module


def cells(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()]


def test_the_table_of_sizes_has_a_line_for_each(
    table_script: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    sizes = ["--sizes", "1", "0", "--batch-sizes", "1", "0", "--epochs", "1"]
    table_script.main(["pairs", "--gold", "a", "--start", "uniform", *sizes])
    _, _, *rows = cells(capsys.readouterr().out)
    assert [row[:2] for row in rows] == [["1", "all"], ["2", "1"], ["2", "all"]]


def test_smaller_sizes_are_the_first_of_one_fixed_shuffle(
    table_script: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    trained = []

    def train(pairs: Any, start: ForestModel, settings: TrainingSettings) -> Any:
        assert settings.epochs == 2
        trained.append((" ".join(pair.id for pair in pairs), settings.batch_size))
        return SimpleNamespace(model=start)

    five = [replace(gold_pairs()[number % 2], id=str(number)) for number in range(5)]
    monkeypatch.setattr(table_script, "read_pairs", lambda path: five)
    monkeypatch.setattr(table_script, "train_forest_model", train)
    sizes = ["--sizes", "3", "5", "0", "--batch-sizes", "2", "3", "0"]
    table_script.main(["pairs", "--gold", "a", "--gold-limit", "1", "--start", "uniform", *sizes])
    order = "2 4 3 0 1"  # of NumPy's generator with the seed 0
    assert trained == [("2 4 3", 2), ("2 4 3", 0), (order, 2), (order, 3), (order, 0)]
    _, _, *rows = cells(capsys.readouterr().out)
    assert [row[:2] for row in rows] == [["3", "2"], ["3", "all"], ["5", "2"], ["5", "3"], ["5", "all"]]


def test_probabilities_are_fitted_on_every_other_pair_and_reported_on_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    read_with, judged, results, fitted = [], [], [], []

    def reader(model: ForestModel, parser: str, *, cache: Path | None) -> CorpusReader:
        assert model.words == "contextual"
        read_with.append((model.forest_size, model.options.beam))
        made = CorpusReader("toy", candidates="dictionary")
        monkeypatch.setattr(made, "_parser", parse_many)
        return made

    module = calibrate
    judge = module.judge_phrases

    def noted(pairs: list[CorpusPair], *options: Any) -> JudgedPhrases:
        judged.append([pair.id for pair in pairs])
        result: JudgedPhrases = judge(pairs, *options)
        results.append(result)
        return result

    def noted_fit(corpora: list[JudgedPhrases], before: PhraseCalibration) -> PhraseCalibration:
        fitted.append(corpora)
        return PhraseCalibration(2.0, 0.5, 0.25)

    five = [replace(gold_pairs()[number % 2], id=str(number)) for number in range(5)]
    monkeypatch.setattr(module, "CorpusReader", SimpleNamespace(for_model=reader))
    monkeypatch.setattr(module, "read_pairs", lambda path: five)
    monkeypatch.setattr(module, "judge_phrases", noted)
    monkeypatch.setattr(module, "fit_calibration", noted_fit)
    options = replace(ForestAligner.load().model.options, beam=7)
    start = replace(ForestAligner.load().model, options=options, description={"tuned": {"forest_size": 3}})
    start.save(tmp_path / "start")
    output = tmp_path / "calibrated"
    recipes.main(
        ["phrase-calibration", "x/a", "--model", str(tmp_path / "start"), "-o", str(output), "--limit", "3"]
    )
    assert (read_with, judged) == ([(3, 7)], [["0", "2"], ["1"]])
    assert fitted == [[results[0]]]
    model = ForestModel.load(output)
    assert model.calibration == PhraseCalibration(2.0, 0.5, 0.25)
    printed = capsys.readouterr().out
    assert str(model.calibration) in printed and f"| x/a | {len(results[1].right)} |" in printed
    assert model.description == {"tuned": {"forest_size": 3}, "calibrated_on": {"x/a": 2}}
    assert model.options == start.options and (model.weights == start.weights).all()
    with pytest.raises(SystemExit):
        recipes.main(["phrase-calibration", "one/x/a", "other/x/a"])
    assert "files of different names" in capsys.readouterr().err


def test_an_untuned_model_has_nothing_of_a_sweep(tmp_path: Path) -> None:
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
            recipes.main(["untuned", start, "-o", str(tmp_path / output)])
        for file in (tmp_path / "first").iterdir():
            assert file.read_bytes() == (tmp_path / "second" / file.name).read_bytes()
        made = ForestModel.load(tmp_path / "first")
        assert (made.weights == model.weights).all() and made.lexical == model.lexical
        assert (made.options.null_penalty, made.options.generation_gap) == (1.4, 5)
