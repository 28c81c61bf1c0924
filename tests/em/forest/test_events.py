"""Contexts and events: each reading of the normaliser against a plain sum over candidates."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_align.em.forest._objective import EventTable
from forest_align.em.forest.events import EventTableBuilder, Normalizer, PairEvents, PairRows

ROWS = 12


def random_pairs(random: np.random.Generator) -> list[PairRows]:
    """Two pairs with few attributes, so that both share some; equal attribute pairs have equal rows."""
    table = random.integers(0, ROWS, size=(7, 7))
    pairs = []
    for _ in range(2):
        source = random.choice(6, size=random.integers(1, 5), replace=False)
        target = random.choice(6, size=random.integers(1, 5), replace=False)
        rows = table[np.append(source, 6)[:, None], np.append(target, 6)[None, :]].astype(np.int32)
        pairs.append(PairRows(rows, source.astype(np.int64), target.astype(np.int64)))
    return pairs


def build(
    pairs: list[PairRows], normalizer: Normalizer, random: np.random.Generator
) -> tuple[EventTable, list[PairEvents], np.ndarray, np.ndarray]:
    """The table over rows of one feature each, with weights; and exp(w·F) of each row."""
    builder = EventTableBuilder(normalizer)
    events = builder.add(pairs)
    table = builder.finish(np.arange(ROWS + 1), np.arange(ROWS, dtype=np.int32), ROWS)
    weights = random.normal(size=ROWS)
    return table, events, weights, np.exp(weights)


@given(st.integers(0, 2**32 - 1))
def test_in_a_pair_the_candidates_are_the_phrases_of_the_other_sentence_and_null(seed: int) -> None:
    random = np.random.default_rng(seed)
    pairs = random_pairs(random)
    table, events, weights, look = build(pairs, Normalizer.PAIR, random)
    for pair, found in zip(pairs, events, strict=True):
        probability, source_null, target_null = map(
            np.exp, found.log_probabilities(table.log_probabilities(weights))
        )
        scores = look[pair.rows]
        total = scores[:-1].sum(1)
        assert probability == pytest.approx(scores[:-1, :-1] / total[:, None])
        assert source_null == pytest.approx(scores[:-1, -1] / total)
        assert target_null == pytest.approx(scores[-1, :-1] / scores[-1, :-1].sum())


@given(st.integers(0, 2**32 - 1))
def test_the_symmetric_reading_gives_the_transpose_for_swapped_sentences(seed: int) -> None:
    random = np.random.default_rng(seed)
    pairs = random_pairs(random)
    swapped = [PairRows(p.rows.T, p.target_attributes, p.source_attributes) for p in pairs]
    table, events, weights, look = build(pairs, Normalizer.SYMMETRIC, random)
    other, other_events, _, _ = build(swapped, Normalizer.SYMMETRIC, random)
    for pair, found, back in zip(pairs, events, other_events, strict=True):
        one = found.log_probabilities(table.log_probabilities(weights))
        two = back.log_probabilities(other.log_probabilities(weights))
        assert one[0] == pytest.approx(two[0].T)
        assert one[1] == pytest.approx(two[2])
        assert one[2] == pytest.approx(two[1])
        scores = look[pair.rows]
        assert np.exp(one[1]) == pytest.approx(scores[:-1, -1] / scores[:-1].sum(1))


@given(st.integers(0, 2**32 - 1))
def test_in_training_the_candidates_are_the_attributes_seen_with_the_source_attribute(seed: int) -> None:
    random = np.random.default_rng(seed)
    pairs = random_pairs(random)
    table, events, weights, look = build(pairs, Normalizer.TRAINING, random)
    seen: dict[int, dict[int, float]] = {}
    for pair in pairs:
        source, target = [*pair.source_attributes, 6], [*pair.target_attributes, 6]
        for i, s in enumerate(source):
            for j, t in enumerate(target):
                if (s, t) != (6, 6):
                    seen.setdefault(s, {})[t] = look[pair.rows[i, j]]
    for pair, found in zip(pairs, events, strict=True):
        probability, source_null, target_null = map(
            np.exp, found.log_probabilities(table.log_probabilities(weights))
        )
        for i, s in enumerate(pair.source_attributes):
            total = sum(seen[s].values())
            assert source_null[i] == pytest.approx(seen[s][6] / total)
            for j, t in enumerate(pair.target_attributes):
                assert probability[i, j] == pytest.approx(seen[s][t] / total)
        for j, t in enumerate(pair.target_attributes):
            assert target_null[j] == pytest.approx(seen[6][t] / sum(seen[6].values()))


def test_in_training_each_look_of_an_attribute_pair_is_a_candidate() -> None:
    attribute = np.zeros(1, np.int64)
    # The same two attributes look like row 0 in one pair and like row 1 in the other; row 2 is null.
    pairs = [PairRows(np.array([[look, 2], [3, 0]], np.int32), attribute, attribute + 1) for look in (0, 1)]
    table, events, weights, look = build(pairs, Normalizer.TRAINING, np.random.default_rng(4))
    logs = table.log_probabilities(weights)
    for row, found in enumerate(events):
        aligned, source_null, _ = found.log_probabilities(logs)
        assert np.exp(aligned) == pytest.approx(look[row] / look[:3].sum())
        assert np.exp(source_null) == pytest.approx(look[2] / look[:3].sum())


@pytest.mark.parametrize("normalizer", list(Normalizer))
def test_the_score_of_an_alignment_is_the_sum_over_the_events_that_it_uses(normalizer: Normalizer) -> None:
    random = np.random.default_rng(9)
    pairs = random_pairs(random)
    table, events, weights, _ = build(pairs, normalizer, random)
    logs = table.log_probabilities(weights)
    for pair, found in zip(pairs, events, strict=True):
        probability, source_null, target_null = found.log_probabilities(logs)
        source, target = (
            random.integers(len(pair.source_attributes), size=3),
            random.integers(len(pair.target_attributes), size=3),
        )
        nulls = np.array([0, 0]), np.array([len(pair.target_attributes) - 1])
        used = found.used(source, target, *nulls)
        expected = (
            probability[source, target].sum() + source_null[nulls[0]].sum() + target_null[nulls[1]].sum()
        )
        assert logs[used].sum() == pytest.approx(expected)
