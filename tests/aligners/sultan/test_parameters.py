"""The folder that keeps the parameters of Sultan's aligner."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from forest_align.aligners import load
from forest_align.aligners.model_folder import model_folder
from forest_align.aligners.sultan.aligner import SultanAligner
from forest_align.aligners.sultan.parameters import PublishedParameters, load_parameters, save_parameters
from forest_align.types import InputError, ModelError


def test_a_saved_aligner_is_loaded_as_it_was(tmp_path: Path) -> None:
    aligner = SultanAligner(PublishedParameters(0.5, 0.7, 2, frozenset({"text", "entities"})))
    aligner = aligner.with_values({"word_weight": 0.4})
    aligner.save(tmp_path)
    again = load(tmp_path)
    assert isinstance(again, SultanAligner) and again.parameters == aligner.parameters
    assert again.parameters.word_weight == 0.4


def test_the_bundled_parameters_are_those_of_the_paper() -> None:
    with model_folder("sultan") as folder:
        assert load_parameters(folder) == (PublishedParameters(), "trees")


def test_an_annotator_that_the_folder_names_must_be_known_unless_another_one_is_given(tmp_path: Path) -> None:
    save_parameters(tmp_path, PublishedParameters(), "mine")
    with pytest.raises(ModelError, match=r"model\.json' is damaged: field 'annotator': .*found 'mine'"):
        load(tmp_path)
    assert SultanAligner.load(tmp_path, annotator="trees").annotator.name == "trees"
    with pytest.raises(InputError, match="'annotator'"):
        SultanAligner.load(tmp_path, annotator="theirs")


@pytest.mark.parametrize(
    "change",
    [
        {"version": 0},
        {"parameters": {"ppdb_similarity": 2, "modules": []}},
        {"parameters": {"cosine": -1, "modules": []}},
        {"parameters": {"cosine": True, "modules": []}},
        {"parameters": {"window": True, "modules": []}},
        {"parameters": {"modules": ["more"]}},
        {"parameters": {"modules": [], "unknown": 1}},
        {"parameters": None},
    ],
)
def test_parameters_that_cannot_be_are_refused(tmp_path: Path, change: dict[str, object]) -> None:
    save_parameters(tmp_path, PublishedParameters(), "trees")
    card = json.loads((tmp_path / "model.json").read_text())
    (tmp_path / "model.json").write_text(json.dumps({**card, **change}))
    with pytest.raises(ModelError, match=str(tmp_path)):
        load_parameters(tmp_path)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"ppdb_similarity": 1.1}, "field 'ppdb_similarity': expected a number from 0 to 1, found 1.1"),
        ({"ppdb_similarity": 0}, "field 'ppdb_similarity': expected a number over 0"),
        ({"word_weight": -0.1}, "field 'word_weight': expected a number from 0 to 1, found -0.1"),
        ({"cosine": "0.5"}, "field 'cosine': expected a number from 0 to 1, found '0.5'"),
        ({"cosine": float("nan")}, "field 'cosine': expected a number from 0 to 1, found nan"),
        ({"window": -1}, "field 'window': expected a whole number from 0 on, found -1"),
        ({"window": 1.5}, "field 'window': expected a whole number from 0 on, found 1.5"),
        ({"modules": frozenset({"text", "txt"})}, "field 'modules': expected some of .*, found txt"),
    ],
)
def test_parameters_that_cannot_be_are_refused_at_once(values: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=f"^{message}"):
        PublishedParameters(**values)
