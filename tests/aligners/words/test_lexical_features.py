"""Features of word pairs, cell by cell."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from forest_align.aligners.words.lexical_features import (
    CONTEXT_FEATURES,
    LEXICAL_FEATURES,
    VECTOR_FEATURES,
    context_features,
    pair_features,
)
from forest_align.aligners.words.lexical_model import ALL_FEATURES, MODEL_FEATURES, LexicalModel
from forest_align.lexicon.evidence import word_evidence
from forest_align.lexicon.kinds import Evidence
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.lexicon.pair_table import PairTable
from forest_align.types import Sentence

TAGGED = [
    ("the", "DT"),
    ("a", "DT"),
    ("cats", "NNS"),
    ("cat", "NN"),
    ("cat", "NNP"),
    ("in", "IN"),
    ("on", "IN"),
]
TAGGED += [
    (",", ","),
    (".", "."),
    ("NYC", "NNP"),
    ("New", "NNP"),
    ("York", "NNP"),
    ("City", "NNP"),
    ("two", "CD"),
]
TAGGED += [
    ("2", "CD"),
    ("created", "VBD"),
    ("creation", "NN"),
    ("colour", "NN"),
    ("color", "NN"),
    ("%", "NN"),
]
TAGGED += [("percent", "NN"), ("house", "NN"), ("houseboat", "NN"), ("car", "NN"), ("automobile", "NN")]
TABLE = PairTable([("house", "cat")])


@st.composite
def sentences(draw: st.DrawFn) -> Sentence:
    tagged = draw(st.lists(st.sampled_from(TAGGED), min_size=1, max_size=9))
    generator = np.random.default_rng(draw(st.integers(0, 1000)))
    vectors = generator.normal(size=(len(tagged), 3)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    found = Sentence.from_words([word for word, _ in tagged], [tag for _, tag in tagged])
    return Sentence(found.tokens, text=found.text, vectors=vectors)


class Grid:
    """Values that are 0 beyond their ends."""

    def __init__(self, values: np.ndarray) -> None:
        self.values = values

    def at(self, i: int, j: int) -> float:
        rows, columns = self.values.shape
        return float(self.values[i, j]) if 0 <= i < rows and 0 <= j < columns else 0.0

    def diagonal(self, i: int, j: int, distance: int) -> float:
        return self.at(i - distance, j - distance) + self.at(i + distance, j + distance)

    def around(self, i: int, j: int) -> float:
        steps = [-3, -2, -1, 1, 2, 3]
        return min(sum(self.at(i + up, j + down) for up in steps for down in steps), 6)

    def leads(self, i: int, j: int) -> tuple[float, float]:
        row, column = np.delete(self.values[i], j), np.delete(self.values[:, j], i)
        value = self.values[i, j]
        leads = (float(value - max(others, default=0)) for others in (row, column))
        smaller, larger = sorted(leads)
        return smaller, larger

    def others(self, i: int, j: int) -> float:
        return float(self.values[i].sum() + self.values[:, j].sum() - 2 * self.values[i, j])


@settings(max_examples=60, deadline=None)
@given(sentences(), sentences(), st.sampled_from([None, TABLE]))
def test_features_are_what_their_names_say(
    source: Sentence, target: Sentence, table: PairTable | None
) -> None:
    lexicon = load_lexicon()
    evidence = word_evidence(source, target, lexicon, table)
    found = pair_features(source, target, evidence, lexicon, with_vectors=True)
    assert found.shape == (len(LEXICAL_FEATURES + VECTOR_FEATURES), len(source), len(target))
    assert found.dtype == np.float32
    lexical = pair_features(source, target, evidence, lexicon, with_vectors=False)
    assert np.array_equal(lexical, found[: len(LEXICAL_FEATURES)])
    lefts, rights = lexicon.profiles(source), lexicon.profiles(target)
    likeness = Evidence.IDENTICAL | Evidence.LEMMA | Evidence.SPELLING | Evidence.NUMBER | Evidence.SYNONYM
    functions = np.array([[(a.is_function, b.is_function) for b in rights] for a in lefts])
    same = Grid((evidence & (Evidence.IDENTICAL | Evidence.LEMMA)) != 0)
    alike = Grid((evidence & likeness) != 0)
    content = Grid(alike.values & ~functions.any(axis=2))
    cosine = Grid(source.vectors @ target.vectors.T)
    for i, one in enumerate(lefts):
        for j, two in enumerate(rights):
            kinds = Evidence(int(evidence[i, j]))
            both, marks = functions[i, j].all(), one.is_punctuation + two.is_punctuation
            identical = Evidence.IDENTICAL in kinds
            smaller, larger = cosine.leads(i, j)
            expected = {
                "same content word": identical and not both,
                "same function word": identical and both,
                "same lemma, other form": Evidence.LEMMA in kinds and not identical,
                **{str(kind.name).lower(): kind in kinds for kind in Evidence},
                "content with function word": one.is_function != two.is_function,
                "two function words": both,
                "punctuation with word": marks == 1,
                "two punctuation marks": marks == 2,
                "same word class": source.tags[i][:2] == target.tags[j][:2],
                "distance": abs(i / len(lefts) - j / len(rights)),
                "same word again": same.at(i, j) * min(same.others(i, j), 4),
                "only same word": same.at(i, j) and same.others(i, j) == 0,
                "same neighbours": alike.diagonal(i, j, 1),
                "same words around": content.around(i, j),
                "cosine": cosine.at(i, j),
                "cosine of function words": cosine.at(i, j) * both,
                "high cosine": max(cosine.at(i, j) - 0.4, 0),
                "smaller lead in cosine": smaller,
                "larger lead in cosine": larger,
                "mutual best": smaller >= 0,
                "cosine of neighbours": cosine.diagonal(i, j, 1),
            }
            for row, name in enumerate(LEXICAL_FEATURES + VECTOR_FEATURES):
                assert np.isclose(found[row, i, j], float(expected[name]), atol=1e-5), name


def test_more_than_four_rivals_count_as_four_and_equals_are_all_best() -> None:
    words = Sentence.from_words(["cat"] * 4)
    cats = Sentence(words.tokens, vectors=np.ones((4, 1), dtype=np.float32))
    evidence = word_evidence(cats, cats, load_lexicon())
    found = dict(
        zip(ALL_FEATURES, pair_features(cats, cats, evidence, load_lexicon(), with_vectors=True), strict=True)
    )
    assert (found["same word again"] == 4).all() and (found["mutual best"] == 1).all()


def test_a_word_with_content_that_is_a_form_of_a_function_word_is_none_of_the_same_words_around() -> None:
    source = Sentence.from_words(["down", "cat", "house"], ["RP", "NN", "NN"])
    target = Sentence.from_words(["downs", "cat", "car"], ["NNS", "NN", "NN"])
    lexicon = load_lexicon()
    evidence = word_evidence(source, target, lexicon)
    assert evidence[0, 0] & Evidence.LEMMA
    found = pair_features(source, target, evidence, lexicon, with_vectors=False)
    around = found[LEXICAL_FEATURES.index("same words around")]
    assert around.tolist() == [[1, 0, 1], [0, 0, 0], [1, 0, 1]]


@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 1000))
def test_context_features_are_what_their_names_say(rows: int, columns: int, seed: int) -> None:
    estimate = np.random.default_rng(seed).normal(scale=3, size=(rows, columns))
    grid = Grid(1 / (1 + np.exp(-estimate)))
    found = context_features(estimate)
    for i in range(rows):
        for j in range(columns):
            expected = {
                "first estimate": estimate[i, j],
                "certainly alike": max(estimate[i, j], 0),
                "links of neighbours": grid.diagonal(i, j, 1),
                "links of second neighbours": grid.diagonal(i, j, 2),
                "links around": grid.around(i, j),
                "rival links": grid.others(i, j),
                # How far the strongest other link of the row or column lies above 0: minus that.
                "strongest rival": grid.leads(i, j)[0] - grid.at(i, j),
            }
            assert np.allclose(found[:, i, j], [expected[name] for name in CONTEXT_FEATURES], atol=1e-5)


def test_a_model_is_two_weighted_sums_over_its_own_features() -> None:
    generator = np.random.default_rng(0)
    features = generator.normal(size=(len(ALL_FEATURES), 3, 4)).astype(np.float32)
    for name, names in MODEL_FEATURES.items():
        first, second, groups = (
            {key: float(generator.normal()) for key in keys}
            for keys in (
                (*names, "bias"),
                (*CONTEXT_FEATURES, *names, "bias"),
                ("bias", "block", "acronym", "collocation", "joined", "ppdb", "estimate"),
            )
        )
        model = LexicalModel.from_weights(name, {name: {"first": first, "second": second, "groups": groups}})
        assert model.uses_vectors == (name != "dictionary")
        own = {key: features[ALL_FEATURES.index(key)] for key in names}
        estimate = first["bias"] + sum(first[key] * own[key] for key in names)
        context = dict(zip(CONTEXT_FEATURES, context_features(estimate), strict=True))
        expected = second["bias"] + sum(second[key] * value for key, value in (own | context).items())
        assert np.allclose(model.link_logits(features), expected, atol=1e-4)
        for kind in ("block", "acronym", "collocation", "joined", "ppdb"):
            expected = groups["bias"] + groups[kind] + 0.5 * groups["estimate"]
            assert np.isclose(model.group_logit(kind, 0.5), expected)
