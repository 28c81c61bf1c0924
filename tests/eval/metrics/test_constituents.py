"""Constituent pairs projected from word links."""

from __future__ import annotations

import itertools
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_align.alignment import Alignment, Links, PhrasePair, project
from forest_align.eval.metrics.constituents import (
    ChunkJudge,
    constituent_pairs,
    constituent_spans,
    count_constituents,
    count_projected,
    score_constituents,
)
from forest_align.types import InputError, Node, ParseForest, Sentence

Span = tuple[int, int]


def naive_possible(source: Span, target: Span, links: Links) -> bool:
    inside = 0
    for i, j in links:
        in_source, in_target = source[0] <= i < source[1], target[0] <= j < target[1]
        if in_source != in_target:
            return False
        inside += in_source
    return inside > 0


def naive_projection(sources: list[Span], targets: list[Span], links: Links) -> tuple[set, set]:
    possible = {(s, t) for s in sources for t in targets if naive_possible(s, t, links)}

    def words(pair):
        (s0, s1), (t0, t1) = pair
        return {i for i, _ in links if s0 <= i < s1}, {j for _, j in links if t0 <= j < t1}

    def is_below(small, large):
        return small != large and all(
            b[0] <= a[0] and a[1] <= b[1] for a, b in zip(small, large, strict=True)
        )

    sure = {p for p in possible if not any(is_below(q, p) and words(q) == words(p) for q in possible)}
    return possible, sure


@st.composite
def binary_tree(draw, length: int) -> list[Span]:
    spans: list[Span] = []

    def split(start: int, end: int) -> None:
        spans.append((start, end))
        if end - start > 1:
            middle = draw(st.integers(start + 1, end - 1))
            split(start, middle)
            split(middle, end)

    split(0, length)
    return spans


@st.composite
def cases(draw):
    n, m = draw(st.integers(1, 7)), draw(st.integers(1, 7))
    pairs = draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, m - 1)), max_size=8))
    if draw(st.booleans()):
        return draw(binary_tree(n)), draw(binary_tree(m)), Links.of(pairs)

    def spans(length):
        every = list(itertools.combinations(range(length + 1), 2))
        return draw(st.lists(st.sampled_from(every), min_size=1, max_size=12))

    return spans(n), spans(m), Links.of(pairs)


@given(cases())
def test_projection_equals_the_definition_written_with_loops(case) -> None:
    sources, targets, links = case
    projection = project(sources, targets, links)
    possible, sure = naive_projection(sources, targets, links)
    assert projection.possible_pairs() == possible
    assert projection.sure_pairs() == sure


@given(cases(), st.randoms(use_true_random=False))
def test_counts_equal_set_arithmetic(case, random) -> None:
    sources, targets, links = case
    every = [(s, t) for s in sources for t in targets]
    predicted = random.sample(every, random.randint(0, len(every)))
    possible, sure = naive_projection(sources, targets, links)
    expected = (len(set(predicted) & possible), len(set(predicted)), len(set(predicted) & sure), len(sure))
    assert count_constituents(predicted, sources, targets, links) == expected
    assert count_projected(predicted, project(sources, targets, links), links) == expected


def test_an_unaligned_determiner_makes_a_pair_possible_but_not_sure() -> None:
    # the dog barked ↔ a loud dog barked, articles and "loud" unaligned
    source = [(0, 3), (0, 2), (0, 1), (1, 2), (2, 3)]
    target = [(0, 4), (0, 3), (0, 1), (1, 2), (2, 3), (3, 4)]
    projection = project(source, target, Links.of([(1, 2), (2, 3)]))
    assert projection.sure_pairs() == {((1, 2), (2, 3)), ((2, 3), (3, 4)), ((0, 3), (0, 4))}
    assert projection.possible_pairs() - projection.sure_pairs() == {
        ((0, 2), (2, 3)),
        ((1, 2), (0, 3)),
        ((0, 2), (0, 3)),
    }
    predicted = [((0, 2), (0, 3)), ((0, 3), (0, 4)), ((0, 1), (0, 1)), ((1, 2), (3, 4))]
    counts = count_constituents(predicted, source, target, Links.of([(1, 2), (2, 3)]))
    assert counts == (2, 4, 1, 3)
    scores = score_constituents([counts]).micro()
    assert (scores.precision, scores.recall) == (0.5, pytest.approx(1 / 3))


def test_an_empty_span_is_an_error_that_shows_it() -> None:
    with pytest.raises(InputError, match=r"\(2, 2\)"):
        project([(2, 2)], [(0, 1)], Links())
    with pytest.raises(InputError, match=r"\(3, 1\)"):
        count_constituents([((0, 1), (3, 1))], [(0, 1)], [(0, 1)], Links())


def test_spans_of_a_forest_leave_out_binarization_and_other_trees() -> None:
    # leaves a b c d; the best tree is (a (b c)' d), binarized; [a b] is a constituent of another tree
    forest = ParseForest(
        start=np.array([0, 1, 2, 3, 0, 1, 0, 0], np.int32),
        end=np.array([1, 2, 3, 4, 2, 3, 3, 4], np.int32),
        labels=("DT", "JJ", "NN", "NN", "NX", "NP'", "NX", "NP"),
        is_constituent=np.array([True, True, True, True, True, False, True, True]),
        head=np.array([0, 1, 2, 3, 1, 2, 2, 3], np.int32),
        log_marginal=np.zeros(8),
        edges=np.array([[4, 0, 1], [5, 1, 2], [6, 0, 5], [6, 4, 2], [7, 6, 3]], np.int32),
        edge_log_marginal=np.zeros(5),
        roots=np.array([7], np.int32),
        best_edge=np.array([-1, -1, -1, -1, -1, 1, 2, 4], np.int32),
    )
    assert constituent_spans(forest) == [(0, 1), (0, 3), (0, 4), (1, 2), (2, 3), (3, 4)]


def test_pairs_of_parts_are_no_constituent_pairs() -> None:
    whole, part = Node(0, 2, "NP"), Node(1, 3, "NP'", is_constituent=False)
    words = Sentence.from_words(list("abc"))
    phrases = [PhrasePair(*nodes, 1.0) for nodes in itertools.product((whole, part), repeat=2)]
    alignment = Alignment(words, words, phrases=(*phrases, PhrasePair(whole, Node(2, 3, "NN"), 0.5)))
    assert constituent_pairs(alignment) == {((0, 2), (0, 2)), ((0, 2), (2, 3))}


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
def test_counts_by_chunks_equal_a_naive_implementation(
    source: list, target: list, data: st.DataObject
) -> None:
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
