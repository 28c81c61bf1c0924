"""From prepared pairs to a model: what goes into the search while training, and what the model keeps."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from forest_align.aligners.forest.calibration import PhraseCalibration
from forest_align.aligners.forest.features import GENERAL_FEATURES
from forest_align.aligners.forest.model import ForestModel
from forest_align.aligners.forest.options import ForestOptions
from forest_align.em.corpus.corpus import CorpusPair, CorpusReader
from forest_align.em.forest import training
from forest_align.em.forest.dev_set import DevSet
from forest_align.em.forest.events import Normalizer
from forest_align.em.forest.state import TrainingSettings
from forest_align.em.forest.training import SMALLEST_WEIGHT, train_forest_model
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
    model = start(beam=7, parser_weight=0.3, null_penalty=1.5, link_weight=0.8, single_support=False)
    found = train_forest_model(pairs, model, SETTINGS, beam=20).model
    (prepared, _, normalizer, *_, kernel_options) = seen[0]
    in_training = replace(model.options, beam=20, parser_weight=0.0)
    assert kernel_options == in_training.search_options()
    assert normalizer is Normalizer.SYMMETRIC
    assert all(pair.link_weight == 0.8 for pair in prepared)
    assert (found.options, found.calibration) == (model.options, model.calibration)


@pytest.mark.parametrize("normalizer", list(Normalizer))
def test_without_epochs_the_weights_are_those_of_the_start(
    pairs: list[CorpusPair], normalizer: Normalizer
) -> None:
    features = pairs[0].features
    key = f"{features.source.attributes()[0]}\t{features.target.attributes()[0]}"
    model = replace(start(), lexical={key: 0.7, "unseen/N\tunseen/N": 1.0})
    trained = train_forest_model(pairs, model, replace(SETTINGS, epochs=0), normalizer=normalizer)
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


def test_the_model_says_how_it_was_trained_and_the_normalisers_differ(pairs: list[CorpusPair]) -> None:
    weights = set()
    for normalizer in Normalizer:
        settings = replace(SETTINGS, seed=3, workers=2)
        trained = train_forest_model(pairs, start(), settings, normalizer=normalizer, beam=30, least_pairs=2)
        about = trained.model.description
        weights.add(trained.model.weights.tobytes())
        assert (about["normalizer"], about["training_beam"], about["least_pairs"]) == (normalizer, 30, 2)
        assert (about["pairs"], about["seed"], about["regularization"]) == (3, 3, 0.05)
        assert "workers" not in about
        assert [one["epoch"] for one in about["history"]] == [report.epoch for report in trained.history]
    assert len(weights) == len(Normalizer)


def test_the_model_keeps_the_forest_size_of_the_start(pairs: list[CorpusPair]) -> None:
    assert "tuned" not in train_forest_model(pairs, start(), SETTINGS).model.description
    tuned = {"forest_size": 3, "beam": 50}
    model = replace(start(), description={"weights": "set by hand", "tuned": tuned})
    found = train_forest_model(pairs, model, SETTINGS).model
    assert found.forest_size == 3
    assert (found.description["tuned"], found.description["weights"]) == (tuned, "trained by Viterbi EM")


def test_dev_pairs_are_scored_by_the_model_of_the_epoch(pairs: list[CorpusPair]) -> None:
    dev, scored = DevSet(pairs[:2]), []
    statistics = dev.statistics
    dev.statistics = lambda model, *rest: scored.append(model) or statistics(model, *rest)  # type: ignore
    trained = train_forest_model(pairs, start(), SETTINGS, dev=dev, least_pairs=1)
    assert len(scored) == 2
    assert (scored[1].weights == trained.model.weights).all()
    assert scored[1].lexical == trained.model.lexical and scored[1].options == trained.model.options
    assert "constituent f1" in trained.history[1].dev


def test_no_pairs_are_an_error() -> None:
    with pytest.raises(InputError, match="at least one sentence pair"):
        train_forest_model([], start(), SETTINGS)
