"""Contexts and events: each reading of the normaliser against a plain sum over candidates."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_align.em.forest._objective import EventTable
from forest_align.em.forest.events import EventTableBuilder, PairEvents

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
