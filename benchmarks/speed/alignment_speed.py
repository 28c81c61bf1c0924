"""Speed of the alignment kernel on random forests: pairs per second, growth with length, threads."""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from forest_align.aligners.forest.options import ForestOptions
from forest_align.cext import alignment
from forest_align.cext.alignment_arguments import BaseArrays, SearchOptions, SideArrays

OPTIONS = ForestOptions(null_penalty=1.6, beam=50, generation_gap=4, max_items=100_000).search_options()

#: Input of the kernel except for the options.
Pair = tuple[SideArrays, SideArrays, np.ndarray, BaseArrays]


def random_tree(rng: random.Random, start: int, end: int, edges: set[Any], nodes: set[Any]) -> Any:
    """Add a random binary tree that mostly branches to the right, as in English; return its root."""
    node = (end - start, start, 0)
    nodes.add(node)
    if end - start > 1:
        middle = start + 1 if rng.random() < 0.6 else rng.randrange(start + 1, end)
        left = random_tree(rng, start, middle, edges, nodes)
        edges.add((node, left, random_tree(rng, middle, end, edges, nodes)))
    return node


def vary(rng: random.Random, words: int, trees: int) -> tuple[list[Any], list[Any]]:
    """Pack a random tree with variants of it, each with one subtree rebuilt."""
    nodes: set[Any] = set()
    edges: set[Any] = set()
    root = random_tree(rng, 0, words, edges, nodes)
    for label in range(1, trees):
        inner = sorted(node for node in nodes if 2 < node[0] <= 10)
        if not inner:
            break
        length, start, _ = rng.choice(inner)
        fresh: set[Any] = set()
        random_tree(rng, start, start + length, fresh, nodes)
        top = (length, start, label % 2)
        nodes.add(top)
        for parent, left, right in fresh:
            edges.add((top if parent == (length, start, 0) else parent, left, right))
        for parent, left, right in sorted(edges):
            if (length, start, 0) in (left, right):
                changed = (top if child == (length, start, 0) else child for child in (left, right))
                edges.add((parent, *changed))
    kept = {root}
    for node in sorted(nodes, reverse=True):
        if node in kept:
            kept.update(child for parent, *children in edges if parent == node for child in children)
    return sorted(kept), sorted(edge for edge in edges if edge[0] in kept)


def random_side(rng: random.Random, words: int, trees: int) -> tuple[SideArrays, list[int]]:
    """One forest in the kernel's format, and the head word of each node."""
    keys, edges = vary(rng, words, trees)
    number = {key: index for index, key in enumerate(keys)}
    triples = sorted(tuple(number[key] for key in edge) for edge in edges)
    heads: list[int] = []
    below = {parent: left if rng.random() < 0.5 else right for parent, left, right in triples}
    for node, (_, start, _) in enumerate(keys):
        heads.append(heads[below[node]] if node in below else start)
    side = SideArrays(
        np.array([key[1] for key in keys], np.int32),
        np.array([key[1] + key[0] for key in keys], np.int32),
        np.array(triples, np.int32).reshape(-1, 3),
        np.array([len(keys) - 1], np.int32),
        np.full(len(keys), -2.0),
    )
    return side, heads


def random_pair(rng: random.Random, words: int, trees: int) -> Pair:
    """A sentence and its paraphrase: most words are linked, a part is moved, some links compete."""
    (source, source_heads), (target, target_heads) = (random_side(rng, words, trees) for _ in range(2))
    order = list(range(words))
    at, size = rng.randrange(words), words // 4
    moved = order[at : at + size]
    del order[at : at + size]
    place = rng.randrange(len(order) + 1)
    order[place:place] = moved
    links = {(word, position) for position, word in enumerate(order) if rng.random() < 0.8}
    links |= {(rng.randrange(words), rng.randrange(words)) for _ in range(words // 2)}
    log_pair = np.full((words, words), -4.0)
    for i, j in links:
        log_pair[i, j] = -0.2
    leaves = [
        [np.flatnonzero((side.start == word) & (side.end == word + 1)).tolist() for word in range(words)]
        for side in (source, target)
    ]
    base = sorted((s, t) for i, j in links for s in leaves[0][i] for t in leaves[1][j])
    columns = np.array(base, np.int32).reshape(-1, 2).T.copy()
    base_arrays = BaseArrays(columns[0], columns[1], np.full(len(base), -0.3))
    return source, target, log_pair[np.ix_(source_heads, target_heads)], base_arrays


def seconds_for(
    pairs: Sequence[Pair], workers: int = 0, repeats: int = 1, options: SearchOptions = OPTIONS
) -> float:
    """Seconds to align all pairs: processor time without workers, wall-clock time with workers."""

    def align(pair: Pair) -> None:
        alignment.align(*pair, options)

    work = list(pairs) * repeats
    if workers == 0:
        started = time.process_time()
        for pair in work:
            align(pair)
        return time.process_time() - started
    started = time.perf_counter()
    with ThreadPoolExecutor(workers) as executor:
        list(executor.map(align, work))
    return time.perf_counter() - started


def report(count: int, generation_gap: int) -> list[tuple[int, int, float]]:
    """Print pairs per second by length and forest size; return (words, trees, milliseconds per pair)."""
    rng = random.Random(1)
    rows = []
    for trees in (1, 10):
        for words in (10, 20, 40, 60):
            pairs = [random_pair(rng, words, trees) for _ in range(max(4, count * 20 // words))]
            nodes = np.mean([len(pair[0].start) for pair in pairs])
            each = seconds_for(pairs, options=OPTIONS._replace(generation_gap=generation_gap)) / len(pairs)
            rows.append((words, trees, 1000 * each))
            size = f"{trees:3} trees {words:3} words {nodes:5.0f} nodes"
            print(f"{size} {1000 * each:8.2f} ms {1 / each:8.0f} pairs/s", flush=True)
    pairs = [random_pair(rng, 20, 10) for _ in range(count)]
    one, two = (min(seconds_for(pairs, workers, 4) for _ in range(3)) for workers in (1, 2))
    print(f"two threads: {one / two:.2f} times as fast as one")
    return rows


def plot(rows: Sequence[tuple[int, int, float]], path: str) -> None:
    """Draw milliseconds per pair over words."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5, 3.5), layout="constrained")
    axes = figure.add_subplot(xlabel="words in each sentence", ylabel="milliseconds a pair", yscale="log")
    for trees in sorted({row[1] for row in rows}):
        points = [(words, each) for words, number, each in rows if number == trees]
        axes.plot(*zip(*points, strict=True), marker="o", label=f"{trees}-best")
    axes.legend()
    figure.savefig(path)


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--count", type=int, default=100, help="pairs of 20 words to time")
    parser.add_argument("--generation-gap", type=int, default=4)
    parser.add_argument("--plot", help="file for a plot of growth with length")
    options = parser.parse_args()
    rows = report(options.count, options.generation_gap)
    if options.plot:
        plot(rows, options.plot)


if __name__ == "__main__":
    main()
