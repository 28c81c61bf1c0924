"""Constituent pairs judged by gold chunk alignments."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from forest_align.alignment import Links, project
from forest_align.eval.metrics.constituents import ChunkJudge, count_projected

SOURCE = ["A", "cat", "standing", "on", "tree", "branches", "."]
TARGET = ["A", "black", "and", "white", "cat", "is", "high", "up", "on", "tree", "branches", "."]
CHUNKS = [((0, 1), (0, 1, 2, 3, 4)), ((2,), (5,)), ((3, 4, 5), (8, 9, 10)), ((6,), ()), ((), (6, 7))]
CAT = ((0, 2), (0, 5))
BRANCHES = ((3, 6), (8, 11))


def judge(wanted=(CAT, BRANCHES)) -> ChunkJudge:
    return ChunkJudge.of(SOURCE, TARGET, CHUNKS, wanted)


def test_whole_aligned_chunks_are_right_and_found() -> None:
    assert judge().count([CAT, CAT]) == (1, 1, 1, 2, 1, 1)


def test_a_phrase_that_cuts_a_chunk_is_widened() -> None:
    assert judge().count([((1, 3), (4, 6))]) == (0, 0, 0, 2, 1, 1)
    assert judge().count([((1, 3), (4, 5))]) == (0, 0, 0, 2, 0, 1)


SPANS = st.tuples(st.integers(0, 5), st.integers(1, 3)).map(lambda pair: (pair[0], min(pair[0] + pair[1], 6)))


@given(
    st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=6),
    st.lists(st.tuples(SPANS, SPANS), max_size=8),
)
def test_chunks_of_one_word_each_are_word_links(links: set, predicted: list) -> None:
    words = list("abcdef")
    gold = Links.of(links)
    every = [(a, b) for a in range(6) for b in range(a + 1, 7)]
    projection = project(every, every, gold)
    judged = ChunkJudge.of(words, words, [((i,), (j,)) for i, j in links], projection.sure_pairs())
    counts = judged.count(predicted)
    assert counts[:4] == count_projected(predicted, projection, gold)
    assert counts[4:] == counts[:2]


CUTS = st.sets(st.integers(1, 5)).map(lambda cuts: list(pairwise(sorted({0, *cuts, 6}))))


def naive_count(words, others, chunks, wanted, predicted) -> tuple[int, ...]:
    """The definitions of the module, with sets of words."""
    aligned = [(set(ours), set(theirs)) for ours, theirs in chunks if ours and theirs]
    links = {(i, j) for ours, theirs in aligned for i in ours for j in theirs}
    counts = [0, 0, 0, len(wanted), 0, 0]
    for pair in set(predicted):
        source, target = (set(range(*span)) for span in pair)
        if all(words[i] == "," for i in source) or all(others[j] == "," for j in target):
            continue
        wide_source = source.union(*(ours for ours, _ in aligned if ours & source))
        wide_target = target.union(*(theirs for _, theirs in aligned if theirs & target))
        inside = {(i, j) for i, j in links if i in wide_source and j in wide_target}
        touching = {(i, j) for i, j in links if i in wide_source or j in wide_target}
        agrees = bool(inside) and inside == touching
        is_whole = (wide_source, wide_target) == (source, target)
        counts[0] += is_whole and agrees
        counts[1] += is_whole
        counts[2] += pair in wanted
        counts[4] += agrees
        counts[5] += 1
    return tuple(counts)


@given(CUTS, CUTS, st.data())
def test_counts_equal_a_naive_implementation(source: list, target: list, data: st.DataObject) -> None:
    words, others = (
        data.draw(st.lists(st.sampled_from(["a", "b", ","]), min_size=6, max_size=6)) for _ in range(2)
    )
    sides = [st.sampled_from([(), *(tuple(range(*span)) for span in spans)]) for spans in (source, target)]
    chunks = data.draw(st.lists(st.tuples(*sides), max_size=5))
    whole = st.tuples(st.sampled_from(source), st.sampled_from(target))
    predicted = data.draw(st.lists(st.tuples(SPANS, SPANS) | whole, max_size=8))
    wanted = set(data.draw(st.lists(whole, max_size=3)))
    judged = ChunkJudge.of(words, others, chunks, wanted)
    assert judged.count(predicted) == naive_count(words, others, chunks, wanted, predicted)
