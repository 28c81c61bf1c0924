"""Measure how the alignment kernel's time grows with sentence length and number of trees, on real text.

Usage::

    python benchmarks/speed/alignment_growth.py PAIRS [--least-ratio 0.1] [--generation-gap 6] [--plot FILE]

PAIRS is any file that ``forest-align align`` reads. Sentences of 10 to 60 words are made by joining those of
the file with "and". The bundled parser parses them into forests of their n best trees, and ``--least-ratio``
drops improbable trees. The bundled model aligns them. The script prints mean and worst processor time per
pair.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

from forest_align.aligners.forest.aligner import ForestAligner, bundled_model
from forest_align.aligners.forest.model import ForestModel
from forest_align.aligners.words.choose import DEFAULT_WORDS, WORD_CANDIDATES
from forest_align.cext import alignment as kernel
from forest_align.data.pairs import read_pairs
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.parsing import load_parser
from forest_align.types import InputError, Sentence

LENGTHS = (10, 20, 30, 40, 50, 60)
FOREST_SIZES = (1, 2, 5, 10, 20)
#: Length and forest size that are fixed while the other one grows.
USUAL_LENGTH, USUAL_SIZE = 20, 10


class Row(NamedTuple):
    """Time for sentences of one length and forests of one size: milliseconds per pair."""

    words: int
    trees: int
    nodes: float
    mean: float
    worst: float


def joined_pairs(pairs: Sequence[tuple[str, ...]], words: int) -> Iterator[tuple[list[str], list[str]]]:
    """Pairs whose sides both have ``words`` words, plus or minus a fifth."""
    sides: tuple[list[str], list[str]] = ([], [])
    for pair in pairs:
        for side, text in zip(sides, pair, strict=True):
            side += [*(["and"] if side else []), *text.split()]
        longest = max(map(len, sides))
        if longest >= words:
            if longest <= 1.2 * words and min(map(len, sides)) >= 0.8 * words:
                yield sides
            sides = ([], [])
        else:
            for side in sides:
                if side[-1] == ".":
                    side.pop()


def kernel_milliseconds(aligner: ForestAligner, source: Sentence, target: Sentence) -> float:
    """Processor time of the kernel for one pair, the smallest of three runs."""
    spent: list[float] = []
    run = kernel.align

    def timed(*arguments: Any, **options: Any) -> Any:
        started = time.thread_time()
        found = run(*arguments, **options)
        spent.append(1000 * (time.thread_time() - started))
        return found

    candidates = aligner.candidates.candidates(source, target)
    kernel.align = timed
    try:
        for _ in range(3):
            aligner.search(source, target, candidates)
    finally:
        kernel.align = run
    return min(spent)


def measure(
    aligner: ForestAligner,
    pairs: Sequence[tuple[list[str], list[str]]],
    words: int,
    trees: int,
    least_ratio: float,
) -> Row:
    """Parse and align pairs."""
    parser = load_parser("en", forest_size=trees, least_ratio=least_ratio, lemmatizer=load_lexicon().lemma)
    parsed = list(parser.parse_many(side for pair in pairs for side in pair))
    spent, nodes = [], []
    for source, target in zip(parsed[::2], parsed[1::2], strict=True):
        if isinstance(source, InputError) or isinstance(target, InputError):
            raise SystemExit(f"a sentence could not be parsed: {source} {target}")
        spent.append(kernel_milliseconds(aligner, source, target))
        nodes += [len(side.forest) for side in (source, target) if side.forest is not None]
    row = Row(words, trees, float(np.mean(nodes)), float(np.mean(spent)), max(spent))
    print(
        f"{words:3} words {trees:3} trees {row.nodes:6.0f} nodes "
        f"{row.mean:8.2f} ms a pair, {row.worst:8.2f} at worst",
        flush=True,
    )
    return row


def model_with_gap(generation_gap: int | None) -> ForestModel:
    """The bundled model, with a different generation gap if one is given."""
    model = bundled_model()
    if generation_gap is None:
        return model
    return model.with_options(generation_gap=generation_gap)


def plot(rows: Sequence[Row], path: str) -> None:
    """Draw both kinds of growth side by side."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 2.8), layout="constrained")
    left, right = figure.subplots(1, 2)
    for trees in (1, USUAL_SIZE):
        points = [(row.words, row.mean) for row in rows if row.trees == trees]
        left.plot(*zip(*points, strict=True), marker="o", label=f"{trees}-best")
    left.set(xlabel="words in each sentence", ylabel="milliseconds a pair")
    left.legend(frameon=False)
    points = [(row.trees, row.mean) for row in rows if row.words == USUAL_LENGTH]
    right.plot(*zip(*points, strict=True), marker="o")
    right.set(xlabel=f"trees in each forest ({USUAL_LENGTH} words)", xscale="log", xticks=FOREST_SIZES)
    right.set_xticklabels(map(str, FOREST_SIZES))
    right.minorticks_off()
    for axes in (left, right):
        axes.set_ylim(bottom=0)
        axes.spines[["top", "right"]].set_visible(False)
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "growth"}):
        figure.savefig(path, metadata={"Date": None})


def main() -> None:
    """Run the benchmark."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("pairs", metavar="PAIRS", help="file of sentence pairs")
    options.add_argument("--count", type=int, default=50, help="pairs of each length; default: 50")
    options.add_argument("--words", choices=WORD_CANDIDATES, default=DEFAULT_WORDS)
    options.add_argument(
        "--least-ratio",
        type=float,
        default=0.0,
        help="leave out trees less probable than the best one times this; the aligner's default is 0.1",
    )
    options.add_argument(
        "--generation-gap", type=int, metavar="N", help="µ_g of the search; default: that of the model"
    )
    options.add_argument("--plot", metavar="FILE", help="file for a plot")
    arguments = options.parse_args()
    torch.set_num_threads(1)
    found = [pair for pair in read_pairs(arguments.pairs) if not isinstance(pair, InputError)]
    texts = [(pair.source.text, pair.target.text) for pair in found]
    aligner = ForestAligner(model_with_gap(arguments.generation_gap), candidates=arguments.words)
    rows = []
    for words in LENGTHS:
        pairs = list(joined_pairs(texts, words))[: arguments.count]
        if not pairs:
            raise SystemExit(f"the file gives no pairs of {words} words")
        sizes = FOREST_SIZES if words == USUAL_LENGTH else (1, USUAL_SIZE)
        rows += [measure(aligner, pairs, words, trees, arguments.least_ratio) for trees in sizes]
    if arguments.plot:
        plot(rows, arguments.plot)


if __name__ == "__main__":
    main()
