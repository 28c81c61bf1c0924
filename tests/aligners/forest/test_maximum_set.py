"""Derivations are completed to the maximum set: every pair that fits is added, and nothing else changes."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forest_align.aligners.forest._maximum_set import compositional, with_maximum_set
from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.aligners.forest.features import forest_of
from forest_align.aligners.forest.legitimacy import violations
from forest_align.aligners.forest.result import reported_derivation
from forest_align.cext.alignment_arrays import BASE, AlignmentArrays
from forest_align.lexicon.lexicon import load_lexicon

from ..random_sentences import random_pair


@pytest.fixture(scope="module", params=["forest", "forest-published"])
def aligner(request: pytest.FixtureRequest) -> ForestAligner:
    return ForestAligner.load(request.param, lexicon=load_lexicon())


def pairs_of(arrays: AlignmentArrays) -> list[tuple[int, int, bool]]:
    whole = compositional(arrays)
    return [
        (int(arrays.source[place]), int(arrays.target[place]), bool(whole[place]))
        for place in np.flatnonzero(~arrays.absorbed)
    ]


@settings(derandomize=True)
@given(seed=st.integers(0, 10**6))
def test_the_set_is_legitimate_and_maximal(aligner: ForestAligner, seed: int) -> None:
    source, target, candidates = random_pair(random.Random(seed))
    arrays, base = aligner.search(source, target, candidates)
    forests = forest_of(source), forest_of(target)
    trees = reported_derivation(forests, arrays, base, candidates, aligner.model.options).trees
    found = with_maximum_set(arrays, forests, trees, base)
    count = len(arrays.source)
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
    links = [(c.source[0], c.target[0]) for c in candidates if not c.is_group]
    assert (
        violations(*forests, *trees, pairs_of(found), root_aligned=found.root_aligned, maximum_set_of=links)
        == []
    )


def test_something_is_added_to_some_derivations(aligner: ForestAligner) -> None:
    added = []
    for seed in range(60):
        source, target, candidates = random_pair(random.Random(seed))
        arrays, base = aligner.search(source, target, candidates)
        forests = forest_of(source), forest_of(target)
        trees = reported_derivation(forests, arrays, base, candidates, aligner.model.options).trees
        found = with_maximum_set(arrays, forests, trees, base)
        added += found.kind[len(arrays.source) :].tolist()
    assert BASE in added and len({*added}) > 1
