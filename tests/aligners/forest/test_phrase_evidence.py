"""What word links and the phrase-pair model say of pairs of phrases, and when the model is not asked."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import permutations, product
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.aligners.forest.phrase_evidence import (
    MOST_CERTAIN,
    LinkEvidence,
    PhraseEvidence,
    judged_phrases,
    log_agreement,
)
from forest_align.aligners.words.candidate import Candidate
from forest_align.aligners.words.lexical import GivenCandidates
from forest_align.alignment import Links
from forest_align.cext.alignment_arrays import AlignmentArrays
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.parsing import sentence_from_bracket
from forest_align.types import Sentence

from ..phrases.phrase_cases import pair_with_vectors, random_model

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
        rows, columns = slice(*source.forest.node(s).span), slice(*target.forest.node(t).span)
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


def test_a_group_stands_for_its_words_only_if_none_of_them_is_a_candidate() -> None:
    group, word = Candidate((0, 2), (0, 1), 0.9), Candidate((1, 2), (0, 1), 0.3)

    def linked(candidates: list[Candidate], lone_groups: bool) -> float:
        evidence = LinkEvidence.of(candidates, 2, 1, lone_groups=lone_groups)
        return float(np.exp(evidence.log_linked(np.array([[0, 2, 0, 1]])))[0])

    assert linked([group], True) == pytest.approx(1 - 0.1 * 0.1)
    assert linked([group], False) == 0
    assert linked([group, word], True) == pytest.approx(0.3)


def test_however_certain_a_link_is_it_forbids_nothing() -> None:
    evidence = LinkEvidence.of([Candidate((0, 1), (1, 2), 1.0)], 2, 2)
    assert np.exp(evidence.log_linked(np.array([[0, 1, 1, 2]]))) == pytest.approx(MOST_CERTAIN)
    assert np.exp(evidence.log_closed(np.array([[0, 1, 0, 1]]))) == pytest.approx(1 - MOST_CERTAIN)
    assert 0.9 < MOST_CERTAIN < 1


def test_of_each_pair_of_spans_it_says_whether_a_link_lies_inside_and_whether_none_leads_out() -> None:
    """Where no link lies inside, rounding makes none; groups whose words are candidates add nothing."""
    random = np.random.default_rng(0)
    n = 12
    candidates = [
        Candidate((i, i + 1), (j, j + 1), float(random.random()))
        for i, j in product(range(n), range(n))
        if random.random() < 0.2
    ]
    spans = [(a, b) for a in range(n) for b in range(a + 1, n + 1)]
    pairs = np.array([(*one, *two) for one, two in product(spans, spans)])
    evidence = LinkEvidence.of([*candidates, Candidate((0, 2), (0, 2), 0.9)], n, n)
    linked, closed = evidence.log_linked(pairs), evidence.log_closed(pairs)
    free = np.ones((n, n))
    for one in candidates:
        free[one.source[0], one.target[0]] = 1 - min(one.score, MOST_CERTAIN)
    assert not np.isnan(linked).any()
    for (a, b, c, d), one, other in zip(pairs, np.exp(linked), np.exp(closed), strict=True):
        inside = np.prod(free[a:b, c:d])
        assert one == pytest.approx(1 - inside, abs=1e-9)
        assert other == pytest.approx(np.prod(free[a:b]) * np.prod(free[:, c:d]) / inside**2)


def test_links_that_lead_out_of_a_pair_keep_it_from_being_aligned(aligner: ForestAligner) -> None:
    source, target = sentences()
    links = [(0, 5), (1, 6), (2, 3), (3, 0), (4, 1)]
    candidates = tuple(Candidate((i, i + 1), (j, j + 1), 0.9) for i, j in links)

    def crossed(weight: float) -> float:
        weighing = ForestAligner(aligner.model.with_options(link_weight=weight), lexicon=aligner.lexicon)
        alignment = weighing.align_candidates(source, target, candidates)
        pairs = [(phrase.source_node.span, phrase.target_node.span) for phrase in alignment.phrases]
        return sum((a <= i < b) != (c <= j < d) for (a, b), (c, d) in pairs for i, j in links)

    assert crossed(5.0) == 0
    assert crossed(5.0) <= crossed(0.0)


def test_candidates_without_a_probability_are_no_evidence() -> None:
    weighted = [Candidate((0, 1), (1, 2), 0.4), Candidate((2, 4), (0, 1), 0.7)]
    free = [Candidate((0, 1), (0, 1), 1.0, weighted=False), Candidate((1, 3), (1, 2), 1.0, weighted=False)]
    evidence = (LinkEvidence.of(given, 4, 2, lone_groups=True) for given in (weighted, weighted + free))
    one, two = (found.sums.corners for found in evidence)
    assert one.any() and (one == two).all()


@pytest.mark.parametrize("seed", range(8))
def test_agreement_is_the_share_of_sets_of_links_that_agree(seed: int) -> None:
    random = np.random.default_rng(seed)
    source = sentence_from_bracket("(S (NP (NNS Sales)) (, ,) (VP (VBD fell)) (. .))")
    target = sentence_from_bracket("(S (NP (NNS Cats)) (VP (VBP sleep)) (. .))")
    assert source.forest is not None and target.forest is not None
    nodes = np.argwhere(np.ones((len(source.forest), len(target.forest)), bool))
    cells = random.permutation(np.argwhere(np.ones((4, 3), bool)))[:7].tolist()
    cells = sorted({(0, 0), (1, 2), (3, 2), *map(tuple, cells)})  # a comma and a stop, two stops
    candidates = [Candidate((i, i + 1), (j, j + 1), random.uniform(0.05, 0.95)) for i, j in cells]
    candidates.append(Candidate((0, 2), (0, 2), 0.5))  # says nothing that its words do not say
    arrays = cast(AlignmentArrays, SimpleNamespace(source=nodes[:, 0], target=nodes[:, 1]))
    found = np.exp(log_agreement(source, target, arrays, candidates))
    assert found.min() == pytest.approx(1e-9), "finite, even where nothing is linked"
    stops = {(3, 2), (1, 2), *((i, 2) for i in range(4)), *((i, j) for i in (1, 3) for j in range(3))}
    for (first, second), probability in zip(nodes.tolist(), found, strict=True):
        rows, columns = range(*source.forest.node(first).span), range(*target.forest.node(second).span)
        has_words = any(i in (0, 2) for i in rows) and any(j in (0, 1) for j in columns)
        expected = 0.0
        for kept in product((False, True), repeat=len(cells)):
            links = [cell for cell, is_kept in zip(cells, kept, strict=True) if is_kept]
            inside = [cell for cell in links if cell[0] in rows and cell[1] in columns]
            outward = any((i in rows) != (j in columns) for i, j in links)
            counted = [cell for cell in inside if not has_words or cell not in stops]
            if counted and not outward:
                expected += math.prod(
                    one.score if is_kept else 1 - one.score
                    for one, is_kept in zip(candidates[:-1], kept, strict=True)
                )
        assert probability == pytest.approx(max(expected, 1e-9), abs=1e-8)


def test_a_group_without_word_candidates_links_all_of_its_words() -> None:
    source = sentence_from_bracket("(NP (NNP New) (NNP York))")
    target = sentence_from_bracket("(NP (NNP NYC))")
    arrays = cast(AlignmentArrays, SimpleNamespace(source=np.array([2]), target=np.array([0])))
    (found,) = np.exp(log_agreement(source, target, arrays, [Candidate((0, 2), (0, 1), 0.6)]))
    assert found == pytest.approx(1 - 0.4 * 0.4)


def test_a_full_stop_alone_does_not_make_two_sentences_a_probable_pair() -> None:
    source = sentence_from_bracket("(S (NP (NNS Sales)) (VP (VBD fell)) (. .))")
    target = sentence_from_bracket("(S (NP (NNS Cats)) (VP (VBP sleep)) (. .))")

    def of_the_whole_and_of_the_stops(links: Links) -> tuple[float, float]:
        alignment = ForestAligner.load(candidates=GivenCandidates(links)).align(source, target)
        found = {(one.source_node.start, one.target_node.start): one for one in alignment.phrases}
        assert alignment.root_aligned
        return found[0, 0].probability, found[2, 2].probability

    whole, stops = of_the_whole_and_of_the_stops(Links.of([(2, 2)], scores=[0.98]))
    assert whole < 0.001 and stops > 0.9
    whole, stops = of_the_whole_and_of_the_stops(Links.of([(1, 1), (2, 2)], scores=[0.98, 0.98]))
    assert whole > 0.9 and stops > 0.9


EVIDENCE = PhraseEvidence(
    np.array([[0, 2, 0, 1], [0, 3, 0, 2], [1, 3, 2, 4]], np.int32),
    np.array([2.0, -1.0, 0.0]),
)


def test_pairs_that_were_not_proposed_are_next_to_impossible() -> None:
    spans = np.array([[1, 3, 2, 4], [0, 1, 0, 2]])
    known, other = np.exp(EVIDENCE.log_probabilities(spans))
    assert known == pytest.approx(0.5) and other < 1e-12


@pytest.mark.parametrize("seed", range(10))
def test_log_odds_of_nodes_are_those_of_their_spans(seed: int) -> None:
    source, target, candidates = pair_with_vectors(seed)
    found = judged_phrases(random_model(), source, target, candidates, load_lexicon())
    one, two = source.forest, target.forest
    assert one is not None and two is not None
    known = dict(zip(map(tuple, found.spans.tolist()), found.log_odds.tolist(), strict=True))
    for bias in (-1.0, 2.5):
        table = found.of_nodes(one, two, bias)
        for s in range(len(one)):
            for t in range(len(two)):
                spans = (int(one.start[s]), int(one.end[s]), int(two.start[t]), int(two.end[t]))
                if spans[1] - spans[0] == 1 == spans[3] - spans[2]:
                    assert table[s, t] == 0
                else:
                    assert table[s, t] == pytest.approx(min(max(known.get(spans, -9) + bias, -4), 3))


def test_without_word_vectors_the_search_is_that_of_before(aligner: ForestAligner) -> None:
    source, target = aligner.prepare_pair("The airline won .", "Southwest won .")
    candidates = aligner.candidates.candidates(source, target)
    assert aligner.phrase_evidence(source, target, candidates) is not None
    bare = replace(source, vectors=None), replace(target, vectors=None)
    assert aligner.phrase_evidence(*bare, candidates) is None
    alone = ForestAligner(replace(aligner.model, phrases=None), lexicon=aligner.lexicon)
    found, wanted = (one.align_candidates(*bare, candidates) for one in (aligner, alone))
    assert found == wanted


@pytest.mark.parametrize(
    ("source", "target", "phrases"),
    [
        (
            "The airline hired 200 pilots last year .",
            "Southwest hired 200 pilots last year .",
            ("The airline", "Southwest"),
        ),
        ("She left on Monday .", "His wife left on Monday .", ("She", "His wife")),
    ],
)
def test_phrases_correspond_that_share_no_word(
    aligner: ForestAligner, source: str, target: str, phrases: tuple[str, str]
) -> None:
    alignment = aligner.align(source, target)
    pairs = {alignment.texts_of(pair): pair for pair in alignment.phrases}
    assert pairs[phrases].probability > 0.5
