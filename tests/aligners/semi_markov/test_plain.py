"""Every feature, class and score of the semi-Markov aligner against a plain computation by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forest_align.aligners.semi_markov._path_features import (
    NULL_CLASSES,
    NULL_FEATURES,
    NULL_PHRASE_FEATURES,
    RESOURCES,
    TRANSITIONS,
    transition_classes,
)
from forest_align.aligners.semi_markov._phrase_features import PHRASE_CLASSES, PHRASE_FEATURES
from forest_align.aligners.semi_markov._sentence_arrays import CHUNK_TYPES, TAGS
from forest_align.aligners.semi_markov._word_features import WORD_CLASSES, WORD_FEATURES
from forest_align.aligners.semi_markov.lattice import DEFAULT_OPTIONS, Lattice, LatticeOptions, lattice_of
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.lexicon.pair_table import PairTable
from forest_align.types import Sentence

from .semi_markov_cases import PAIRS, random_model, tagged
from .semi_markov_plain import KINDS, PlainPair, ending_name, transition_name

WORDS = (
    *("the/DT", "The/DT", "a/DT", "in/IN", "on/IN", "to/TO", "he/PRP", "big/JJ", "old/JJ", "well/RB"),
    *("cat/NN", "cats/NNS", "kitten/NN", "car/NN", "automobile/NN", "sat/VBD", "sits/VBZ", "decide/VB"),
    *("decision/NN", "organise/VB", "organize/VB", "twelve/CD", "12/CD", "./.", ",/,", "London/NNP"),
    *("NYC/NNP", "New/NNP", "York/NNP", "City/NNP", "well-known/JJ", "known/VBN", "zonked/VBD", "glorped/XX"),
)
#: Sentences that show what few others do: acronyms, collocations, compounds, other spellings, words twice.
SHOWN = (
    *PAIRS,
    ("he/PRP passed/VBD away/RB in/IN NYC/NNP", "he/PRP died/VBD on/IN New/NNP York/NNP City/NNP"),
    ("a/DT well-known/JJ decision/NN", "A/DT well/RB known/VBN man/NN decided/VBD twelve/CD things/NNS"),
    ("Mr./NNP organise/VB 12/CD flowers/NNS", "Mister/NNP organize/VB twelve/CD sunflowers/NNS"),
    ("happy/JJ greatness/NN is/VBZ glorped/XX", "happily/RB he/PRP was/VBD great/JJ zonked/YY"),
    ("Gorbachov/NNP saw/VBD ravens/NNS", "Gorbachev/NNP and/CC graves/NNS"),
    ("./. ,/, the/DT", "-/: the/DT the/DT the/DT the/DT the/DT"),
)
TABLE = PairTable(
    [
        ("zonked", "glorped", 0.5, 0.1),
        ("old cat", "big kitten", 0.2, 0.04),
        ("old", "glorped"),
        ("big kitten", "cat"),
    ]
)

sentences = st.lists(st.sampled_from(WORDS), min_size=1, max_size=7).map(
    lambda words: tagged(" ".join(words))
)


#: Hypernyms, parts, consequences, names, phrasal verbs, and chunks of every kind that may go to null.
MORE_SHOWN = (
    (
        "the/DT wheel/NN is/VBZ a/DT dog/NN",
        "a/DT poodle/NN or/CC animal/NN on/IN wheels/NNS of/IN a/DT car/NN",
    ),
    ("he/PRP snores/VBZ in/IN March/NNP", "Muammar/NNP Gaddafi/NNP sleeps/VBZ"),
    ("Qaddafi/NNP closed/VBD up/RP shop/NN", "the/DT shop/NN that/IN Gaddafi/NNP closed/VBD down/RP"),
    ("Europe/NNP won/VBD ./.", "France/NNP won/VBD"),
    ("an/DT old/JJ cat/NN", "a/DT big/JJ kitten/NN"),
    (
        "a/DT cat/NN is/VBZ quite/RB big/JJ ,/, very/RB often/RB ,/, may/MD close/VB up/RP now/RB",
        "the/DT dog/NN ,/, he/PRP said/VBD ,/, was/VBD old/JJ ,/, in/IN front/NN of/IN a/DT thing/NN",
    ),
)
MORE = LatticeOptions(longest_null=3, resources=RESOURCES)


def both_of(
    source: Sentence, target: Sentence, options: LatticeOptions = DEFAULT_OPTIONS
) -> tuple[Lattice, PlainPair]:
    lexicon = load_lexicon()
    lattice = lattice_of(source, target, lexicon, TABLE, options)
    return lattice, PlainPair(source, target, lexicon, TABLE, options)


def same_values(
    names: Sequence[str], found: np.ndarray, expected: Mapping[str, float], place: object
) -> None:
    plain = {name: float(value) for name, value in expected.items()}
    assert dict(zip(names, found.tolist(), strict=True)) == pytest.approx(plain, abs=1e-5), place


def check_words(found: Lattice, plain: PlainPair) -> None:
    for i in range(found.rows):
        for j in range(found.columns):
            cell = i * found.columns + j
            same_values(WORD_FEATURES, found.words[: len(WORD_FEATURES), cell], plain.word(i, j), (i, j))
            assert WORD_CLASSES[found.word_classes[cell]] == plain.word_class(i, j)
            tags = TAGS.index(plain.source.tags[i]), TAGS.index(plain.target.tags[j])
            assert divmod(found.tag_pairs[cell], len(TAGS)) == tags


def check_phrases(found: Lattice, plain: PlainPair) -> None:
    singles = found.rows * found.columns
    spans = {tuple(span): int(place) for span, place in zip(found.spans.tolist(), found.order, strict=True)}
    assert {span for span, place in spans.items() if place >= singles} == set(plain.phrases())
    for span, place in spans.items():
        if place < singles:
            assert span == (place // found.columns, span[0] + 1, place % found.columns, span[2] + 1)
            continue
        column = place - singles
        expected = plain.phrase(*span)
        same_values(PHRASE_FEATURES, found.phrases[: len(PHRASE_FEATURES), column], expected, span)
        assert PHRASE_CLASSES[found.phrase_classes[column]] == plain.phrase_class(*span)
        types = [
            CHUNK_TYPES.index(kind) for kind in (plain.source.chunk(*span[:2]), plain.target.chunk(*span[2:]))
        ]
        in_order = int(expected["all the same words in order"])
        count = len(CHUNK_TYPES)
        assert found.chunk_pairs[column] == (in_order * count + types[0]) * count + types[1]


def check_null(found: Lattice, plain: PlainPair) -> None:
    for i in range(found.rows):
        same_values(NULL_FEATURES, found.null[:, i], plain.null(i), i)
        assert NULL_CLASSES[found.null_classes[i]].split()[0] == plain.source.kinds[i]
        assert TAGS[found.null_tags[i]] == plain.source.tags[i]


def check(source: Sentence, target: Sentence, options: LatticeOptions = DEFAULT_OPTIONS) -> Lattice:
    found, plain = both_of(source, target, options)
    check_words(found, plain)
    check_phrases(found, plain)
    check_null(found, plain)
    return found


def test_all_features_are_those_of_a_plain_computation_and_none_is_never_seen() -> None:
    shown = [check(tagged(one), tagged(two)) for pair in SHOWN for one, two in (pair, pair[::-1])]
    for names, tables in (
        (WORD_FEATURES, [found.words for found in shown]),
        (PHRASE_FEATURES, [found.phrases for found in shown]),
        (NULL_FEATURES, [found.null for found in shown]),
    ):
        seen = np.concatenate(tables, axis=1).any(axis=1)
        assert [name for name, any_seen in zip(names, seen, strict=True) if not any_seen] == []
    for classes, every in (
        (WORD_CLASSES, [found.word_classes for found in shown]),
        (PHRASE_CLASSES, [found.phrase_classes for found in shown]),
        (KINDS, [found.null_classes for found in shown]),
    ):
        assert set(np.concatenate(every).tolist()) == set(range(len(classes)))


@settings(max_examples=20, derandomize=True)
@given(sentences, sentences)
def test_features_of_any_sentences_are_those_of_a_plain_computation(
    source: Sentence, target: Sentence
) -> None:
    check(source, target)


@pytest.mark.parametrize("longest", [(1, 1), (1, 4), (5, 2)])
def test_phrases_are_as_long_as_the_model_says(longest: tuple[int, int]) -> None:
    options = LatticeOptions(longest)
    spans = np.concatenate([both_of(*map(tagged, pair), options)[0].spans for pair in SHOWN])
    assert (spans[:, 1] - spans[:, 0]).max() == longest[0]
    assert (spans[:, 3] - spans[:, 2]).max() == longest[1]


def check_more(source: Sentence, target: Sentence) -> Lattice:
    """All features with the further ones, which come last; and nulls of several words."""
    found = check(source, target, MORE)
    plain = PlainPair(source, target, load_lexicon(), TABLE, MORE)
    names = MORE.feature_lists["word_features"][len(WORD_FEATURES) :]
    skipped = ("part or whole", "consequence or condition")
    for cell in range(found.rows * found.columns):
        values = dict(zip(names, found.words[len(WORD_FEATURES) :, cell].tolist(), strict=True))
        expected = plain.more_of_word(*divmod(cell, found.columns))
        assert {name for name in values if name not in expected} == set(skipped)
        same_values(list(expected), np.array([values[name] for name in expected]), expected, cell)
    names = MORE.feature_lists["phrase_features"][len(PHRASE_FEATURES) :]
    for span, place in zip(found.spans.tolist(), found.order - found.rows * found.columns, strict=True):
        if place >= 0:
            same_values(
                names, found.phrases[len(PHRASE_FEATURES) :, place], plain.more_of_phrase(*span), span
            )
    for start in range(found.rows):
        for more in range(2):
            values = found.null_phrases[:, start, more]
            if start + more + 2 <= found.rows:
                expected = plain.null_phrase(start, start + more + 2)
                same_values(NULL_PHRASE_FEATURES, values, expected, (start, more))
            else:
                assert not values.any()
    return found


def test_further_features_are_those_of_a_plain_computation_and_none_is_never_seen() -> None:
    shown = [*SHOWN, *MORE_SHOWN, *(pair[::-1] for pair in MORE_SHOWN)]
    found = [check_more(*map(tagged, pair)) for pair in shown]
    for names, tables in (
        (MORE.feature_lists["word_features"], [one.words for one in found]),
        (MORE.feature_lists["phrase_features"], [one.phrases for one in found]),
        (NULL_PHRASE_FEATURES, [one.null_phrases.reshape(len(NULL_PHRASE_FEATURES), -1) for one in found]),
    ):
        seen = np.concatenate(tables, axis=1).any(axis=1)
        assert [name for name, any_seen in zip(names, seen, strict=True) if not any_seen] == []


@settings(max_examples=20, derandomize=True)
@given(sentences, sentences)
def test_further_features_of_any_sentences_are_those_of_a_plain_computation(
    source: Sentence, target: Sentence
) -> None:
    check_more(source, target)


def test_a_null_of_several_words_scores_as_its_words_and_its_own_features_do() -> None:
    model = random_model(6, options=MORE)
    found, _ = both_of(*map(tagged, PAIRS[0]), MORE)
    null = model.scores(found)[1]
    assert null.shape == (found.rows, 3)
    for start in range(found.rows):
        for length in range(2, min(3, found.rows - start) + 1):
            own = model.weights["null_phrases"].astype(float) @ found.null_phrases[:, start, length - 2]
            expected = null[start : start + length, 0].sum() + own
            assert null[start, length - 1] == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("columns", [1, 2, 14])
def test_transitions_and_ends_are_named_by_distance(columns: int) -> None:
    table, ends = transition_classes(columns)
    places = [*range(columns), None]
    expected = [[transition_name(row, place) for place in places] for row in [*places, -1]]
    assert [[TRANSITIONS[k] for k in row] for row in table] == expected
    assert [TRANSITIONS[k] for k in ends] == [ending_name(place, columns) for place in places]


def test_scores_are_sums_of_weights_by_class() -> None:
    model = random_model(5)
    weights = {name: values.astype(float) for name, values in model.weights.items()}
    found, _ = both_of(*map(tagged, PAIRS[0]))
    pairs, null, transitions, ends = model.scores(found)
    singles = found.rows * found.columns
    for score, place in zip(pairs, found.order, strict=True):
        if place < singles:
            expected = weights["words"][found.word_classes[place]] @ found.words[:, place]
            expected += weights["tag_pairs"][found.tag_pairs[place]]
        else:
            column = place - singles
            expected = weights["phrases"][found.phrase_classes[column]] @ found.phrases[:, column]
            expected += weights["chunk_pairs"][found.chunk_pairs[column]]
        assert score == pytest.approx(expected, abs=1e-4)
    assert null.shape == (found.rows, 1)
    for i, score in enumerate(null[:, 0]):
        expected = weights["null"][found.null_classes[i]] @ found.null[:, i]
        assert score == pytest.approx(expected + weights["null_tags"][found.null_tags[i]], abs=1e-4)
    np.testing.assert_array_equal(transitions, weights["transitions"][found.transitions])
    np.testing.assert_array_equal(ends, weights["transitions"][found.ends])
