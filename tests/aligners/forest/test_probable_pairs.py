"""Unclear words are left out and probable phrases added, exactly where both sides allow it."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forest_align.aligners.forest._node_pairs import ChosenTree, compositional
from forest_align.aligners.forest._probable_pairs import LEAST_ACROSS_LINKS
from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.aligners.forest.features import CONFIDENT_LINK, forest_of
from forest_align.aligners.forest.legitimacy import violations
from forest_align.aligners.forest.phrase_evidence import PhraseEvidence
from forest_align.aligners.forest.result import Reported, build_alignment, reported_derivation
from forest_align.aligners.words.candidate import Candidate
from forest_align.alignment import Alignment
from forest_align.parsing import sentence_from_bracket
from forest_align.types import Sentence

from ..random_sentences import random_pair

Spans = tuple[tuple[int, int], tuple[int, int]]
STOCK = "(S (NP (NNP Handspring) (JJ common) (NN stock)) (VP (VBD rose)))"
SHARES = "(S (NP (NNP Handspring)) (VP (VBD climbed)))"
WORDS = ((0, 0, 0.9), (3, 1, 0.9))


def evidence(probabilities: dict[Spans, float]) -> PhraseEvidence:
    spans = np.array([[*one, *two] for one, two in probabilities], np.int32).reshape(-1, 4)
    odds = np.array([np.log(p / (1 - p)) for p in probabilities.values()], np.float64)
    return PhraseEvidence(spans, odds)


def align(
    aligner: ForestAligner,
    brackets: tuple[str, str],
    links: tuple[tuple[int, int, float], ...],
    probabilities: dict[Spans, float],
    **options: Any,
) -> Alignment:
    """Align trees with known links and known probabilities of phrases."""
    source, target = map(sentence_from_bracket, brackets)
    candidates = [Candidate((i, i + 1), (j, j + 1), score) for i, j, score in links]
    assert aligner.model.phrase_options is not None
    chosen = replace(aligner.model.phrase_options, phrase_weight=1e-9, **options)
    model = replace(aligner.model, phrase_options=chosen)
    given = ForestAligner(model, lexicon=aligner.lexicon)
    return build_alignment(model, given.search(source, target, candidates, evidence(probabilities)))


def spans_of(alignment: Alignment) -> set[Spans]:
    return {(pair.source_node.span, pair.target_node.span) for pair in alignment.phrases}


def test_a_unary_chain_is_in_two_pairs_if_both_are_probable(aligner: ForestAligner) -> None:
    wide, word = ((0, 3), (0, 1)), ((0, 1), (0, 1))
    for probability, expected in ((0.6, True), (0.2, False)):
        alignment = align(aligner, (STOCK, SHARES), WORDS, {wide: probability}, phrase_added=0.3)
        assert word in spans_of(alignment) and (wide in spans_of(alignment)) is expected
    once = align(aligner, (STOCK, SHARES), WORDS, {wide: 0.6}, phrase_added=1.0)
    assert wide not in spans_of(once)


def test_a_node_that_is_no_chain_is_in_one_pair_only(aligner: ForestAligner) -> None:
    target = SHARES.replace("(NP (NNP Handspring))", "(NNP Handspring)")
    alignment = align(aligner, (STOCK, target), WORDS, {((0, 3), (0, 1)): 0.6}, phrase_added=0.3)
    assert ((0, 3), (0, 1)) not in spans_of(alignment)


@pytest.mark.parametrize(
    ("links", "reported"),
    [
        (((0, 0, 0.9), (3, 1, 0.9)), {((0, 1), (0, 1)), ((3, 4), (1, 2))}),
        (((0, 0, 0.4), (3, 1, 0.9)), {((3, 4), (1, 2))}),
        (((0, 0, 0.9), (2, 0, 0.9), (3, 1, 0.9)), {((3, 4), (1, 2))}),
    ],
)
def test_words_are_a_pair_if_their_link_is_clear(
    aligner: ForestAligner, links: tuple[tuple[int, int, float], ...], reported: set[Spans]
) -> None:
    alignment = align(aligner, (STOCK, SHARES), links, {})
    words = {pair for pair in spans_of(alignment) if pair[0][1] - pair[0][0] == 1 == pair[1][1] - pair[1][0]}
    assert words == reported
    assert {(i, j) for i, j, score in links if score >= 0.5} <= set(alignment.words.pairs)


def random_evidence(source: Sentence, target: Sentence, rng: random.Random) -> PhraseEvidence:
    """Probabilities of all pairs of spans of nodes, pairs of words excepted."""
    one, two = (
        sorted({tree.node(k).span for k in range(len(tree))}) for tree in map(forest_of, (source, target))
    )
    return evidence(
        {(s, t): rng.uniform(0.05, 0.95) for s in one for t in two if s[1] - s[0] > 1 or t[1] - t[0] > 1}
    )


def chained(source: Sentence, rng: random.Random) -> Sentence:
    """Some nodes become unary chains."""
    forest = forest_of(source)
    labels = tuple(
        f"X::{label}" if forest.is_constituent[node] and rng.random() < 0.5 else label
        for node, label in enumerate(forest.labels)
    )
    return replace(source, forest=replace(forest, labels=labels))


def fits(
    pair: Spans, others: set[Spans], chains: tuple[dict[tuple[int, int], bool], dict[tuple[int, int], bool]]
) -> bool:
    """Whether a pair of spans may join others."""

    def holds(outer: tuple[int, int], inner: tuple[int, int]) -> bool:
        return outer[0] <= inner[0] and inner[1] <= outer[1]

    shared = [(k, other) for other in others for k in (0, 1) if other[k] == pair[k]]
    if len({k for k, _ in shared}) > 1 or len(shared) > 1:
        return False
    for k, other in shared:
        if not chains[k][pair[k]]:
            return False
        if not holds(pair[1 - k], other[1 - k]) and not holds(other[1 - k], pair[1 - k]):
            return False
    return all(
        holds(pair[0], other[0]) == holds(pair[1], other[1])
        and holds(other[0], pair[0]) == holds(other[1], pair[1])
        for other in others - {other for _, other in shared}
    )


@settings(derandomize=True)
@given(seed=st.integers(0, 10**6))
def test_the_set_is_legitimate_and_nothing_probable_that_fits_is_missing(
    aligner: ForestAligner, seed: int
) -> None:
    rng = random.Random(seed)
    *plain, candidates = random_pair(rng)
    source, target = (chained(one, rng) for one in plain)
    phrases = random_evidence(source, target, rng)
    searched = aligner.search(source, target, candidates)
    arrays, forests = searched.arrays, searched.forests
    least = rng.choice([0.3, 0.6])
    options = replace(aligner.model.options, phrase_weight=1.0, phrase_added=least)
    before = reported_derivation(searched, options)
    found = reported_derivation(searched._replace(phrases=phrases), options)
    one, two = spans_and_pairs(found, forests), spans_and_pairs(before, forests)
    assert violations(*forests, *found.trees, one[1], root_aligned=arrays.root_aligned) == []
    assert found.links == before.links and set(before.outside) <= set(found.outside)
    for (start, end), (low, high) in one[0]:
        for i, j in found.links.keys() - set(found.outside):
            assert (start <= i < end) == (low <= j < high)
    known = {
        (tuple(row[:2]), tuple(row[2:])): p
        for row, p in zip(phrases.spans.tolist(), phrases.probabilities.tolist(), strict=True)
    }
    added, lost = one[0] - two[0], two[0] - one[0]
    assert all(known[pair] >= least for pair in added)
    for (i, after), (j, end) in two[0]:
        if after - i == 1 == end - j or (after - i, end - j) == (len(source), len(target)):
            continue
        cut = any((i <= a < after) != (j <= b < end) for a, b in found.links)
        assert (((i, after), (j, end)) in lost) == (cut and known[(i, after), (j, end)] < LEAST_ACROSS_LINKS)
    for (i, after), (j, end) in lost:
        if after - i > 1 or end - j > 1:
            continue
        others = [link for link in found.links if link != (i, j) and (link[0] == i or link[1] == j)]
        assert others or found.links[i, j] < CONFIDENT_LINK
    if not arrays.root_aligned:
        assert not added
        return
    nodes = [ChosenTree.of(*both) for both in zip(forests, found.trees, strict=True)]
    chains = tuple(
        {forest.node(node).span: "::" in forest.labels[node] for node in tree.nodes}
        for forest, tree in zip(forests, nodes, strict=True)
    )
    for pair, probability in known.items():
        if pair[0] in chains[0] and pair[1] in chains[1] and probability >= least and pair not in one[0]:
            assert not fits(pair, one[0], chains)  # type: ignore[arg-type]
    # Parents come from the new set: each is the smallest pair around.
    for place in np.flatnonzero(~found.arrays.absorbed).tolist():
        around = [place]
        while found.arrays.parent[around[-1]] >= 0:
            around.append(int(found.arrays.parent[around[-1]]))
        for inner, outer in pairwise(around):
            for side, forest in enumerate(forests):
                nodes_of = (found.arrays.source, found.arrays.target)[side]
                (low, high), (start, end) = (forest.node(int(nodes_of[k])).span for k in (inner, outer))
                assert start <= low and high <= end


def spans_and_pairs(
    reported: Reported, forests: tuple[object, object]
) -> tuple[set[Spans], list[tuple[int, int, bool]]]:
    """The spans of the pairs, and their nodes with whether they are compositional."""
    arrays, whole = reported.arrays, compositional(reported.arrays)
    places = np.flatnonzero(~arrays.absorbed).tolist()
    pairs = [(int(arrays.source[k]), int(arrays.target[k]), bool(whole[k])) for k in places]
    return {(forests[0].node(s).span, forests[1].node(t).span) for s, t, _ in pairs}, pairs  # type: ignore[attr-defined]
