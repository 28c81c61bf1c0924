from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from forest_align.aligners.sentence_pairs.features import FEATURES
from forest_align.aligners.sentence_pairs.model import (
    ParaphraseModel,
    bundled_model,
    with_paraphrase_probability,
)
from forest_align.alignment import Alignment, AtomicRelation, PhrasePair
from forest_align.meaning.relation_algebra import HiddenRelation, SentenceRelations
from forest_align.types import ModelError, Node, Sentence

from ...bound_models import bind
from .paraphrase_cases import links, sentence


def random_model() -> ParaphraseModel:
    draw = np.random.default_rng(3)
    mean, scale = draw.normal(size=len(FEATURES)), draw.uniform(0.5, 2, size=len(FEATURES))
    arrays = [array.astype(np.float32) for array in (mean, scale, draw.normal(size=(3, len(FEATURES) + 1)))]
    return ParaphraseModel(arrays[0], arrays[1], arrays[2], {"trained_on": {"x.tsv": 3}})


def constant_model(*log_odds: float) -> ParaphraseModel:
    """A model whose regressions give these log-odds to all sentences."""
    weights = np.zeros((3, len(FEATURES) + 1), dtype=np.float32)
    weights[:, -1] = log_odds
    return ParaphraseModel(np.zeros(len(FEATURES)), np.ones(len(FEATURES)), weights)


def test_the_probability_is_a_mixture_of_two_conventions() -> None:
    model = constant_model(*np.log([3.0, 1.0, 4.0]))  # odds: 3 to 1 for strict, then 1 to 1, 4 to 1
    assert model.probabilities(np.zeros((2, len(FEATURES)))) == pytest.approx([0.75 * 0.5 + 0.25 * 0.8] * 2)


def test_a_saved_model_gives_the_same_probabilities(tmp_path: Path) -> None:
    model = random_model()
    model.save(tmp_path)
    loaded = ParaphraseModel.load(tmp_path)
    features = np.random.default_rng(4).normal(size=(20, len(FEATURES)))
    assert loaded.probabilities(features).tolist() == model.probabilities(features).tolist()
    assert loaded.card == model.card


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        ("format", "forest", "found one of 'forest'"),
        ("version", 99, "version 99"),
        ("features", ["length"], "other features"),
        ("regressions", [], "other regressions"),
    ],
)
def test_a_model_of_another_kind_is_refused(tmp_path: Path, field: str, value: object, problem: str) -> None:
    random_model().save(tmp_path)
    card = json.loads((tmp_path / "model.json").read_text())
    (tmp_path / "model.json").write_text(json.dumps(card | {field: value}))
    with pytest.raises(ModelError, match=problem):
        ParaphraseModel.load(tmp_path)


@pytest.mark.parametrize(
    ("name", "value"),
    [("scale", 0.0), ("scale", -1.0), ("mean", np.nan), ("weights", np.inf), ("weights", 1e9)],
)
def test_damaged_weights_are_refused(tmp_path: Path, name: str, value: float) -> None:
    model = random_model()
    model.save(tmp_path)
    arrays = {key: getattr(model, key).copy() for key in ("mean", "scale", "weights")}
    arrays[name].flat[5] = value
    save_file(arrays, tmp_path / "weights.safetensors")
    bind(tmp_path / "weights.safetensors")
    with pytest.raises(ModelError, match=name):
        ParaphraseModel.load(tmp_path)
    save_file({"mean": arrays["mean"]}, tmp_path / "weights.safetensors")
    with pytest.raises(ModelError, match="lack scale, weights"):
        ParaphraseModel.load(tmp_path)


#: Words of which nothing is known.
NOTHING_KNOWN = SentenceRelations([AtomicRelation((0, 1), (0, 1), "", "other words")], [])


def whole_pair(probability: float = 1.0) -> Alignment:
    source, target = sentence("Prices/NNS rose/VBD ./."), sentence("Prices/NNS fell/VBD")
    phrases = (
        PhrasePair(Node(0, 1, "NP"), Node(0, 1, "NP"), 1.0),
        PhrasePair(Node(0, 2, "S'", False), Node(0, 2, "S"), probability),
        PhrasePair(Node(0, 3, "S"), Node(0, 2, "S"), probability),
    )
    return Alignment(source, target, links("0-0 1-1"), phrases, root_aligned=True)


def test_pairs_of_whole_sentences_are_no_more_probable_than_the_paraphrase() -> None:
    model = bundled_model()
    alignment = whole_pair()
    found = with_paraphrase_probability(alignment, model, NOTHING_KNOWN)
    probability = model.probability(
        alignment.source, alignment.target, alignment.words, NOTHING_KNOWN.relations
    )
    assert found.paraphrase_probability == probability and 0 < probability < 1
    assert [pair.probability for pair in found.phrases] == [1.0, probability, probability]
    never = with_paraphrase_probability(whole_pair(0.0), model, NOTHING_KNOWN)
    assert [pair.probability for pair in never.phrases] == [1, 0, 0]
    turned = with_paraphrase_probability(alignment.swap(), model, NOTHING_KNOWN)
    assert turned.paraphrase_probability == pytest.approx(probability)


def test_sentences_whose_differences_cancel_out_are_not_denied() -> None:
    never = constant_model(-20.0, -20.0, -20.0)
    hidden = HiddenRelation(NOTHING_KNOWN.relations[0], (0, 2), (0, 2))
    for alignment in (whole_pair(), whole_pair().swap()):
        same = with_paraphrase_probability(alignment, never, SentenceRelations([], [], [hidden]))
        assert same.paraphrase_probability == 0.5
        unknown = with_paraphrase_probability(alignment, never, NOTHING_KNOWN)
        assert unknown.paraphrase_probability is not None and unknown.paraphrase_probability < 0.1


def test_sentences_that_say_the_opposite_are_never_probable_paraphrases() -> None:
    """*Rose* and *fell* are compared where no relations are given."""
    alignment = with_paraphrase_probability(whole_pair(), constant_model(20.0, 20.0, 20.0))
    assert alignment.paraphrase_probability is not None and alignment.paraphrase_probability <= 0.5


def test_a_pair_of_two_single_words_keeps_the_probability_of_its_link() -> None:
    source, target = sentence("Paris/NNP ./."), sentence("London/NNP")
    words, whole = (PhrasePair(Node(0, end, "NP"), Node(0, 1, "NP"), 0.9) for end in (1, 2))
    alignment = with_paraphrase_probability(
        Alignment(source, target, links("0-0"), (words, whole)), bundled_model()
    )
    assert (
        alignment.phrases[0] == words
        and alignment.phrases[1].probability == alignment.paraphrase_probability != 0.9
    )


def test_sentences_without_vectors_have_no_probability() -> None:
    bare = replace(whole_pair(), source=Sentence.from_words(["Prices", "rose", "."]))
    assert with_paraphrase_probability(bare, random_model()) is bare
