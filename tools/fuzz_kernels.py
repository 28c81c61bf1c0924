"""Call every public function of the kernels with good and with malformed arrays, drawn with seeds.

Good arrays must give numbers other than NaN, and probabilities from 0 to 1. Malformed ones must be refused
with a ValueError, a TypeError or a MemoryError, or be taken like good ones. Anything else is a fault. Kernels
that are built with sanitizers (see ``tools/nightly.py``) end the process where they leave an array.

Example::

    python tools/fuzz_kernels.py --seconds 60
    python tools/fuzz_kernels.py --seed 1234 --cases 1     # one case again
"""

from __future__ import annotations

import argparse
import os
import pickle
import random
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from forest_align.cext import alignment, chart, contextual, encoder, semicrf, string_similarity
from forest_align.cext.alignment_arrays import BaseArrays, SearchOptions, SideArrays

REFUSALS = (ValueError, TypeError, MemoryError)
#: Probabilities may exceed 1 by rounding.
SLACK = 1e-4
#: Of 2³¹ trees that are wanted, all are found: that takes as long as it takes.
MOST_TREES = 5000
EXTREMES = (0, -1, 1, 2, 3, 9, 255, -(2**31), 2**31 - 1)
REAL_EXTREMES = (0.0, -1.0, 1e6, -1e6, 1e30, -1e30, 1e308, -1e308, 5e-324, np.nan, np.inf, -np.inf)

Arguments = list[Any]


# ------------------------------------------------------------------------------------ good arguments


def chart_scores(rng: np.random.Generator) -> Arguments:
    """Arguments of ``chart.k_best``."""
    words, labels = int(rng.integers(1, 9)), int(rng.integers(2, 6))
    scores = rng.normal(0, rng.choice([0.0, 1.0, 1e3]), (words, words, labels)).astype(np.float32)
    scores[rng.random(scores.shape) < rng.choice([0.0, 0.3])] = -np.inf
    scores[:, :, 0] = 0
    return [scores, int(rng.integers(1, 2000)), bool(rng.integers(2))]


def chart_labels(rng: np.random.Generator) -> Arguments:
    """Arguments of ``chart.inside_outside``."""
    words = int(rng.integers(1, 12))
    labels = rng.normal(0, rng.choice([0.1, 1.0, 1e3]), (words, words))
    labels[rng.random(labels.shape) < rng.choice([0.0, 0.3])] = -np.inf
    return [labels, bool(rng.integers(2))]


def lattice(rng: np.random.Generator) -> Arguments:
    """Arguments of the functions of ``semicrf``."""
    n, m, longest = int(rng.integers(1, 8)), int(rng.integers(1, 8)), int(rng.integers(1, 4))
    kept, scale = rng.choice([0.0, 0.5, 1.0]), rng.choice([0.0, 1.0, 40.0])
    spans = [
        (i, k, j, o)
        for i in range(n)
        for k in range(i + 1, min(i + longest, n) + 1)
        for j in range(m)
        for o in range(j + 1, min(j + longest, m) + 1)
        if rng.random() < kept
    ]
    return [
        np.array(spans, np.int32).reshape(-1, 4),
        rng.normal(size=len(spans)) * scale,
        rng.normal(size=(n, int(rng.integers(1, 4)))) * scale,
        rng.normal(size=(m + 2, m + 1)) * scale,
        rng.normal(size=m + 1) * scale,
    ]


def spans_with_probabilities(rng: np.random.Generator) -> Arguments:
    """Arguments of ``semicrf.link_marginals``."""
    spans, _, null, _, final = lattice(rng)
    return [spans, rng.random(len(spans)) / max(1, len(spans)), len(null), len(final) - 1]


def letters(rng: np.random.Generator, words: int) -> tuple[np.ndarray, np.ndarray]:
    """Words of 0 to 40 letters, one after another, and where each ends."""
    sizes = rng.integers(0, rng.choice([4, 41]), words)
    last = rng.choice([100, 0x10FFFF])
    return rng.integers(97, last, sizes.sum(), dtype=np.int32), np.cumsum(sizes, dtype=np.int32)


def words_of_two(rng: np.random.Generator) -> Arguments:
    """Arguments of ``string_similarity.string_similarities``."""
    return [*letters(rng, int(rng.integers(1, 9))), *letters(rng, int(rng.integers(1, 9)))]


def numbers_in_rows(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Rows of float32 numbers, small or large."""
    return (rng.normal(size=shape) * 10.0 ** rng.integers(-9, 9)).astype(np.float32)


def rows_to_quantize(rng: np.random.Generator) -> Arguments:
    """Arguments of ``encoder.quantize``."""
    return [numbers_in_rows(rng, int(rng.integers(0, 9)), int(rng.integers(0, 70)))]


def weights_to_pack(rng: np.random.Generator) -> Arguments:
    """Arguments of ``encoder.pack``."""
    return [rng.integers(-127, 128, (int(rng.integers(0, 40)), int(rng.integers(0, 70))), dtype=np.int8)]


def gelu(rows: Any) -> Any:
    """Call ``encoder.gelu``, which changes its argument."""
    encoder.gelu(rows)
    return rows


def rows_to_multiply(rng: np.random.Generator) -> Arguments:
    """Arguments of ``encoder.multiply``."""
    n, size, columns = int(rng.integers(0, 20)), int(rng.integers(1, 70)), int(rng.integers(1, 40))
    packed, offsets = encoder.pack(rng.integers(-127, 128, (columns, size), dtype=np.int8))
    scales, bias = (numbers_in_rows(rng, len(offsets)) for _ in range(2))
    kind = str(rng.choice(encoder.PROCESSOR_KINDS_HERE))
    return [numbers_in_rows(rng, n, size), packed, offsets, scales, bias, columns, kind]


def rows_to_normalise(rng: np.random.Generator) -> Arguments:
    """Arguments of ``encoder.normalise``."""
    n, size = int(rng.integers(0, 9)), int(rng.integers(0, 70))
    rows = rng.normal(size=(n, size)).astype(np.float32)
    weight, bias = (numbers_in_rows(rng, size) for _ in range(2))
    return [rows, weight, bias, 1e-5, rows if rng.random() < 0.5 else None]


def rows_to_attend(rng: np.random.Generator) -> Arguments:
    """Arguments of ``encoder.attend``."""
    heads, part = int(rng.integers(1, 4)), int(rng.integers(1, 40))
    starts = np.concatenate([[0], np.cumsum(rng.integers(0, 20, int(rng.integers(0, 5))))])
    longest = int(np.diff(starts).max(initial=1))
    bias = rng.normal(size=(heads, 2 * max(1, longest) + 1)).astype(np.float32)
    joined = rng.normal(size=(int(starts[-1]), 3 * heads * part)).astype(np.float32)
    return [joined, starts, heads, bias if rng.random() < 0.5 else None]


def check_integers(found: Any, given: Arguments) -> None:
    """Integers are within their range, and scales are positive."""
    integers, scales = found
    assert integers.shape == given[0].shape and (scales > 0).all()
    assert (abs(integers.astype(int)) <= 127).all()


def pair(rng: np.random.Generator) -> Arguments:
    """Arguments of ``contextual.base_features``."""
    n, m = int(rng.integers(1, 20)), int(rng.integers(1, 20))
    tables = rng.uniform(-1, 1, (2, n, m)).astype(np.float32)
    evidence = (rng.integers(0, 8192, (n, m)) * (rng.random((n, m)) < 0.4)).astype(np.int32)
    kinds = (rng.integers(0, 3, size, dtype=np.int32) for size in (n, m))
    capitals = (rng.integers(0, 2, size, dtype=np.uint8) for size in (n, m))
    return [*tables.copy(), evidence, *kinds, *capitals, *letters(rng, n), *letters(rng, m)]


def weighted_pair(rng: np.random.Generator) -> Arguments:
    """Arguments of ``contextual.first_pass``."""
    weights = rng.normal(size=(contextual.LINK_CLASSES, contextual.BASE_FEATURES + 1)).astype(np.float32)
    return [*pair(rng), weights, float(rng.choice([0.0, 0.1, 1.1]))]


def cells_of(rng: np.random.Generator, n: int, m: int) -> np.ndarray:
    """Some cells of a table, ascending."""
    return np.flatnonzero(rng.random(n * m) < rng.choice([0.0, 0.5, 1.0])).astype(np.int32)


def related_words(rng: np.random.Generator, words: int) -> np.ndarray:
    """Some words related to each word, by relation, with -1 behind them."""
    related = rng.integers(0, words, (words, *contextual.RELATED), dtype=np.int32)
    related[rng.random(related.shape) < 0.6] = -1
    return -np.sort(-related, axis=2)


def probable_cells(rng: np.random.Generator) -> Arguments:
    """Arguments of ``contextual.context_features``."""
    _, _, evidence, one, two, *_ = pair(rng)
    table = rng.random(evidence.shape).astype(np.float32)
    names = rng.integers(0, 2, evidence.shape, dtype=np.uint8)
    related = (related_words(rng, length) for length in evidence.shape)
    return [table, names, evidence, one, two, *related, cells_of(rng, *evidence.shape)]


def rows_of_features(rng: np.random.Generator) -> Arguments:
    """Arguments of ``contextual.first_probabilities``."""
    count, width = int(rng.integers(1, 20)), contextual.BASE_FEATURES
    classes = rng.integers(0, contextual.LINK_CLASSES, count, dtype=np.int32)
    weights = rng.normal(size=(contextual.LINK_CLASSES, width + 1)).astype(np.float32)
    return [rng.normal(size=(count, width)).astype(np.float32), classes, weights]


def messages(rng: np.random.Generator) -> Arguments:
    """Arguments of ``contextual.message_pass``."""
    n, m, rounds = int(rng.integers(1, 12)), int(rng.integers(1, 12)), int(rng.integers(0, 4))
    units, size = int(rng.integers(1, 70)), int(rng.integers(1, 10))
    cells, classes, slots = cells_of(rng, n, m), contextual.LINK_CLASSES, contextual.MESSAGE_SLOTS
    shapes = (
        *((rounds, units, size), (rounds, size), (rounds, units, units)),
        *((rounds, slots, size, units), (rounds, units), (units,)),
    )
    return [
        rng.random((n, m)).astype(np.float32),
        cells,
        rng.integers(0, classes, len(cells), dtype=np.int32),
        rng.normal(size=(len(cells), units + 1)).astype(np.float32),
        rng.normal(size=(classes, units + 1)).astype(np.float32),
        *(rng.integers(0, 3, length, dtype=np.int32) for length in (n, m)),
        *(related_words(rng, length) for length in (n, m)),
        *(rng.normal(0, 0.1, shape).astype(np.float32) for shape in shapes),
    ]


def forest(rng: np.random.Generator, words: int, trees: int) -> list[Any]:
    """The arrays of :class:`SideArrays`: random binary trees whose nodes bear one of two labels, packed."""
    nodes: set[tuple[int, int, int]] = set()
    edges: set[Any] = set()

    def grow(start: int, end: int) -> tuple[int, int, int]:
        node = (end - start, start, int(rng.integers(2)))
        nodes.add(node)
        if end - start > 1:
            middle = int(rng.integers(start + 1, end))
            edges.add((node, grow(start, middle), grow(middle, end)))
        return node

    roots = {grow(0, words) for _ in range(trees)}
    order = sorted(nodes)
    number = {node: place for place, node in enumerate(order)}
    triples = sorted(tuple(number[node] for node in edge) for edge in edges)
    return [
        np.array([node[1] for node in order], np.int32),
        np.array([node[0] + node[1] for node in order], np.int32),
        np.array(triples, np.int32).reshape(-1, 3),
        np.array(sorted(number[root] for root in roots), np.int32),
        -rng.exponential(size=len(order)),
        -rng.exponential(size=len(triples)),
    ]


def forests(rng: np.random.Generator) -> Arguments:
    """Arguments of ``alignment.align``, all arrays and options in one list."""
    sides = [forest(rng, int(rng.integers(1, 9)), int(rng.integers(1, 5))) for _ in range(2)]
    sizes = [len(side[0]) for side in sides]
    log_pair = -rng.exponential(2, sizes)
    log_pair[rng.random(log_pair.shape) < 0.05] = -np.inf
    base = np.argwhere(rng.random(sizes) < 0.15).astype(np.int32)
    options = [
        *(float(rng.uniform(0, 2)), float(rng.uniform(0, 2))),
        *(int(rng.choice([1, 5, 50])), int(rng.integers(1, 7)), int(rng.choice([0, 1, 4]))),
        *(
            int(rng.choice([5, 100, 10**5])),
            bool(rng.integers(2)),
            bool(rng.integers(2)),
            bool(rng.integers(2)),
        ),
        *(float(rng.choice([0.01, 1.0, 100.0])), bool(rng.integers(2))),
    ]
    prior = -rng.exponential(size=len(base))
    return [*sides[0], *sides[1], log_pair, base[:, 0].copy(), base[:, 1].copy(), prior, *options]


def align(*values: Any) -> Any:
    """``alignment.align`` of the list that :func:`forests` makes."""
    source, target, rest = SideArrays(*values[:6]), SideArrays(*values[6:12]), values[12:]
    return alignment.align(source, target, rest[0], BaseArrays(*rest[1:4]), SearchOptions(*rest[4:]))


# ----------------------------------------------------------------------------------------- outcomes


def check_numbers(found: Any, arguments: Arguments) -> None:
    """No number is NaN."""
    for value in found if isinstance(found, tuple) else (found,):
        if isinstance(value, tuple):
            check_numbers(value, arguments)
        elif value is not None and np.isnan(np.asarray(value, dtype=np.float64)).any():
            raise AssertionError("found NaN")


def check_probabilities(*places: int) -> Callable[[Any, Arguments], None]:
    """No number is NaN, and those in some of the arrays are from 0 to 1."""

    def check(found: Any, arguments: Arguments) -> None:
        check_numbers(found, arguments)
        for place in places:
            values = found[place] if isinstance(found, tuple) else found
            if values.size and not (values.min() >= -SLACK and values.max() <= 1 + SLACK):
                raise AssertionError(f"expected probabilities, found {values.min()} to {values.max()}")

    return check


def check_alignment(found: Any, arguments: Arguments) -> None:
    """No score is NaN, posteriors are at most 1, and steps are numbers of nodes."""
    check_numbers(found, arguments)
    if (found.log_posterior > 0).any():
        raise AssertionError(f"expected log-probabilities, found {found.log_posterior.max()}")
    for nodes, start in ((found.source, arguments[0]), (found.target, arguments[7])):
        if nodes.size and not 0 <= nodes.min() <= nodes.max() < np.size(start):
            raise AssertionError("expected numbers of nodes")


#: What makes the arguments of each function, and what checks its result.
FUNCTIONS: dict[str, tuple[Callable[..., Any], Callable[[np.random.Generator], Arguments], Any]] = {
    "alignment.align": (align, forests, check_alignment),
    "chart.inside_outside": (chart.inside_outside, chart_labels, check_probabilities(1)),
    "chart.k_best": (chart.k_best, chart_scores, check_numbers),
    "contextual.base_features": (contextual.base_features, pair, check_numbers),
    "contextual.context_features": (contextual.context_features, probable_cells, check_numbers),
    "contextual.first_pass": (contextual.first_pass, weighted_pair, check_probabilities(0)),
    "contextual.first_probabilities": (
        contextual.first_probabilities,
        rows_of_features,
        check_probabilities(0),
    ),
    "contextual.message_pass": (contextual.message_pass, messages, check_probabilities(0)),
    "encoder.quantize": (encoder.quantize, rows_to_quantize, check_integers),
    "encoder.gelu": (gelu, rows_to_quantize, check_numbers),
    "encoder.pack": (encoder.pack, weights_to_pack, check_numbers),
    "encoder.multiply": (encoder.multiply, rows_to_multiply, check_numbers),
    "encoder.normalise": (encoder.normalise, rows_to_normalise, check_numbers),
    "encoder.attend": (encoder.attend, rows_to_attend, check_numbers),
    "semicrf.best_path": (semicrf.best_path, lattice, check_numbers),
    "semicrf.link_marginals": (semicrf.link_marginals, spans_with_probabilities, check_numbers),
    "semicrf.marginals": (semicrf.marginals, lattice, check_probabilities(1, 2)),
    "string_similarity.string_similarities": (
        string_similarity.string_similarities,
        words_of_two,
        check_probabilities(0),
    ),
}


# -------------------------------------------------------------------------------------- malformations


def malformed(rng: np.random.Generator, arguments: Arguments) -> Arguments:
    """Change one to three of the arguments."""
    changed = list(arguments)
    for _ in range(int(rng.integers(1, 4))):
        place = int(rng.integers(len(changed)))
        value = changed[place]
        if isinstance(value, np.ndarray):
            changed[place] = malformed_array(rng, value)
        else:
            numbers = (None, "x", 2.5, 2**40, -(2**40), 2**70, -(2**70), 10**400, *EXTREMES, *REAL_EXTREMES)
            changed[place] = numbers[int(rng.integers(len(numbers)))]
    return changed


def malformed_array(rng: np.random.Generator, array: np.ndarray) -> Any:
    """Another shape, another type, or other numbers."""
    if array.ndim == 0 or array.dtype.kind not in "biuf" or not array.dtype.isnative:
        return array
    ways = list(_ways(rng, array))
    return ways[int(rng.integers(len(ways)))]()


def _ways(rng: np.random.Generator, array: np.ndarray) -> Iterator[Callable[[], Any]]:
    def with_numbers() -> np.ndarray:
        other = array.copy()
        if other.size:
            places = rng.integers(other.size, size=int(rng.integers(1, 4)))
            extremes = REAL_EXTREMES if other.dtype.kind == "f" else EXTREMES
            with np.errstate(over="ignore"):
                values = np.array(extremes)[rng.integers(len(extremes), size=len(places))]
                other.flat[places] = values.astype(other.dtype)
        return other

    yield from [with_numbers] * 6
    yield lambda: array[:-1].copy()
    yield lambda: array[:0].copy()
    yield lambda: array[..., :-1].copy()
    yield lambda: np.concatenate([array, array])
    yield lambda: array[None].copy()
    yield lambda: array.reshape(-1)
    yield lambda: array[::-1]
    yield lambda: np.asfortranarray(array)
    yield lambda: array.astype(np.float64)
    yield lambda: np.clip(np.nan_to_num(array), -1e9, 1e9).astype(np.int64)
    yield lambda: array.astype(object)
    yield lambda: array.tolist()
    yield lambda: None
    yield lambda: np.zeros((), array.dtype)
    yield lambda: rng.permutation(array) if array.ndim else array
    yield lambda: _structured(array)
    yield lambda: _structured(array).data
    yield lambda: array.data
    yield lambda: array.astype(array.dtype.newbyteorder())
    yield lambda: array.astype(np.complex128)
    yield lambda: np.full(array.shape, 10**400, object)
    yield lambda: np.broadcast_to(array.reshape(-1)[:1], array.shape) if array.size else array
    yield lambda: _misaligned(array)
    yield lambda: _read_only(array)


def _structured(array: np.ndarray) -> np.ndarray:
    """Each number in a field of its own."""
    return np.ascontiguousarray(array).view([("number", array.dtype)])


def _misaligned(array: np.ndarray) -> np.ndarray:
    """A copy that begins between two machine words."""
    found = np.frombuffer(bytearray(array.nbytes + 1), array.dtype, array.size, 1).reshape(array.shape)
    found[...] = array
    return found


def _read_only(array: np.ndarray) -> np.ndarray:
    found = array.copy()
    found.flags.writeable = False
    return found


# -------------------------------------------------------------------------------------------- running


def outcome(name: str, arguments: Arguments) -> bytes:
    """What a kernel returns, or its message if it refuses the arguments, as bytes to compare."""
    try:
        return pickle.dumps(FUNCTIONS[name][0](*arguments))
    except ValueError as error:
        return str(error).encode()


def run_case(seed: int, names: list[str]) -> str:
    """Run the case of a seed; returns how it ended: "good", "taken" or "refused"."""
    rng = np.random.default_rng(seed)
    name = names[int(rng.integers(len(names)))]
    function, make, check = FUNCTIONS[name]
    arguments = make(rng)
    is_good = rng.random() < 0.3
    given = arguments if is_good else malformed(rng, arguments)
    if name == "chart.k_best" and isinstance(given[1], int) and given[1] < 2**31:
        given[1] = min(given[1], MOST_TREES)
    with np.errstate(all="ignore"):
        try:
            found = function(*given)
        except REFUSALS:
            if is_good and "no tree" not in str(sys.exc_info()[1]):
                raise
            return "refused"
        # What is made of malformed features, weights and probabilities need not be a number.
        if is_good or name.startswith(("alignment", "chart", "semicrf.best", "semicrf.marg")):
            check(found, given)
    return "good" if is_good else "taken"


def main() -> int:
    """Run cases until the time is over; the exit status is 1 if one fails."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--cases", type=int, default=sys.maxsize, help="end after so many cases")
    parser.add_argument("--seed", type=int, default=None, help="of the first case (default: by chance)")
    parser.add_argument("--function", choices=FUNCTIONS, default=None, help="only this one")
    parser.add_argument("--case-file", type=Path, default=None, help="keeps the seed of the present case")
    options = parser.parse_args()
    first = random.SystemRandom().randrange(10**9) if options.seed is None else options.seed
    names = [options.function] if options.function else sorted(FUNCTIONS)
    print(f"kernels: {alignment.__file__}; first seed {first}", flush=True)
    case = os.open(options.case_file, os.O_CREAT | os.O_WRONLY) if options.case_file else None
    end, counts, failed = (
        time.monotonic() + options.seconds,
        dict.fromkeys(("good", "taken", "refused"), 0),
        0,
    )
    seed = first
    while seed < first + options.cases and time.monotonic() < end and failed < 10:
        if case is not None:
            os.pwrite(case, f"{seed:>20}\n".encode(), 0)
        try:
            counts[run_case(seed, names)] += 1
        except Exception as error:  # every kind is a fault
            failed += 1
            print(f"seed {seed}: {type(error).__name__}: {error}", file=sys.stderr)
            if options.cases == 1:
                raise
        seed += 1
    print(f"{seed - first} cases: " + ", ".join(f"{count} {name}" for name, count in counts.items()))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
