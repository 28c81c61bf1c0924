"""The alignment kernel against what knows nothing of how it works: enumeration, rescoring, cases by hand."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from forest_align.cext import alignment
from forest_align.cext.alignment_arrays import BaseArrays, SideArrays

from . import alignment_cases as cases
from .alignment_cases import OPTIONS, Case
from .alignment_rescoring import rescore
from .test_alignment import ALIGNERS, UNLIMITED, assert_same, case_of, many, search_options, weighted


@many(100)
@given(seed=st.integers(0, 10**6))
def test_on_trees_the_best_derivation_is_that_of_all_alignments(seed: int) -> None:
    case, options = weighted(seed, case_of(seed, 6, 1, 0.35)), search_options(seed)
    found = alignment.align(*case, options._replace(**UNLIMITED))
    whole = cases.all_alignments(case, options)
    assert found.root_aligned == bool(whole)
    if whole:
        best = max(whole, key=lambda explicit: explicit.score)
        assert found.log_score == pytest.approx(best.score)
        assert set(zip(found.source.tolist(), found.target.tolist(), strict=True)) == cases.pairs_of(best)


@many(60)
@given(seed=st.integers(0, 10**6))
def test_on_forests_sum_and_posteriors_are_those_of_all_monotonic_alignments(seed: int) -> None:
    case = weighted(seed, case_of(seed, 4, 3).scaled(0.3))
    options = search_options(seed)._replace(
        noncompositional=False, null_penalty=0.5, temperature=(1.0, 0.6, 4.0)[seed // 6 % 3]
    )
    found = alignment.align(*case, options._replace(**UNLIMITED, packed=True))
    whole = cases.all_alignments(case, options)
    assert found.root_aligned == bool(whole)
    if not whole:
        return
    assume(cases.spread(whole) < 20)
    _, total, posteriors = cases.brute_force(case, options)
    assert found.log_total == pytest.approx(total)
    pooled: dict[Any, float] = {}
    for place, value in posteriors.items():
        pooled[spans(case, *place)] = pooled.get(spans(case, *place), 0.0) + value
    for s, t, value in zip(found.item_source, found.item_target, found.item_log_posterior, strict=True):
        assert math.exp(value) == pytest.approx(pooled.get(spans(case, s, t), 0.0), abs=1e-6)
    assert found.log_score == pytest.approx(max(one.score for one in whole))


def spans(case: Case, source: int, target: int) -> tuple[int, ...]:
    one, two = case.source, case.target
    return one.start[source], one.end[source], two.start[target], two.end[target]


@many(100)
@given(seed=st.integers(0, 10**6))
def test_counting_all_nulls_gives_one_of_all_alignments(seed: int) -> None:
    # Not always the best one: each pair keeps the count of its best support.
    case = case_of(seed, 5, 1, 0.35)
    options = search_options(seed)._replace(null_penalty=0.8, count_all_nulls=True)
    found = alignment.align(*case, options._replace(**UNLIMITED))
    scores = {
        (frozenset(cases.pairs_of(one)), round(one.score, 6))
        for one in cases.all_alignments(case, options, merge_all=True)
    }
    assert found.root_aligned == bool(scores)
    if scores:
        pairs = frozenset(zip(found.source.tolist(), found.target.tolist(), strict=True))
        assert (pairs, round(found.log_score, 6)) in scores


@many(400)
@given(seed=st.integers(0, 10**6))
def test_the_arrays_of_a_derivation_give_its_score(seed: int) -> None:
    rng = random.Random(seed)
    case = case_of(seed, rng.choice([5, 9, 13]), rng.choice([1, 3, 6]), rng.choice([0.1, 0.3, 0.7]))
    options = OPTIONS._replace(
        null_penalty=rng.choice([0.5, 1, 1.3]),
        noncompositional_penalty=rng.random(),
        generation_gap=rng.randint(1, 6),
        single_support=rng.random() < 0.4,
        beam=rng.choice([5, 50]),
        opened_supports=rng.choice([1, 3]),
        count_all_nulls=rng.random() < 0.3,
    )
    case = weighted(seed, case)
    found = alignment.align(*case, options)
    assert rescore(case, options, found) == pytest.approx(found.log_score)


def test_cases_to_rescore_are_of_every_kind() -> None:
    found = [
        alignment.align(*case_of(seed, 9, 3), OPTIONS._replace(single_support=seed % 4 == 0))
        for seed in range(80)
    ]
    kinds = [{*one.kind.tolist(), -1 - one.root_aligned} for one in found]
    counts = {kind: sum(kind in one for one in kinds) for kind in (0, 1, 2, 3, -1, -2)}
    assert min(counts.values()) >= 8, counts


@many(200)
@given(seed=st.integers(0, 10**6))
def test_no_pair_has_a_support_twice(seed: int) -> None:
    rng = random.Random(seed)
    case = case_of(seed, rng.choice([7, 10]), rng.choice([1, 3, 5]), 0.6)
    options = OPTIONS._replace(
        generation_gap=rng.randint(2, 5),
        opened_supports=16,
        null_penalty=0.5,
        single_support=seed % 3 == 0,
        packed=True,
    )
    found = alignment.align(*case, options)
    packed = found.packed
    assert packed is not None
    lists = [
        (first, getattr(packed, name))
        for first, name in (
            (packed.first_member, "members"),
            (packed.first_source_edge, "source_edges"),
            (packed.first_target_edge, "target_edges"),
        )
    ]
    for item in range(len(found.item_source)):
        numbers = range(packed.first_support[item], packed.first_support[item + 1])
        keys = [
            tuple(tuple(values[first[number] : first[number + 1]].tolist()) for first, values in lists)
            for number in numbers
            if packed.support_kind[number] != 0  # base pairs may be given twice
        ]
        assert len(set(keys)) == len(keys)


@many(150)
@given(seed=st.integers(0, 10**6))
def test_partial_alignments_stand_in_one_tree_of_each_forest(seed: int) -> None:
    rng = random.Random(seed)
    case = case_of(seed, rng.choice([4, 7]), rng.choice([2, 4]), rng.choice([0.1, 0.2, 0.4]))
    options = OPTIONS._replace(
        single_support=False, generation_gap=rng.randint(1, 3), beam=rng.choice([1, 2, 5]), packed=True
    )
    results = [align(*case, options) for align in ALIGNERS.values()]
    assert_same(*results)
    found = results[0]
    tops = found.parent == -1
    for side, nodes in ((case.source, found.source[tops]), (case.target, found.target[tops])):
        assert any({*nodes.tolist()} <= nodes_of(tree) for tree in cases.all_trees(side))


def nodes_of(tree: dict[int, tuple[int, int]]) -> set[int]:
    """All nodes of a tree, see :func:`alignment_cases.all_trees`."""
    return {child for pair in tree.values() for child in pair}


@pytest.mark.parametrize("align", ALIGNERS.values(), ids=ALIGNERS)
def test_partial_alignments_of_two_trees_are_not_put_together(align: Any) -> None:
    # ((0 1) 2) 3 and 0 (1 (2 3)): the nodes over 0 1 and over 2 3 are in no tree together.
    spans = [(0, 1), (1, 2), (2, 3), (3, 4), (0, 2), (2, 4), (0, 3), (1, 4), (0, 4)]
    edges = [(4, 0, 1), (5, 2, 3), (6, 4, 2), (7, 1, 5), (8, 0, 7), (8, 6, 3)]
    start, end = np.array(spans, np.int32).T.copy()
    side = SideArrays(start, end, np.array(edges, np.int32), np.array([8], np.int32), np.full(9, -1.0))
    base = BaseArrays(np.array([4, 5], np.int32), np.array([0, 1], np.int32), np.array([0.0, -0.5]))
    alignment = align(side, side, np.zeros((9, 9)), base, OPTIONS._replace(single_support=False))
    assert not alignment.root_aligned
    assert (alignment.source.tolist(), alignment.target.tolist()) == ([4], [0])


@many(150)
@given(seed=st.integers(0, 10**6))
def test_kernel_and_reference_choose_the_same_of_equals(seed: int) -> None:
    rng = random.Random(seed)
    case = case_of(seed, rng.choice([4, 7]), rng.choice([1, 3]), 0.7)
    source, target = (
        side._replace(log_null=np.full_like(side.log_null, -0.5)) for side in (case.source, case.target)
    )
    base = case.base._replace(log_prior=np.zeros_like(case.base.log_prior))
    case = Case(source, target, np.full_like(case.log_pair, -1.0), base)
    options = OPTIONS._replace(
        null_penalty=1,
        beam=rng.choice([1, 2, 5]),
        generation_gap=rng.randint(1, 4),
        opened_supports=rng.choice([1, 3]),
        single_support=rng.random() < 0.5,
        count_all_nulls=rng.random() < 0.3,
        packed=True,
    )
    one, two = (align(*case, options) for align in ALIGNERS.values())
    assert_same(one, two)
    assert one.packed is not None and two.packed is not None
    for name, value, other in zip(one.packed._fields, one.packed, two.packed, strict=True):
        assert value == pytest.approx(other), name


@pytest.mark.parametrize("align", ALIGNERS.values(), ids=ALIGNERS)
def test_of_equal_pairs_the_one_with_the_lower_target_node_is_kept(align: Any) -> None:
    case = case_of(7, 9, 1, 0.9)
    leaves = np.flatnonzero(case.target.end - case.target.start == 1)[::-1].astype(np.int32)
    assert len(leaves) > 2
    base = BaseArrays(np.zeros(len(leaves), np.int32), leaves, np.zeros(len(leaves)))
    case = case._replace(log_pair=np.full_like(case.log_pair, -1.0), base=base)
    alignment = align(*case, OPTIONS._replace(beam=2, single_support=False))
    kept = alignment.item_target[alignment.item_source == 0]
    assert kept.tolist() == sorted(leaves.tolist())[:2]
