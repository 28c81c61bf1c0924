"""The parts of the link model that are fitted: what the scripts train is what the kernel runs."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from forest_align.aligners.contextual.features import (
    BASE_FEATURES,
    CONTEXT_FEATURES,
    DIRECTION_FEATURES,
    LINK_CLASSES,
    SentenceFeatures,
    kernel_inputs,
)
from forest_align.aligners.contextual.passes import HOPELESS, MessageNetwork
from forest_align.cext import contextual as kernel
from forest_align.em.contextual import _first_pass as first_pass
from forest_align.em.contextual import _message_pass as message_pass
from forest_align.em.contextual import _second_pass as second_pass
from forest_align.em.contextual import examples as link_examples

APART = len(BASE_FEATURES) + len(DIRECTION_FEATURES)
FEATURES = APART + len(CONTEXT_FEATURES)
SIZE = 40


def kinds_and_related(example: link_examples.LinkExample) -> tuple[np.ndarray, ...]:
    """What the kernel reads of the words of both sentences."""
    source, target = example.source, example.target
    return source.kinds, target.kinds, source.related, target.related


def related_of(rng: np.random.Generator, length: int) -> np.ndarray:
    """Some words related to each word, by relation, with -1 behind them."""
    related = rng.integers(0, length, (length, *kernel.RELATED), dtype=np.int32)
    related[rng.random(related.shape) < 0.6] = -1
    return -np.sort(-related, axis=2)


def side_of(rng: np.random.Generator, length: int) -> SentenceFeatures:
    vectors = rng.normal(size=(length, SIZE)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    letters, ends = rng.integers(97, 123, 3 * length), 3 * np.arange(1, length + 1)
    return SentenceFeatures(
        rng.integers(0, 3, length, dtype=np.int32),
        rng.integers(0, 2, length, dtype=np.uint8),
        letters.astype(np.int32),
        ends.astype(np.int32),
        related_of(rng, length),
        vectors,
        vectors[:, :5] / np.linalg.norm(vectors[:, :5], axis=1, keepdims=True),
    )


def example_of(seed: int, n: int, m: int, share: float = 0.2) -> Any:
    rng = np.random.default_rng(seed)
    gold = rng.random((n, m)) < share
    evidence = (rng.integers(0, 4096, (n, m)) * (rng.random((n, m)) < 0.3)).astype(np.int32)
    sides = side_of(rng, n), side_of(rng, m)
    keys = (f"{seed}", f"other {seed}")
    return link_examples.LinkExample(
        "wiki", keys, seed % 3, False, *sides, evidence, gold, gold.astype(np.float32)
    )


# ------------------------------------------------------------------------------------------ networks


def test_the_message_network_that_is_trained_is_the_one_that_the_kernel_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fitting = message_pass
    for name in ("INPUT_DROPOUT", "STATE_DROPOUT"):
        monkeypatch.setattr(fitting, name, 0.0)
    torch.manual_seed(1)
    settings = first_pass.LinkSettings(states=7, message=4, rounds=2)
    parameters = {
        name: value.detach() * 3 for name, value in fitting.initial_parameters(FEATURES, settings).items()
    }
    network = MessageNetwork(**{name: value.numpy() for name, value in parameters.items()})
    parts, expected = [], []
    for seed, (n, m, share) in enumerate([(6, 9, 0.6), (1, 1, 1.0), (4, 3, 0.0), (8, 5, 0.5), (7, 1, 0.9)]):
        example, rng = example_of(seed, n, m), np.random.default_rng(seed)
        cells = np.flatnonzero(rng.random(n * m) < share).astype(np.int32)
        features = rng.normal(size=(len(cells), FEATURES)).astype(np.float32)
        classes = rng.integers(0, len(LINK_CLASSES), len(cells), dtype=np.int32)
        parts.append(fitting.pair_cells(example, cells, features, classes))
        nothing = np.zeros((n, m), dtype=np.float32)
        kinds = kinds_and_related(example)
        expected.append(network.probabilities(nothing, cells, classes, features, *kinds)[0].ravel()[cells])
        np.testing.assert_array_equal(parts[-1].wanted, example.gold.ravel()[cells])
    scores = fitting.scores_of(parameters, fitting.joined(parts))
    assert len(scores) == 3
    np.testing.assert_allclose(torch.sigmoid(scores[-1]), np.concatenate(expected), atol=1e-5)


def test_the_second_network_gives_the_odds_that_the_kernel_gives() -> None:
    fitting = second_pass
    rng = np.random.default_rng(0)

    def normal(*shape: int) -> np.ndarray:
        return rng.normal(size=shape).astype(np.float32) * np.float32(0.2)

    network = MessageNetwork.without_rounds(normal(FEATURES, 5), normal(9, 5), normal(4))
    examples = [example_of(seed, 7, 6) for seed in range(3)]
    first = normal(9, len(BASE_FEATURES) + 1) * 2
    cells = fitting.cells_of(examples, first, normal(SIZE, len(DIRECTION_FEATURES)))
    # Each pass of the script leaves the cells that the aligner's leaves.
    passes = [
        kernel.first_pass(*kernel_inputs(e.source, e.target, e.evidence)[0], first, HOPELESS)
        for e in examples
    ]
    for column, found in ((0, cells.probabilities), (1, cells.numbers)):
        np.testing.assert_array_equal(
            np.concatenate([one[column].ravel() for one in passes]),
            np.concatenate([one.ravel() for one in found]),
        )
    np.testing.assert_array_equal(
        np.concatenate([one[2] for one in passes]), cells.apart[:, : len(BASE_FEATURES)]
    )
    np.testing.assert_array_equal(np.concatenate([one[3] for one in passes]), cells.classes)
    assert 0 < len(cells.classes) < 3 * 42
    features = cells.features(examples, first_pass.LinkSettings())
    scores = fitting.network_scores(network, features, cells.classes)
    before = [table.copy() for table in cells.probabilities]
    after = cells.after(scores, 0.5)
    np.testing.assert_array_equal(np.array(before), np.array(cells.probabilities))
    start = 0
    for place, (e, numbers) in enumerate(zip(examples, cells.numbers, strict=True)):
        rows = slice(start, start + len(numbers))
        table, _ = network.probabilities(
            cells.probabilities[place], numbers, cells.classes[rows], features[rows], *kinds_and_related(e)
        )
        np.testing.assert_allclose(after.probabilities[place], table, atol=1e-5)
        np.testing.assert_array_equal(after.numbers[place], numbers[table.ravel()[numbers] >= 0.5])
        np.testing.assert_array_equal(cells.wanted(examples)[rows], e.wanted.ravel()[numbers])
        start += len(numbers)
    kept = 1 / (1 + np.exp(-scores)) >= 0.5
    np.testing.assert_array_equal(after.apart, cells.apart[kept])
    np.testing.assert_array_equal(after.classes, cells.classes[kept])
    assert 0 < len(after.apart) < len(cells.apart)


def shifted(rng: np.random.Generator, count: int) -> np.ndarray:
    """Features far from 0 and of all spreads, as those of cells are."""
    spread = rng.uniform(0.2, 4, FEATURES)
    return (rng.normal(size=(count, FEATURES)) * spread + rng.uniform(-6, 6, FEATURES)).astype(np.float32)


def test_the_second_network_learns_and_sees_features_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    fitting = second_pass
    monkeypatch.setattr(fitting, "CELLS_A_STEP", 32)
    rng = np.random.default_rng(0)
    features, classes = shifted(rng, 960), rng.integers(0, 3, 960, dtype=np.int32)
    higher = features[:, 3] > features[:, 3].mean()
    wanted = np.where(classes == 1, True, higher).astype(np.float32)
    weights = np.ones(960, dtype=np.float32)
    network = fitting.fit_network(features, classes, wanted, weights, first_pass.LinkSettings())
    odds = fitting.network_scores(network, features, classes)
    assert ((odds > 0) == (wanted > 0)).mean() > 0.95
    # The same again, whatever was drawn before; cells of no weight teach nothing.
    torch.manual_seed(9)
    few = first_pass.LinkSettings(second_epochs=1, without=("cosine",))
    doubled = [np.concatenate([array[:480]] * 2) for array in (features, classes, wanted, weights)]
    networks = []
    for labels in (doubled[2], np.concatenate([wanted[:480], 1 - wanted[:480]])):
        weighed = doubled[3] * np.repeat(np.float32([2, 0]), 480)
        networks.append(fitting.fit_network(doubled[0], doubled[1], labels, weighed, few))
    np.testing.assert_array_equal(networks[0].hidden, networks[1].hidden)
    left = few.left_out(FEATURES)
    assert (networks[0].hidden[left] == 0).all() and np.delete(networks[0].hidden, left, 0).all()


def test_the_message_network_learns_from_its_neighbours(monkeypatch: pytest.MonkeyPatch) -> None:
    fitting = message_pass
    monkeypatch.setattr(fitting, "PAIRS_A_STEP", 4)
    monkeypatch.setattr(fitting, "LEARNING_RATE", 0.02)
    rng = np.random.default_rng(0)
    examples, features = [], []
    for seed in range(24):
        example = example_of(seed, 6, 6)
        here = rng.random((6, 6)) < 0.5
        # What is wanted of a cell stands in the features of the cell before it.
        wanted = np.zeros((6, 6), dtype=np.float32)
        wanted[1:, 1:] = here[:-1, :-1]
        examples.append(replace(example, wanted=wanted))
        rows = np.zeros((36, FEATURES), dtype=np.float32)
        rows[:, 5] = 7 + here.ravel()
        features.append(rows)
    everything = np.concatenate(features)
    cells = SimpleNamespace(
        numbers=[np.arange(36, dtype=np.int32)] * 24,
        classes=np.zeros(len(everything), dtype=np.int32),
        features=lambda examples, settings: everything,
    )
    settings = first_pass.LinkSettings(states=12, message=4, message_epochs=30)
    network = fitting.fit_messages(examples, cells, settings)
    right = []
    for example, rows in zip(examples, features, strict=True):
        kinds = kinds_and_related(example)
        found, _ = network.probabilities(
            np.zeros((6, 6), np.float32), cells.numbers[0], cells.classes[:36], rows, *kinds
        )
        right.append((found > 0.5) == (example.wanted > 0.5))
    assert np.mean(right) > 0.95
    short = replace(settings, message_epochs=1, without=("cosine",))
    networks = [fitting.fit_messages(examples, cells, short) for _ in range(2)]
    np.testing.assert_array_equal(networks[0].receive, networks[1].receive)
    assert (networks[0].hidden[short.left_out(FEATURES)] == 0).all()
    deaf = replace(settings, message_epochs=1, without=("context",))
    assert len(fitting.fit_messages(examples, cells, deaf).send) == 0


def test_the_first_pass_learns_weights_for_each_class_of_features_as_they_are() -> None:
    rng = np.random.default_rng(0)
    base = shifted(rng, 3000)[:, : len(BASE_FEATURES)].copy()
    classes = rng.integers(0, 3, 3000, dtype=np.int32)
    higher = base[:, 40] > base[:, 40].mean()
    gold = np.where(classes == 1, ~higher, higher)
    ones = np.ones(3000, dtype=np.float32)
    fitting = first_pass
    for without, at_least in (((), 0.97), (("cosine",), 0.97), (("sequences", "letters"), 0.0)):
        settings = fitting.LinkSettings(without=without)
        first = fitting.logistic_regression(base.copy(), classes, gold, ones, settings)
        right = (kernel.first_probabilities(base, classes, first) > 0.5) == gold
        assert right.mean() > at_least
        assert (first[:, settings.left_out(len(BASE_FEATURES))] == 0).all()
    # A cell that weighs ten times as much is as good as ten such cells.
    gold, weights = rng.random(300) < 0.4, np.where(rng.random(300) < 0.5, 10, 1).astype(np.float32)
    few, kinds = base[:300], classes[:300]
    settings = fitting.LinkSettings(ridge=0.1)
    times = weights.astype(int)
    plain = (few / few.std(0)).astype(np.float32)
    one = fitting.logistic_regression(plain.copy(), kinds, gold, weights, settings)
    rows = [np.repeat(array, times, axis=0) for array in (plain, kinds, gold)]
    two = fitting.logistic_regression(*rows, np.ones(len(rows[0]), dtype=np.float32), settings)
    apart = [kernel.first_probabilities(plain, kinds, found) for found in (one, two)]
    assert np.abs(apart[0] - apart[1]).max() < 0.05


# --------------------------------------------------------------------------------------- projection


def test_the_loss_of_a_projection_is_that_of_every_word_by_itself() -> None:
    examples = [example_of(seed, n, m, 0.3) for seed, (n, m) in enumerate([(4, 6), (1, 3), (5, 2)])]
    rng = np.random.default_rng(0)
    mean = rng.normal(size=SIZE).astype(np.float32) * np.float32(0.1)
    matrix = rng.normal(size=(SIZE, 7)).astype(np.float32)
    scale, null = 1.3, 2.0
    losses = []
    for e in examples:
        sides = []
        for side in (e.source, e.target):
            projected = (side.vectors.astype(float) - mean) @ matrix
            sides.append(projected / np.linalg.norm(projected, axis=1, keepdims=True))
        scores = np.exp(scale) * sides[0] @ sides[1].T
        for table, gold in ((scores, e.gold), (scores.T, e.gold.T)):
            for row, partners in zip(table, gold, strict=True):
                right = np.exp(row)[partners].sum() if partners.any() else np.exp(null)
                losses.append(-np.log(right / (np.exp(row).sum() + np.exp(null))))
    values = (torch.from_numpy(mean), torch.from_numpy(matrix), torch.tensor(scale), torch.tensor(null))
    found = first_pass.alignment_loss(examples, *values)
    assert float(found) == pytest.approx(np.mean(losses), abs=1e-5)


def test_along_each_direction_words_differ_most_and_by_one() -> None:
    rng = np.random.default_rng(0)
    stretch, examples = np.linspace(3, 0.1, SIZE).astype(np.float32), []
    for seed in range(160):
        sides = [
            replace(side_of(rng, 9), vectors=rng.normal(size=(9, SIZE)).astype(np.float32) * stretch)
        ] * 2
        examples.append(replace(example_of(seed, 9, 9), source=sides[0], target=sides[1]))
    directions = first_pass.principal_directions(examples)
    assert directions.shape == (SIZE, len(DIRECTION_FEATURES)) and directions.dtype == np.float32
    words = np.concatenate([e.source.vectors for e in examples[::8]] * 2)
    covariance = np.cov((words @ directions).T)
    np.testing.assert_allclose(covariance, np.eye(len(covariance)), atol=0.02)
    variances = 1 / (directions**2).sum(0)
    assert (np.diff(variances) <= 0).all()
    assert variances[0] == pytest.approx(np.linalg.eigvalsh(np.cov(words.T))[-1], rel=1e-3)


def test_of_hopeless_cells_a_sample_stands_for_all() -> None:
    example = example_of(2, 60, 70, 0.01)
    kept, weight = first_pass.chosen_cells(example, np.random.default_rng(0))
    similar = example.source.projected @ example.target.projected.T
    weights = np.zeros(similar.size)
    weights[kept] = weight
    table = weights.reshape(similar.shape)
    told = example.evidence & ~(512 | 1024) != 0
    assert (table[example.gold] == 1).all() and (table[told] == 1).all()
    assert (table[np.arange(60), similar.argmax(1)] == 1).all()
    assert (table[similar.argmax(0), np.arange(70)] == 1).all()
    assert set(weights) == {0.0, 1.0, 25.0} and len(set(kept)) == len(kept)
    assert weights.sum() == pytest.approx(similar.size, rel=0.1)
    assert first_pass.second_best(np.array([[3, 1, 2]]), 1).tolist() == [[2]]
    assert first_pass.second_best(np.array([[3, 1, 2]]), 0).tolist() == [[3, 1, 2]]


# -------------------------------------------------------------------------------------- measurement
