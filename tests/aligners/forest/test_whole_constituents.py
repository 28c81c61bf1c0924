"""Aligned parts of constituents are widened to the constituents, unless something speaks against it."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forest_align.aligners.forest import result
from forest_align.aligners.forest._whole_constituents import with_whole_constituents
from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.aligners.forest.legitimacy import alignment_violations
from forest_align.aligners.forest.result import SearchedPair, reported_derivation
from forest_align.aligners.words.lexical import GivenCandidates
from forest_align.alignment import Alignment, Links
from forest_align.cext.alignment_arrays import COMPOSITIONAL, SINGLE
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.parsing import sentence_from_bracket
from forest_align.types import Derivation, ParseForest

from ..random_sentences import random_pair

REFUGEE = "(S (NP (DT a) (JJ political) (NN refugee)) (VP (VBD came) (RB back)))"
ASYLUM = "(S (NP (JJ political) (NN asylum)) (VP (VBD returned)))"
NOUNS = [(1, 0), (2, 1)]
VERBS = [(3, 2), (4, 2)]


def search(aligner: ForestAligner, brackets: tuple[str, str], links: list[tuple[int, int]]) -> SearchedPair:
    source, target = (sentence_from_bracket(text, lemmatizer=load_lexicon().lemma) for text in brackets)
    return aligner.search(source, target, GivenCandidates(Links.of(links)).candidates(source, target))


def align(
    aligner: ForestAligner, links: list[tuple[int, int]], source: str = REFUGEE, target: str = ASYLUM
) -> Alignment:
    alignment = aligner.align_candidates(*search(aligner, (source, target), links)[:3])
    assert alignment_violations(alignment) == []
    return alignment


def phrases(alignment: Alignment) -> dict[tuple[str, str], bool]:
    return {alignment.texts_of(pair): pair.constituents for pair in alignment.phrases}


def test_a_null_determiner_does_not_make_a_noun_phrase_a_mere_part(aligner: ForestAligner) -> None:
    found = phrases(align(aligner, NOUNS + VERBS))
    assert found[("a political refugee", "political asylum")]
    assert ("political refugee", "political asylum") not in found


def test_both_phrases_are_widened_at_once(aligner: ForestAligner) -> None:
    target = ASYLUM.replace("(NP ", "(NP (DT the) ")
    found = phrases(align(aligner, [(1, 1), (2, 2), (3, 3), (4, 3)], target=target))
    assert found[("a political refugee", "the political asylum")]


@pytest.mark.parametrize(("link", "is_whole"), [((0, 2), False), ((0, 1), True), ((4, 0), True)])
def test_words_that_are_linked_elsewhere_are_not_taken_in(
    aligner: ForestAligner, link: tuple[int, int], is_whole: bool
) -> None:
    """Links that structure left out count, but only those of the words to be taken in."""
    searched = search(aligner, (REFUGEE, ASYLUM), NOUNS + VERBS)
    reported, forests = reported_derivation(searched, aligner.model.options), searched.forests
    alignment = with_whole_constituents(searched.arrays, forests, reported.trees, [*reported.links, link])
    spans = {forests[0].node(node).span for node in alignment.source.tolist()}
    assert ((0, 3) in spans, (1, 3) in spans) == (is_whole, not is_whole)


AGAINST = "(S (PP (IN against) (NP (JJ asset) (NNS companies))) (VP (VBD acted)))"
FINANCIAL = "(S (NP (JJ financial) (JJ asset) (NNS corporations)) (VP (VBD moved)))"


@pytest.mark.parametrize(
    ("kind", "links", "gives_way"),
    [
        (SINGLE, [], True),
        (SINGLE, [(0, 0)], False),  # a word beside the part is linked to one that it would gain
        (COMPOSITIONAL, [], False),
    ],
)
def test_a_pair_that_rests_on_a_part_alone_gives_way(
    aligner: ForestAligner, kind: int, links: list[tuple[int, int]], gives_way: bool
) -> None:
    known = [(1, 1), (2, 2), (3, 3)]
    searched = search(aligner, (AGAINST, FINANCIAL), known)
    arrays, forests = searched.arrays, searched.forests
    trees = reported_derivation(searched, aligner.model.options).trees
    node_of = [{tree.node(node).span: node for node in range(len(tree))} for tree in forests]
    part = arrays.source.tolist().index(node_of[0][1, 3])
    parent = arrays.parent.copy()
    parent[part] = len(parent)
    arrays = arrays._replace(
        source=np.append(arrays.source, node_of[0][0, 3]),
        target=np.append(arrays.target, node_of[1][0, 3]),
        kind=np.append(arrays.kind, kind),
        parent=np.append(parent, 0),
        absorbed=np.append(arrays.absorbed, False),
    )
    alignment = with_whole_constituents(arrays, forests, trees, [*known, *links])
    assert alignment.absorbed.tolist() == [False] * (len(parent)) + [gives_way]
    assert forests[0].node(int(alignment.source[part])).span == (1, 3)
    assert forests[1].node(int(alignment.target[part])).span == ((0, 3) if gives_way else (1, 3))


def test_words_of_other_pairs_are_not_taken_in(aligner: ForestAligner) -> None:
    source = "(S (NP (NNS cats) (, ,) (NNS dogs) (CC and) (NNS mice)) (VP (VBD ran)))"
    target = "(S (NP (NP (NNS dogs) (CC and) (NNS mice)) (PP (IN with) (NP (NNS cats)))) (VP (VBD ran)))"
    found = phrases(align(aligner, [(0, 4), (2, 0), (3, 1), (4, 2), (5, 5)], source, target))
    assert found[("dogs and mice", "dogs and mice")] is False
    assert ("cats , dogs and mice", "dogs and mice") not in found


def test_the_probability_of_a_widened_pair_is_that_of_its_own_links(
    aligner: ForestAligner, monkeypatch: pytest.MonkeyPatch
) -> None:
    links = NOUNS + VERBS
    (after,) = (pair for pair in align(aligner, links).phrases if pair.source_node.span == (0, 3))
    monkeypatch.setattr(result, "with_whole_constituents", lambda arrays, *_: arrays)
    (before,) = (pair for pair in align(aligner, links).phrases if pair.source_node.span == (1, 3))
    # The determiner has no link at all.
    assert after.probability == pytest.approx(before.probability)


def test_the_published_search_reports_the_nodes_of_the_search() -> None:
    published = ForestAligner.load("forest-published")
    searched = search(published, (REFUGEE, REFUGEE), [(k, k) for k in range(1, 5)])
    arrays, (one, two) = searched.arrays, searched.forests
    alignment = published.align_candidates(*searched[:3])
    kept = ~arrays.absorbed
    nodes = zip(arrays.source[kept].tolist(), arrays.target[kept].tolist(), strict=True)
    expected = {(one.node(left).span, two.node(right).span) for left, right in nodes}
    assert {(pair.source_node.span, pair.target_node.span) for pair in alignment.phrases} == expected
    assert ((1, 3), (1, 3)) in expected  # a part of a noun phrase


def smallest_constituent(forest: ParseForest, tree: Derivation, node: int) -> int:
    """The shortest constituent of a tree that holds all words of a node."""
    nodes = [tree.root, *forest.edges[list(tree.edges.values())][:, 1:].ravel().tolist()]
    start, end = forest.node(node).span
    holding = [
        (forest.node(one).end - forest.node(one).start, one)
        for one in nodes
        if forest.is_constituent[one] and forest.node(one).start <= start and end <= forest.node(one).end
    ]
    return node if forest.is_constituent[node] else min(holding, default=(0, node))[1]


def words_of(forest: ParseForest, node: int) -> set[int]:
    return set(range(*forest.node(node).span))


@settings(derandomize=True)
@given(seed=st.integers(0, 10**6))
def test_pairs_are_widened_exactly_where_the_words_gained_are_free(aligner: ForestAligner, seed: int) -> None:
    rng = random.Random(seed)
    searched = aligner.search(*random_pair(rng))
    arrays, forests = searched.arrays, searched.forests
    reported_parts = reported_derivation(searched, aligner.model.options)
    trees = reported_parts.trees
    # With few links more is widened.
    links = [link for link in reported_parts.links if rng.random() < 0.5]
    alignment = with_whole_constituents(arrays, forests, trees, links)
    reported = np.flatnonzero(~arrays.absorbed).tolist()
    nodes = arrays.source.tolist(), arrays.target.tolist()
    for place in range(len(arrays.kind)):
        now = nodes[0][place], nodes[1][place]
        then = tuple(smallest_constituent(*one) for one in zip(forests, trees, now, strict=True))
        held = [words_of(*one) for one in zip(forests, then, strict=True)]
        gained = [
            mine - words_of(forest, node) for mine, forest, node in zip(held, forests, now, strict=True)
        ]
        others = [(side, words_of(forests[side], nodes[side][o])) for side in (0, 1) for o in reported]
        widened = (
            place in reported
            and all(forest.is_constituent[node] for forest, node in zip(forests, then, strict=True))
            and all(not gained[side] & other or held[side] < other for side, other in others)
            and not any(
                (i in gained[0] or j in gained[1]) and (i not in held[0] or j not in held[1])
                for i, j in links
            )
        )
        assert (alignment.source[place], alignment.target[place]) == (then if widened else now)
