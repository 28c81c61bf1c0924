"""What word links say of phrases."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations, product

import numpy as np
import pytest

from forest_align.aligners import load
from forest_align.aligners.forest._link_evidence import MOST_CERTAIN, LinkEvidence, SpanPairs
from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.aligners.words.candidate import Candidate
from forest_align.parsing import sentence_from_bracket
from forest_align.types import Sentence

SOURCE = "(S (NP (DT the) (NN dog)) (VP (VBD saw) (NP (DT a) (NN cat))))"
TARGET = "(S (NP (DT a) (NN cat)) (VP (VBD was) (VP (VBN seen) (PP (IN by) (NP (DT the) (NN dog))))))"


def sentences() -> tuple[Sentence, Sentence]:
    return sentence_from_bracket(SOURCE), sentence_from_bracket(TARGET)


def test_sums_over_rectangles_equal_sums_over_their_words() -> None:
    source, target = sentences()
    random = np.random.default_rng(3)
    probability = random.uniform(0.05, 1, (len(source), len(target)))
    candidates = [
        Candidate((i, i + 1), (j, j + 1), float(probability[i, j]))
        for i, j in product(range(len(source)), range(len(target)))
    ]
    candidates.append(Candidate((0, 2), (0, 2), 0.9))
    assert source.forest is not None and target.forest is not None
    found = LinkEvidence.of(candidates, len(source), len(target)).log_consistent(source.forest, target.forest)
    unlinked = np.log(1 - np.minimum(probability, MOST_CERTAIN))
    for s, t in product(range(len(source.forest)), range(len(target.forest))):
        rows = slice(source.forest.start[s], source.forest.end[s])
        columns = slice(target.forest.start[t], target.forest.end[t])
        crossing = unlinked[rows].sum() + unlinked[:, columns].sum() - 2 * unlinked[rows, columns].sum()
        assert found[0][s, t] == pytest.approx(crossing)
        assert found[1][s] == pytest.approx(unlinked[rows].sum())
        assert found[2][t] == pytest.approx(unlinked[:, columns].sum())


def test_groups_that_overlap_count_alike_in_any_order() -> None:
    groups = [Candidate((0, 2), (0, 1), 0.3), Candidate((1, 3), (0, 1), 0.6), Candidate((2, 4), (0, 1), 0.9)]
    word = Candidate((3, 4), (0, 1), 0.2)  # the last group has a word of its own
    for order in permutations([*groups, word]):
        evidence = LinkEvidence.of(order, 4, 1, lone_groups=True)
        assert np.exp(np.diff(evidence.sums.corners[:, 1])) == pytest.approx([0.7, 0.4, 0.4, 0.8])


def test_of_each_pair_of_spans_it_says_whether_a_link_lies_inside_and_whether_none_leads_out() -> None:
    candidates = [
        Candidate((0, 1), (0, 1), 0.5),
        Candidate((1, 2), (1, 2), 0.8),
        Candidate((2, 3), (0, 1), 0.25),
        Candidate((0, 2), (0, 2), 0.9),
    ]
    spans = np.array([[0, 2, 0, 2], [0, 1, 0, 1], [1, 3, 1, 2], [0, 3, 0, 2], [2, 3, 1, 2]]).T
    evidence, pairs = LinkEvidence.of(candidates, 3, 2), SpanPairs(*spans)
    linked, closed = np.exp(evidence.log_linked(pairs)), np.exp(evidence.log_closed(pairs))
    assert linked == pytest.approx([1 - 0.5 * 0.2, 0.5, 0.8, 1 - 0.5 * 0.2 * 0.75, 0], abs=1e-9)
    assert closed == pytest.approx([0.75, 0.75, 0.75, 1, 0.75 * 0.2])


def test_a_group_stands_for_its_words_only_if_none_of_them_is_a_candidate() -> None:
    group, word = Candidate((0, 2), (0, 1), 0.9), Candidate((1, 2), (0, 1), 0.3)
    pair = SpanPairs(*np.array([[0, 2, 0, 1]]).T)

    def linked(candidates: list[Candidate], lone_groups: bool) -> float:
        evidence = LinkEvidence.of(candidates, 2, 1, lone_groups=lone_groups)
        return float(np.exp(evidence.log_linked(pair))[0])

    assert linked([group], True) == pytest.approx(1 - 0.1 * 0.1)
    assert linked([group], False) == 0
    assert linked([group, word], True) == pytest.approx(0.3)


def test_however_certain_a_link_is_it_forbids_nothing() -> None:
    evidence = LinkEvidence.of([Candidate((0, 1), (1, 2), 1.0)], 2, 2)
    inside, crossed = SpanPairs(*np.array([[0, 1, 1, 2]]).T), SpanPairs(*np.array([[0, 1, 0, 1]]).T)
    assert np.exp(evidence.log_linked(inside)) == pytest.approx(MOST_CERTAIN)
    assert np.exp(evidence.log_closed(crossed)) == pytest.approx(1 - MOST_CERTAIN)
    assert 0.9 < MOST_CERTAIN < 1


def test_where_no_link_lies_inside_rounding_makes_none() -> None:
    random = np.random.default_rng(0)
    n = 12
    candidates = [
        Candidate((i, i + 1), (j, j + 1), float(random.random()))
        for i, j in product(range(n), range(n))
        if random.random() < 0.2
    ]
    spans = [(a, b) for a in range(n) for b in range(a + 1, n + 1)]
    pairs = np.array([(*one, *two) for one, two in product(spans, spans)]).T
    found = LinkEvidence.of(candidates, n, n).log_linked(SpanPairs(*pairs))
    cells = np.zeros((n, n))
    for one in candidates:
        cells[one.source[0], one.target[0]] = min(one.score, MOST_CERTAIN)
    expected = [1 - np.prod(1 - cells[a:b, c:d]) for a, b, c, d in pairs.T]
    assert not np.isnan(found).any()
    np.testing.assert_allclose(np.exp(found), expected, atol=1e-9)


def test_links_that_lead_out_of_a_pair_keep_it_from_being_aligned() -> None:
    source, target = sentences()
    loaded = load("forest")
    assert isinstance(loaded, ForestAligner)
    links = [(0, 5), (1, 6), (2, 3), (3, 0), (4, 1)]
    candidates = tuple(Candidate((i, i + 1), (j, j + 1), 0.9) for i, j in links)

    def crossed(weight: float) -> float:
        options = replace(loaded.model.options, link_weight=weight)
        aligner = ForestAligner(replace(loaded.model, options=options))
        found = aligner.align_candidates(source, target, candidates)
        pairs = [(phrase.source_node.span, phrase.target_node.span) for phrase in found.phrases]
        return sum((a <= i < b) != (c <= j < d) for (a, b), (c, d) in pairs for i, j in links)

    assert crossed(5.0) == 0
    assert crossed(5.0) <= crossed(0.0)


def test_candidates_without_a_probability_are_no_evidence() -> None:
    weighted = [Candidate((0, 1), (1, 2), 0.4), Candidate((2, 4), (0, 1), 0.7)]
    free = [Candidate((0, 1), (0, 1), 1.0, weighted=False), Candidate((1, 3), (1, 2), 1.0, weighted=False)]
    evidence = (LinkEvidence.of(given, 4, 2, lone_groups=True) for given in (weighted, weighted + free))
    one, two = (found.sums.corners for found in evidence)
    assert one.any() and (one == two).all()
