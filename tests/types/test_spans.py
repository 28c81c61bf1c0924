import numpy as np
import pytest

from forest_align.types.spans import SpanSums, inside_sentences


def test_sums_between_spans_are_those_of_the_cells() -> None:
    table = np.random.default_rng(3).normal(size=(5, 4))
    sums = SpanSums.of(table)
    spans = [np.array(one) for one in ([0, 2, 5], [3, 2, 5], [1, 0, 2], [4, 3, 4])]
    wanted = [table[a:b, c:d].sum() for a, b, c, d in np.stack(spans, axis=1)]
    assert sums.between(*spans) == pytest.approx(wanted)
    assert sums.between(1, 4, 0, 2) == pytest.approx(table[1:4, :2].sum())
    assert sums.between(1, 4) == pytest.approx(table[1:4].sum())
    assert sums.between(0, -1, 1, 3) == pytest.approx(table[:, 1:3].sum())
    windows = slice(0, -2), slice(2, None)
    moving = sums.between(*windows, *windows)
    assert moving.shape == (4, 3)
    assert moving[3, 1] == pytest.approx(table[3:5, 1:3].sum())


def test_a_grid_has_a_sum_for_each_two_spans() -> None:
    table = np.arange(20).reshape(5, 4)
    rows, columns = np.array([[0, 2], [1, 5], [3, 3]]), np.array([[0, 4], [1, 2]])
    found = SpanSums.of(table).grid(*rows.T, *columns.T)
    assert found.tolist() == [[int(table[a:b, c:d].sum()) for c, d in columns] for a, b in rows]


def test_span_pairs_inside_sentences_are_those_without_a_boundary_between_words_of_a_side() -> None:
    lengths, starts = (6, 5), ((2, 4), (3,))
    spans = [[(a, b) for a in range(n) for b in range(a + 1, n + 1) if b - a < 4] for n in lengths]
    pairs = np.array([(*one, *other) for one in spans[0] for other in spans[1]])
    wanted = [
        pair
        for pair in pairs.tolist()
        if not any(pair[0] < start < pair[1] for start in starts[0])
        and not any(pair[2] < start < pair[3] for start in starts[1])
    ]
    assert inside_sentences(pairs, *starts).tolist() == wanted
    assert inside_sentences(pairs, (), ()).tolist() == pairs.tolist()
