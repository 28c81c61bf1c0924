"""The chart kernel against its plain twin and against exhaustive enumeration."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forest_align.cext import chart

from .reference import chart_reference
from .reference.chart_reference import enumerate_trees

BOTH = pytest.mark.parametrize("module", [chart, chart_reference], ids=["kernel", "reference"])
# Length -> number of labels (the empty one included) for which enumeration stays small.
SIZES = [(1, 4), (2, 4), (3, 3), (4, 3), (5, 2), (6, 2)]


def random_scores(seed: int, n: int, labels: int, scale: float = 2.0) -> np.ndarray:
    scores = np.random.default_rng(seed).normal(0, scale, (n, n, labels)).astype(np.float32)
    scores[:, :, 0] = 0
    return scores


def labelled(scores: np.ndarray) -> np.ndarray:
    return np.logaddexp.reduce(scores[:, :, 1:].astype(np.float64), axis=2)


def trees_with_scores(scores: np.ndarray, force_root: bool) -> list[tuple[float, frozenset]]:
    n, _, labels = scores.shape
    trees = enumerate_trees(n, labels, force_root)
    table = scores.astype(np.float64).tolist()
    found = [(sum(table[i][j][label] for i, j, label in tree), tree) for tree in trees]
    return sorted(found, key=lambda item: -item[0])


def spans_of(result: tuple, tree: int) -> frozenset[tuple[int, int, int]]:
    spans, offsets, children, tops, _ = result
    found, todo = [], [tops[tree]]
    while todo:
        number = todo.pop()
        start, end, label = (int(x) for x in spans[number])
        below = children[offsets[number] : offsets[number + 1]]
        assert (below < number).all()
        assert len(below) != 1
        if len(below):
            assert [start, *spans[below, 1]] == [*spans[below, 0], end]
        if label:
            found.append((start, end - 1, label))
        todo.extend(below)
    assert len(found) == len(set(found))
    return frozenset(found)


@BOTH
@pytest.mark.parametrize("force_root", [True, False])
@pytest.mark.parametrize(("n", "labels"), SIZES)
def test_partition_and_marginals_equal_those_of_all_trees(
    module: ModuleType, n: int, labels: int, force_root: bool
) -> None:
    scores = random_scores(n, n, labels)
    trees = trees_with_scores(scores, force_root)
    log_z = np.logaddexp.reduce([score for score, _ in trees])
    expected = np.zeros((n, n))
    for score, tree in trees:
        for i, j, _ in tree:
            expected[i, j] += np.exp(score - log_z)
    log_partition, marginals = module.inside_outside(labelled(scores), force_root)
    assert log_partition == pytest.approx(log_z, abs=1e-9)
    np.testing.assert_allclose(marginals, expected, atol=1e-9)


@BOTH
@pytest.mark.parametrize("force_root", [True, False])
@pytest.mark.parametrize(("n", "labels"), SIZES)
def test_k_best_trees_are_the_best_of_all_trees(
    module: ModuleType, n: int, labels: int, force_root: bool
) -> None:
    scores = random_scores(10 * n, n, labels)
    trees = trees_with_scores(scores, force_root)
    for k in (1, 7, 50):
        result = module.k_best(scores, k, force_root)
        expected = trees[:k]
        np.testing.assert_allclose(result[4], [score for score, _ in expected], atol=1e-5)
        assert [spans_of(result, t) for t in range(len(result[3]))] == [tree for _, tree in expected]


@pytest.mark.parametrize("force_root", [True, False])
@pytest.mark.parametrize(("n", "labels"), [(1, 3), (2, 3), (3, 3), (4, 2)])
def test_asking_for_too_many_trees_gives_every_tree_once(n: int, labels: int, force_root: bool) -> None:
    scores = random_scores(7, n, labels)
    everything = {tree for _, tree in trees_with_scores(scores, force_root)}
    result = chart.k_best(scores, 10**5, force_root)
    found = [spans_of(result, tree) for tree in range(len(result[3]))]
    assert len(found) == len(everything)
    assert set(found) == everything


@given(seed=st.integers(0, 10**6), n=st.integers(1, 8), labels=st.integers(2, 5), force_root=st.booleans())
def test_kernel_and_reference_agree_on_random_charts(
    seed: int, n: int, labels: int, force_root: bool
) -> None:
    scores = random_scores(seed, n, labels, scale=5.0)
    z, marginals = chart.inside_outside(labelled(scores), force_root)
    z_expected, expected = chart_reference.inside_outside(labelled(scores), force_root)
    assert z == pytest.approx(z_expected, abs=1e-9)
    np.testing.assert_allclose(marginals, expected, atol=1e-9)
    best = chart.k_best(scores, 20, force_root)
    best_expected = chart_reference.k_best(scores, 20, force_root)
    np.testing.assert_allclose(best[4], best_expected[4], rtol=1e-12, atol=1e-9)
    for tree in range(len(best[3])):
        assert spans_of(best, tree) == spans_of(best_expected, tree)


@given(seed=st.integers(0, 10**6), n=st.integers(1, 4), force_root=st.booleans())
@settings(max_examples=30)
def test_ties_give_distinct_trees_with_the_right_scores(seed: int, n: int, force_root: bool) -> None:
    scores = np.random.default_rng(seed).integers(-1, 2, (n, n, 3)).astype(np.float32)
    scores[:, :, 0] = 0
    result = chart.k_best(scores, 30, force_root)
    expected = [score for score, _ in trees_with_scores(scores, force_root)][:30]
    assert result[4].tolist() == expected
    found = [spans_of(result, tree) for tree in range(len(expected))]
    assert len(set(found)) == len(found)
    for tree, score in zip(found, expected, strict=True):
        assert sum(scores[span] for span in tree) == score


@BOTH
@given(seed=st.integers(0, 10**6), n=st.integers(1, 4), labels=st.integers(1, 3), force_root=st.booleans())
def test_forbidden_labels_and_scores_of_the_empty_label_are_as_in_all_trees(
    module: ModuleType, seed: int, n: int, labels: int, force_root: bool
) -> None:
    rng = np.random.default_rng(seed)
    scores = rng.integers(-2, 3, (n, n, labels)).astype(np.float32)
    scores[:, :, 1:][rng.random((n, n, labels - 1)) < 0.4] = -np.inf
    # Nobody reads what lies below the diagonal, and rows need not lie side by side in memory.
    scores[np.tril_indices(n, -1)] = np.nan
    strided = np.asfortranarray(np.repeat(scores, 2, axis=0))[::2]
    relative = scores - scores[:, :, :1]
    possible = [t for t in trees_with_scores(relative, force_root) if t[0] > -np.inf]
    with np.errstate(invalid="ignore"):
        chances = np.exp(relative[:, :, 1:].astype(np.float64)).sum(axis=2)
    with np.errstate(divide="ignore"):
        together = np.asfortranarray(np.log(chances))
    if not possible:
        with pytest.raises(ValueError, match="no tree"):
            module.k_best(strided, 3, force_root)
        with pytest.raises(ValueError, match="no tree"):
            module.inside_outside(together, force_root)
        return
    result = module.k_best(strided, 25, force_root)
    assert result[4].tolist() == [score for score, _ in possible[:25]]
    found = [spans_of(result, tree) for tree in range(len(result[3]))]
    assert len(set(found)) == len(found)
    assert [sum(relative[span] for span in tree) for tree in found] == result[4].tolist()
    parts = [tuple(x.tolist()) for x in np.split(result[2], result[1][1:-1])]
    assert len(set(zip(map(tuple, result[0].tolist()), parts, strict=True))) == len(result[0])
    assert [array.dtype for array in result] == [np.int32] * 4 + [np.float64]
    log_z = np.logaddexp.reduce([score for score, _ in possible])
    expected = np.zeros((n, n))
    for score, tree in possible:
        for i, j, _ in tree:
            expected[i, j] += np.exp(score - log_z)
    log_partition, marginals = module.inside_outside(together, force_root)
    assert log_partition == pytest.approx(log_z, abs=1e-9)
    np.testing.assert_allclose(marginals, expected, atol=1e-9)


@pytest.mark.parametrize("sign", [1, -1, 0])
def test_huge_scores_do_not_overflow(sign: int) -> None:
    scores = random_scores(3, 5, 3, scale=1.0) * (1e3 if sign == 0 else 1.0) + np.float32(sign * 1e3)
    scores[:, :, 0] = 0
    trees = trees_with_scores(scores, True)
    log_z = np.logaddexp.reduce([score for score, _ in trees])
    log_partition, marginals = chart.inside_outside(labelled(scores))
    assert log_partition == pytest.approx(log_z, rel=1e-9)
    assert (marginals >= 0).all()
    assert (marginals <= 1 + 1e-9).all()
    np.testing.assert_allclose(chart.k_best(scores, 20)[4], [s for s, _ in trees[:20]], rtol=1e-6)


def test_a_constant_added_to_every_label_of_a_span_changes_nothing() -> None:
    scores = random_scores(1, 6, 4)
    shifted = scores + np.random.default_rng(2).integers(-8, 9, (6, 6, 1)).astype(np.float32)
    first, second = chart.k_best(scores, 15), chart.k_best(shifted, 15)
    np.testing.assert_allclose(first[4], second[4], atol=1e-4)
    assert [spans_of(first, t) for t in range(15)] == [spans_of(second, t) for t in range(15)]


def test_raising_one_span_raises_its_marginal_and_the_partition() -> None:
    low = labelled(random_scores(5, 6, 3))
    high = low.copy()
    high[1, 3] += 1.0
    (z_low, m_low), (z_high, m_high) = chart.inside_outside(low), chart.inside_outside(high)
    assert z_high > z_low
    assert m_high[1, 3] > m_low[1, 3]
    # d log Z / d score is the marginal: a finite difference must show it.
    step = low.copy()
    step[1, 3] += 1e-5
    assert (chart.inside_outside(step)[0] - z_low) / 1e-5 == pytest.approx(m_low[1, 3], abs=1e-4)


def test_probabilities_of_all_trees_sum_to_one() -> None:
    scores = random_scores(11, 4, 3)
    log_z, _ = chart.inside_outside(labelled(scores))
    assert np.exp(chart.k_best(scores, 10**6)[4] - log_z).sum() == pytest.approx(1.0, abs=1e-6)


def test_a_span_scored_minus_infinity_never_appears() -> None:
    scores = random_scores(4, 4, 3)
    scores[0, 1, 1:] = -np.inf
    result = chart.k_best(scores, 10**6)
    assert len(result[3]) == sum(not any(s[:2] == (0, 1) for s in t) for t in enumerate_trees(4, 3))
    _, marginals = chart.inside_outside(labelled(scores))
    assert marginals[0, 1] == 0


def test_five_hundred_words_neither_overflow_nor_crash() -> None:
    n = 500
    scores = random_scores(0, n, 2, scale=3.0)
    log_z, marginals = chart.inside_outside(scores[:, :, 1])
    assert np.isfinite(log_z)
    assert np.isfinite(marginals).all()
    assert marginals[0, n - 1] == pytest.approx(1.0)
    assert marginals.max() <= 1 + 1e-9
    result = chart.k_best(scores, 50)
    assert (np.diff(result[4]) <= 0).all()
    assert result[4][0] < log_z
    assert len({spans_of(result, tree) for tree in range(50)}) == 50


def test_bare_words_in_one_flat_constituent_do_not_exhaust_the_stack() -> None:
    scores = np.full((1500, 1500, 2), -50, dtype=np.float32)
    scores[:, :, 0] = 0
    result = chart.k_best(scores, 3)
    assert spans_of(result, 0) == {(0, 1499, 1)}


@BOTH
@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (np.zeros((0, 0, 3)), "shape"),
        (np.zeros((2, 3, 3)), "shape"),
        (np.zeros((2, 2)), "shape"),
        (np.full((2, 2, 3), np.nan), "NaN"),
        (np.full((2, 2, 3), np.inf), "NaN"),
        (np.array([[[0.0, np.nan]]]), "NaN"),
        (np.array([[[-np.inf, 0.0]]]), "NaN"),
        (np.full((2, 2, 3), 1e30), "at most 1000000"),
        (np.full((2, 2, 3), -1e30), "at least -1000000"),
        (np.zeros((2, 2, 0)), "shape"),
        (np.zeros((2, 2, 1)), "no tree"),
        (np.zeros((1, 1, 1)), "no tree"),
    ],
)
def test_k_best_refuses_bad_charts(module: ModuleType, bad: np.ndarray, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        module.k_best(bad, 3)


@BOTH
@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (np.zeros((0, 0)), "square"),
        (np.zeros((2, 3)), "square"),
        (np.zeros(3), "square"),
        (np.full((2, 2), np.nan), "NaN"),
        (np.full((2, 2), np.inf), "NaN"),
        # The digits after the point are lost, and each of two trees had probability 1.
        (np.full((3, 3), 1e30), "from -1000000 to 1000000"),
        (np.full((3, 3), -1e30), "from -1000000 to 1000000"),
        (np.full((2, 2), -np.inf), "no tree"),
    ],
)
def test_inside_outside_refuses_bad_charts(module: ModuleType, bad: np.ndarray, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        module.inside_outside(bad)


@BOTH
@pytest.mark.parametrize("k", [0, -1, 2**31, 2**70])
def test_k_best_refuses_counts_out_of_range(module: ModuleType, k: int) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        module.k_best(np.zeros((2, 2, 2)), k)


@BOTH
@pytest.mark.parametrize("k", [2.5, "3", None])
def test_k_best_refuses_what_is_no_count(module: ModuleType, k: object) -> None:
    with pytest.raises(TypeError):
        module.k_best(np.zeros((2, 2, 2)), k)


def test_memory_of_k_best_is_that_of_the_trees_there_are() -> None:
    scores = random_scores(3, 4, 3)
    most, enough = (chart.k_best(scores, k) for k in (2**31 - 1, 10**5))
    assert len(most[3]) > 1024  # the room that is made at first
    for one, other in zip(most, enough, strict=True):
        np.testing.assert_array_equal(one, other)


def test_marginals_of_the_largest_scores_are_probabilities() -> None:
    for n in (3, 40):
        for seed, base in enumerate((1e6 - 10, 10 - 1e6)):
            labels = np.random.default_rng(seed).uniform(base - 10, base + 10, (n, n))
            _, marginals = chart.inside_outside(labels)
            assert marginals.min() >= 0 and marginals.max() <= 1 + 1e-6


def test_charts_of_too_many_words_are_refused() -> None:
    with pytest.raises(ValueError, match="1 to 4096 words"):
        chart.inside_outside(np.zeros((4097, 4097)))
    with pytest.raises(ValueError, match="up to 4096"):
        chart.k_best(np.zeros((4097, 4097, 1), np.float32), 1)
