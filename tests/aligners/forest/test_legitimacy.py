"""The checker of Definition 3.2 finds each violation; derivations are completed to the maximum set."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forest_align.aligners.forest._node_pairs import NodePair, compositional, with_maximum_set
from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.aligners.forest.legitimacy import alignment_violations, rule_violations, violations
from forest_align.aligners.forest.result import Reported, SearchedPair, reported_derivation
from forest_align.alignment import Alignment, PhrasePair
from forest_align.cext.alignment_arrays import BASE, AlignmentArrays
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.parsing import forest_from_bracket
from forest_align.types import Derivation, InputError, Sentence

from ..random_sentences import random_pair

_, TREE = forest_from_bracket("(S (NP (DT a) (NN b)) (VP (VB c) (NN d)))")
A, B, C, D, NP, VP, ROOT = range(7)


def check(pairs: Sequence[NodePair], root_aligned: bool = True) -> list[str]:
    tree = TREE.best_derivation()
    return violations(TREE, TREE, tree, tree, pairs, root_aligned=root_aligned)


def same(*nodes: int) -> list[NodePair]:
    return [(node, node, True) for node in nodes]


def test_the_nodes_are_those_that_the_tests_name() -> None:
    spans = [(0, 1), (1, 2), (2, 3), (3, 4), (0, 2), (2, 4), (0, 4)]
    assert [TREE.node(node).span for node in (A, B, C, D, NP, VP, ROOT)] == spans


@pytest.mark.parametrize(
    "pairs",
    [
        same(A, B, C, D, NP, VP, ROOT),
        # inverted
        [(s, t, True) for s, t in zip((A, B, NP, C, D, VP, ROOT), (D, C, VP, A, B, NP, ROOT), strict=True)],
        same(A, NP, ROOT),  # each rests on one pair
        [
            (ROOT, ROOT, False),
            (A, A, True),
            (B, C, True),
            (C, D, True),
        ],  # three support a noncompositional one
        [*same(ROOT), (A, C, True), (C, D, True)],  # the roots are above the common ancestor on one side
    ],
)
def test_legitimate_sets_have_no_violation(pairs: list[NodePair]) -> None:
    assert check(pairs) == []


@pytest.mark.parametrize(
    ("pairs", "word"),
    [
        (same(A, B, NP), "root pair"),
        ([*same(ROOT), (A, A, True), (A, B, True)], "consistency"),
        ([*same(ROOT), (99, A, True)], "same tree"),
        ([*same(ROOT), (NP, NP, True), (A, C, True)], "monotonous"),
        ([*same(ROOT), (NP, NP, True), (C, A, True)], "monotonous"),
        ([*same(ROOT), (A, A, True), (B, C, True), (C, D, True)], "monotonous"),
        (same(ROOT, A, B), "relevance"),
        ([(ROOT, ROOT, False), (A, A, True)], "relevance"),
    ],
)
def test_each_violation_is_named(pairs: list[NodePair], word: str) -> None:
    found = check(pairs)
    assert found and all(text.startswith(word) for text in found), found


@pytest.mark.parametrize(
    ("label", "partners", "word"),
    [
        ("X::NN", ((1, 2), (0, 2)), ""),
        ("X::NN", ((1, 2), (0, 2), (0, 4)), "consistency"),
        ("X::NN", ((1, 2), (2, 3)), "consistency"),
        ("NN", ((1, 2), (0, 2)), "consistency"),
    ],
)
def test_a_unary_chain_may_have_a_pair_for_each_of_its_nodes(
    label: str, partners: tuple[tuple[int, int], ...], word: str
) -> None:
    *outer, tag = label.split("::")
    chain = f"({outer[0]} ({tag} b))" if outer else f"({tag} b)"
    _, source = forest_from_bracket(f"(S {chain} (VP (VB c)))")
    nodes = {TREE.node(node).span: node for node in range(len(TREE))}
    pairs = [(0, nodes[span], True) for span in partners]
    derivations = source.best_derivation(), TREE.best_derivation()
    for both in (False, True):
        broken = violations(
            *((TREE, source) if both else (source, TREE)),
            *(derivations[::-1] if both else derivations),
            [(t, s, whole) if both else (s, t, whole) for s, t, whole in pairs],
            root_aligned=False,
        )
        assert bool(broken) == bool(word) and all(text.startswith(word) for text in broken)


def test_a_constituent_stands_above_the_part_of_it_that_joins_two_pairs() -> None:
    _, tree = forest_from_bracket("(S (NP (DT a) (JJ b) (NN c)) (VP (VB d)))")
    nodes = {tree.node(node).span: node for node in range(len(tree))}
    best = tree.best_derivation()

    def wrong(*spans: tuple[int, int]) -> list[str]:
        return violations(tree, tree, best, best, same(*(nodes[span] for span in spans)))

    part, whole = (1, 3), (0, 3)
    assert not wrong((1, 2), (2, 3), part, (0, 4)) and not wrong((1, 2), (2, 3), whole, (0, 4))
    (found,) = wrong((1, 2), (2, 3), (0, 4))
    assert found.startswith("relevance")


def test_only_the_roots_may_stand_above_the_lowest_common_ancestor_on_one_side() -> None:
    _, tree = forest_from_bracket("(S (X (NP (DT a) (NN b)) (VP (VB c) (NN d))) (ADVP (RB e)))")
    nodes = {tree.node(node).span: node for node in range(len(tree))}
    best = tree.best_derivation()
    pairs = [*same(nodes[0, 5], nodes[0, 4], nodes[0, 1]), (nodes[1, 2], nodes[2, 3], True)]
    (found,) = violations(tree, tree, best, best, pairs)
    assert found.startswith("relevance")


def test_a_tree_begins_at_a_root() -> None:
    whole = TREE.best_derivation()
    part = Derivation(NP, {NP: whole.edges[NP]}, 0.0)
    broken = violations(TREE, TREE, whole, part, [(ROOT, NP, True), (A, A, True), (B, B, True)])
    assert broken == [f"same tree: {NP} is no root"]


def test_partial_alignments_need_no_root() -> None:
    assert check(same(A, B, NP), root_aligned=False) == []


@pytest.mark.parametrize(
    ("pairs", "links", "missing"),
    [
        # a and b support NP; the roots have c to rest on as well.
        ([(ROOT, ROOT, False), *same(A, B, C)], [], [(NP, NP)]),
        # NP is inverted; VP is missing if both its words are aligned.
        ([(ROOT, ROOT, False), (A, B, True), (B, A, True), *same(C, D)], [], [(NP, NP), (VP, VP)]),
        # Only the links say that the second words correspond.
        (same(ROOT, NP, VP, A, C), [(1, 1), (3, 3)], [(B, B), (D, D)]),
        # Words of a group are not aligned one by one.
        (same(ROOT, NP, VP, A, B), [(2, 2), (3, 3)], []),
        # c leads out of the pair around it.
        (same(ROOT, NP, VP, A), [(2, 1)], []),
        # b would be in one half with a, in the other half of the target with c.
        ([*same(ROOT, A), (C, C, True)], [(1, 3)], []),
        (same(ROOT, NP, VP, A, B, C, D), [(i, i) for i in range(4)], []),
    ],
)
def test_pairs_that_could_be_added_are_named_if_asked_for(
    pairs: list[NodePair], links: list[tuple[int, int]], missing: list[tuple[int, int]]
) -> None:
    tree = TREE.best_derivation()
    assert violations(TREE, TREE, tree, tree, pairs) == []
    broken = violations(TREE, TREE, tree, tree, pairs, maximum_set_of=links)
    assert broken == [f"maximum set: {pair} could be added" for pair in missing]


def alignment(
    pairs: Sequence[NodePair], *, tree: str = "(S (NP (DT a) (NN b)) (VP (VB c) (NN d)))"
) -> Alignment:
    words = Sentence.from_words(list("abcd"))
    phrases = tuple(PhrasePair(TREE.node(s), TREE.node(t), 1.0, whole) for s, t, whole in pairs)
    return Alignment(words, words, phrases=phrases, source_tree=tree, target_tree=tree, root_aligned=True)


def test_an_alignment_is_checked_by_the_trees_that_it_chose() -> None:
    legitimate = alignment(same(A, B, C, D, NP, VP, ROOT))
    assert alignment_violations(Alignment.from_json(legitimate.to_json())) == []
    (found,) = alignment_violations(alignment([*same(ROOT), (A, A, True), (A, B, True)]))
    assert found.startswith("consistency")


@pytest.mark.parametrize("tree", ["", "(S (DT a) (NN b) (VP (VB c) (NN d)))"])
def test_an_alignment_without_trees_of_its_phrases_cannot_be_checked(tree: str) -> None:
    with pytest.raises(InputError):
        alignment_violations(alignment(same(NP, ROOT), tree=tree))


WHOLE, INNER = ((0, 6), (0, 5)), ((4, 6), (3, 5))


@pytest.mark.parametrize(
    ("rules", "links", "violation"),
    [
        ([((0, 4), (0, 3))], [(0, 0), (5, 4)], None),
        ([((0, 4), (0, 3)), ((1, 4), (1, 3))], [], None),
        ([((0, 7), (0, 3))], [], "lies in no aligned pair"),
        ([((0, 4), (0, 3))], [(0, 4)], "lies inside ((0, 4), (0, 3)) on one side only"),
        ([((3, 6), (0, 3))], [], "((4, 6), (3, 5)) lies inside ((3, 6), (0, 3)) on one side only"),
        ([((0, 3), (0, 2)), ((1, 4), (1, 3))], [], "overlap"),
    ],
)
def test_rules_lie_in_a_pair_and_agree_with_links_pairs_and_each_other(
    rules: list, links: list[tuple[int, int]], violation: str | None
) -> None:
    found = rule_violations([WHOLE, INNER], rules, links)
    assert found == [] if violation is None else any(violation in one for one in found)


@pytest.fixture(scope="module", params=["forest", "forest-published"])
def searching(request: pytest.FixtureRequest) -> ForestAligner:
    return ForestAligner.load(request.param, lexicon=load_lexicon())


def completed(searching: ForestAligner, seed: int) -> tuple[SearchedPair, Reported, AlignmentArrays]:
    """A random pair, what is reported of its derivation, and the derivation completed to the maximum set."""
    searched = searching.search(*random_pair(random.Random(seed)))
    reported = reported_derivation(searched, searching.model.options)
    arrays = with_maximum_set(searched.arrays, searched.forests, reported.trees, searched.base)
    return searched, reported, arrays


def pairs_of(arrays: AlignmentArrays) -> list[NodePair]:
    whole = compositional(arrays)
    return [
        (int(arrays.source[place]), int(arrays.target[place]), bool(whole[place]))
        for place in np.flatnonzero(~arrays.absorbed)
    ]


@settings(derandomize=True)
@given(seed=st.integers(0, 10**6))
def test_derivations_are_completed_to_a_legitimate_set_and_the_largest(
    searching: ForestAligner, seed: int
) -> None:
    searched, reported, found = completed(searching, seed)
    arrays, base, count = searched.arrays, searched.base, len(searched.arrays.source)
    assert pairs_of(found)[: len(pairs_of(arrays))] == [
        (s, t, whole or changed)
        for (s, t, whole), (_, _, changed) in zip(pairs_of(arrays), pairs_of(found), strict=False)
    ]
    if not arrays.root_aligned:
        assert found is arrays
        return
    assert not found.absorbed[count:].any()
    assert (found.log_posterior[count:] <= 0).all() and np.isfinite(found.log_posterior).all()
    words = [base[s, t] for s, t in zip(found.source, found.target, strict=True) if (s, t) in base]
    assert all(not one.is_group for one in words[len(words) - (found.kind[count:] == BASE).sum() :])
    links = [(c.source[0], c.target[0]) for c in searched.candidates if not c.is_group]
    assert (
        violations(
            *searched.forests,
            *reported.trees,
            pairs_of(found),
            root_aligned=found.root_aligned,
            maximum_set_of=links,
        )
        == []
    )


def test_something_is_added_to_some_derivations(searching: ForestAligner) -> None:
    added: list[int] = []
    for seed in range(60):
        searched, _, found = completed(searching, seed)
        added += found.kind[len(searched.arrays.source) :].tolist()
    assert BASE in added and len({*added}) > 1
