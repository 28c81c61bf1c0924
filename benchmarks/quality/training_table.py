"""Measure the effects of training data size, mini-batches and forest size on a model.

Usage: python benchmarks/quality/training_table.py PAIRS… --gold GOLD… --start MODEL [--forests CACHE]
            [--workers 2]
       python benchmarks/quality/training_table.py --gold GOLD… --forest-sizes 1 10 50

Trains from the weights of ``--start`` on the first pairs of a fixed shuffle of all files (text only). It
prints scores on pairs with gold links: constituent recall, precision and F1, and word F1, all in percent. It
also prints seconds of training.

``--forest-sizes`` instead aligns with the model of ``--options``, with forests of each size
and of the model's own size. An asterisk marks p < 0.05 against the default (approximate randomization); the
last column has p for constituent F1.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from ablation import rows_of, table

from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.aligners.forest.model import ForestModel
from forest_align.data.pairs import read_pairs
from forest_align.em.corpus.corpus import CorpusPair, CorpusReader
from forest_align.em.forest.dev_set import DevSet, figures
from forest_align.em.forest.state import TrainingSettings
from forest_align.em.forest.training import train_forest_model

COLUMNS = ("constituent recall", "constituent precision", "constituent f1", "word f1")
ALL = 0


def read(paths: Sequence[str], reader: CorpusReader, limit: int | None, skip: int = 0) -> list[CorpusPair]:
    """Pairs of all files: from each, skip some pairs and read at most ``limit`` (0 or None: all)."""
    found = []
    for path in paths:
        pairs, problems = reader.read(list(read_pairs(path))[skip : skip + limit if limit else None])
        print(*problems, sep="\n", end="\n" if problems else "", file=sys.stderr)
        found += pairs
    return found


def print_sizes(
    pairs: Sequence[CorpusPair], dev: DevSet, start: ForestModel, arguments: argparse.Namespace
) -> None:
    """Train on each number of pairs with each batch size, and print a line for each."""
    order = np.random.default_rng(0).permutation(len(pairs)).tolist()
    print("| pairs | batch | " + " | ".join(COLUMNS) + " | seconds |")
    print("|---" * (3 + len(COLUMNS)) + "|")
    for size in [size for size in arguments.sizes if size < len(pairs)]:
        for batch_size in arguments.batch_sizes:
            chosen = [pairs[place] for place in order[: size or len(pairs)]]
            if batch_size >= len(chosen):
                continue
            settings = TrainingSettings(
                epochs=arguments.epochs, batch_size=batch_size, workers=arguments.workers
            )
            began = time.perf_counter()
            trained = train_forest_model(chosen, start, settings).model
            seconds = time.perf_counter() - began
            scores = figures(dev.statistics(trained))
            cells = [f"{100 * scores[name].value:.2f}" for name in COLUMNS]
            name = f"{batch_size:,}" if batch_size else "all"
            print(f"| {len(chosen):,} | {name} | " + " | ".join(cells) + f" | {seconds:.0f} |", flush=True)


def forest_size_table(model: ForestModel, arguments: argparse.Namespace) -> str:
    """Align with forests of each size."""
    own = model.forest_size
    results = {}
    for size in sorted({own, *arguments.forest_sizes}):
        reader = CorpusReader.for_model(model, forest_size=size, cache=arguments.forests)
        dev = DevSet(read(arguments.gold, reader, arguments.gold_limit, arguments.skip))
        results[str(size)] = rows_of(dev, model, f"{size} trees")
    return table("trees in a forest", results, reference=str(own))


def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pairs", nargs="*", metavar="PAIRS")
    parser.add_argument("--gold", nargs="+", metavar="GOLD", required=True)
    parser.add_argument("--start", metavar="MODEL", help="where training starts")
    parser.add_argument("--options", default="forest", metavar="MODEL", help="takes its options from it")
    parser.add_argument("--forests", type=Path, metavar="CACHE")
    parser.add_argument("--sizes", type=int, nargs="+", default=[500, 2000, ALL], help="0 is all")
    parser.add_argument("--batch-sizes", type=int, nargs="+", default=[200, 2000, ALL], help="0 is all")
    parser.add_argument("--forest-sizes", type=int, nargs="+", metavar="N")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--limit", type=int, help="only the first pairs of each file of PAIRS")
    parser.add_argument(
        "--skip", type=int, default=0, help="leave out so many pairs at the start of each GOLD, as tuned on"
    )
    parser.add_argument(
        "--gold-limit", type=int, default=150, help="only so many pairs of each GOLD; 0 is all"
    )
    parser.add_argument("--workers", type=int, default=1)
    arguments = parser.parse_args(argv)
    model = ForestAligner.load(arguments.options).model
    if arguments.forest_sizes:
        print(forest_size_table(model, arguments))
        return
    if not arguments.pairs or not arguments.start:
        parser.error("training needs PAIRS and --start")
    reader = CorpusReader(cache=arguments.forests)
    pairs = read(arguments.pairs, reader, arguments.limit)
    dev = DevSet(read(arguments.gold, reader, arguments.gold_limit, arguments.skip))
    start = replace(ForestAligner.load(arguments.start).model, options=model.options)
    print_sizes(pairs, dev, start, arguments)


if __name__ == "__main__":
    main()
