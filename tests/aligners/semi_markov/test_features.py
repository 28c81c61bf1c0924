"""Features of the semi-Markov aligner: chunks, word and phrase pairs, transitions, and the model's files."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from forest_align.aligners.semi_markov._sentence_arrays import tag_chunks
from forest_align.aligners.semi_markov._word_features import shifted
from forest_align.aligners.semi_markov.lattice import Lattice, LatticeOptions, lattice_of
from forest_align.aligners.semi_markov.model import SemiMarkovModel
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.types import ModelError

from . import semi_markov_cases as cases

THE_CAT = "The/DT big/JJ cat/NN sat/VBD on/IN the/DT mat/NN ./."
A_CAT = "A/DT cat/NN was/VBD sitting/VBG on/IN the/DT mat/NN ./."


def lattice(source: str = THE_CAT, target: str = A_CAT) -> Lattice:
    return lattice_of(cases.tagged(source), cases.tagged(target), load_lexicon())


@pytest.mark.parametrize(
    ("tags", "chunks"),
    [
        ("DT JJ NN", "0-3:NP"),
        ("PRP MD RB VB TO VB DT NN", "0-1:NP 1-6:VP 6-8:NP"),
        ("NNP POS JJ NN IN NNP CC NNP .", "0-1:NP 1-4:NP 4-5:PP 5-6:NP 7-8:NP"),
        ("DT VBG NN RB VBZ", "0-3:NP 3-5:VP"),
        ("VBD RP RB JJ , CD", "0-1:VP 1-2:PRT 2-4:ADJP 5-6:NP"),
        ("TO NN RB XX", "0-1:PP 1-2:NP 2-3:ADVP"),
        ("", ""),
    ],
)
def test_chunks_are_those_of_conll(tags: str, chunks: str) -> None:
    found = " ".join(f"{start}-{end}:{name}" for start, end, name in tag_chunks(tags.split()))
    assert found == chunks


def test_only_phrase_pairs_with_something_in_common_are_offered() -> None:
    found = lattice("a/DT b/NN c/NN", "x/DT y/NN c/NN")
    assert all(
        end == 3 and last == 3
        for start, end, first, last in found.spans.tolist()
        if (end - start, last - first) != (1, 1)
    )
    assert len(found.spans) == 9 + 8


@pytest.mark.parametrize("step", [-2, -1, 1, 2])
def test_shifted_tables_hold_what_stood_along_the_diagonal(step: int) -> None:
    for rows, columns in product((1, 2, 4), repeat=2):
        table = np.arange(1, rows * columns + 1).reshape(rows, columns)
        for i, j in product(range(rows), range(columns)):
            inside = 0 <= i - step < rows and 0 <= j - step < columns
            assert shifted(table, step)[i, j] == (table[i - step, j - step] if inside else 0)


def test_a_saved_model_is_loaded_as_it_was(tmp_path: Path) -> None:
    model = cases.random_model(2)
    model.card["pairs"] = 3
    model.save(tmp_path / "model")
    loaded = SemiMarkovModel.load(tmp_path / "model")
    assert loaded.card == {"pairs": 3}
    for name, values in model.weights.items():
        np.testing.assert_array_equal(loaded.weights[name], values)


def test_a_model_keeps_its_steps_and_the_names_of_its_features(tmp_path: Path) -> None:
    options = LatticeOptions((2, 4), 3, ("names", "wordnet"))
    assert options.resources == ("wordnet", "names")
    model = cases.random_model(2, options=options)
    model.save(tmp_path / "model")
    card = json.loads((tmp_path / "model" / "model.json").read_text())
    assert card["word_features"][-5:] == [
        *("more general", "more special", "part or whole", "consequence or condition"),
        "similar names",
    ]
    loaded = SemiMarkovModel.load(tmp_path / "model")
    assert loaded.options == options
    assert np.array_equal(loaded.weights["null_phrases"], model.weights["null_phrases"])
    for changes, message in (
        ({"resources": ["wordnet"]}, "other word_features than this version computes"),
        ({"resources": ["tarot"]}, "damaged: .*resources.*expected names from wordnet"),
        ({"longest_null": 0}, "damaged: .*longest_null.*from 1 to 20"),
    ):
        (tmp_path / "model" / "model.json").write_text(json.dumps(card | changes))
        with pytest.raises(ModelError, match=message):
            SemiMarkovModel.load(tmp_path / "model")


def test_models_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    with pytest.raises(ModelError, match="no model in"):
        SemiMarkovModel.load(folder)
    model = cases.random_model(2)
    model.save(folder)
    card = json.loads((folder / "model.json").read_text())
    for changes, message in (
        ({"format": "forest"}, "expected a model of the semi-markov aligner"),
        ({"version": 7}, "version 7"),
        ({"tags": ["NN"]}, "other tags than this version computes"),
    ):
        (folder / "model.json").write_text(json.dumps(card | changes))
        with pytest.raises(ModelError, match=message):
            SemiMarkovModel.load(folder)
    model.save(folder)
    (folder / "model.safetensors").write_bytes(b"nonsense")
    with pytest.raises(ModelError, match="cannot read the weights"):
        SemiMarkovModel.load(folder)
    model.weights["null"] = model.weights["null"][:, :3].copy()
    model.save(folder)
    with pytest.raises(ModelError, match=r"weights null of shape \(3, 11\)"):
        SemiMarkovModel.load(folder)
    for name, value, message in (
        ("words", np.nan, "weights words that are finite"),
        ("null", 1e38, "weights null that are finite and within"),
        ("transitions", 900.0, "weights transitions at most 600 apart"),
    ):
        broken = cases.random_model(2)
        broken.weights[name].flat[0] = value
        broken.save(folder)
        with pytest.raises(ModelError, match=message):
            SemiMarkovModel.load(folder)
