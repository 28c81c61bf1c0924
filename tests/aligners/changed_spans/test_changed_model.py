"""The model of changed spans: its pieces, its features, its folder."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_align.aligners.changed_spans.changed_model import (
    ChangedSpanModel,
    Regression,
    bundled_model,
    word_matrices,
)
from forest_align.aligners.changed_spans.equal_words import (
    WORD_FEATURES,
    EqualOrChanged,
    equal_word_features,
    marked_spans,
    pieces,
)
from forest_align.aligners.changed_spans.meaning import MEANING_FEATURES, meaning_features
from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.alignment import Alignment, Links
from forest_align.types import InputError, ModelError, Sentence

words = st.lists(st.sampled_from(["a", "A", "b", "c", ",", "7"]), max_size=8)


def aligned(source: str, target: str, links: str) -> Alignment:
    """Vectors are counts of letters, tags are nouns."""
    sides = []
    for text in (source, target):
        one = Sentence.from_words(text.split(), ["NN"] * len(text.split()))
        rows = [[word.lower().count(letter) + 0.1 for letter in "adegosx"] for word in one.words]
        sides.append(replace(one, vectors=np.array(rows, np.float32)))
    return Alignment(*sides, Links.from_pharaoh(links))


def untrained(seed: int = 0) -> ChangedSpanModel:
    rng = np.random.default_rng(seed)
    sizes = len(WORD_FEATURES), len(MEANING_FEATURES)
    return ChangedSpanModel(
        *(
            Regression(*(rng.uniform(0.1, 1, size).astype(np.float32) for size in (n, n, n + 1)))
            for n in sizes
        )
    )


@given(words, words)
def test_pieces_cover_both_sentences_and_equal_ones_are_equal(source: list[str], target: list[str]) -> None:
    found = pieces(source, target)
    for side, sentence in enumerate((source, target)):
        assert [k for run in found for k in range(*run[side])] == list(range(len(sentence)))
    for run in found:
        ours, theirs = source[slice(*run.source)], target[slice(*run.target)]
        assert (list(map(str.lower, ours)) == list(map(str.lower, theirs))) == run.is_equal


def test_marked_words_join_changes_and_do_not_stand_alone() -> None:
    runs = [
        EqualOrChanged((0, 2), (0, 2), True),
        EqualOrChanged((2, 3), (2, 2), False),
        EqualOrChanged((3, 5), (2, 4), True),
        EqualOrChanged((5, 5), (4, 6), False),
        EqualOrChanged((5, 6), (6, 7), True),
    ]
    places = [(0, 0), (1, 1), (3, 2), (4, 3), (5, 6)]
    assert marked_spans(runs, places, [False] * 5) == [((2, 3), (2, 2)), ((5, 5), (4, 6))]
    assert marked_spans(runs, places, [True, False, True, True, False]) == [((2, 5), (2, 6))]
    assert marked_spans(runs, places, [False, True, False, False, True]) == [
        ((1, 3), (1, 2)),
        ((5, 6), (4, 7)),
    ]
    assert marked_spans(runs[:1], places[:2], [True, True]) == []


def test_features_of_equal_words_are_those_of_the_changes_around() -> None:
    alignment = aligned("a dog sees , dogs", "a cat sees , cats", "0-0 2-2 3-3")
    source, target = alignment.source, alignment.target
    places, found = equal_word_features(source, target, pieces(source.words, target.words))
    assert places == [(0, 0), (2, 2), (3, 3)] and found.shape == (3, len(WORD_FEATURES))
    column = {name: found[:, k].tolist() for k, name in enumerate(WORD_FEATURES)}
    assert column["nothing changed, before"] == [1, 0, 0]
    assert column["beside, before"] == [0, 1, 0] and column["beside, after"] == [1, 0, 1]
    assert column["words between changes"] == pytest.approx([0, np.log(2), np.log(2)])
    assert column["punctuation"] == [0, 0, 1] and column["punctuation between, after"] == [0, 1, 0]
    assert column["changes"] == [2, 2, 2] and column["share of equal words"] == [0.6] * 3


def test_swapped_sentences_have_the_same_evidence_about_meaning() -> None:
    alignment = aligned("a dog does not see six gods", "a good dog sees seven", "0-0 1-2 4-3")
    spans = [((1, 7), (1, 5)), ((2, 2), (1, 2)), ((5, 6), (4, 5))]
    found = meaning_features(alignment.source, alignment.target, word_matrices(alignment), spans)
    swapped = alignment.swap()
    turned = meaning_features(
        swapped.source, swapped.target, word_matrices(swapped), [(two, one) for one, two in spans]
    )
    np.testing.assert_allclose(found, turned, atol=1e-6)
    column = {name: found[:, k].tolist() for k, name in enumerate(MEANING_FEATURES)}
    assert column["quantities: other"] == [1, 0, 1]
    assert column["difference in negations"] == [1, 0, 0]
    assert column["words without a link, larger"] == pytest.approx(np.log1p([4, 1, 1]))
    assert column["no other words, larger"] == [0, 1, 0]


def test_the_bundled_model_finds_what_changed_and_whether_it_matters() -> None:
    aligner, model = ForestAligner(paraphrases=False), bundled_model()
    probabilities = {}
    for source, target in (
        ("He sold five cars in May.", "He sold six cars in May."),
        ("He bought the car in May.", "He purchased the car in May."),
    ):
        alignment = aligner.align(source, target)
        (span,) = model.spans(alignment)
        changed = set(alignment.source.words) - set(alignment.target.words)
        assert changed <= set(alignment.source.words[slice(*span.source)])
        probabilities[target] = span.probability
    assert min(probabilities.values()) < 0.5 < max(probabilities.values())
    assert probabilities["He sold six cars in May."] > 0.5
    assert model.spans(aligner.align("He ran.", "He ran.")) == []


def test_sentences_need_vectors() -> None:
    bare = Alignment(Sentence.from_words(["a"]), Sentence.from_words(["b"]), Links.from_pharaoh(""))
    with pytest.raises(InputError, match="word vectors"):
        untrained().spans(bare)


def test_a_saved_model_is_the_same_and_damaged_ones_are_refused(tmp_path: Path) -> None:
    model = untrained()
    model.save(tmp_path)
    again = ChangedSpanModel.load(tmp_path)
    alignment = aligned("a dog sees , dogs", "a cat sees , cats", "0-0 2-2 3-3")
    assert again.spans(alignment) == model.spans(alignment)
    flat = replace(model.meaning, scale=np.zeros(len(MEANING_FEATURES), np.float32))
    replace(model, meaning=flat).save(tmp_path)
    with pytest.raises(ModelError, match="above 0"):
        ChangedSpanModel.load(tmp_path)
    model.save(tmp_path)
    card = json.loads((tmp_path / "model.json").read_text())
    (tmp_path / "model.json").write_text(json.dumps(card | {"words": card["words"][1:]}))
    with pytest.raises(ModelError, match="words"):
        ChangedSpanModel.load(tmp_path)
