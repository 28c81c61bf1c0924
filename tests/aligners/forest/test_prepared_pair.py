"""The score of an alignment is the sum of what docs/background/forest.md says is in it."""

from __future__ import annotations

import random
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forest_align.aligners.forest._link_evidence import LinkEvidence
from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.aligners.forest.result import reported_derivation
from forest_align.aligners.words.candidate import Candidate
from forest_align.cext.alignment_result import BASE, NONCOMPOSITIONAL
from forest_align.lexicon.lexicon import load_lexicon

from ..random_sentences import random_pair
from .derivations import hanging, supported


@pytest.fixture(scope="module")
def aligner() -> ForestAligner:
    return ForestAligner.load("forest", lexicon=load_lexicon())


@settings(max_examples=80, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10**6))
def test_the_score_is_the_sum_of_its_terms(aligner: ForestAligner, seed: int) -> None:
    rng = random.Random(seed)
    source, target, candidates = random_pair(rng)
    weights = {name: rng.uniform(0.2, 2.0) for name in ("candidate_weight", "link_weight", "tree_weight")}
    model = replace(aligner.model, options=replace(aligner.model.options, **weights))
    chosen, options = ForestAligner(model, lexicon=aligner.lexicon), model.options
    arrays, base = chosen.search(source, target, candidates)
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
