"""Features of the semi-Markov aligner: chunks, word and phrase pairs, transitions, and the model's files."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forest_align.aligners.semi_markov._path_features import TRANSITIONS, transition_classes
from forest_align.aligners.semi_markov._word_features import shifted
from forest_align.aligners.semi_markov.lattice import DEFAULT_OPTIONS, Lattice, LatticeOptions, lattice_of
from forest_align.aligners.semi_markov.model import SemiMarkovModel
from forest_align.aligners.semi_markov.sentence_arrays import CHUNK_TYPES, tag_chunks
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.types import ModelError

from . import semi_markov_cases as cases

THE_CAT = "The/DT big/JJ cat/NN sat/VBD on/IN the/DT mat/NN ./."
A_CAT = "A/DT cat/NN was/VBD sitting/VBG on/IN the/DT mat/NN ./."


def lattice(source: str = THE_CAT, target: str = A_CAT) -> Lattice:
    return lattice_of(cases.tagged(source), cases.tagged(target), load_lexicon())


def word_values(found: Lattice, i: int, j: int) -> dict[str, float]:
    values = found.words[:, i * found.columns + j].tolist()
    return dict(zip(DEFAULT_OPTIONS.feature_lists["word_features"], values, strict=True))


def phrase_values(found: Lattice, *span: int) -> dict[str, float]:
    places = found.order[(found.spans == span).all(1)]
    values = found.phrases[:, places.item() - found.rows * found.columns].tolist()
    return dict(zip(DEFAULT_OPTIONS.feature_lists["phrase_features"], values, strict=True))


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


@given(
    st.lists(st.sampled_from(["DT", "NN", "VB", "VBG", "TO", "RB", "JJ", "POS", "IN", ",", "?"]), max_size=12)
)
def test_chunks_never_overlap(tags: list[str]) -> None:
    at = 0
    for start, end, name in tag_chunks(tags):
        assert at <= start < end <= len(tags) and name in CHUNK_TYPES[1:]
        at = end


def test_word_pairs_have_the_features_that_their_names_say() -> None:
    found = lattice()
    cat, the_mat, sat = word_values(found, 2, 1), word_values(found, 5, 5), word_values(found, 3, 3)
    assert (cat["identical"], cat["same tag"], cat["Levenshtein"]) == (1, 1, 1)
    assert (sat["same lemma only"], sat["identical"], sat["same tag"], sat["same coarse tag"]) == (1, 0, 0, 1)
    assert (the_mat["same at left"], the_mat["same at right"], the_mat["same on both sides"]) == (1, 1, 1)
    assert word_values(found, 0, 5)["same word elsewhere in source"] == 1
    assert word_values(found, 5, 5)["same at left, of the same words elsewhere"] == 0
    assert word_values(found, 0, 5)["same at left, of the same words elsewhere"] == 1
    assert (word_values(found, 0, 0)["both first"], word_values(found, 7, 7)["both last"]) == (1, 1)
    assert word_values(found, 0, 1)["only one first or last"] == 1
    classes = [
        DEFAULT_OPTIONS.feature_lists["word_classes"][found.word_classes[i * 8 + j]]
        for i, j in ((2, 1), (5, 5), (7, 7), (7, 0))
    ]
    assert classes == ["same content word", "same function word", "same punctuation", "with punctuation"]


def test_phrase_pairs_have_the_features_that_their_names_say() -> None:
    the_mat = phrase_values(lattice(), 5, 7, 5, 7)
    assert (the_mat["2 to 2"], the_mat["same words in order"], the_mat["same words by length"]) == (1, 2, 2)
    assert (the_mat["both are chunks"], the_mat["chunks of one type"], the_mat["same on both sides"]) == (
        1,
        1,
        1,
    )
    cats = phrase_values(lattice(), 0, 3, 0, 2)
    assert (cats["3 to 2"], cats["same words by length"]) == (1, pytest.approx(3 * 2 / 5))
    assert (cats["content words of source without match"], cats["last words the same"]) == (1, 1)
    assert (cats["source is a chunk"], cats["chunk boundaries inside source"]) == (1, 0)
    across = phrase_values(lattice(), 4, 6, 4, 6)
    assert (across["both are chunks"], across["chunk boundaries inside target"]) == (0, 1)


def test_only_phrase_pairs_with_something_in_common_are_offered() -> None:
    found = lattice("a/DT b/NN c/NN", "x/DT y/NN c/NN")
    assert all(
        end == 3 and last == 3
        for start, end, first, last in found.spans.tolist()
        if (end - start, last - first) != (1, 1)
    )
    assert len(found.spans) == 9 + 8


@settings(max_examples=30, derandomize=True)
@given(st.lists(st.sampled_from(THE_CAT.split()), min_size=1, max_size=9), st.integers(1, 9))
def test_features_are_finite_and_belong_to_spans_in_order(words: list[str], size: int) -> None:
    found = lattice(" ".join(words), " ".join(A_CAT.split()[:size]))
    assert all(np.isfinite(table).all() for table in (found.words, found.phrases, found.null))
    assert (np.diff(found.spans[:, 0]) >= 0).all()
    assert len({tuple(span) for span in found.spans.tolist()}) == len(found.spans) == len(found.order)
    start, end, first, last = found.spans.T
    assert ((end - start <= 3) & (last - first <= 3) & (end <= len(words)) & (last <= size)).all()


def test_counts_of_phrase_features_are_those_of_a_plain_count() -> None:
    found = lattice("the/DT cat/NN ,/, the/DT dog/NN", "the/DT dogs/NNS and/CC a/DT cat/NN")
    same = (found.word_classes < 3).reshape(5, 5)
    for start, end, first, last in found.spans.tolist():
        if end - start == last - first == 1:
            continue
        values = phrase_values(found, start, end, first, last)
        block = same[start:end, first:last]
        shares = block.any(1).sum() + block.any(0).sum()
        longer = max(block.shape)
        assert values["same words by length"] == pytest.approx(longer * shares / sum(block.shape))
        assert values["every source word the same"] == block.any(1).all()
        diagonal = block.diagonal().sum() if block.shape[0] == block.shape[1] else 0
        assert values["same words in order"] == diagonal
        outside = (same.any(1)[start:end] & ~block.any(1)).sum()
        assert values["source words the same as others outside"] == outside


@pytest.mark.parametrize("step", [-2, -1, 1, 2])
def test_shifted_tables_hold_what_stood_along_the_diagonal(step: int) -> None:
    for rows, columns in product((1, 2, 4), repeat=2):
        table = np.arange(1, rows * columns + 1).reshape(rows, columns)
        for i, j in product(range(rows), range(columns)):
            inside = 0 <= i - step < rows and 0 <= j - step < columns
            assert shifted(table, step)[i, j] == (table[i - step, j - step] if inside else 0)


def test_transitions_are_told_by_their_distance() -> None:
    table, ends = transition_classes(14)
    names = [[TRANSITIONS[k] for k in row] for row in table]
    assert names[3][4] == "to the next" and names[3][3] == "on the spot" and names[3][2] == "back by 1"
    assert (
        names[0][13] == "over 10 or more"
        and names[13][0] == "back by 10 or more"
        and names[0][5] == "over 4 or 5"
    )
    assert (names[0][14], names[14][0], names[14][14]) == ("to null", "from null", "from null to null")
    assert names[15][:4] == [
        "beginning at the first word",
        *["beginning at the second or third"] * 2,
        "beginning farther on",
    ]
    assert names[15][14] == "beginning at null"
    assert [TRANSITIONS[k] for k in ends[-4:]] == [
        "ending before",
        "ending at the last but one",
        "ending at the last word",
        "ending at null",
    ]


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


def test_a_model_that_was_saved_before_there_were_options_has_the_default_ones(tmp_path: Path) -> None:
    model = cases.random_model(2)
    model.save(tmp_path / "model")
    card = json.loads((tmp_path / "model" / "model.json").read_text())
    old = {name: value for name, value in card.items() if name not in ("longest_null", "resources")}
    (tmp_path / "model" / "model.json").write_text(json.dumps(old))
    found, loaded = lattice(), SemiMarkovModel.load(tmp_path / "model")
    assert loaded.options == DEFAULT_OPTIONS
    for one, two in zip(model.scores(found), loaded.scores(found), strict=True):
        np.testing.assert_array_equal(one, two)


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
