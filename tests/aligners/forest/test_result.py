"""What is reported of a derivation: links, phrases with probabilities, trees, words without a link."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk import Tree

from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.aligners.forest.phrase_evidence import log_agreement
from forest_align.aligners.forest.prepared_pair import base_pairs
from forest_align.aligners.forest.result import _choose_tree, build_alignment, reported_derivation
from forest_align.aligners.words.candidate import Candidate
from forest_align.alignment import PhrasePair
from forest_align.cext.alignment_arrays import BASE, NONCOMPOSITIONAL
from forest_align.parsing import forest_from_trees, sentence_from_bracket
from forest_align.types import Derivation

from ..random_sentences import random_bracket, random_pair

CITY = "(S (NP (NNP New) (NNP York)) (VP (VBZ sleeps)))", "(S (NP (NNP NYC)) (VP (VBZ sleeps)))"
FLAT = "(S (NP (NN a) (NN b)) (VP (VB c) (NP (NN d) (NN e))))"


@settings(derandomize=True)
@given(seed=st.integers(0, 10**6))
def test_each_part_of_the_derivation_is_reported_in_its_place(aligner: ForestAligner, seed: int) -> None:
    rng = random.Random(seed)
    source, target, candidates = random_pair(rng)
    weights = {"candidate_weight": rng.uniform(0.5, 5), "link_weight": rng.random()}
    chosen = replace(aligner.model.options, strict=rng.random() < 0.4, **weights)
    model = replace(aligner.model, options=chosen)
    searched = ForestAligner(model, lexicon=aligner.lexicon).search(source, target, candidates)
    arrays, forests = searched.arrays, searched.forests
    alignment = build_alignment(model, searched)
    shown, links, trees, outside, _ = reported_derivation(searched, chosen)
    assert alignment.outside == outside

    probabilities = model.calibration.probabilities(
        shown.log_posterior, log_agreement(source, target, shown, candidates)
    )
    wanted = []
    for place in sorted(range(len(shown.kind)), key=lambda place: int(shown.source[place])):
        gave_way = [one for one in np.flatnonzero(shown.parent == place).tolist() if shown.absorbed[one]]
        merged = any(shown.kind[one] == NONCOMPOSITIONAL for one in [place, *gave_way])
        if not shown.absorbed[place]:
            nodes = forests[0].node(int(shown.source[place])), forests[1].node(int(shown.target[place]))
            link = nodes[0].start, nodes[1].start
            of_words = nodes[0].end - nodes[0].start == nodes[1].end - nodes[1].start == 1
            own = links[link] if of_words else float(probabilities[place])
            wanted.append(PhrasePair(*nodes, own, not merged))
    assert alignment.phrases == tuple(wanted)
    assert alignment.swap().swap() == alignment

    assert dict(zip(alignment.words.pairs, alignment.words.scores or (), strict=True)) == links
    for side, unaligned, sentence in (
        (0, alignment.unaligned_source, source),
        (1, alignment.unaligned_target, target),
    ):
        free = sorted(set(range(len(sentence))) - {link[side] for link in links})
        assert [word for span in unaligned for word in range(*span)] == free
        assert all(end < start for (_, end), (start, _) in pairwise(unaligned))

    for side, (forest, tree, edges, nodes, bracket) in enumerate(
        zip(
            forests,
            trees,
            (arrays.source_edges, arrays.target_edges),
            (arrays.source, arrays.target),
            (alignment.source_tree, alignment.target_tree),
            strict=True,
        )
    ):
        assert bracket == forest.bracket((source, target)[side].words, tree)
        assert set(edges.tolist()) <= set(tree.edges.values())
        held = {tree.root, *forest.edges[list(tree.edges.values())][:, 1:].ravel().tolist()}
        assert set(nodes.tolist()) <= held and (not arrays.root_aligned or tree.root == nodes[0])
        if not arrays.root_aligned:
            continue
        # The most probable one of those with the hyperedges that the derivation took.
        able = [one for one in forest.derivations() if {*edges.tolist()} <= {*one.edges.values()}]
        best = max(one.log_probability for one in able if one.root == nodes[0])
        assert tree.log_probability == pytest.approx(best)


@settings(derandomize=True)
@given(seed=st.integers(0, 10**6))
def test_only_links_that_are_marked_lead_out_of_phrases(aligner: ForestAligner, seed: int) -> None:
    rng = random.Random(seed)
    source, target, candidates = random_pair(rng)
    model = aligner.model.with_options(strict=rng.random() < 0.5)
    alignment = ForestAligner(model, lexicon=aligner.lexicon).align_candidates(source, target, candidates)
    assert list(alignment.outside) == sorted(alignment.outside) and {*alignment.outside} <= {*alignment.words}
    leaves = set()
    for pair in alignment.phrases:
        (start, end), (low, high) = pair.source_node.span, pair.target_node.span
        leaves |= {(start, low)} if end - start == high - low == 1 else set()
        for i, j in alignment.words:
            assert (start <= i < end) == (low <= j < high) or (i, j) in alignment.outside
    assert not leaves & {*alignment.outside}


def test_links_outside_are_kept_by_what_changes_an_alignment(aligner: ForestAligner) -> None:
    source = sentence_from_bracket("(S (PP (IN for) (NP (DT a) (NN smoke))) (VP (VBZ ends)))")
    target = sentence_from_bracket("(S (VP (VB smoke) (NP (DT a) (NN cigarette))) (VP (VBZ ends)))")
    pairs = {((1, 3), (1, 3)): 0.98, ((2, 3), (0, 1)): 0.7, ((3, 4), (3, 4)): 0.9, ((1, 2), (1, 2)): 0.9}
    candidates = [Candidate(*spans, score) for spans, score in pairs.items()]
    alignment = aligner.align_candidates(source, target, candidates)
    spans = {(pair.source_node.span, pair.target_node.span) for pair in alignment.phrases}
    assert ((1, 3), (1, 3)) in spans and (2, 0) in alignment.words
    assert alignment.outside == ((2, 0),)
    assert alignment.swap().outside == ((0, 2),)
    assert alignment.above(0.75).outside == () and alignment.above(0.65).outside == ((2, 0),)


def test_words_of_a_group_have_scores_of_their_own_or_else_that_of_the_group(aligner: ForestAligner) -> None:
    source, target = map(sentence_from_bracket, CITY)
    candidates = (
        Candidate((0, 1), (0, 1), 0.6),
        Candidate((0, 2), (0, 1), 0.9),
        Candidate((2, 3), (1, 2), 0.8),
    )
    alignment = aligner.align_candidates(source, target, candidates)
    assert {(pair.source_node.span, pair.target_node.span) for pair in alignment.phrases} >= {
        ((0, 2), (0, 1))
    }
    assert alignment.words.pairs == ((0, 0), (1, 0), (2, 1))
    assert alignment.words.scores == (0.6, 0.9, 0.8)


@pytest.mark.parametrize(
    ("own", "wanted"),
    [
        ({(0, 0): 0.7, (1, 1): 0.6}, {(0, 0): 0.7, (1, 1): 0.6, (2, 2): 0.8}),
        ({(0, 1): 0.7}, {(0, 1): 0.7, (2, 2): 0.8}),
        ({}, {(0, 0): 0.9, (0, 1): 0.9, (1, 0): 0.9, (1, 1): 0.9, (2, 2): 0.8}),
    ],
)
def test_a_group_of_phrases_links_only_words_with_scores_of_their_own_if_any_have(
    aligner: ForestAligner, own: dict[tuple[int, int], float], wanted: dict[tuple[int, int], float]
) -> None:
    source = sentence_from_bracket("(S (NP (JJ Nuclear) (NNS weapons)) (VP (VBZ exist)))")
    target = sentence_from_bracket("(S (NP (JJ Atomic) (NNS arms)) (VP (VBZ exist)))")
    candidates = (
        Candidate((0, 2), (0, 2), 0.9),
        *(Candidate((i, i + 1), (j, j + 1), score) for (i, j), score in own.items()),
        Candidate((2, 3), (2, 3), 0.8),
    )
    base = base_pairs(source, target, candidates)
    kept = [pair for pair, found in base.items() if found.is_group or found.source == (2, 3)]
    searched = aligner.search(source, target, ())
    arrays = searched.arrays._replace(
        source=np.array([s for s, _ in kept], np.int32),
        target=np.array([t for _, t in kept], np.int32),
        kind=np.full(len(kept), BASE, np.int32),
        root_aligned=False,
    )
    options = replace(aligner.model.options, strict=True)
    searched = searched._replace(arrays=arrays, base=base, candidates=candidates)
    assert reported_derivation(searched, options).links == wanted


def test_links_outside_of_the_derivation_are_the_confident_ones_of_free_words_and_the_certain_ones(
    aligner: ForestAligner,
) -> None:
    source = target = sentence_from_bracket(FLAT)
    searched = aligner.search(source, target, ())
    assert not len(searched.arrays.source) and not searched.base
    candidates = (
        Candidate((0, 1), (0, 1), 0.55),  # its target has a better link
        Candidate((0, 1), (1, 2), 0.7),
        Candidate((1, 2), (0, 1), 0.95),
        Candidate((2, 3), (2, 3), 0.5),  # its source has a better link
        Candidate((2, 3), (3, 4), 0.89),
        Candidate((3, 4), (0, 1), 0.9),  # its target has a better link, but it is certain
        Candidate((3, 4), (4, 5), 0.49),
        Candidate((4, 5), (2, 3), 0.5),
        Candidate((4, 5), (3, 5), 0.99),  # groups
        Candidate((3, 5), (4, 5), 0.99),
    )
    wanted = {(1, 0): 0.95, (3, 0): 0.9, (2, 3): 0.89, (0, 1): 0.7, (4, 2): 0.5}
    searched = searched._replace(candidates=candidates)
    assert reported_derivation(searched, aligner.model.options).links == wanted
    alignment = build_alignment(aligner.model, searched)
    assert alignment.log_probability is None and not alignment.root_aligned
    assert alignment.words.pairs == tuple(sorted(wanted)) and not alignment.phrases
    assert (alignment.unaligned_source, alignment.unaligned_target) == ((), ((4, 5),))


def test_a_search_that_was_cut_short_is_told(aligner: ForestAligner) -> None:
    source = target = sentence_from_bracket(FLAT)
    candidates = [Candidate((i, i + 1), (i, i + 1), 0.9) for i in range(5)]
    searched = aligner.search(source, target, candidates)
    for narrowed in (False, True):
        arrays = searched.arrays._replace(narrowed=narrowed)
        alignment = build_alignment(aligner.model, searched._replace(arrays=arrays))
        assert alignment.root_aligned and bool(alignment.warnings) == narrowed


@settings(derandomize=True)
@given(seed=st.integers(0, 10**6))
def test_links_without_a_probability_have_that_of_their_pair_in_the_derivation(
    aligner: ForestAligner, seed: int
) -> None:
    """Nothing is linked outside of the derivation, and candidates are no evidence for phrases."""
    source, target, weighted = random_pair(random.Random(seed))
    candidates = [replace(one, score=1.0, weighted=False) for one in weighted]
    alignment = aligner.align_candidates(source, target, candidates)
    _, _, _, base, arrays, _ = aligner.search(source, target, candidates)
    posterior = aligner.model.calibration.probabilities(arrays.log_posterior, np.zeros(len(arrays.source)))
    expected = {}
    for place in np.flatnonzero(arrays.kind == BASE).tolist():
        leaf = base[int(arrays.source[place]), int(arrays.target[place])]
        for i in range(*leaf.source):
            expected |= {(i, j): float(posterior[place]) for j in range(*leaf.target)}
    assert dict(zip(alignment.words.pairs, alignment.words.scores or (), strict=True)) == expected
    kept = np.flatnonzero(~arrays.absorbed)
    assert [one.probability for one in alignment.phrases] == pytest.approx(
        [float(posterior[place]) for place in kept[np.argsort(arrays.source[kept], kind="stable")]]
    )
    unlinked = replace(aligner.model.options, link_weight=0.0, candidate_weight=1.0)
    plain = ForestAligner(replace(aligner.model, options=unlinked), lexicon=aligner.lexicon)
    assert plain.align_candidates(source, target, candidates).log_probability == alignment.log_probability


def test_words_of_a_group_keep_probabilities_of_their_own(aligner: ForestAligner) -> None:
    source, target = map(sentence_from_bracket, CITY)
    group, sleeps = Candidate((0, 2), (0, 1), 1.0, weighted=False), Candidate((2, 3), (1, 2), 0.8)
    alignment = aligner.align_candidates(source, target, [group, Candidate((0, 1), (0, 1), 0.3), sleeps])
    scores = dict(zip(alignment.words.pairs, alignment.words.scores or (), strict=True))
    assert (scores[0, 0], scores[2, 1]) == (0.3, 0.8)
    (whole,) = (one for one in alignment.phrases if one.source_node.end == 2 and one.target_node.end == 1)
    assert scores[1, 0] == whole.probability


@pytest.mark.parametrize("seed", range(20))
def test_the_tree_is_the_best_of_all_with_the_hyperedges_and_the_most_nodes(seed: int) -> None:
    rng = random.Random(seed)
    words = list("abcdef"[: rng.randint(2, 6)])
    trees = [Tree.fromstring(random_bracket(rng, words)) for _ in range(rng.randint(1, 5))]
    made = forest_from_trees(trees, [-3 * rng.random() for _ in trees])[1]
    every = list(made.derivations())
    one = rng.choice(every)
    edges = rng.sample(sorted(one.edges.values()), rng.randint(0, 1))
    # Some of these nodes are in other trees.
    nodes = set(rng.sample(range(len(made)), rng.randint(0, 3)))
    root = one.root if edges or rng.random() < 0.5 else None

    def rank(tree: Derivation) -> tuple[int, float]:
        held = {tree.root, *made.edges[list(tree.edges.values())][:, 1:].ravel().tolist()}
        return len(held & nodes), tree.log_probability

    # A hyperedge binds trees that have its node; the callers give none whose node is not in the tree.
    able = [tree for tree in every if root in (None, tree.root)]
    forced = {int(made.edges[edge, 0]): edge for edge in edges}
    able = [tree for tree in able if all(tree.edges.get(n, edge) == edge for n, edge in forced.items())]
    found = _choose_tree(made, edges, nodes, root)
    assert found in every and rank(found) == pytest.approx(max(map(rank, able)))
