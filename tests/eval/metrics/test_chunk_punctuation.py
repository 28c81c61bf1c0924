"""Which tokens the chunk score takes out as punctuation: the list of the shared task, mark by mark."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_align.eval.metrics.chunk_scores import count_chunks, score_chunks

MARKS = [".", ",", ":", "'", "`", "?", ";", '"', "-"]
OTHERS = ["dog", "--", "...", "''", "!", "(", "'s", "—"]


@pytest.mark.parametrize("mark", MARKS)
def test_a_punctuation_mark_makes_no_link_on_either_side(mark: str) -> None:
    gold = [((0, 1), (0,))]
    assert count_chunks([mark, "dog"], ["dog"], gold, gold) == (1, 1, 1, 1)
    assert count_chunks(["dog"], [mark, "dog"], [((0,), (0, 1))], [((0,), (0,))]) == (0, 0, 0, 1)


SENTENCE = st.lists(st.sampled_from(MARKS + OTHERS), min_size=5, max_size=5)
CHUNKS = st.lists(st.tuples(st.sets(st.integers(0, 4)), st.sets(st.integers(0, 4))), max_size=4)


def naive_links(source: list[str], target: list[str], chunks: list) -> list[tuple[int, int]]:
    return [
        (s, t)
        for s in range(5)
        for t in range(5)
        if source[s] not in MARKS
        and target[t] not in MARKS
        and any(s in ours and t in theirs for ours, theirs in chunks)
    ]


def naive_share(of: list[tuple[int, int]], others: list[tuple[int, int]]) -> tuple[float, float]:
    """Weight of the links that are also among the others, and of all, by the fanouts of ``of``."""
    shared = total = 0.0
    for s, t in of:
        weight = 1 / max(sum(link[0] == s for link in of), sum(link[1] == t for link in of))
        total += weight
        shared += weight * ((s, t) in others)
    return shared, total


@given(st.lists(st.tuples(SENTENCE, SENTENCE, CHUNKS, CHUNKS), min_size=1, max_size=3))
def test_precision_and_recall_equal_a_naive_implementation_over_all_marks(corpus) -> None:
    rows, sums = [], [0.0, 0.0, 0.0, 0.0]
    for source, target, gold, found in corpus:
        rows.append(count_chunks(source, target, gold, found))
        wanted, made = (naive_links(source, target, chunks) for chunks in (gold, found))
        for place, value in enumerate((*naive_share(made, wanted), *naive_share(wanted, made))):
            sums[place] += value
    scores = score_chunks(rows).scores
    assert scores.precision == pytest.approx(sums[0] / sums[1] if sums[1] else 0)
    assert scores.recall == pytest.approx(sums[2] / sums[3] if sums[3] else 0)
