"""The alignment kernel against its plain-Python twin, and both against an enumeration of every alignment."""

from __future__ import annotations

import math
import os
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from forest_align.cext import alignment
from forest_align.cext.alignment_arrays import AlignmentArrays, BaseArrays, SearchOptions

from . import alignment_cases as cases
from .alignment_cases import OPTIONS, Case
from .reference import alignment_reference

# FOREST_ALIGN_NIGHTLY=20 runs twenty times as many random cases, others each time.
TIMES = int(os.environ.get("FOREST_ALIGN_NIGHTLY", "0")) or 1
NIGHTLY = "FOREST_ALIGN_NIGHTLY" in os.environ
UNLIMITED = {"beam": 10**9, "opened_supports": 10**9, "max_items": 10**9}
ALIGNERS = {"kernel": alignment.align, "reference": alignment_reference.align}


def many(count: int) -> Any:
    return settings(max_examples=count * TIMES, deadline=None, derandomize=not NIGHTLY, print_blob=NIGHTLY)


def case_of(seed: int, words: int, trees: int, density: float = 0.4) -> Case:
    return cases.random_case(seed, words, trees, labels=1 + seed % 2, density=density)


def search_options(seed: int) -> SearchOptions:
    return OPTIONS._replace(
        null_penalty=1.2,
        noncompositional_penalty=0.7,
        generation_gap=2 + seed % 3,
        single_support=seed % 2 == 0,
    )


@pytest.mark.parametrize("name", ALIGNERS)
@many(250)
@given(seed=st.integers(0, 10**6))
def test_on_trees_sum_and_posteriors_are_those_of_all_alignments(name: str, seed: int) -> None:
    # Hopeless supports are left out, of sums as well.
    options = search_options(seed)._replace(null_penalty=0.5, temperature=(1.0, 0.6, 4.0)[seed // 6 % 3])
    case = weighted(seed, case_of(seed, 6, 1, 0.35).scaled(0.3))
    assume(cases.spread(cases.all_alignments(case, options)) < 20)
    best, total, posteriors = cases.brute_force(case, options)
    found = ALIGNERS[name](*case, options._replace(**UNLIMITED, packed=True))
    assert found.root_aligned == (best > -math.inf)
    if found.root_aligned:
        assert found.log_score == pytest.approx(best)
        assert found.log_total == pytest.approx(total)
        for s, t, value in zip(found.item_source, found.item_target, found.item_log_posterior, strict=True):
            assert math.exp(value) == pytest.approx(posteriors.get((s, t), 0.0), abs=1e-6)


@many(200)
@given(seed=st.integers(0, 10**6))
def test_on_trees_the_best_score_is_that_of_all_alignments(seed: int) -> None:
    options = search_options(seed)
    case = case_of(seed, 6, 1, 0.35)
    best, _, _ = cases.brute_force(case, options)
    found = alignment.align(*case, options._replace(**UNLIMITED))
    assert found.root_aligned == (best > -math.inf)
    if found.root_aligned:
        assert found.log_score == pytest.approx(best)


@pytest.mark.parametrize("name", ALIGNERS)
@many(200)
@given(seed=st.integers(0, 10**6))
def test_on_forests_the_best_monotonic_alignment_is_the_best_of_all_pairs_of_trees(
    name: str, seed: int
) -> None:
    case = weighted(seed, case_of(seed, 5, 3))
    options = search_options(seed)._replace(noncompositional=False)
    best, _, _ = cases.brute_force(case, options)
    found = ALIGNERS[name](*case, options._replace(**UNLIMITED))
    assert found.root_aligned == (best > -math.inf)
    if found.root_aligned:
        assert found.log_score == pytest.approx(best)


@many(120)
@given(seed=st.integers(0, 10**6))
def test_on_forests_no_alignment_scores_higher_than_the_best_of_all_pairs_of_trees(seed: int) -> None:
    options = search_options(seed)
    case = case_of(seed, 5, 3)
    best, _, _ = cases.brute_force(case, options, merge_all=True)
    found = alignment.align(*case, options._replace(**UNLIMITED))
    if found.root_aligned:
        assert found.log_score <= best + 1e-9


@many(400)
@given(seed=st.integers(0, 10**6))
def test_kernel_and_reference_agree_in_everything_whatever_the_options(seed: int) -> None:
    rng = random.Random(seed)
    opened = rng.choice([0, 1, 3, 100])
    # Opening every support takes time that is exponential in the depth of the forests.
    sizes = ([4, 5, 6], [1, 2]) if opened == 100 else ([4, 7, 9], [1, 2, 4])
    case = case_of(seed, rng.choice(sizes[0]), rng.choice(sizes[1]), rng.choice([0.2, 0.4, 0.7]))
    options = SearchOptions(
        null_penalty=rng.choice([1, 1.3, 2]),
        noncompositional_penalty=rng.random(),
        beam=rng.choice([2, 5, 50]),
        generation_gap=rng.randint(1, 4),
        opened_supports=opened,
        max_items=rng.choice([10, 60, 10000]),
        noncompositional=rng.random() < 0.7,
        single_support=rng.random() < 0.5,
        count_all_nulls=rng.random() < 0.4,
        temperature=rng.choice([1, 0.5, 7.0]),
        packed=True,
    )
    case = weighted(seed, case)
    expected, tied = alignment_reference.align_noting_ties(*case, options)
    assume(not tied)
    assert_same(alignment.align(*case, options), expected)


def weighted(seed: int, case: Case) -> Case:
    """Two cases of three get random log weights of the hyperedges of both sides."""
    random = np.random.default_rng(seed)
    if seed % 3 == 0:
        return case
    source, target = (
        side._replace(log_edge=-random.exponential(size=len(side.edges)))
        for side in (case.source, case.target)
    )
    return case._replace(source=source, target=target)


def assert_same(one: AlignmentArrays, two: AlignmentArrays) -> None:
    for name, value, other in zip(one._fields, one, two, strict=True):
        if name == "packed":
            continue
        if isinstance(value, float) or name.endswith("log_posterior"):
            assert value == pytest.approx(other, abs=1e-9), name
        elif isinstance(value, np.ndarray):
            assert value.dtype == other.dtype and np.array_equal(value, other), name
        else:
            assert value == other, name
    tables = []
    for found in (one, two):
        assert found.packed is not None
        keys = zip(found.item_source.tolist(), found.item_target.tolist(), strict=True)
        numbers = found.packed.item_log_inside, found.packed.item_log_total
        tables.append(
            dict(zip(keys, zip(*(values.tolist() for values in numbers), strict=True), strict=True))
        )
    assert tables[0].keys() == tables[1].keys()
    for key, values in tables[0].items():
        assert values == pytest.approx(tables[1][key], abs=1e-9), key


@many(120)
@given(seed=st.integers(0, 10**6))
def test_the_best_supports_of_the_packed_forest_add_up_to_its_best_score(seed: int) -> None:
    found = alignment.align(*case_of(seed, 8, 3), OPTIONS._replace(packed=True))
    packed = found.packed
    assert packed is not None

    def score(item: int) -> float:
        support = packed.first_support[item]
        members = packed.members[packed.first_member[support] : packed.first_member[support + 1]]
        return float(packed.support_log_local[support]) + sum(map(score, members.tolist()))

    if found.root_aligned:
        assert score(int(packed.root_items[0])) == pytest.approx(found.log_score)


@many(120)
@given(seed=st.integers(0, 10**6), temperature=st.floats(0.3, 30))
def test_the_temperature_moves_posteriors_and_nothing_else(seed: int, temperature: float) -> None:
    case = case_of(seed, 8, 3)
    one, two = (alignment.align(*case, OPTIONS._replace(temperature=value)) for value in (1.0, temperature))
    for name, value, other in zip(one._fields, one, two, strict=True):
        if name not in ("log_total", "log_posterior", "item_log_posterior"):
            assert np.array_equal(value, other), name


def test_a_very_low_temperature_makes_the_best_alignment_certain() -> None:
    case = case_of(21, 9, 2, 0.9)
    assert alignment.align(*case, OPTIONS).log_posterior.min() < -0.1
    found = alignment.align(*case, OPTIONS._replace(temperature=1e-3))
    assert found.root_aligned and found.log_posterior == pytest.approx(0.0)


def test_identical_trees_align_node_by_node() -> None:
    side, _ = cases.random_forest(random.Random(3), 6, 1)
    leaves = np.flatnonzero(side.end - side.start == 1).astype(np.int32)
    log_pair = np.where(np.eye(len(side.start)) > 0, 0.0, -5.0)
    base = BaseArrays(leaves, leaves, np.zeros(len(leaves)))
    found = alignment.align(side, side, log_pair, base, OPTIONS)
    assert sorted(found.source.tolist()) == list(range(len(side.start)))
    assert np.array_equal(found.source, found.target)
    assert len(found.source_nulls) == len(found.target_nulls) == 0


@many(120)
@given(seed=st.integers(0, 10**6))
def test_swapped_sentences_give_the_swapped_monotonic_alignment(seed: int) -> None:
    case = case_of(seed, 7, 2)
    options = OPTIONS._replace(noncompositional=False, beam=10**9)
    one, two = alignment.align(*case, options), alignment.align(*case.swapped(), options)
    assert one.root_aligned == two.root_aligned
    if one.root_aligned:
        assert one.log_score == pytest.approx(two.log_score)


def test_no_candidates_give_an_empty_alignment() -> None:
    nothing = BaseArrays(np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0))
    found = alignment.align(*case_of(1, 4, 1)._replace(base=nothing), OPTIONS)
    assert not found.root_aligned and len(found.source) == 0


def test_a_spent_budget_narrows_the_beam_and_says_so() -> None:
    case = case_of(4, 9, 4, 0.9)
    assert not alignment.align(*case, OPTIONS).narrowed
    found = alignment.align(*case, OPTIONS._replace(max_items=5))
    assert found.narrowed and len(found.item_source) <= len(case.source.start) + 1
