"""The score of an alignment is the sum of what docs/background/forest.md says is in it."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forest_align.aligners.forest import prepared_pair
from forest_align.aligners.forest._link_evidence import LinkEvidence
from forest_align.aligners.forest._tree_choice import tree_losses
from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.aligners.forest.features import forest_of
from forest_align.aligners.forest.phrase_evidence import LEAST_ODDS, MOST_ODDS, PhraseEvidence
from forest_align.aligners.forest.result import reported_derivation
from forest_align.aligners.words.candidate import Candidate
from forest_align.cext.alignment_arrays import BASE, NONCOMPOSITIONAL, BaseArrays, SideArrays
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.parsing import sentence_from_bracket, sentence_from_n_best
from forest_align.types import ParseForest, Sentence

from ...cext import alignment_cases as cases
from ...cext.test_alignment import ALIGNERS, UNLIMITED
from ..random_sentences import random_pair
from .derivations import hanging, supported


@pytest.fixture(scope="module")
def aligner() -> ForestAligner:
    return ForestAligner.load("forest", lexicon=load_lexicon())


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
    arrays, base = chosen.search(source, target, candidates, phrases)
    if not arrays.root_aligned:
        return
    forests = source.forest, target.forest
    assert forests[0] is not None and forests[1] is not None
    features = chosen.features(source, target, candidates)
    log_pair, *log_null = model.log_probabilities(features)
    classes = features.source.class_of_node, features.target.class_of_node
    agreed, *untouched = LinkEvidence.of(candidates, len(source), len(target)).log_consistent(
        forests[0], forests[1]
    )
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
            assert forest is not None
            _, nulls = hanging((forest.start, forest.end, edges), *supported(arrays, side, top))
            words += sum(int(forest.end[node] - forest.start[node]) for node in nulls)
            wanted += log_null[side][classes[side][nulls]].sum()
            wanted += options.link_weight * untouched[side][nulls].sum()
        penalty = options.noncompositional_penalty if kind == NONCOMPOSITIONAL else 0.0
        wanted -= (words + penalty + 1) ** options.null_penalty
    trees = reported_derivation((forests[0], forests[1]), arrays, base, candidates, options).trees
    for forest, tree in zip(forests, trees, strict=True):
        assert forest is not None
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
        found = pair.align(*model.log_probabilities(features), options)
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
    assert found.root_aligned == math.isfinite(best)
    if found.root_aligned:
        assert (found.log_score, found.log_total) == pytest.approx((best, total))


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
        found = ForestAligner(model, lexicon=aligner.lexicon).align_candidates(source, target, candidates)
        trees.append(found.source_tree)
        scores.append(found.log_probability)
    assert scores[1] == pytest.approx(scores[0], abs=1e-6)
    assert trees[:2] == [low, low]
    assert trees[3] == high
    assert len(set(scores[1:])) == 3
