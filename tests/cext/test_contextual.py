"""The compiled link features against their plain twin, and what they must do by definition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forest_align.cext import contextual, contextual_reference


def random_pair(seed: int, n: int, m: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(seed)
    table = rng.uniform(-0.2, 1, (2, n, m)).astype(np.float32)
    if rng.random() < 0.3:  # ties
        table = np.round(table, 1)
    evidence = (rng.integers(0, 8192, (n, m)) * (rng.random((n, m)) < 0.4)).astype(np.int32)
    last = rng.choice([100, 100, 2000])  # few letters, or so many that most words have no bigram in common
    words = [rng.integers(97, last, rng.integers(1, 30), dtype=np.int32) for _ in range(n + m)]
    letters = [np.concatenate(side) for side in (words[:n], words[n:])]
    ends = [np.cumsum([len(word) for word in side], dtype=np.int32) for side in (words[:n], words[n:])]
    return (
        np.ascontiguousarray(table[0]),
        np.ascontiguousarray(table[1]),
        evidence,
        rng.integers(0, 3, n, dtype=np.int32),
        rng.integers(0, 3, m, dtype=np.int32),
        rng.integers(0, 2, n, dtype=np.uint8),
        rng.integers(0, 2, m, dtype=np.uint8),
        letters[0],
        ends[0],
        letters[1],
        ends[1],
    )


def swapped(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    cosine, projected, evidence, *sides = arguments
    tables = (np.ascontiguousarray(x.T) for x in (cosine, projected, evidence))
    order = (1, 0, 3, 2, 6, 7, 4, 5)
    return (*tables, *(sides[k] for k in order))


sizes = st.integers(1, 9)
seeds = st.integers(0, 2**32 - 1)


@settings(max_examples=60, deadline=None)
@given(seeds, sizes, sizes)
def test_kernel_and_twin_give_the_same_features(seed: int, n: int, m: int) -> None:
    arguments = random_pair(seed, n, m)
    features, classes = contextual.base_features(*arguments)
    expected, expected_classes = contextual_reference.base_features(*arguments)
    np.testing.assert_allclose(features, expected, atol=1e-5)
    np.testing.assert_array_equal(classes, expected_classes)
    probability = np.random.default_rng(seed).random((n, m)).astype(np.float32)
    names = arguments[5][:, None] & arguments[6][None]
    cells = np.flatnonzero(np.random.default_rng(seed).random(n * m) < 0.7).astype(np.int32)
    around = (probability, names, arguments[2], arguments[3], arguments[4], cells)
    np.testing.assert_allclose(
        contextual.context_features(*around), contextual_reference.context_features(*around), atol=1e-5
    )


@settings(max_examples=30, deadline=None)
@given(seeds, sizes, sizes)
def test_kernel_and_twin_give_the_same_probabilities(seed: int, n: int, m: int) -> None:
    arguments = random_pair(seed, n, m)
    base, classes = contextual.base_features(*arguments)
    first = np.random.default_rng(seed).normal(size=(9, 69)).astype(np.float32) * np.float32(0.3)
    found = contextual.first_probabilities(base, classes, first)
    np.testing.assert_allclose(
        found, contextual_reference.first_probabilities(base, classes, first), atol=1e-5
    )
    assert ((found >= 0) & (found <= 1)).all()


@settings(max_examples=40, deadline=None)
@given(seeds, sizes, sizes, st.sampled_from([0.0, 0.2, 0.5, 1.1]))
def test_first_pass_keeps_the_features_of_cells_that_are_not_hopeless(
    seed: int, n: int, m: int, hopeless: float
) -> None:
    arguments = random_pair(seed, n, m)
    first = np.random.default_rng(seed).normal(size=(9, 69)).astype(np.float32) * np.float32(0.3)
    probability, cells, features, classes = contextual.first_pass(*arguments, first, hopeless)
    every, every_class = contextual.base_features(*arguments)
    np.testing.assert_array_equal(
        probability.ravel(), contextual.first_probabilities(every, every_class, first)
    )
    np.testing.assert_array_equal(cells, np.flatnonzero(probability >= np.float32(hopeless)))
    np.testing.assert_array_equal(features, every[cells])
    np.testing.assert_array_equal(classes, every_class[cells])
    if hopeless in (0.0, 1.1):  # whatever is between may be rounded to either side
        for found, expected in zip(
            (probability, cells, features, classes),
            contextual_reference.first_pass(*arguments, first, hopeless),
            strict=True,
        ):
            np.testing.assert_allclose(found, expected, atol=1e-5)


@settings(max_examples=30, deadline=None)
@given(seeds, sizes, sizes, st.integers(0, 5))
def test_kernel_and_twin_give_the_same_later_probabilities(seed: int, n: int, m: int, hidden: int) -> None:
    rng = np.random.default_rng(seed)
    probability = rng.random((n, m)).astype(np.float32)
    cells = np.flatnonzero(rng.random(n * m) < 0.6).astype(np.int32)
    classes = rng.integers(0, 9, len(cells), dtype=np.int32)
    units, bias = (rng.normal(size=(k, hidden + 1)).astype(np.float32) for k in (len(cells), 9))
    arguments = (probability, cells, classes, units, bias, rng.normal(size=hidden).astype(np.float32))
    before = probability.copy()
    found = contextual.later_probabilities(*arguments)
    np.testing.assert_allclose(found, contextual_reference.later_probabilities(*arguments), atol=1e-6)
    np.testing.assert_array_equal(probability, before)


@settings(max_examples=40, deadline=None)
@given(seeds, sizes, sizes)
def test_features_of_swapped_sentences_are_transposed(seed: int, n: int, m: int) -> None:
    arguments = random_pair(seed, n, m)
    features, classes = contextual.base_features(*arguments)
    others, other_classes = contextual.base_features(*swapped(arguments))
    np.testing.assert_allclose(
        features.reshape(n, m, -1), others.reshape(m, n, -1).transpose(1, 0, 2), atol=1e-6
    )
    np.testing.assert_array_equal(classes.reshape(n, m), other_classes.reshape(m, n).T)


@settings(max_examples=40, deadline=None)
@given(seeds, sizes, sizes)
def test_context_features_of_swapped_sentences_are_transposed(seed: int, n: int, m: int) -> None:
    _, _, evidence, one, two, *_ = random_pair(seed, n, m)
    probability = np.random.default_rng(seed).random((n, m)).astype(np.float32)
    names = np.zeros((n, m), dtype=np.uint8)
    cells = np.arange(n * m, dtype=np.int32)
    there = contextual.context_features(probability, names, evidence, one, two, cells)
    tables = (np.ascontiguousarray(table.T) for table in (probability, names, evidence))
    back = contextual.context_features(*tables, two, one, cells)
    np.testing.assert_allclose(there.reshape(n, m, -1), back.reshape(m, n, -1).transpose(1, 0, 2), atol=1e-6)


def test_tables_of_other_shapes_are_refused() -> None:
    arguments = list(random_pair(0, 3, 4))
    arguments[1] = arguments[1][:2]
    with pytest.raises(ValueError, match="three tables of shape"):
        contextual.base_features(*arguments)
    table, kinds = np.zeros((2, 2), np.float32), np.zeros(2, np.int32)
    names, evidence = np.zeros((2, 2), np.uint8), np.zeros((2, 2), np.int32)
    with pytest.raises(ValueError, match="expected names and evidence of shape"):
        contextual.context_features(table, names[:, :1].copy(), evidence, kinds, kinds, kinds)
    with pytest.raises(ValueError, match="expected kinds of 2 and 2 words"):
        contextual.context_features(table, names, evidence, kinds[:1], kinds, kinds)
    with pytest.raises(ValueError, match="expected cells from 0 to 3, found 4"):
        contextual.context_features(table, names, evidence, kinds, kinds, np.array([4], np.int32))
    units, bias, output = np.zeros((2, 3), np.float32), np.zeros((9, 3), np.float32), np.zeros(2, np.float32)
    with pytest.raises(ValueError, match="expected 2 classes and rows of 3 units"):
        contextual.later_probabilities(table, kinds, kinds, units[:1], bias, output)
    with pytest.raises(ValueError, match=r"expected biases of shape \(9, 3\)"):
        contextual.later_probabilities(table, kinds, kinds, units, bias[:8], output)
    with pytest.raises(ValueError, match="expected cells from 0 to 3, found -1"):
        contextual.later_probabilities(table, kinds - 1, kinds, units, bias, output)
    with pytest.raises(ValueError, match=r"expected weights of shape \(9, 69\)"):
        contextual.first_pass(*random_pair(0, 2, 2), np.zeros((9, 68), np.float32), 0.0)


def test_classes_and_word_ends_that_cannot_be_are_refused() -> None:
    table, cells, classes = np.zeros((1, 1), np.float32), np.zeros(1, np.int32), np.full(1, 9, np.int32)
    units, bias, output = np.zeros((1, 3), np.float32), np.zeros((9, 3), np.float32), np.zeros(2, np.float32)
    with pytest.raises(ValueError, match="expected classes from 0 to 8, found 9"):
        contextual.later_probabilities(table, cells, classes, units, bias, output)
    with pytest.raises(ValueError, match="expected classes from 0 to 8, found 9"):
        contextual.first_probabilities(np.zeros((1, 68), np.float32), classes, np.zeros((9, 69), np.float32))
    for ends in ([-1, 1], [2, 1], [0, 1000]):
        arguments = list(random_pair(0, 2, 2))
        arguments[8] = np.array(ends, np.int32)
        with pytest.raises(ValueError, match="expected word ends that ascend"):
            contextual.base_features(*arguments)


def test_dice_of_bigrams_by_hand() -> None:
    # ^ab$ and ^abc$ share ^a and ab: 2 * 2 / (3 + 4)
    assert contextual_reference.bigram_dice((97, 98), (97, 98, 99)) == pytest.approx(4 / 7)
