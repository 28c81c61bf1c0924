"""Phrase features, the probabilities made of them, and the model's files."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from forest_align.aligners import load
from forest_align.aligners.forest import ForestAligner
from forest_align.aligners.forest_model import ForestModel, ForestOptions
from forest_align.aligners.phrase_calibration import PhraseCalibration
from forest_align.aligners.phrase_features import (
    CATEGORIES,
    GENERAL_FEATURES,
    RELATIONS,
    PairFeatures,
    pair_features,
    phrase_classes,
    reduced_category,
)
from forest_align.lexicon.evidence import word_evidence
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.parsing import sentence_from_bracket
from forest_align.types import InputError, ModelError

SOURCE = "(S (NP (DT The) (NN cat)) (VP (VBD sat) (PP (IN on) (NP (DT the) (NN mat)))))"
TARGET = "(S (NP (DT A) (NN cat)) (VP (VBD was) (VP (VBG sitting) (PP (IN at) (NP (NNS mats))))))"


def features() -> PairFeatures:
    lexicon = load_lexicon()
    source, target = (sentence_from_bracket(text, lemmatizer=lexicon.lemma) for text in (SOURCE, TARGET))
    return pair_features(source, target, word_evidence(source, target, lexicon), [(1, 1)])


def bundled() -> ForestModel:
    aligner = load("forest")
    assert isinstance(aligner, ForestAligner)
    return aligner.model


def one_sided() -> ForestModel:
    """The weights of the bundled model without lexicalised ones, normalised over the target side alone."""
    return replace(bundled(), lexical={}, options=ForestOptions(normalizer="sides"))


def test_phrases_with_one_head_lemma_and_category_share_a_class() -> None:
    sentence = sentence_from_bracket(SOURCE, lemmatizer=load_lexicon().lemma)
    classes = phrase_classes(sentence)
    assert sorted(classes.lemmas) == ["cat", "mat", "on", "sit", "the"]
    forest = sentence.forest
    assert forest is not None
    top = classes.class_of_node[forest.roots[0]]
    assert (classes.lemmas[top], CATEGORIES[classes.categories[top]]) == ("sit", "V")


@pytest.mark.parametrize(
    ("tag", "category"),
    [("NNS", "N"), ("PRP", "N"), ("MD", "V"), ("JJR", "ADJ"), ("RB", "ADV"), ("IN", "P"), ("TO", "P"),
     ("CC", "CC"), ("DT", "other"), ("", "other")],
)  # fmt: skip
def test_tags_fall_into_reduced_categories(tag: str, category: str) -> None:
    assert CATEGORIES[reduced_category(tag)] == category


def test_relations_hold_between_heads() -> None:
    found = features()
    places = [dict(zip(classes.lemmas, range(99), strict=False)) for classes in (found.source, found.target)]

    def relations(one: str, two: str) -> set[str]:
        return {
            name
            for name, on in zip(RELATIONS, found.relations[places[0][one], places[1][two]], strict=True)
            if on
        }

    assert relations("cat", "cat") == {"identical", "linked", "same_category"}
    assert relations("sit", "sit") == {"identical", "same_category"}
    assert relations("on", "at") >= {"preposition", "same_category"}
    assert relations("the", "cat") == set()


def test_probabilities_of_each_source_class_add_up_to_one() -> None:
    log_pair, log_null_source, log_null_target = one_sided().log_probabilities(features())
    assert np.exp(log_pair).sum(axis=1) + np.exp(log_null_source) == pytest.approx(1.0)
    assert ((log_null_target < 0) & np.isfinite(log_null_target)).all()


def test_general_features_times_weights_give_the_same_probabilities() -> None:
    model, found = one_sided(), features()
    scores = found.general() @ model.weights
    expected = scores[:-1] - np.log(np.exp(scores[:-1]).sum(axis=1, keepdims=True))
    log_pair, log_null_source, _ = model.log_probabilities(found)
    assert np.column_stack([log_pair, log_null_source]) == pytest.approx(expected)


def test_a_lexicalised_weight_moves_its_pair_alone() -> None:
    found = features()
    key = found.lexical_key(0, 0)
    model = replace(one_sided(), lexical={key: 2.0})
    before, after = (m.log_probabilities(found)[0] for m in (one_sided(), model))
    difference = after - before
    assert difference[0, 0] > 0 and (difference[0, 1:] < 0).all()
    assert difference[1:] == pytest.approx(0.0)


def test_swapped_sentences_have_the_same_symmetric_probabilities() -> None:
    found = features()
    swapped = PairFeatures(found.target, found.source, found.relations.swapaxes(0, 1))
    weights = one_sided().weights.copy()
    # Weights of category pairs need not be symmetric; those of the swapped model are the transposed ones.
    categories = weights[len(RELATIONS) :].reshape(len(CATEGORIES), len(CATEGORIES))
    other = np.concatenate([weights[: len(RELATIONS)], categories.T.ravel()])
    options = ForestOptions(normalizer="symmetric")
    log_pair, log_source, log_target = ForestModel(weights, options=options).log_probabilities(found)
    back, log_target_back, log_source_back = ForestModel(other, options=options).log_probabilities(swapped)
    assert log_pair == pytest.approx(back.T)
    assert log_source == pytest.approx(log_source_back) and log_target == pytest.approx(log_target_back)


def test_by_pair_null_aligned_target_phrases_compete_with_each_other() -> None:
    model = replace(one_sided(), options=ForestOptions(normalizer="pair"))
    assert np.exp(model.log_probabilities(features())[2]).sum() == pytest.approx(1.0)


def test_options_out_of_range_are_refused_by_name() -> None:
    with pytest.raises(InputError, match="symmetric"):
        ForestOptions(normalizer="nonsense")
    with pytest.raises(InputError, match=r"'null_penalty': expected a number of at least 0, found nan"):
        ForestOptions(null_penalty=float("nan"))
    with pytest.raises(InputError, match=r"'max_items': expected a whole number of at least 1, found 0"):
        ForestOptions(max_items=0)
    assert ForestOptions(beam=np.int64(3), link_weight=np.float32(0.5)).beam == 3  # type: ignore[arg-type]


def test_a_saved_model_loads_the_same(tmp_path: Path) -> None:
    calibration = PhraseCalibration(2.5, 0.5, 1.0)
    model = replace(bundled(), lexical={"a/N\tb/N": 0.5, "ü/V\t/null": -1.0}, calibration=calibration)
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


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 99}, "version 1"),
        ({"features": ["x"]}, "features"),
        ({"options": {"beem": 3}}, "options among"),
        ({"format": "other"}, "forest aligner"),
        ({"calibration": {"temperature": 0.0}}, "temperature"),
        ({"calibration": {"temprature": 2.0}}, "temprature"),
        ({"calibration": 2.0}, "mapping"),
        ({"options": {"normalizer": "nonsense"}}, "normalizer"),
        ({"options": {"beam": 0}}, "beam"),
        ({"options": {"beam": 2.5}}, "beam"),
        ({"options": {"tree_weight": -1}}, "tree_weight"),
        ({"options": {"link_weight": "much"}}, "link_weight"),
        ({"options": {"parser_weight": 1.5}}, "parser_weight"),
    ],
)
def test_a_model_of_another_kind_is_refused(tmp_path: Path, change: dict[str, object], message: str) -> None:
    bundled().save(tmp_path)
    about = json.loads((tmp_path / "model.json").read_text())
    (tmp_path / "model.json").write_text(json.dumps({**about, **change}))
    with pytest.raises(ModelError, match=message):
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


def test_the_model_with_weights_set_by_hand_is_loaded_by_its_name() -> None:
    aligner = load("fixed")
    assert isinstance(aligner, ForestAligner)
    assert not aligner.model.lexical
    assert (aligner.model.weights != bundled().weights).any()


def test_the_model_that_has_learned_nothing_is_loaded_by_its_name() -> None:
    aligner = load("uniform")
    assert isinstance(aligner, ForestAligner)
    assert not aligner.model.lexical
    assert not aligner.model.weights.any()


def test_a_missing_model_says_what_there_is(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="contextual"):
        load(tmp_path / "nothing")
    with pytest.raises(ModelError, match=r"holds no file model\.json"):
        ForestModel.load(tmp_path)


def test_there_is_a_weight_for_each_feature() -> None:
    assert bundled().weights.shape == (len(GENERAL_FEATURES),)
