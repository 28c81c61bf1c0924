"""The probabilities made of phrase features, and the model's files."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from forest_align.aligners import load
from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.aligners.forest.features import CATEGORIES, GENERAL_FEATURES, RELATIONS, PairFeatures
from forest_align.aligners.forest.model import ForestModel
from forest_align.aligners.forest.options import MOST_ITEMS, OPENED_SUPPORTS, ForestOptions, PhraseCalibration
from forest_align.types import ModelError

from ...bound_models import bind
from .test_features import features


def bundled() -> ForestModel:
    aligner = load("forest")
    assert isinstance(aligner, ForestAligner)
    return aligner.model


def general_features(found: PairFeatures) -> np.ndarray:
    """Every general feature, (S + 1, T + 1, F), null classes last: of these only the categories are known."""
    categories = [[*side.categories, CATEGORIES.index("null")] for side in (found.source, found.target)]
    table = np.zeros((len(categories[0]), len(categories[1]), len(GENERAL_FEATURES)))
    table[:-1, :-1, : len(RELATIONS)] = found.relations
    for i, one in enumerate(categories[0]):
        for j, two in enumerate(categories[1]):
            table[i, j, GENERAL_FEATURES.index(f"category:{CATEGORIES[one]}:{CATEGORIES[two]}")] = 1.0
    return table


def lexical_key(found: PairFeatures, i: int, j: int) -> str:
    """Name of the lexicalised feature of two classes; -1 is null."""
    return f"{found.source.attributes()[i]}\t{found.target.attributes()[j]}"


def test_probabilities_are_those_of_the_definition() -> None:
    found, random = features(), np.random.default_rng(3)
    n, m = len(found.source), len(found.target)
    keys = [lexical_key(found, i, j) for i in (-1, 0, 1) for j in (-1, 0, 1, 2) if (i, j) != (-1, -1)]
    lexical = {key: float(random.normal()) for key in keys}
    weights = random.normal(size=len(GENERAL_FEATURES))
    model = ForestModel(weights, lexical)
    general = general_features(found) @ weights

    def score(i: int, j: int) -> float:
        return float(np.exp(general[i, j] + lexical.get(lexical_key(found, i, j), 0.0)))

    log_pair, log_null_source, log_null_target = model.log_probabilities(found)
    rows = [sum(score(i, j) for j in range(-1, m)) for i in range(n)]
    columns = [sum(score(i, j) for i in range(-1, n)) for j in range(m)]
    for i in range(n):
        assert np.exp(log_null_source[i]) == pytest.approx(score(i, -1) / rows[i])
        for j in range(m):
            assert np.exp(log_pair[i, j]) == pytest.approx(score(i, j) / rows[i])
    for j in range(m):
        assert np.exp(log_null_target[j]) == pytest.approx(score(-1, j) / columns[j])


def test_large_weights_do_not_overflow() -> None:
    for weight in (-5000.0, 5000.0):
        weights = np.full(len(GENERAL_FEATURES), weight)
        for found in ForestModel(weights).log_probabilities(features()):
            assert np.isfinite(found).all()


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("penalty", [2.5, None])
def test_each_option_of_the_search_reaches_the_kernel(strict: bool, penalty: float | None) -> None:
    numbers = {"null_penalty": 1.5, "beam": 11, "generation_gap": 12}
    options = ForestOptions(**numbers, noncompositional_penalty=penalty, parser_weight=0.25, strict=strict)
    model = ForestModel(np.zeros(len(GENERAL_FEATURES)), options=options)
    assert replace(model, calibration=PhraseCalibration(3.0)).search_options()._asdict() == {
        **numbers,
        "noncompositional": penalty is not None,
        "noncompositional_penalty": penalty or 0.0,
        "single_support": not strict,
        "opened_supports": OPENED_SUPPORTS,
        "max_items": MOST_ITEMS,
        "count_all_nulls": False,
        "temperature": 3.0,
        "packed": False,
    }


def test_a_saved_model_loads_the_same(tmp_path: Path) -> None:
    calibration = PhraseCalibration(2.5, 0.5, 1.0)
    # Words may hold half of a surrogate pair, which strict UTF-8 does not take.
    lexical = {"a/N\tb/N": 0.5, "ü/V\t/null": -1.0, "\ud83d/N\tface/N": 2.0}
    model = replace(bundled(), lexical=lexical, calibration=calibration)
    model.save(tmp_path)
    again = ForestModel.load(tmp_path)
    assert np.array_equal(again.weights, model.weights)
    assert (again.lexical, again.options, again.description) == (
        model.lexical,
        model.options,
        model.description,
    )
    assert again.calibration == calibration
    assert isinstance(load(tmp_path), ForestAligner)


def test_the_file_does_not_depend_on_the_order_of_the_weights(tmp_path: Path) -> None:
    lexical = {"b/N\tc/N": 1.0, "a/N\tc/N": 2.0, "a/N\tb/N": 3.0}
    for name, keys in (("one", list(lexical)), ("two", sorted(lexical))):
        replace(bundled(), lexical={key: lexical[key] for key in keys}).save(tmp_path / name)
    assert ForestModel.load(tmp_path / "one").lexical == lexical
    for file in ("model.json", "weights.safetensors"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


def test_weights_without_as_many_names_are_refused(tmp_path: Path) -> None:
    replace(bundled(), lexical={"a/N\tb/N": 1.0, "c/N\td/N": 2.0}).save(tmp_path)
    path = tmp_path / "weights.safetensors"
    tensors = load_file(path)
    save_file({**tensors, "lexical": tensors["lexical"][:1]}, path)
    bind(path)
    with pytest.raises(ModelError, match="expected 1 names of lexicalised features, found 2"):
        ForestModel.load(tmp_path)


def test_a_model_without_calibration_reports_plain_posteriors(tmp_path: Path) -> None:
    bundled().save(tmp_path)
    about = json.loads((tmp_path / "model.json").read_text())
    del about["calibration"]
    (tmp_path / "model.json").write_text(json.dumps(about))
    assert ForestModel.load(tmp_path).calibration == PhraseCalibration(1.0, 1.0, 0.0)


def test_a_model_with_a_number_that_json_lacks_is_not_written(tmp_path: Path) -> None:
    model = replace(bundled(), description={"regularization": float("nan")})
    with pytest.raises(ValueError, match="JSON"):
        model.save(tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_models_that_have_learned_nothing_are_loaded_by_their_names() -> None:
    fixed, uniform = (load(name).model for name in ("fixed", "uniform"))
    assert not fixed.lexical and (fixed.weights != bundled().weights).any() and fixed.weights.any()
    assert not uniform.lexical and not uniform.weights.any()


def test_a_missing_model_says_what_there_is(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="contextual"):
        load(tmp_path / "nothing")
    with pytest.raises(ModelError, match=r"holds no file model\.json"):
        ForestModel.load(tmp_path)
