"""Settings, and the way from prepared pairs to a model: what is searched while training, what is kept."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.aligners.forest.features import GENERAL_FEATURES
from forest_align.aligners.forest.model import ForestModel
from forest_align.aligners.forest.options import ForestOptions, PhraseCalibration
from forest_align.aligners.forest.phrase_evidence import PhraseEvidence
from forest_align.aligners.words.lexical import Dictionary
from forest_align.em.corpus.corpus import CorpusPair, CorpusReader
from forest_align.em.forest import training
from forest_align.em.forest.dev_set import DevSet
from forest_align.em.forest.state import TrainingSettings
from forest_align.em.forest.training import SMALLEST_WEIGHT, train_forest_model
from forest_align.em.tuning.forest_sweep import SweepProblem, with_values
from forest_align.types import InputError

from .test_dev_set import gold_pairs, parse_many

SETTINGS = TrainingSettings(epochs=2, batch_size=0, regularization=0.05)


@pytest.fixture
def pairs(monkeypatch: pytest.MonkeyPatch) -> list[CorpusPair]:
    """Two pairs, the first one twice."""
    reader = CorpusReader("toy", candidates="dictionary")
    monkeypatch.setattr(reader, "_parser", parse_many)
    raw = gold_pairs()
    found, problems = reader.read([*raw, replace(raw[0], id="again")])
    assert not problems
    return found


def start(**options: Any) -> ForestModel:
    weights = np.linspace(-0.2, 0.2, len(GENERAL_FEATURES))
    return ForestModel(weights, {}, ForestOptions(**options), calibration=PhraseCalibration(2.0, 0.5, 0.1))


def test_the_search_runs_with_the_beam_of_training_and_without_the_parser_weight(
    pairs: list[CorpusPair], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Any] = []
    build_problem = training.build_problem

    def watched(*parts: Any) -> Any:
        seen.append(parts)
        return build_problem(*parts)

    monkeypatch.setattr(training, "build_problem", watched)
    model = start(beam=7, parser_weight=0.3, null_penalty=1.5, link_weight=0.8, strict=True)
    found = train_forest_model(pairs, model, SETTINGS, beam=20).model
    (prepared, *_, kernel_options) = seen[0]
    in_training = replace(model.options, beam=20, parser_weight=0.0)
    assert kernel_options == [in_training.search_options()] * len(pairs)
    assert all(pair.options.link_weight == 0.8 for pair in prepared)
    assert (found.options, found.calibration) == (model.options, model.calibration)


def test_without_epochs_the_weights_are_those_of_the_start(pairs: list[CorpusPair]) -> None:
    features = pairs[0].features
    key = f"{features.source.attributes()[0]}\t{features.target.attributes()[0]}"
    model = replace(start(), lexical={key: 0.7, "unseen/N\tunseen/N": 1.0})
    trained = train_forest_model(pairs, model, replace(SETTINGS, epochs=0))
    assert (trained.model.weights == model.weights).all()
    # The pair that has the attributes is there twice, the default asks for three.
    assert not trained.model.lexical
    trained = train_forest_model(pairs, model, replace(SETTINGS, epochs=0), least_pairs=2)
    assert trained.model.lexical == {key: 0.7}


def test_lexicalised_weights_are_learned_for_frequent_pairs_and_small_ones_dropped(
    pairs: list[CorpusPair],
) -> None:
    counts = []
    for least in (1, 2, 3):
        found = train_forest_model(pairs, start(), SETTINGS, least_pairs=least).model.lexical
        assert all(abs(weight) >= SMALLEST_WEIGHT for weight in found.values())
        counts.append(len(found))
    assert counts[0] > counts[1] > counts[2]
    strict = replace(SETTINGS, regularization=1e4)
    assert not train_forest_model(pairs, start(), strict, least_pairs=1).model.lexical


def test_the_model_says_how_it_was_trained(pairs: list[CorpusPair]) -> None:
    settings = replace(SETTINGS, seed=3, workers=2)
    trained = train_forest_model(pairs, start(), settings, beam=30, least_pairs=2)
    about = trained.model.description
    assert (about["training_beam"], about["least_pairs"]) == (30, 2)
    assert (about["pairs"], about["seed"], about["regularization"]) == (3, 3, 0.05)
    assert "workers" not in about
    assert [epoch["epoch"] for epoch in about["history"]] == [report.epoch for report in trained.history]


def whole_model() -> ForestModel:
    """A model that has every part, none of them as it is by default."""
    bundled = ForestAligner.load().model
    return replace(
        bundled,
        weights=np.linspace(-0.2, 0.2, len(GENERAL_FEATURES)),
        lexical={"a/N\tb/N": 0.5},
        options=replace(bundled.options, null_penalty=1.7),
        calibration=PhraseCalibration(2.0, 0.5, 0.1, 0.3),
        dictionary=Dictionary(0.7),
    )


def kept(model: ForestModel, folder: Path, *changed: str) -> dict[str, Any]:
    """The parts of a model but those changed, after it was saved and loaded, as comparable values."""
    model.save(folder)
    loaded = ForestModel.load(folder)
    parts = {one.name: getattr(loaded, one.name) for one in fields(loaded) if one.init}
    parts["dictionary"] = parts["dictionary"].encoded()[0]
    for name in ("phrases", "relations", "judge"):
        parts[name] = parts[name].fingerprint
    parts["weights"] = parts["weights"].tolist()
    return {name: value for name, value in parts.items() if name not in changed}


def test_every_part_of_the_start_survives_training_tuning_and_saving(
    pairs: list[CorpusPair], tmp_path: Path
) -> None:
    model = whole_model()
    assert all(getattr(model, one.name) is not None for one in fields(model))
    learned = ("weights", "lexical", "description")
    trained = train_forest_model(pairs, model, SETTINGS).model
    assert kept(trained, tmp_path / "trained", *learned) == kept(model, tmp_path / "start", *learned)
    assert (trained.weights != model.weights).any()
    scored = ("options", "phrase_options", "description")
    tuned = with_values(trained, {"beam": 17})
    assert kept(tuned, tmp_path / "tuned", *scored) == kept(trained, tmp_path / "trained", *scored)
    assert (tuned.options.beam, replace(tuned.options, beam=50)) == (17, trained.options)


def test_pairs_that_the_phrase_model_judges_are_searched_with_its_options(
    pairs: list[CorpusPair], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Any] = []
    build_problem = training.build_problem
    monkeypatch.setattr(training, "build_problem", lambda *parts: seen.append(parts) or build_problem(*parts))
    model = whole_model()
    evidence = PhraseEvidence(np.array([[0, 3, 0, 2]], np.int32), np.ones(1))
    trained = train_forest_model([replace(pairs[0], phrases=evidence), *pairs[1:]], model, SETTINGS).model
    prepared, *_, searched = seen[0]
    assert [pair.phrases is evidence for pair in prepared] == [True, False, False]
    assert model.phrase_options is not None
    assert prepared[0].options.phrase_weight == model.phrase_options.phrase_weight > 0
    penalties = [options.null_penalty for options in searched]
    assert penalties == [model.phrase_options.null_penalty, 1.7, 1.7]
    assert trained.phrases is model.phrases


def test_a_sweep_writes_the_options_that_it_scored_and_no_others(pairs: list[CorpusPair]) -> None:
    model = whole_model()
    evidence = PhraseEvidence(np.array([[0, 3, 0, 2]], np.int32), np.ones(1))
    judged = [replace(pair, phrases=evidence) for pair in pairs]
    for used, changed in ((judged, "phrase_options"), (pairs, "options")):
        problem = SweepProblem(model, "word-f1", [10], lambda size, used=used: DevSet(used), {})  # type: ignore
        tuned = problem.tuned({"null_penalty": 1.33})
        for name in ("options", "phrase_options"):
            before, after = getattr(model, name), getattr(tuned, name)
            assert after == (replace(before, null_penalty=1.33) if name == changed else before)
        note = {"options": "tuned", "phrase_options": "phrases_tuned"}[changed]
        assert tuned.description[note]["null_penalty"] == 1.33
        assert tuned.forest_size == 10


def test_no_pairs_are_an_error() -> None:
    with pytest.raises(InputError, match="at least one sentence pair"):
        train_forest_model([], start(), SETTINGS)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("epochs", -1),
        ("batch_size", -1),
        ("seed", -1),
        ("workers", 0),
        ("m_step_iterations", 0),
        ("step_exponent", 0.5),
        ("step_exponent", 1.1),
        ("step_exponent", float("nan")),
        *(("regularization", value) for value in (-1.0, float("nan"), float("inf"))),
    ],
)
def test_settings_out_of_range_are_refused_by_name(field: str, value: float) -> None:
    with pytest.raises(InputError, match=field):
        TrainingSettings(**{field: value})


def test_a_resumed_run_may_have_other_epochs_workers_and_checkpoints_alone() -> None:
    free = {"epochs": 9, "workers": 3, "checkpoint_seconds": 1.0}
    fixed = {"batch_size": 9, "seed": 9, "regularization": 0.5, "step_exponent": 0.9, "m_step_iterations": 3}
    settings = TrainingSettings()
    assert free.keys() | fixed.keys() == set(TrainingSettings.__dataclass_fields__)
    for name, value in (free | fixed).items():
        same = replace(settings, **{name: value}).identity == settings.identity
        assert same == (name in free), name
