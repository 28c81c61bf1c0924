"""Features and events: numbered features score as the model, and events as a plain sum over candidates."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_align.aligners.forest.features import (
    CATEGORIES,
    GENERAL_FEATURES,
    RELATIONS,
    PairFeatures,
    PhraseClasses,
)
from forest_align.aligners.forest.model import ForestModel
from forest_align.em.forest._features import CorpusFeatures, EventTableBuilder, PairEvents, number_features
from forest_align.em.forest._objective import EventTable

LEMMAS = ("cat", "dog", "sit", "the", "of")


def random_classes(random: np.random.Generator) -> PhraseClasses:
    lemmas = random.choice(LEMMAS, size=random.integers(1, 5), replace=False)
    categories = random.integers(len(CATEGORIES) - 1, size=len(lemmas)).astype(np.int32)
    tokens = tuple((i,) for i in range(len(lemmas)))
    return PhraseClasses(tuple(map(str, lemmas)), categories, tokens, np.arange(len(lemmas), dtype=np.int32))


def random_features(seed: int, count: int = 8) -> list[PairFeatures]:
    random = np.random.default_rng(seed)
    pairs = []
    for _ in range(count):
        source, target = random_classes(random), random_classes(random)
        relations = random.integers(0, 2, size=(len(source), len(target), len(RELATIONS))).astype(np.float64)
        pairs.append(PairFeatures(source, target, relations))
    return pairs


def random_model(corpus: CorpusFeatures) -> ForestModel:
    random = np.random.default_rng(1)
    lexical = {key: float(random.normal()) for key in corpus.lexical_keys}
    return ForestModel(random.normal(size=len(GENERAL_FEATURES)), lexical)


@pytest.mark.parametrize("least_pairs", [1, 2, 100])
def test_events_have_the_probabilities_that_the_model_gives(least_pairs: int) -> None:
    pairs = random_features(5)
    corpus = number_features(pairs, least_pairs)
    model = random_model(corpus)
    builder = EventTableBuilder()
    events = [builder.add(rows) for rows in corpus.pairs]
    table = builder.finish(corpus.feature_offsets, corpus.feature_ids, corpus.feature_count)
    logs = table.log_probabilities(corpus.weights_of(model))
    for pair, found in zip(pairs, events, strict=True):
        # The model normalises pairs over the target alone.
        ours = logs[found.forward[:, :-1]], *found.log_probabilities(logs)[1:]
        for one, other in zip(ours, model.log_probabilities(pair), strict=True):
            assert one == pytest.approx(other)


def test_lexicalised_features_are_those_of_enough_pairs() -> None:
    pairs = random_features(6)
    counts: dict[str, int] = {}
    for pair in pairs:
        sides = pair.source.attributes(), pair.target.attributes()
        keys = {f"{one}\t{two}" for one in sides[0] for two in sides[1]} - {"/null\t/null"}
        for key in keys:
            counts[key] = counts.get(key, 0) + 1
    for least in (1, 2, 4):
        wanted = {key for key, count in counts.items() if count >= least}
        assert set(number_features(pairs, least).lexical_keys) == wanted


def test_weights_go_into_the_model_and_back() -> None:
    corpus = number_features(random_features(7), 2)
    weights = np.random.default_rng(2).normal(size=corpus.feature_count)
    general, lexical = weights[: len(GENERAL_FEATURES)], corpus.lexical_weights(weights, 0.0)
    assert (corpus.weights_of(ForestModel(general, lexical)) == weights).all()
    # Features that the model does not know begin at 0.
    assert not corpus.weights_of(ForestModel(general))[len(GENERAL_FEATURES) :].any()
    assert all(abs(weight) >= 0.5 for weight in corpus.lexical_weights(weights, 0.5).values())


ROWS = 12


def random_pairs(random: np.random.Generator) -> list[np.ndarray]:
    """Two pairs with few attributes, so that both share some; equal attribute pairs have equal rows."""
    table = random.integers(0, ROWS, size=(7, 7))
    pairs = []
    for _ in range(2):
        source = random.choice(6, size=random.integers(1, 5), replace=False)
        target = random.choice(6, size=random.integers(1, 5), replace=False)
        pairs.append(table[np.append(source, 6)[:, None], np.append(target, 6)[None, :]].astype(np.int32))
    return pairs


def build(
    pairs: list[np.ndarray], random: np.random.Generator
) -> tuple[EventTable, list[PairEvents], np.ndarray, np.ndarray]:
    """The table over rows of one feature each, with weights; and exp(w·F) of each row."""
    builder = EventTableBuilder()
    events = [builder.add(rows) for rows in pairs]
    table = builder.finish(np.arange(ROWS + 1), np.arange(ROWS, dtype=np.int32), ROWS)
    weights = random.normal(size=ROWS)
    return table, events, weights, np.exp(weights)


@given(st.integers(0, 2**32 - 1))
def test_candidates_are_the_phrases_of_the_other_sentence_and_null_from_both_sides(seed: int) -> None:
    random = np.random.default_rng(seed)
    pairs = random_pairs(random)
    table, events, weights, look = build(pairs, random)
    for rows, found in zip(pairs, events, strict=True):
        aligned, source_null, target_null = map(
            np.exp, found.log_probabilities(table.log_probabilities(weights))
        )
        scores = look[rows]
        from_source = scores[:-1] / scores[:-1].sum(1, keepdims=True)
        from_target = scores[:, :-1] / scores[:, :-1].sum(0)
        assert aligned == pytest.approx(from_source[:, :-1] * from_target[:-1])
        assert source_null == pytest.approx(from_source[:, -1])
        assert target_null == pytest.approx(from_target[-1])


def test_the_score_of_an_alignment_is_the_sum_over_the_events_that_it_uses() -> None:
    random = np.random.default_rng(9)
    pairs = random_pairs(random)
    table, events, weights, _ = build(pairs, random)
    logs = table.log_probabilities(weights)
    for rows, found in zip(pairs, events, strict=True):
        probability, source_null, target_null = found.log_probabilities(logs)
        source, target = (random.integers(length - 1, size=3) for length in rows.shape)
        nulls = np.array([0, 0]), np.array([rows.shape[1] - 2])
        used = found.used(source, target, *nulls)
        expected = (
            probability[source, target].sum() + source_null[nulls[0]].sum() + target_null[nulls[1]].sum()
        )
        assert logs[used].sum() == pytest.approx(expected)
