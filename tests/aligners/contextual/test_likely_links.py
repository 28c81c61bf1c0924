from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_align.aligners.contextual.aligner import most_likely_links


def chosen(
    source: str, target: str, rows: list[list[float]], threshold: float = 0.5
) -> list[tuple[int, int]]:
    words = source.split(), target.split()
    links, log_probability = most_likely_links(words, np.array(rows, dtype=np.float32), threshold)
    table = np.array(rows)
    linked = np.zeros(table.shape, dtype=bool)
    for pair in links:
        linked[pair] = True
    assert links.scores == pytest.approx(tuple(table[pair] for pair in links))
    wanted = np.log(np.maximum(np.where(linked, table, 1 - table), 1e-7)).sum()
    assert log_probability == pytest.approx(wanted, rel=1e-5)
    return list(links.pairs)


def test_words_are_linked_from_the_threshold_on() -> None:
    rows = [[0.5, 0.4], [0.9, 0.49]]
    assert chosen("a b", "c d", rows) == [(0, 0), (1, 0)]
    assert chosen("a b", "c d", rows, 0.49) == [(0, 0), (1, 0), (1, 1)]


def test_repeated_words_that_share_their_probability_are_linked_one_to_one() -> None:
    rows = [[0.25, 0.3], [0.4, 0.2]]
    assert chosen("John john", "JOHN John", rows) == [(0, 1), (1, 0)]
    # Other words are not, nor those that stand once on one side.
    assert chosen("John Mary", "John John", rows) == []
    assert chosen("a b", "c d", rows) == []


def test_a_repeated_word_needs_probability_that_adds_up_to_the_threshold() -> None:
    # The second word of the source has too little, and so has then the first one of the target.
    assert chosen("a a", "a a", [[0.1, 0.45], [0.1, 0.3]]) == [(0, 1)]
    assert chosen("a a", "a a", [[0.3, 0.19], [0.19, 0.3]]) == []
    assert chosen("a a", "a a", [[0.3, 0.19], [0.19, 0.3]], 0.45) == [(0, 0), (1, 1)]
    # What it has with other words does not count.
    assert chosen("a a b", "a a b", [[0.2, 0.2, 0.4], [0.2, 0.2, 0.4], [0.0, 0.0, 0.9]]) == [(2, 2)]


def test_what_is_linked_takes_no_part() -> None:
    # The first word has its link; the second has no other word left that is as likely as it must be.
    assert chosen("a a", "a a", [[0.6, 0.4], [0.4, 0.4]]) == [(0, 0)]
    assert chosen("a a a", "a a a", [[0.6, 0.1, 0.1], [0.4, 0.3, 0.3], [0.1, 0.35, 0.2]]) == [
        (0, 0),
        (1, 2),
        (2, 1),
    ]
    # A link with another word is a link as well: what the linked one had with equal words does not count.
    assert chosen("a a", "a a b", [[0.3, 0.3, 0.8], [0.3, 0.3, 0.1]]) == [(0, 2)]
    assert chosen("a a", "a a b", [[0.3, 0.3, 0.8], [0.5, 0.3, 0.1]], 0.5) == [(0, 2), (1, 0)]


def test_a_certain_set_of_links_has_a_finite_probability() -> None:
    assert chosen("a b", "c", [[0.0], [1.0]], 0.0) == [(0, 0), (1, 0)]


def test_the_most_probable_come_first_then_those_from_the_left() -> None:
    assert chosen("a a", "b b a a", [[0.0, 0.0, 0.25, 0.25], [0.0, 0.0, 0.25, 0.25]]) == [(0, 2), (1, 3)]
    assert chosen("a a", "a a", [[0.3, 0.3], [0.3, 0.3]]) == [(0, 0), (1, 1)]
    assert chosen("a a a", "a a", [[0.3, 0.3], [0.3, 0.3], [0.3, 0.3]]) == [(0, 0), (1, 1)]
    assert chosen("a a", "a a", [[0.3, 0.31], [0.3, 0.3]]) == [(0, 1), (1, 0)]


@given(data=st.data(), n=st.integers(0, 6), m=st.integers(0, 6), threshold=st.sampled_from([0.0, 0.3, 0.5]))
def test_swapped_sentences_have_the_transposed_links(
    data: st.DataObject, n: int, m: int, threshold: float
) -> None:
    words = [data.draw(st.lists(st.sampled_from("aAb"), min_size=k, max_size=k)) for k in (n, m)]
    values = st.sampled_from([0.0, 0.1, 0.25, 0.26, 0.4, 0.7, 1.0])
    rows = data.draw(st.lists(values, min_size=n * m, max_size=n * m))
    table = np.array(rows, dtype=np.float32).reshape(n, m)
    links, log_probability = most_likely_links((words[0], words[1]), table, threshold)
    other, other_log = most_likely_links((words[1], words[0]), table.T, threshold)
    assert links.swap() == other and log_probability == pytest.approx(other_log)
    certain = {(i, j) for i in range(n) for j in range(m) if table[i, j] >= threshold}
    added = set(links) - certain
    assert certain <= set(links)
    for i, j in added:
        assert words[0][i].lower() == words[1][j].lower()
        assert sum(i == a or j == b for a, b in links) == 1
