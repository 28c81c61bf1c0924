"""The k best alignments are those that an enumeration of all derivations finds."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forest_align.aligners.forest._k_best_alignments import k_best
from forest_align.cext import alignment
from forest_align.cext.alignment_arrays import AlignmentArrays, BaseArrays, SearchOptions, SideArrays

from ...cext import alignment_cases as cases
from ...cext.alignment_cases import OPTIONS
from .derivations import hanging, nested, supported


def packed(seed: int) -> tuple[cases.Case, SearchOptions, AlignmentArrays]:
    """A random pair of small trees, options, and all its alignments, packed: nothing is pruned."""
    case = cases.random_case(seed, 5, 1, density=0.35)
    options = OPTIONS._replace(
        null_penalty=1.2,
        noncompositional_penalty=0.7,
        generation_gap=3,
        single_support=seed % 2 == 0,
        beam=10**9,
        opened_supports=10**9,
        max_items=10**9,
        packed=True,
    )
    return case, options, alignment.align(*case, options)


@settings(derandomize=True)
@given(seed=st.integers(0, 10**6))
def test_k_best_are_the_best_of_all_derivations(seed: int) -> None:
    case, options, found = packed(seed)
    got = list(k_best(found, case.source.edges, case.target.edges, 10))
    scores = [one.log_score for one in got]
    assert scores == pytest.approx(cases.best_scores(case, options)[: len(scores)])
    assert len(scores) == min(10, len(cases.best_scores(case, options)))
    if got:
        for name in (
            *("source", "target", "kind", "parent", "absorbed", "log_posterior"),
            *("source_edges", "target_edges", "source_nulls", "target_nulls"),
        ):
            assert np.array_equal(getattr(got[0], name), getattr(found, name)), name


@settings(derandomize=True)
@given(seed=st.integers(0, 10**6))
def test_every_derivation_has_the_pairs_the_paths_and_the_nulls_of_one_that_was_enumerated(seed: int) -> None:
    case, options, found = packed(seed)
    wanted = sorted(cases.all_alignments(case, options), key=lambda one: -one.score)
    sides = [(side.start, side.end, side.edges) for side in (case.source, case.target)]
    posteriors: dict[tuple[int, int], float] = {}
    seen = set()
    for got, explicit in zip(k_best(found, case.source.edges, case.target.edges, 40), wanted, strict=False):
        if explicit.score < wanted[0].score - 19:
            break  # supports that are worse than others by a factor of e^20 are pruned
        assert got.log_score == pytest.approx(explicit.score)
        # Equally good ones come in any order, each once.
        key = nested(got, 0)
        equal = [one for one in wanted if abs(one.score - got.log_score) < 1e-9 and one.key() == key]
        assert len(equal) == 1 and key not in seen
        seen.add(key)
        nodes = np.stack([got.source, got.target])
        for side, edges, nulls in (
            (0, got.source_edges, got.source_nulls),
            (1, got.target_edges, got.target_nulls),
        ):
            paths = [hanging(sides[side], *supported(got, side, top)) for top in range(len(got.kind))]
            assert edges.tolist() == sorted(edge for used, _ in paths for edge in used)
            assert nulls.tolist() == sorted(node for _, unaligned in paths for node in unaligned)
        shown = nodes[:, ~got.absorbed]
        assert all(len(set(mine)) == len(mine) for mine in shown.tolist()), "a node is aligned twice"
        above = nodes[:, got.parent[1:]] == nodes[:, 1:]
        assert np.array_equal(got.absorbed[1:], above.any(axis=0)) and not got.absorbed[0]
        for pair, log_posterior in zip(nodes.T.tolist(), got.log_posterior.tolist(), strict=True):
            assert posteriors.setdefault((pair[0], pair[1]), log_posterior) == log_posterior
    # Those of pairs that the best derivation has not count as well.
    if posteriors:
        _, _, shares = cases.brute_force(case, options)
        expected = [shares[pair] for pair in posteriors]
        assert np.exp([*posteriors.values()]) == pytest.approx(expected, abs=1e-7)


def test_a_derivation_that_two_others_lead_to_comes_once() -> None:
    """Both halves of a sentence have several derivations, so that their second best are reached twice."""
    edges = np.array([[4, 0, 1], [5, 2, 3], [6, 4, 5]], np.int32)
    start, end = np.array([[0, 1, 2, 3, 0, 2, 0], [1, 2, 3, 4, 2, 4, 4]], np.int32)
    rng = np.random.default_rng(0)
    words = np.arange(4, dtype=np.int32)
    side = SideArrays(start, end, edges, np.array([6], np.int32), -rng.random(7))
    log_pair = -rng.random((7, 7))
    base = BaseArrays(np.repeat(words, 4), np.tile(words, 4), -rng.random(16))
    case = cases.Case(side, side, log_pair, base)
    options = OPTIONS._replace(
        generation_gap=3, noncompositional=False, single_support=False, beam=10**9, packed=True
    )
    found = alignment.align(*case, options)
    got = list(k_best(found, edges, edges))
    assert [one.log_score for one in got] == pytest.approx(cases.best_scores(case, options))
    assert len({nested(one, 0) for one in got}) == len(got) > 50


def test_the_packed_forest_is_needed() -> None:
    case = cases.random_case(1, 4, 1)
    with pytest.raises(ValueError, match="packed"):
        k_best(alignment.align(*case, OPTIONS), case.source.edges, case.target.edges)


def test_derivations_may_be_deeper_than_python_recurses() -> None:
    """Two trees of as many levels as words."""
    length = sys.getrecursionlimit()
    leaves = np.arange(length, dtype=np.int32)
    start, end = np.append(leaves, 0 * leaves[1:]), np.append(leaves + 1, leaves[1:] + 1)
    edges = np.array([[length + k, length + k - 1 if k else 0, k + 1] for k in range(length - 1)], np.int32)
    nodes = len(start)
    root = np.array([nodes - 1], np.int32)
    side = SideArrays(start, end, edges, root, np.full(nodes, -1.0))
    base = BaseArrays(leaves, leaves, np.zeros(length))
    options = OPTIONS._replace(noncompositional=False, beam=2, packed=True)
    found = alignment.align(side, side, np.zeros((nodes, nodes)), base, options)
    best, second = k_best(found, edges, edges, 2)
    assert np.array_equal(best.source, found.source) and best.log_score == found.log_score
    assert second.log_score <= best.log_score and len(second.source) < len(best.source)
