"""Fitting the joint aligner to annotators who also mark possible links."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from forest_align.aligners.joint import JointModel
from forest_align.aligners.joint.aligner import bundled_model
from forest_align.alignment import Links
from forest_align.em import recipes
from forest_align.em.corpus.parsed_pairs import GoldPair
from forest_align.em.joint.examples import JointExample, example_of
from forest_align.em.joint.freer_links import f1, fit_freer_links, freer
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.types import InputError

from ...aligners.joint.joint_sentences import sentence


@pytest.fixture(scope="module")
def model() -> JointModel:
    return replace(bundled_model(), link_features=False)


def example(source: str, target: str, links: str) -> JointExample:
    pair = GoldPair(sentence(source), sentence(target), Links.from_pharaoh(links))
    return example_of(pair, load_lexicon(), longest=3, arcs=True)


ALL = example("the old man bought a car", "a man sold the old car", "0-3 1-4 2-1 3-2 4-0 5-5")
NONE = example("dogs like meat", "in London he sold a car", "")


def test_the_value_with_the_highest_f1_is_taken_and_probabilities_are_calibrated(model: JointModel) -> None:
    for examples in ([ALL], [ALL, NONE], [NONE]):
        found, scores = fit_freer_links(examples, model, [0.0, 1.0, 3.0])
        assert found.deletion == [0.0, 1.0, 3.0][int(np.argmax(scores))]
        assert scores == [f1(examples, freer(model, deletion)) for deletion in (0.0, 1.0, 3.0)]
        # Of equal scores the smallest change is taken.
        assert found.deletion == 0.0 or scores[0] < max(scores)
    with pytest.raises(InputError, match="expected at least one pair with gold links"):
        fit_freer_links([], model)


def test_the_program_writes_the_model_with_its_point(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold = tmp_path / "gold.tsv"
    row = (
        "the old man bought a car\tN/A\tan elderly person purchased the vehicle\tN/A\t-\t-\t1-1 2-2\t3-3 5-5"
    )
    gold.write_text("".join(f"{number}\t{row}\n" for number in range(4)), encoding="utf-8")
    recipes.main(["freer-links", str(gold), "-o", str(tmp_path / "model")])
    assert "| deletion | first half: F1 | second half: F1 |" in capsys.readouterr().out
    found, before = JointModel.load(tmp_path / "model"), bundled_model()
    assert found.all_links is not None and found.card["all_links_fitted_on"] == [f"{tmp_path.name}/gold.tsv"]
    assert found.calibration == before.calibration
    assert found.weights == pytest.approx(before.weights)
