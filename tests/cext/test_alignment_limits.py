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
from forest_align.cext.alignment_result import MOST_NODES

from .test_alignment import ALIGNERS, case_of

TOO_LARGE = {"beam": 2**31, "generation_gap": 101, "opened_supports": 2**31, "max_items": 10**12}


def chain(words: int) -> tuple[np.ndarray, ...]:
    """A tree that branches to the right, as the kernel takes it: the leaves, then their ancestors upwards."""
    leaves, inner = np.arange(words), np.arange(words - 2, -1, -1)
    start = np.concatenate([leaves, inner]).astype(np.int32)
    end = np.concatenate([leaves + 1, np.full(words - 1, words)]).astype(np.int32)
    nodes = np.arange(2 * words - 1, dtype=np.int32)
    parents = nodes[words:]
    right = np.where(parents == words, words - 1, parents - 1)
    edges = np.stack([parents, start[words:], right], 1).astype(np.int32)
    return start, end, edges, nodes[-1:], np.zeros(len(nodes)), np.full(len(nodes), -0.1), nodes


def one_to_one(words: int) -> tuple[Any, ...]:
    """Two such trees of which each word is linked to the one at the same place."""
    side, leaves = chain(words), np.arange(words, dtype=np.int32)
    log_pair = np.full((2 * words - 1, 2 * words - 1), -1.0)
    return (*side, *side, log_pair, leaves, leaves, np.zeros(words))


@pytest.mark.parametrize(
    ("position", "value", "message"),
    [
        (1, np.zeros(3, np.int32), "one value a node"),
        (0, np.full(9, 0.5), "whole numbers"),
        (15, np.array([999], np.int32), "base"),
        (15, np.array([0.5]), "whole numbers"),
        (14, np.full((40, 40), np.nan), "NaN"),
        (14, np.full((40, 40), np.inf), "infinity"),
        (14, np.zeros((1, 1)), "row and a column"),
        (3, np.array([999], np.int32), "roots"),
        (5, np.full(9, np.inf), "probabilities"),
        (17, np.full(5, np.nan), "NaN"),
    ],
)
def test_wrong_arrays_are_refused(position: int, value: np.ndarray, message: str) -> None:
    case = list(one_to_one(5))
    case[position] = value
    if position == 15:
        case[16:] = [np.array([0], np.int32), np.array([0.0])]
    with pytest.raises(ValueError, match=message):
        alignment.align(*case)


@pytest.mark.parametrize(
    ("node", "start", "end"),
    [(0, 0, 2), (0, 0, 1000), (4, 4, 10**6), (2, 1, 3), (0, -1, 1), (5, 2, 5), (8, 0, 4)],
)
def test_spans_that_contradict_the_hyperedges_are_refused(node: int, start: int, end: int) -> None:
    case = list(one_to_one(5))
    case[0], case[1] = case[0].copy(), case[1].copy()
    case[0][node], case[1][node] = start, end
    with pytest.raises(ValueError, match=r"span|edges"):
        alignment.align(*case)


def test_whole_numbers_that_do_not_fit_are_refused_and_others_of_any_size_taken() -> None:
    case = list(one_to_one(5))
    expected = alignment.align(*case).log_score
    edges = case[2].astype(np.int64)
    case[2] = edges
    assert alignment.align(*case).log_score == expected
    case[2] = edges + 2**32
    with pytest.raises(ValueError, match="32 bits"):
        alignment.align(*case)


@pytest.mark.parametrize(
    "options",
    [
        {"beam": 0},
        {"generation_gap": 0},
        {"opened_supports": -1},
        {"max_items": 0},
        *({name: value} for name, value in TOO_LARGE.items()),
        {"generation_gap": 2**31 - 1},
        {"parser_weight": 2.0},
        {"null_penalty": float("nan")},
        {"temperature": 0.0},
        {"temperature": float("inf")},
    ],
)
def test_options_out_of_range_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(options))):
        alignment.align(*case_of(1, 4, 1), **options)


@pytest.mark.parametrize("name", TOO_LARGE)
def test_whole_numbers_are_not_cut_off(name: str) -> None:
    with pytest.raises(TypeError):
        alignment.align(*case_of(1, 4, 1), **{name: 2.5})


def test_options_may_be_as_large_as_they_can() -> None:
    case = case_of(4, 9, 3, 0.7)
    found = alignment.align(*case, **{name: value - 1 for name, value in TOO_LARGE.items() if value < 10**12})
    assert (
        found.log_score
        == alignment.align(*case, beam=10**6, generation_gap=50, opened_supports=10**6).log_score
    )


@pytest.mark.parametrize("align", ALIGNERS.values(), ids=ALIGNERS)
@pytest.mark.parametrize("count_all_nulls", [False, True])
def test_what_has_no_probability_is_not_aligned(align: Any, count_all_nulls: bool) -> None:
    for seed in range(20):
        case = list(case_of(seed, 7, 2))
        case[14] = np.full_like(case[14], -math.inf)
        found = align(*case, count_all_nulls=count_all_nulls)
        assert not found.root_aligned and found.item_count == 0


def test_pairs_of_some_probability_are_aligned_where_others_have_none() -> None:
    aligned = 0
    for seed in range(100):
        case = list(case_of(seed, 9, 3, 0.7))
        impossible = np.random.default_rng(seed).random(case[14].shape) < 0.2
        case[14] = np.where(impossible, -math.inf, case[14])
        found = alignment.align(*case, count_all_nulls=seed % 2 == 0)
        aligned += found.root_aligned
        assert np.isfinite(found.log_score) and np.isfinite(found.log_posterior).all()
        assert not np.isinf(case[14][case[6][found.source], case[13][found.target]]).any()
    assert aligned > 50


def test_penalties_without_bound_leave_what_has_no_nulls() -> None:
    found = alignment.align(*one_to_one(5), null_penalty=1000.0, count_all_nulls=True)
    assert found.root_aligned and len(found.source) == 9
    case = list(one_to_one(5))
    case[15:] = [values[1:] for values in case[15:]]  # the first words are null
    found = alignment.align(*case, null_penalty=1000.0, count_all_nulls=True)
    assert not found.root_aligned and np.isfinite(found.log_score)


@pytest.mark.parametrize("align", ALIGNERS.values(), ids=ALIGNERS)
def test_a_merged_set_may_have_192_hyperedges_of_a_forest(align: Any) -> None:
    # Source: (0 1) 2. Target: a chain of which the first two words and the last one are linked. The last lies
    # in what is null beside the second, so that the set has all hyperedges from the root down to it.
    source = list(chain(3))
    source[0], source[1] = np.array([0, 1, 2, 0, 0], np.int32), np.array([1, 2, 3, 2, 3], np.int32)
    source[2] = np.array([[3, 0, 1], [4, 3, 2]], np.int32)
    for edges, fits in ((192, True), (193, False)):
        words = edges + 1
        case = (
            *source, *chain(words), np.full((5, 2 * words - 1), -1.0),
            np.arange(3, dtype=np.int32), np.array([0, 1, words - 1], np.int32), np.zeros(3),
        )  # fmt: skip
        found = align(*case, allow_single_support=False, null_penalty=0.1)
        assert found.root_aligned == fits
        if fits:
            assert len(found.target_edges) == edges and found.kind[0] == 2


def test_forests_of_too_many_nodes_are_refused() -> None:
    words = MOST_NODES // 2 + 1
    large, small = chain(words), chain(2)
    base = np.array([0], np.int32), np.array([0], np.int32), np.array([0.0])
    table = np.zeros((3, 2 * words - 1))
    with pytest.raises(ValueError, match=f"target: expected a forest of at most {MOST_NODES} nodes"):
        alignment.align(*small, *large, table, *base)
    with pytest.raises(ValueError, match=f"source: expected a forest of at most {MOST_NODES} nodes"):
        alignment.align(*large, *small, table.T, *base)


# Goes on where the two functions above end.
SCARCE = """
import resource
from pathlib import Path

from forest_align.cext import alignment

large, small = one_to_one(500), one_to_one(9)
expected = alignment.align(*small).log_score
outcomes = []
for mebibytes in range(2, 66, 6):
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    bounds = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + mebibytes * 2**20, bounds[1]))
    try:
        alignment.align(*large, packed=True)
        outcomes.append("found")
    except MemoryError:
        outcomes.append("refused")
    resource.setrlimit(resource.RLIMIT_AS, bounds)
    assert alignment.align(*small).log_score == expected
print(outcomes[0], outcomes.count("refused") > 3)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the limit of memory is that of Linux")
def test_memory_that_cannot_be_had_ends_the_search_not_the_process() -> None:
    code = "\n".join(
        ["from typing import Any", "import numpy as np", *map(inspect.getsource, (chain, one_to_one)), SCARCE]
    )
    run = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout.split(), run.stderr) == (0, ["refused", "True"], "")
