"""Phrases against annotators, word links and chunks: by hand, and as plain set arithmetic."""

from __future__ import annotations

import itertools
from itertools import pairwise
from statistics import mean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_align.alignment import Alignment, Links, PhrasePair, project
from forest_align.eval.metrics.phrase_scores import (
    ChunkJudge,
    constituent_pairs,
    constituent_spans,
    count_projected,
    human_agreement,
    score_constituents,
    score_phrases,
)
from forest_align.types import InputError, Node, ParseForest, Sentence

PHRASES = st.sets(st.integers(0, 5))

GOLD_OF_THREE = st.lists(st.tuples(PHRASES, PHRASES, PHRASES, PHRASES), min_size=1, max_size=4)


@given(GOLD_OF_THREE)
def test_scores_equal_the_formulas_of_the_paper(corpus) -> None:
    predicted, gold = [pair[0] for pair in corpus], [list(pair[1:]) for pair in corpus]
    recalls, precisions = [], []
    for a, b in itertools.combinations(range(3), 2):
        agreed = sum(len(g[a] & g[b]) for g in gold)
        found = sum(len(h & g[a] & g[b]) for h, g in zip(predicted, gold, strict=True))
        recalls.append(found / agreed if agreed else 1)
        total = sum(map(len, predicted))
        right = sum(len(h & (g[a] | g[b])) for h, g in zip(predicted, gold, strict=True))
        precisions.append(right / total if total else 1)
    result = score_phrases(predicted, gold)
    assert result.scores.recall == pytest.approx(mean(recalls))
    assert result.scores.precision == pytest.approx(mean(precisions))
    assert result.statistics()["f1"].value == pytest.approx(result.scores.f1)


def test_people_are_measured_against_the_others() -> None:
    gold = [[{1, 2}, {1, 3}, {1}]]
    scores = human_agreement(gold)
    assert scores.recall == 1  # every two others agree on 1, which everybody has
    assert scores.precision == pytest.approx((1 / 2 + 1 / 2 + 1) / 3)
    with pytest.raises(InputError, match="two annotators or more, found 1"):
        human_agreement([[{1}]])


def test_a_missing_annotator_is_an_error_that_names_the_pair() -> None:
    with pytest.raises(InputError, match="pair 2: expected 2 annotators, found 1"):
        score_phrases([set(), set()], [[{1}, {1}], [{1}]])
    with pytest.raises(InputError, match="pair 2: expected 1 annotators, found 2"):
        score_phrases([set(), set()], [[{1}], [{1}, {1}]])
    with pytest.raises(InputError, match="phrases of 2 pairs, found 1"):
        score_phrases([set()], [[{1}], [{1}]])


SETS = st.sets(st.integers(0, 5), max_size=4)

# Two to four people, the same number for each sentence pair.
CORPUS = st.integers(2, 4).flatmap(
    lambda people: st.lists(st.lists(SETS, min_size=people, max_size=people), min_size=1, max_size=4)
)


def naive_agreement(corpus: list[list[set[int]]]) -> tuple[float, float]:
    """Each person in turn is the system; every two of the others are the gold. One other is gold alone."""
    people = range(len(corpus[0]))
    of_people = []
    for person in people:
        golds = [(a, b) for a in people for b in people if a < b and person not in (a, b)]
        if not golds:
            golds = [(other, other) for other in people if other != person]
        of_golds = []
        for a, b in golds:
            acceptable = proposed = found = agreed = 0
            for sets in corpus:
                for item in sets[person]:
                    proposed += 1
                    acceptable += item in sets[a] or item in sets[b]
                for item in sets[a]:
                    agreed += item in sets[b]
                    found += item in sets[b] and item in sets[person]
            of_golds.append((acceptable / proposed if proposed else 1, found / agreed if agreed else 1))
        of_people.append([sum(column) / len(golds) for column in zip(*of_golds, strict=True)])
    precision, recall = (sum(column) / len(of_people) for column in zip(*of_people, strict=True))
    return precision, recall


@given(CORPUS)
def test_agreement_equals_a_naive_implementation(corpus) -> None:
    precision, recall = naive_agreement(corpus)
    scores = human_agreement(corpus)
    assert (scores.precision, scores.recall) == pytest.approx((precision, recall))
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0
    assert scores.f1 == pytest.approx(f1)


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
    assert count_projected(predicted, project(sources, targets, links), links) == expected
    scores = score_constituents([expected]).micro()
    assert scores.precision == (expected[0] / expected[1] if predicted else 1)


def test_an_empty_span_is_an_error_that_shows_it() -> None:
    with pytest.raises(InputError, match=r"\(2, 2\)"):
        project([(2, 2)], [(0, 1)], Links())
    with pytest.raises(InputError, match=r"\(3, 1\)"):
        count_projected([((0, 1), (3, 1))], project([(0, 1)], [(0, 1)], Links()), Links())


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


SPANS = st.tuples(st.integers(0, 5), st.integers(1, 3)).map(lambda pair: (pair[0], min(pair[0] + pair[1], 6)))


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
