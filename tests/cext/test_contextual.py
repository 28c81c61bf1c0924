"""The compiled link features against their plain twin, and what they must do by definition."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from forest_align.aligners.contextual.relations import BESIDE, PAIRED, RELATIONS, WIDTH
from forest_align.cext import contextual

from .reference import contextual_reference


def random_pair(seed: int, n: int, m: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(seed)
    table = rng.uniform(-0.2, 1, (2, n, m)).astype(np.float32)
    if rng.random() < 0.3:  # ties
        table = np.round(table, 1)
    evidence = (rng.integers(0, 1 << 23, (n, m)) * (rng.random((n, m)) < 0.4)).astype(np.int32)
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


def random_related(rng: np.random.Generator, words: int) -> np.ndarray:
    """Some words related to each word, by relation, with -1 behind them."""
    related = rng.integers(0, words, (words, *contextual.RELATED), dtype=np.int32)
    related[rng.random(related.shape) < 0.6] = -1
    return -np.sort(-related, axis=2)


def swapped(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    cosine, projected, evidence, *sides = arguments
    tables = (np.ascontiguousarray(x.T) for x in (cosine, projected, evidence))
    order = (1, 0, 3, 2, 6, 7, 4, 5)
    return (*tables, *(sides[k] for k in order))


sizes = st.integers(1, 9)
seeds = st.integers(0, 2**32 - 1)


@given(seeds, sizes, sizes)
def test_kernel_and_twin_give_the_same_features(seed: int, n: int, m: int) -> None:
    arguments = random_pair(seed, n, m)
    features, classes = contextual.base_features(*arguments)
    expected, expected_classes = contextual_reference.base_features(*arguments)
    np.testing.assert_allclose(features, expected, atol=1e-5)
    np.testing.assert_array_equal(classes, expected_classes)
    rng = np.random.default_rng(seed)
    probability = rng.random((n, m)).astype(np.float32)
    names = arguments[5][:, None] & arguments[6][None]
    cells = np.flatnonzero(rng.random(n * m) < 0.7).astype(np.int32)
    related = random_related(rng, n), random_related(rng, m)
    around = (probability, names, arguments[2], arguments[3], arguments[4], *related, cells)
    np.testing.assert_allclose(
        contextual.context_features(*around), contextual_reference.context_features(*around), atol=1e-5
    )


@settings(max_examples=30)
@given(seeds, sizes, sizes)
def test_kernel_and_twin_give_the_same_probabilities(seed: int, n: int, m: int) -> None:
    arguments = random_pair(seed, n, m)
    base, classes = contextual.base_features(*arguments)
    first = np.random.default_rng(seed).normal(size=(9, 76)).astype(np.float32) * np.float32(0.3)
    found = contextual.first_probabilities(base, classes, first)
    np.testing.assert_allclose(
        found, contextual_reference.first_probabilities(base, classes, first), atol=1e-5
    )
    assert ((found >= 0) & (found <= 1)).all()


@given(seeds, sizes, sizes, st.sampled_from([0.0, 0.2, 0.5, 1.1]))
def test_first_pass_keeps_the_features_of_cells_that_are_not_hopeless(
    seed: int, n: int, m: int, hopeless: float
) -> None:
    arguments = random_pair(seed, n, m)
    first = np.random.default_rng(seed).normal(size=(9, 76)).astype(np.float32) * np.float32(0.3)
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


def random_message_pass(
    seed: int, n: int, m: int, rounds: int, share: float = 0.6, hidden: int = 5, size: int = 3
) -> tuple[Any, ...]:
    rng = np.random.default_rng(seed)
    cells = np.flatnonzero(rng.random(n * m) < share).astype(np.int32)

    def normal(*shape: int) -> np.ndarray:
        return rng.normal(size=shape).astype(np.float32) * np.float32(0.5)

    return (
        rng.random((n, m)).astype(np.float32),
        cells,
        rng.integers(0, 9, len(cells), dtype=np.int32),
        normal(len(cells), hidden + 1),
        normal(9, hidden + 1),
        rng.integers(0, 3, n, dtype=np.int32),
        rng.integers(0, 3, m, dtype=np.int32),
        random_related(rng, n),
        random_related(rng, m),
        normal(rounds, hidden, size),
        normal(rounds, size),
        normal(rounds, hidden, hidden),
        normal(rounds, contextual.MESSAGE_SLOTS, size, hidden),
        normal(rounds, hidden),
        normal(hidden),
    )


@given(seeds, sizes, sizes, st.integers(0, 2), st.integers(1, 6))
def test_kernel_and_twin_give_the_same_after_messages(
    seed: int, n: int, m: int, rounds: int, size: int
) -> None:
    arguments = random_message_pass(seed, n, m, rounds, size=size)
    before = arguments[0].copy()
    found = contextual.message_pass(*arguments)
    *expected, tied = contextual_reference.message_pass_noting_ties(*arguments)
    assume(not tied)
    assert found[1].shape == expected[1].shape == (rounds, len(arguments[1]), 27, size)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-4, rtol=1e-4)
    np.testing.assert_array_equal(arguments[0], before)


def test_cells_that_are_certain_in_float32_are_rivals_of_equal_probability() -> None:
    # More digits than a message holds would say which of the certain cells is the most probable.
    probability, cells, classes, units, bias, *rest = random_message_pass(1300, 6, 7, 2)
    units[:, -1] = 25 + np.random.default_rng(0).permutation(len(cells)) / len(cells)
    bias[:, -1] = 0
    arguments = (probability, cells, classes, units, bias, *rest)
    *expected, tied = contextual_reference.message_pass_noting_ties(*arguments)
    assert not tied and (expected[1][:, :, 14, 0] == 1).mean() > 0.9
    for found, wanted in zip(contextual.message_pass(*arguments), expected, strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-4, rtol=1e-4)


def split_weights(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments of a message pass, those from ``send`` on in one list."""
    return (*arguments[:9], list(arguments[9:]))


def swapped_sides(sides: list[Any]) -> list[Any]:
    """Kinds and related words of target and source."""
    return [sides[1], sides[0], sides[3], sides[2]]


@given(seeds, sizes, sizes)
def test_messages_of_swapped_sentences_are_transposed(seed: int, n: int, m: int) -> None:
    probability, _, _, _, bias, *sides, weights = split_weights(random_message_pass(seed, n, m, 2))
    rng = np.random.default_rng(seed)
    units = rng.normal(size=(n, m, 6)).astype(np.float32)
    classes = rng.integers(0, 9, (n, m), dtype=np.int32)
    cells = np.arange(n * m, dtype=np.int32)
    there, _ = contextual.message_pass(
        probability, cells, classes.ravel(), units.reshape(n * m, 6), bias, *sides, *weights
    )
    swapped_tables = (np.ascontiguousarray(probability.T), cells, np.ascontiguousarray(classes.T).ravel())
    swapped_units = np.ascontiguousarray(units.transpose(1, 0, 2)).reshape(n * m, 6)
    back, _ = contextual.message_pass(*swapped_tables, swapped_units, bias, *swapped_sides(sides), *weights)
    np.testing.assert_allclose(there, back.T, atol=1e-4)


def test_a_message_by_hand() -> None:
    # Two cells on the diagonal; each sends its probability, and adds twice what comes from before it.
    probability = np.full((2, 2), 0.25, np.float32)
    cells, classes = np.array([0, 3], np.int32), np.zeros(2, np.int32)
    units = np.array([[1, 0], [3, 0]], np.float32)
    receive = np.zeros((1, 27, 1, 1), np.float32)
    receive[0, 1] = 2
    one, none = np.ones((1, 1, 1), np.float32), np.zeros((1, 1), np.float32)
    kinds, related = np.ones(2, np.int32), np.full((2, *contextual.RELATED), -1, np.int32)
    found, collected = contextual.message_pass(
        *(probability, cells, classes, units, np.zeros((9, 2), np.float32), kinds, kinds, related, related),
        *(one, none, np.zeros_like(one), receive, none, np.ones(1, np.float32)),
    )
    first, second = (1 / (1 + np.exp(-score)) for score in (1, 3))
    assert found.ravel()[1:3].tolist() == [0.25, 0.25]
    assert found[0, 0] == pytest.approx(first)
    assert found[1, 1] == pytest.approx(1 / (1 + np.exp(-(3 + 2 * first))))
    assert collected[0, :, 0, 0] == pytest.approx([second, 0]) and collected[0, 1, 1, 0] == pytest.approx(
        first
    )


def test_a_message_of_related_words_by_hand() -> None:
    # The second words are the agents of the first ones, which hear from them; each adds twice what it hears.
    probability = np.full((2, 2), 0.25, np.float32)
    cells, classes = np.array([0, 3], np.int32), np.zeros(2, np.int32)
    units = np.array([[1, 0], [3, 0]], np.float32)
    receive = np.zeros((1, 27, 1, 1), np.float32)
    receive[0, 16 + 2] = 2
    one, none = np.ones((1, 1, 1), np.float32), np.zeros((1, 1), np.float32)
    kinds, related = np.ones(2, np.int32), np.full((2, *contextual.RELATED), -1, np.int32)
    related[0, 2, 0], related[1, 5, 0] = 1, 0
    found, collected = contextual.message_pass(
        *(probability, cells, classes, units, np.zeros((9, 2), np.float32), kinds, kinds, related, related),
        *(one, none, np.zeros_like(one), receive, none, np.ones(1, np.float32)),
    )
    first, second = (1 / (1 + np.exp(-score)) for score in (1, 3))
    assert found[1, 1] == pytest.approx(second)
    assert found[0, 0] == pytest.approx(1 / (1 + np.exp(-(1 + 2 * second))))
    assert collected[0, 0, 18, 0] == pytest.approx(second) and collected[0, 1, 21, 0] == pytest.approx(first)


def test_without_rounds_cells_are_scored_apart() -> None:
    probability, cells, classes, units, bias, *rest = random_message_pass(0, 4, 5, 0, share=0.5)
    found, collected = contextual.message_pass(probability, cells, classes, units, bias, *rest)
    arriving = units + bias[classes]
    score = np.maximum(arriving[:, :-1], 0) @ rest[-1] + arriving[:, -1]
    expected = probability.copy()
    expected.ravel()[cells] = 1 / (1 + np.exp(-score))
    np.testing.assert_allclose(found, expected, atol=1e-6)
    assert 0 < len(cells) < found.size and not collected.size


@given(seeds, sizes, sizes)
def test_features_of_swapped_sentences_are_transposed(seed: int, n: int, m: int) -> None:
    arguments = random_pair(seed, n, m)
    features, classes = contextual.base_features(*arguments)
    others, other_classes = contextual.base_features(*swapped(arguments))
    np.testing.assert_allclose(
        features.reshape(n, m, -1), others.reshape(m, n, -1).transpose(1, 0, 2), atol=1e-6
    )
    np.testing.assert_array_equal(classes.reshape(n, m), other_classes.reshape(m, n).T)


@given(seeds, sizes, sizes)
def test_context_features_of_swapped_sentences_are_transposed(seed: int, n: int, m: int) -> None:
    _, _, evidence, one, two, *_ = random_pair(seed, n, m)
    probability = np.random.default_rng(seed).random((n, m)).astype(np.float32)
    names = np.zeros((n, m), dtype=np.uint8)
    cells = np.arange(n * m, dtype=np.int32)
    rng = np.random.default_rng(seed)
    related = random_related(rng, n), random_related(rng, m)
    there = contextual.context_features(probability, names, evidence, one, two, *related, cells)
    tables = (np.ascontiguousarray(table.T) for table in (probability, names, evidence))
    back = contextual.context_features(*tables, two, one, *related[::-1], cells)
    np.testing.assert_allclose(there.reshape(n, m, -1), back.reshape(m, n, -1).transpose(1, 0, 2), atol=1e-6)


def test_tables_of_other_shapes_are_refused() -> None:
    arguments = list(random_pair(0, 3, 4))
    arguments[1] = arguments[1][:2]
    with pytest.raises(ValueError, match="three tables of shape"):
        contextual.base_features(*arguments)
    table, kinds = np.zeros((2, 2), np.float32), np.zeros(2, np.int32)
    names, evidence = np.zeros((2, 2), np.uint8), np.zeros((2, 2), np.int32)
    related = np.full((2, *contextual.RELATED), -1, np.int32)
    sides = [kinds, kinds, related, related]
    with pytest.raises(ValueError, match="expected names and evidence of shape"):
        contextual.context_features(table, names[:, :1].copy(), evidence, *sides, kinds)
    with pytest.raises(ValueError, match="expected kinds of 2 and 2 words"):
        contextual.context_features(table, names, evidence, kinds[:1], *sides[1:], kinds)
    with pytest.raises(ValueError, match="expected cells from 0 to 3, found 4"):
        contextual.context_features(table, names, evidence, *sides, np.array([4], np.int32))
    for place, name in ((2, "source_related"), (3, "target_related")):
        wrong = [*sides]
        wrong[place] = related + 3
        with pytest.raises(ValueError, match=f"expected {name} from -1 to 1, found 2"):
            contextual.context_features(table, names, evidence, *wrong, kinds)
    with pytest.raises(ValueError, match=r"expected weights of shape \(9, 76\)"):
        contextual.first_pass(*random_pair(0, 2, 2), np.zeros((9, 75), np.float32), 0.0)


def test_message_weights_of_other_shapes_are_refused() -> None:
    whole = random_message_pass(0, 3, 4, 2)
    for place in (2, 3):
        with pytest.raises(ValueError, match=f"expected {len(whole[1])} classes and rows of 6 units"):
            contextual.message_pass(*whole[:place], whole[place][:1], *whole[place + 1 :])
    with pytest.raises(ValueError, match=r"expected biases of shape \(9, 6\)"):
        contextual.message_pass(*whole[:4], whole[4][:8], *whole[5:])
    for place, name in enumerate(("send", "send_bias", "own", "receive", "receive_bias"), 9):
        if name != "send":
            with pytest.raises(ValueError, match=f"expected weights {name} of shape"):
                contextual.message_pass(*whole[:place], whole[place][:1].copy(), *whole[place + 1 :])
        with pytest.raises(ValueError, match="expected weights"):
            contextual.message_pass(*whole[:place], whole[place][:, :1].copy(), *whole[place + 1 :])
    with pytest.raises(ValueError, match="expected kinds of 3 and 4 words"):
        contextual.message_pass(*whole[:5], whole[6], *whole[6:])
    for cell in (-1, 12):
        with pytest.raises(ValueError, match=f"expected cells from 0 to 11, found {cell}"):
            contextual.message_pass(whole[0], whole[1] * 0 + cell, *whole[2:])
    with pytest.raises(ValueError, match="expected classes from 0 to 8, found 9"):
        contextual.message_pass(*whole[:2], whole[2] * 0 + 9, *whole[3:])
    with pytest.raises(ValueError, match="at least one unit"):
        contextual.message_pass(*random_message_pass(0, 3, 4, 2, hidden=0))


@pytest.mark.parametrize("kind", [3, -1, 10**6, -(10**8)])
@pytest.mark.parametrize("place", [3, 4])
def test_kinds_of_words_out_of_range_do_not_reach_the_weights(place: int, kind: int) -> None:
    # The kind of a word is the row of weights of its cells. The root is at the end of the path, so that an
    # installed package is found before the sources.
    root = str(Path(__file__).parents[2])
    code = (
        f"import sys\nsys.path.append({root!r})\n"
        f"import numpy as np\nfrom {__name__} import random_pair\nfrom forest_align.cext import contextual\n"
        f"pair = list(random_pair(0, 3, 4))\npair[{place}][:] = {kind}\n"
        "contextual.first_pass(*pair, np.zeros((9, 69), np.float32), 0.0)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    expected = f"ValueError: expected kinds of words from 0 to 2, found {kind}"
    assert (run.returncode, run.stderr.strip().splitlines()[-1:]) == (1, [expected])


def test_kinds_of_words_out_of_range_are_refused_in_each_pass() -> None:
    pair = list(random_pair(0, 3, 4))
    cells, table = np.arange(12, dtype=np.int32), np.zeros((3, 4), np.float32)
    whole = random_message_pass(0, 3, 4, 2)
    for place in (3, 4):
        wrong = [*pair[:place], np.full_like(pair[place], 3), *pair[place + 1 :]]
        kinds = wrong[3], wrong[4]
        with pytest.raises(ValueError, match="expected kinds of words from 0 to 2, found 3"):
            contextual.base_features(*wrong)
        with pytest.raises(ValueError, match="expected kinds of words from 0 to 2, found 3"):
            contextual.context_features(table, table.astype(np.uint8), pair[2], *kinds, *whole[7:9], cells)
        with pytest.raises(ValueError, match="expected kinds of words from 0 to 2, found 3"):
            contextual.message_pass(*whole[:5], *kinds, *whole[7:])


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e30])
def test_tables_that_hold_no_similarities_or_probabilities_are_refused(value: float) -> None:
    for place, name in enumerate(("cosine", "projected")):
        pair = list(random_pair(0, 3, 4))
        pair[place][1, 2] = value
        with pytest.raises(ValueError, match=f"expected {name} from -1000000 to 1000000, found"):
            contextual.base_features(*pair)
    pair, cells = list(random_pair(0, 3, 4)), np.arange(12, dtype=np.int32)
    related = random_message_pass(0, 3, 4, 2)[7:9]
    names, table = np.zeros((3, 4), np.uint8), np.full((3, 4), 0.5, np.float32)
    table[2, 3] = value
    with pytest.raises(ValueError, match="expected probability from 0 to 1, found"):
        contextual.context_features(table, names, *pair[2:5], *related, cells)


def test_cells_that_come_twice_are_refused() -> None:
    whole = random_message_pass(0, 3, 4, 2)
    cells = whole[1].copy()
    cells[1] = cells[0]
    with pytest.raises(ValueError, match=f"expected each cell once, found {cells[0]} twice"):
        contextual.message_pass(whole[0], cells, *whole[2:])


def test_classes_and_word_ends_that_cannot_be_are_refused() -> None:
    classes = np.full(1, 9, np.int32)
    with pytest.raises(ValueError, match="expected classes from 0 to 8, found 9"):
        contextual.first_probabilities(np.zeros((1, 75), np.float32), classes, np.zeros((9, 76), np.float32))
    for ends in ([-1, 1], [2, 1], [0, 1000]):
        arguments = list(random_pair(0, 2, 2))
        arguments[8] = np.array(ends, np.int32)
        with pytest.raises(ValueError, match="expected word ends that ascend"):
            contextual.base_features(*arguments)


def test_kernel_and_twin_give_the_same_for_long_sentences() -> None:
    # Longer than the 16 words from which neighbours' partners are read.
    n, m = 45, 38
    arguments, rng = random_pair(7, n, m), np.random.default_rng(7)
    np.testing.assert_allclose(
        contextual.base_features(*arguments)[0], contextual_reference.base_features(*arguments)[0], atol=1e-5
    )
    probability = rng.random((n, m)).astype(np.float32)
    names, cells = arguments[5][:, None] & arguments[6][None], np.arange(n * m, dtype=np.int32)
    related = random_related(rng, n), random_related(rng, m)
    around = (probability, names, arguments[2], arguments[3], arguments[4], *related, cells)
    np.testing.assert_allclose(
        contextual.context_features(*around), contextual_reference.context_features(*around), atol=1e-5
    )


@given(seeds, sizes, sizes, st.integers(1, 4))
def test_of_equally_probable_rivals_the_first_one_is_heard(seed: int, n: int, m: int, size: int) -> None:
    # Whatever their states, cells of two kinds of words send two probabilities in all, with many messages.
    probability, cells, classes, units, bias, *sides, weights = split_weights(
        random_message_pass(seed, n, m, 2, size=size)
    )
    send = weights[0]
    units[:, -1] = cells % 2
    bias[:, -1] = 0
    send[:, :, 0] = 0
    arguments = (probability, cells, classes, units, bias, *sides, *weights)
    for found, expected in zip(
        contextual.message_pass(*arguments), contextual_reference.message_pass(*arguments), strict=True
    ):
        np.testing.assert_allclose(found, expected, atol=1e-4, rtol=1e-4)


LONG = "abcdefghijklmnopqrstuvwx"  # 24 letters: those after them do not count


@pytest.mark.parametrize(
    ("one", "two", "in_common"),
    [
        ("a", "b", 0),
        ("ab", "cb", 1),
        ("ab", "ac", 1),
        ("xaby", "zabw", 1),
        ("aaa", "aa", 3),
        ("abab", "ab", 3),
        (LONG, LONG + "yz", 25),
        (LONG + "y", LONG + "z", 25),
        (LONG[:-1], LONG, 23),
        ("y" * 23 + "x", LONG + "q", 1),
        ("y" * 23 + "x", "y" * 23 + "z", 23),
        ("é", "é", 2),
        ("\U0001f600x", "\U0001f600", 1),
    ],
)
def test_letters_in_common_by_hand(one: str, two: str, in_common: int) -> None:
    lengths = [min(len(word), 24) for word in (one, two)]
    codes = [tuple(map(ord, word)) for word in (one, two)]
    assert contextual_reference.bigram_dice(*codes) == pytest.approx(2 * in_common / (sum(lengths) + 2))
    # Between other words, so that each word is read from its own place.
    sides = [[*map(ord, "qqqq"), *word, *map(ord, "wwwwww")] for word in codes]
    letters = [np.array(side, np.int32) for side in sides]
    ends = [
        np.array([4, 4 + len(word), len(side)], np.int32) for word, side in zip(codes, sides, strict=True)
    ]
    table, kinds, capital = np.zeros((3, 3), np.float32), np.zeros(3, np.int32), np.zeros(3, np.uint8)
    features, _ = contextual.base_features(
        *(table, table, np.zeros((3, 3), np.int32), kinds, kinds, capital, capital),
        *(letters[0], ends[0], letters[1], ends[1]),
    )
    share = 2 * in_common / (sum(lengths) + 2)
    assert features[4, 32] == pytest.approx(share)
    assert features[4, 33] == pytest.approx(max(share - 0.5, 0))


def test_a_cell_just_as_probable_as_the_bound_is_not_hopeless() -> None:
    arguments = random_pair(3, 4, 5)
    first = np.random.default_rng(3).normal(size=(9, 76)).astype(np.float32) * np.float32(0.1)
    probability, *_ = contextual.first_pass(*arguments, first, 0.0)
    bound = np.sort(probability.ravel())[10]
    _, cells, _, _ = contextual.first_pass(*arguments, first, float(bound))
    assert len(cells) == 10


@pytest.mark.parametrize("place", range(11))
def test_each_input_of_another_size_is_refused(place: int) -> None:
    weights = np.zeros((9, 76), np.float32)
    whole = random_pair(0, 3, 4)
    for axis in range(whole[place].ndim):
        if place in (7, 9):  # letters: too few for where the last word ends
            broken = whole[place][:-1].copy()
        else:
            broken = np.ascontiguousarray(whole[place].take(range(1, whole[place].shape[axis]), axis))
        with pytest.raises(ValueError, match="expected"):
            contextual.first_pass(*whole[:place], broken, *whole[place + 1 :], weights, 0.0)


def test_each_table_around_cells_of_another_size_is_refused() -> None:
    _, _, evidence, one, two, capital, other, *_ = random_pair(0, 3, 4)
    probability = np.zeros((3, 4), np.float32)
    rng = np.random.default_rng(0)
    related = random_related(rng, 3), random_related(rng, 4)
    whole = (probability, capital[:, None] & other[None], evidence, one, two, *related)
    cells = np.arange(12, dtype=np.int32)
    for place, table in enumerate(whole):
        for axis in range(table.ndim):
            broken = np.ascontiguousarray(table.take(range(1, table.shape[axis]), axis))
            with pytest.raises(ValueError, match="expected"):
                contextual.context_features(*whole[:place], broken, *whole[place + 1 :], cells)
    nothing = [np.ascontiguousarray(table[:0]) for table in whole[:4]]
    with pytest.raises(ValueError, match="at least one word"):
        contextual.context_features(*nothing, two, *related, cells[:0])
    with pytest.raises(ValueError, match="expected cells from 0 to 11, found -1"):
        contextual.context_features(*whole, cells - 1)


def test_rows_and_weights_of_other_sizes_are_refused_in_each_pass() -> None:
    base, classes = contextual.base_features(*random_pair(0, 3, 4))
    weights = np.zeros((9, 76), np.float32)
    for rows, kinds in (
        (base[1:], classes),
        (base, classes[1:]),
        (base[:, 1:].copy(), classes),
        (base[:0], classes[:0]),
    ):
        with pytest.raises(ValueError, match="expected"):
            contextual.first_probabilities(rows, kinds, weights)
    for broken in (weights[1:], weights[:, 1:].copy()):
        with pytest.raises(ValueError, match="expected weights of shape"):
            contextual.first_probabilities(base, classes, broken)
    whole = random_message_pass(0, 3, 4, 2)
    # Rows of features, biases and weights: one column or one word less.
    for place, axis in ((0, 0), (0, 1), (1, 0), (3, 1), (4, 1), (5, 0), (6, 0), (7, 0), (8, 1), (14, 0)):
        broken = np.ascontiguousarray(whole[place].take(range(1, whole[place].shape[axis]), axis))
        with pytest.raises(ValueError, match="expected"):
            contextual.message_pass(*whole[:place], broken, *whole[place + 1 :])


def test_dice_of_bigrams_by_hand() -> None:
    # ^ab$ and ^abc$ share ^a and ab: 2 * 2 / (3 + 4)
    assert contextual_reference.bigram_dice((97, 98), (97, 98, 99)) == pytest.approx(4 / 7)


def test_the_kernel_knows_the_same_relations() -> None:
    assert (len(RELATIONS), WIDTH) == contextual.RELATED
    assert 16 + PAIRED + len(BESIDE) == contextual.MESSAGE_SLOTS
