"""What the alignment kernel refuses, and where it stops: wrong arrays, options, sizes, memory."""

from __future__ import annotations

import inspect
import math
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from forest_align.cext import alignment
from forest_align.cext.alignment_arrays import MOST_NODES, BaseArrays, SideArrays

from .alignment_cases import OPTIONS
from .test_alignment import ALIGNERS, case_of

TOO_LARGE = {"beam": 2**31, "generation_gap": 101, "opened_supports": 2**31, "max_items": 10**12}


def chain(words: int) -> SideArrays:
    """A tree that branches to the right, as the kernel takes it: the leaves, then their ancestors upwards."""
    leaves, inner = np.arange(words), np.arange(words - 2, -1, -1)
    start = np.concatenate([leaves, inner]).astype(np.int32)
    end = np.concatenate([leaves + 1, np.full(words - 1, words)]).astype(np.int32)
    nodes = np.arange(2 * words - 1, dtype=np.int32)
    parents = nodes[words:]
    right = np.where(parents == words, words - 1, parents - 1)
    edges = np.stack([parents, start[words:], right], 1).astype(np.int32)
    return SideArrays(start, end, edges, nodes[-1:], np.full(len(nodes), -0.1))


def one_to_one(words: int) -> tuple[SideArrays, SideArrays, np.ndarray, BaseArrays]:
    """Two such trees of which each word is linked to the one at the same place."""
    side, leaves = chain(words), np.arange(words, dtype=np.int32)
    log_pair = np.full((2 * words - 1, 2 * words - 1), -1.0)
    return side, side, log_pair, BaseArrays(leaves, leaves, np.zeros(words))


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("end", np.zeros(3, np.int32), "one value a node"),
        ("start", np.full(9, 0.5), "whole numbers"),
        ("edges", [[5, 3]], r"one value a node .* edges of shape \(1, 2\)"),
        ("roots", np.array([999], np.int32), "roots"),
        ("log_null", np.full(9, np.inf), "probabilities"),
        ("log_null", np.full(9, 1e7), "probabilities"),
        ("log_edge", np.full(4, -1e300), "at most 0"),
        ("log_edge", np.full(4, 0.1), "at most 0"),
        ("log_edge", np.zeros(3), "a weight for each"),
    ],
)
def test_wrong_arrays_of_a_side_are_refused(field: str, value: Any, message: str) -> None:
    source, target, log_pair, base = one_to_one(5)
    wrong = source._replace(**{field: value})
    for name, sides in (("source", (wrong, target)), ("target", (source, wrong))):
        with pytest.raises(ValueError, match=f"{name}: .*{message}"):
            alignment.align(*sides, log_pair, base, OPTIONS)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (np.full((9, 9), np.nan), "found nan"),
        (np.full((9, 9), np.inf), "found inf"),
        (np.full((9, 9), 1e308), "finite ones within ±1000000, found 1e"),
        (np.full((9, 9), -1e308), "finite ones within ±1000000, found -1e"),
        (np.zeros((9, 8)), "row and a column"),
        (np.zeros((10, 9)), "row and a column"),
        ([[0.0]], r"row and a column .* found shape \(1, 1\)"),
    ],
)
def test_wrong_probabilities_of_pairs_are_refused(table: Any, message: str) -> None:
    source, target, _, base = one_to_one(5)
    with pytest.raises(ValueError, match=message):
        alignment.align(source, target, table, base, OPTIONS)


@pytest.mark.parametrize(
    ("base", "message"),
    [
        (([999], [0], [0.0]), "base pairs of existing nodes"),
        (([0], [-1], [0.0]), "base pairs of existing nodes"),
        (([0.5], [0], [0.0]), "whole numbers"),
        (([0], [0], [np.nan]), "found nan"),
        (([0], [0], [1e7]), "found 10000000"),
        (([0], [0], [0.0, 0.0]), "as many base sources"),
    ],
)
def test_wrong_base_pairs_are_refused(base: tuple[list[float], ...], message: str) -> None:
    source, target, log_pair, _ = one_to_one(5)
    with pytest.raises(ValueError, match=message):
        alignment.align(source, target, log_pair, BaseArrays(*map(np.array, base)), OPTIONS)


@pytest.mark.parametrize(
    ("node", "start", "end"),
    [(0, 0, 2), (0, 0, 1000), (4, 4, 10**6), (2, 1, 3), (0, -1, 1), (5, 2, 5), (8, 0, 4)],
)
def test_spans_that_contradict_the_hyperedges_are_refused(node: int, start: int, end: int) -> None:
    source, *rest = one_to_one(5)
    wrong = source._replace(start=source.start.copy(), end=source.end.copy())
    wrong.start[node], wrong.end[node] = start, end
    with pytest.raises(ValueError, match=r"span|edges"):
        alignment.align(wrong, *rest, OPTIONS)


def test_spans_beyond_the_words_are_refused() -> None:
    # The penalties of as many words as the span has took 32 GiB.
    one = SideArrays(
        np.array([0], np.int32), np.array([2**31 - 1], np.int32), np.zeros((0, 3), np.int32),
        np.array([0], np.int32), np.zeros(1),
    )  # fmt: skip
    base = BaseArrays(np.zeros(1, np.int32), np.zeros(1, np.int32), np.zeros(1))
    with pytest.raises(ValueError, match="source: expected a span within the words"):
        alignment.align(one, one, np.zeros((1, 1)), base, OPTIONS)
    word = one._replace(end=np.array([1], np.int32))
    assert alignment.align(word, word, np.zeros((1, 1)), base, OPTIONS).root_aligned


def test_whole_numbers_that_do_not_fit_are_refused_and_others_of_any_size_taken() -> None:
    source, *rest = one_to_one(5)
    expected = alignment.align(source, *rest, OPTIONS).log_score
    edges = source.edges.astype(np.int64)
    assert alignment.align(source._replace(edges=edges), *rest, OPTIONS).log_score == expected
    with pytest.raises(ValueError, match="32 bits"):
        alignment.align(source._replace(edges=edges + 2**32), *rest, OPTIONS)


@pytest.mark.parametrize(
    "options",
    [
        {"beam": 0},
        {"generation_gap": 0},
        {"opened_supports": -1},
        {"max_items": 0},
        *({name: value} for name, value in TOO_LARGE.items()),
        {"generation_gap": 2**31 - 1},
        {"null_penalty": float("nan")},
        {"temperature": 0.0},
        {"temperature": 5e-324},
        {"temperature": float("inf")},
    ],
)
def test_options_out_of_range_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(options))):
        alignment.align(*case_of(1, 4, 1), OPTIONS._replace(**options))


@pytest.mark.parametrize("name", TOO_LARGE)
def test_whole_numbers_are_not_cut_off(name: str) -> None:
    with pytest.raises(TypeError):
        alignment.align(*case_of(1, 4, 1), OPTIONS._replace(**{name: 2.5}))


def test_options_may_be_as_large_as_they_can() -> None:
    case = case_of(4, 9, 3, 0.7)
    largest = {name: value - 1 for name, value in TOO_LARGE.items() if value < 10**12}
    large = OPTIONS._replace(beam=10**6, generation_gap=50, opened_supports=10**6)
    found, expected = (alignment.align(*case, one) for one in (OPTIONS._replace(**largest), large))
    assert found.log_score == expected.log_score


@pytest.mark.parametrize("align", ALIGNERS.values(), ids=ALIGNERS)
@pytest.mark.parametrize("count_all_nulls", [False, True])
def test_what_has_no_probability_is_not_aligned(align: Any, count_all_nulls: bool) -> None:
    for seed in range(20):
        case = case_of(seed, 7, 2)
        case = case._replace(log_pair=np.full_like(case.log_pair, -math.inf))
        alignment = align(*case, OPTIONS._replace(count_all_nulls=count_all_nulls))
        assert not alignment.root_aligned and len(alignment.item_source) == 0


def test_pairs_of_some_probability_are_aligned_where_others_have_none() -> None:
    aligned = 0
    for seed in range(100):
        case = case_of(seed, 9, 3, 0.7)
        impossible = np.random.default_rng(seed).random(case.log_pair.shape) < 0.2
        case = case._replace(log_pair=np.where(impossible, -math.inf, case.log_pair))
        found = alignment.align(*case, OPTIONS._replace(count_all_nulls=seed % 2 == 0))
        aligned += found.root_aligned
        assert np.isfinite(found.log_score) and np.isfinite(found.log_posterior).all()
        assert not np.isinf(case.log_pair[found.source, found.target]).any()
    assert aligned > 50


def test_penalties_without_bound_leave_what_has_no_nulls() -> None:
    options = OPTIONS._replace(null_penalty=1000.0, count_all_nulls=True)
    source, target, log_pair, base = one_to_one(5)
    found = alignment.align(source, target, log_pair, base, options)
    assert found.root_aligned and len(found.source) == 9
    # The first words are null.
    rest = BaseArrays(*(values[1:] for values in base))
    found = alignment.align(source, target, log_pair, rest, options)
    assert not found.root_aligned and np.isfinite(found.log_score)


@pytest.mark.parametrize("align", ALIGNERS.values(), ids=ALIGNERS)
def test_a_merged_set_may_have_192_hyperedges_of_a_forest(align: Any) -> None:
    # Source: (0 1) 2. Target: a chain of which the first two words and the last one are linked. The last lies
    # in what is null beside the second, so that the set has all hyperedges from the root down to it.
    source = chain(3)._replace(
        start=np.array([0, 1, 2, 0, 0], np.int32),
        end=np.array([1, 2, 3, 2, 3], np.int32),
        edges=np.array([[3, 0, 1], [4, 3, 2]], np.int32),
    )
    options = OPTIONS._replace(single_support=False, null_penalty=0.1)
    for edges, fits in ((192, True), (193, False)):
        words = edges + 1
        base = BaseArrays(np.arange(3, dtype=np.int32), np.array([0, 1, words - 1], np.int32), np.zeros(3))
        alignment = align(source, chain(words), np.full((5, 2 * words - 1), -1.0), base, options)
        assert alignment.root_aligned == fits
        if fits:
            assert len(alignment.target_edges) == edges and alignment.kind[0] == 2


def test_forests_of_too_many_nodes_are_refused() -> None:
    words = MOST_NODES // 2 + 1
    large, small = chain(words), chain(2)
    base = BaseArrays(np.array([0], np.int32), np.array([0], np.int32), np.array([0.0]))
    table = np.zeros((3, 2 * words - 1))
    with pytest.raises(ValueError, match=f"target: expected a forest of at most {MOST_NODES} nodes"):
        alignment.align(small, large, table, base, OPTIONS)
    with pytest.raises(ValueError, match=f"source: expected a forest of at most {MOST_NODES} nodes"):
        alignment.align(large, small, table.T, base, OPTIONS)


# What the two functions that begin the script need.
IMPORTED = "from forest_align.cext.alignment_arrays import BaseArrays, SideArrays"
# Follows the two functions in the script.
SCARCE = """
import resource
from pathlib import Path

from forest_align.aligners.forest.options import ForestOptions
from forest_align.cext import alignment

options = ForestOptions().search_options()
large, small = one_to_one(500), one_to_one(9)
expected = alignment.align(*small, options).log_score
outcomes = []
for mebibytes in range(2, 66, 6):
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    bounds = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + mebibytes * 2**20, bounds[1]))
    try:
        alignment.align(*large, options._replace(packed=True))
        outcomes.append("found")
    except MemoryError:
        outcomes.append("refused")
    resource.setrlimit(resource.RLIMIT_AS, bounds)
    assert alignment.align(*small, options).log_score == expected
print(outcomes[0], outcomes.count("refused") > 3)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the limit of memory is that of Linux")
def test_memory_that_cannot_be_had_ends_the_search_not_the_process() -> None:
    code = "\n".join(["import numpy as np", IMPORTED, *map(inspect.getsource, (chain, one_to_one)), SCARCE])
    run = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout.split(), run.stderr) == (0, ["refused", "True"], "")
