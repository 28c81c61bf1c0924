"""The score of an alignment is the sum of what docs/background/forest.md says is in it."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk import Tree

from forest_align.aligners.forest import prepared_pair
from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.aligners.forest.features import forest_of
from forest_align.aligners.forest.phrase_evidence import LEAST_ODDS, MOST_ODDS, LinkEvidence, PhraseEvidence
from forest_align.aligners.forest.prepared_pair import base_pairs, tree_losses
from forest_align.aligners.forest.result import reported_derivation
from forest_align.aligners.words.candidate import Candidate
from forest_align.cext.alignment_arrays import BASE, NONCOMPOSITIONAL, BaseArrays, SideArrays
from forest_align.parsing import (
    forest_from_trees,
    sentence_from_bracket,
    sentence_from_n_best,
    sentence_from_trees,
)
from forest_align.parsing.forests.trees import read_bracket
from forest_align.types import ParseForest, Sentence

from ...cext import alignment_cases as cases
from ...cext.test_alignment import ALIGNERS, UNLIMITED
from ..random_sentences import random_pair
from .derivations import hanging, supported


def random_evidence(rng: random.Random, source: Sentence, target: Sentence) -> PhraseEvidence:
    """Log-odds for half of the pairs of spans of nodes, some of them beyond the bounds."""
    sides = [
        sorted(set(zip(forest.start.tolist(), forest.end.tolist(), strict=True)))
        for forest in (forest_of(source), forest_of(target))
    ]
    spans = [(*one, *two) for one in sides[0] for two in sides[1] if rng.random() < 0.5]
    spans = [one for one in spans if one[1] - one[0] > 1 or one[3] - one[2] > 1]
    log_odds = np.array([rng.uniform(-7, 6) for _ in spans])
    return PhraseEvidence(np.array(spans, np.int32).reshape(-1, 4), log_odds)


def odds(phrases: PhraseEvidence, forests: Any, one: int, two: int, bias: float) -> float:
    """What the evidence says about a pair of nodes, looked up one by one."""
    spans = [int(forests[0].start[one]), int(forests[0].end[one])]
    spans += [int(forests[1].start[two]), int(forests[1].end[two])]
    if spans[1] - spans[0] == 1 == spans[3] - spans[2]:
        return 0.0
    known = [k for k, row in enumerate(phrases.spans.tolist()) if row == spans]
    return min(max(float(phrases.log_odds[known[0]]) + bias, LEAST_ODDS), MOST_ODDS) if known else LEAST_ODDS


@settings(derandomize=True)
@given(seed=st.integers(0, 10**6))
def test_the_score_is_the_sum_of_its_terms(aligner: ForestAligner, seed: int) -> None:
    rng = random.Random(seed)
    source, target, candidates = random_pair(rng)
    names = ("candidate_weight", "link_weight", "tree_weight", "phrase_weight", "phrase_bias")
    weights = {name: rng.uniform(0.2, 2.0) for name in names}
    options = replace(aligner.model.options, **weights)
    model = replace(aligner.model, options=options, phrase_options=options)
    chosen, options = ForestAligner(model, lexicon=aligner.lexicon), model.options
    phrases = random_evidence(rng, source, target)
    searched = chosen.search(source, target, candidates, phrases)
    arrays, base, forests = searched.arrays, searched.base, searched.forests
    if not arrays.root_aligned:
        return
    features = chosen.features(source, target, candidates)
    log_pair, *log_null = model.log_probabilities(features)
    classes = features.source.class_of_node, features.target.class_of_node
    agreed, *untouched = LinkEvidence.of(candidates, len(source), len(target)).log_consistent(*forests)
    wanted = 0.0
    used = (forests[0].edges[arrays.source_edges], forests[1].edges[arrays.target_edges])
    for top, (one, two, kind) in enumerate(
        zip(arrays.source.tolist(), arrays.target.tolist(), arrays.kind.tolist(), strict=True)
    ):
        wanted += log_pair[classes[0][one], classes[1][two]] + options.link_weight * agreed[one, two]
        wanted += options.phrase_weight * odds(phrases, forests, one, two, options.phrase_bias)
        if kind == BASE:
            wanted += options.candidate_weight * np.log(base[one, two].score)
        words = 0
        for side, (forest, edges) in enumerate(zip(forests, used, strict=True)):
            _, nulls = hanging((forest.start, forest.end, edges), *supported(arrays, side, top))
            words += sum(int(forest.end[node] - forest.start[node]) for node in nulls)
            wanted += log_null[side][classes[side][nulls]].sum()
            wanted += options.link_weight * untouched[side][nulls].sum()
        penalty = options.noncompositional_penalty if kind == NONCOMPOSITIONAL else 0.0
        wanted -= (words + penalty + 1) ** options.null_penalty
    # Phrases would revise the pairs, not the trees.
    trees = reported_derivation(searched._replace(phrases=None), options).trees
    for forest, tree in zip(forests, trees, strict=True):
        most = max(one.log_probability for one in forest.derivations())
        wanted += options.tree_weight * (tree.log_probability - most)
    assert arrays.log_score == pytest.approx(wanted)


def test_a_candidate_of_almost_no_probability_leaves_the_score_finite(aligner: ForestAligner) -> None:
    source, target, _ = random_pair(random.Random(1))
    tiny = SimpleNamespace(
        source=(0, 1), target=(0, 1), score=0.0, is_group=False, evidence=(), weighted=True
    )
    found, least = (
        aligner.align_candidates(source, target, [one])  # type: ignore[list-item]
        for one in (tiny, Candidate((0, 1), (0, 1), 1e-9))
    )
    assert found.log_probability is not None and np.isfinite(found.log_probability)
    assert found.log_probability == pytest.approx(least.log_probability)


def mixed(alignment: Any, parse: Any, weight: float) -> Any:
    """Log of (1 - weight) · alignment + weight · parse, given their logs."""
    with np.errstate(divide="ignore"):
        return np.log((1 - weight) * np.exp(alignment) + weight * np.exp(parse))


def in_kernel_form(forest: ParseForest, log_null: np.ndarray, weight: float) -> SideArrays:
    """A forest whose null phrases and hyperedges have interpolated probabilities."""
    edges, _ = tree_losses(forest)
    nulls, weights = mixed(log_null, forest.log_marginal, weight), np.minimum(mixed(0.0, edges, weight), 0.0)
    return SideArrays(forest.start, forest.end, forest.edges, forest.roots, nulls, weights)


@pytest.mark.parametrize("name", ALIGNERS)
@settings(derandomize=True)
@given(seed=st.integers(0, 10**6), weight=st.sampled_from([0.0, 1e-12, 0.2, 0.7, 1.0]))
def test_interpolated_scores_are_those_of_all_alignments(
    aligner: ForestAligner, name: str, seed: int, weight: float
) -> None:
    source, target, candidates = random_pair(random.Random(seed))
    if max(len(source), len(target)) > 4:
        return
    # No score is so low that a support is left out as hopeless.
    own = replace(
        aligner.model.options,
        parser_weight=weight,
        noncompositional_penalty=None,
        null_penalty=0.5,
        tree_weight=0.0,
    )
    model = replace(aligner.model, options=replace(own, link_weight=0.0, candidate_weight=0.5))
    features = aligner.features(source, target, candidates)
    pair = prepared_pair.PreparedPair.of(source, target, features, candidates, model.options)
    options = model.options.search_options()._replace(**UNLIMITED, temperature=1.0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prepared_pair, "kernel", SimpleNamespace(align=ALIGNERS[name]))
        alignment = pair.align(*model.log_probabilities(features), options)
    forests = forest_of(source), forest_of(target)
    log_pair, *log_null = model.log_probabilities(features)
    parse = forests[0].log_marginal[:, None] + forests[1].log_marginal
    nodes = mixed(log_pair[pair.source_class[:, None], pair.target_class], parse, weight)
    roots = [tree_losses(forest)[1] for forest in forests]
    nodes[np.ix_(forests[0].roots, forests[1].roots)] += mixed(0.0, roots[0][:, None] + roots[1], weight)
    sides = [
        in_kernel_form(forest, nulls[classes], weight)
        for forest, nulls, classes in zip(
            forests, log_null, (pair.source_class, pair.target_class), strict=True
        )
    ]
    base = BaseArrays(pair.base_source, pair.base_target, pair.base_log_prior)
    best, total, _ = cases.brute_force(cases.Case(sides[0], sides[1], nodes, base), options)
    assert alignment.root_aligned == math.isfinite(best)
    if alignment.root_aligned:
        assert (alignment.log_score, alignment.log_total) == pytest.approx((best, total))


def test_the_parser_decides_more_the_more_it_weighs(aligner: ForestAligner) -> None:
    # The other sentence has the tree that the parser finds improbable.
    low = "(S (NP (PRP She)) (VP (VBD saw) (NP (NP (DT the) (NN man)) (PP (IN with) (NP (NNS glasses))))))"
    high = "(S (NP (PRP She)) (VP (VBD saw) (NP (DT the) (NN man)) (PP (IN with) (NP (NNS glasses)))))"
    source = sentence_from_n_best([f"{math.log(0.95)}\t{high}", f"{math.log(0.05)}\t{low}"])
    target = sentence_from_bracket(low)
    candidates = [Candidate((i, i + 1), (i, i + 1), 0.9) for i in range(len(source))]
    plain = replace(aligner.model.options, tree_weight=0.0, link_weight=0.0)
    trees, scores = [], []
    for weight in (0.0, 1e-12, 0.3, 0.999):
        model = replace(aligner.model, options=replace(plain, parser_weight=weight))
        alignment = ForestAligner(model, lexicon=aligner.lexicon).align_candidates(source, target, candidates)
        trees.append(alignment.source_tree)
        scores.append(alignment.log_probability)
    assert scores[1] == pytest.approx(scores[0], abs=1e-6)
    assert trees[:2] == [low, low]
    assert trees[3] == high
    assert len(set(scores[1:])) == 3


# Several nodes of a packed forest cover the same words.
SOURCE = sentence_from_trees(
    [
        read_bracket("(S (NP (DT the) (NN dog)) (VP (VBZ gives) (PRT (RP up))))"),
        read_bracket("(S (X (DT the) (VB dog)) (NP (NNS gives) (IN up)))"),
    ]
)
TARGET = sentence_from_bracket("(S (NP (DT a) (NN hound)) (VP (VBZ surrenders)))")


def spans_of(pairs: dict[tuple[int, int], Candidate]) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    source, target = SOURCE.forest, TARGET.forest
    assert source is not None and target is not None
    return [
        ((int(source.start[s]), int(source.end[s])), (int(target.start[t]), int(target.end[t])))
        for s, t in pairs
    ]


WORD, GROUP = Candidate((0, 1), (0, 1), 0.5), Candidate((2, 4), (2, 3), 0.7)
OTHER_WAY = Candidate((1, 2), (0, 2), 0.6)


def test_every_pair_of_nodes_that_cover_a_candidate_is_a_base_pair() -> None:
    found = base_pairs(SOURCE, TARGET, [GROUP, OTHER_WAY, WORD])
    assert list(found) == sorted(found)
    source, target = SOURCE.forest, TARGET.forest
    assert source is not None and target is not None
    for candidate in (WORD, GROUP, OTHER_WAY):
        expected = {
            (s, t)
            for s in range(len(source))
            for t in range(len(target))
            if (int(source.start[s]), int(source.end[s])) == candidate.source
            and (int(target.start[t]), int(target.end[t])) == candidate.target
        }
        assert {pair for pair, of in found.items() if of == candidate} == expected
        assert len(expected) > 1 or candidate == WORD


def test_groups_on_either_side_are_left_out_unless_wanted_and_spans_that_are_no_node_always() -> None:
    candidates = [WORD, GROUP, OTHER_WAY, Candidate((1, 3), (0, 1), 0.9)]
    assert set(spans_of(base_pairs(SOURCE, TARGET, candidates, groups=False))) == {(WORD.source, WORD.target)}
    every = set(spans_of(base_pairs(SOURCE, TARGET, candidates)))
    assert every == {(c.source, c.target) for c in (WORD, GROUP, OTHER_WAY)}


@pytest.mark.parametrize("order", [(0.3, 0.8, 0.5), (0.8, 0.5, 0.3), (0.5, 0.3, 0.8)])
def test_of_several_candidates_for_a_pair_the_most_probable_counts(order: Sequence[float]) -> None:
    candidates = [Candidate((0, 1), (0, 1), score) for score in order]
    (found,) = base_pairs(SOURCE, TARGET, candidates).values()
    assert found.score == 0.8


def test_words_without_a_probability_are_base_pairs_too() -> None:
    free = Candidate((1, 2), (1, 2), 1.0, weighted=False)
    assert list(base_pairs(SOURCE, TARGET, [free], groups=False).values()) == [free] * 2


TREES = (
    "(S (NP (DT the) (NN man)) (VP (VBD saw) (NP (NP (DT a) (NN dog)) (PP (IN with) (NP (NNS eyes))))))",
    "(S (NP (DT the) (NN man)) (VP (VBD saw) (NP (DT a) (NN dog)) (PP (IN with) (NP (NNS eyes)))))",
    "(FRAG (NP (DT the) (NN man)) (VP (VBD saw) (NP (DT a) (NN dog) (PP (IN with) (NP (NNS eyes))))))",
)


def forest(logs: list[float]) -> ParseForest:
    return forest_from_trees([Tree.fromstring(bracket) for bracket in TREES], logs)[1]


@pytest.mark.parametrize("logs", [[0.0, 0.0, 0.0], [-0.1, -2.0, -1.0], [-3.0, -0.5, -0.2]])
def test_losses_of_a_tree_add_up_to_its_probability_over_that_of_the_best(logs: list[float]) -> None:
    made = forest(logs)
    edges, roots = tree_losses(made)
    place_of = {root: place for place, root in enumerate(made.roots.tolist())}
    trees = list(made.derivations())
    assert len(trees) > 2
    best = max(tree.log_probability for tree in trees)
    for tree in trees:
        loss = edges[list(tree.edges.values())].sum() + roots[place_of[tree.root]]
        assert loss == pytest.approx(tree.log_probability - best)


def test_no_loss_is_a_gain_and_a_single_tree_loses_nothing() -> None:
    edges, roots = tree_losses(forest([-0.3, -0.9, -1.5]))
    assert (edges <= 0).all() and (roots <= 0).all()
    alone = tree_losses(forest_from_trees([Tree.fromstring(TREES[0])])[1])
    np.testing.assert_allclose(np.concatenate(alone), 0.0, atol=1e-12)
