"""Measure what the number of training pairs and the size of mini-batches do to a trained model.

Usage: python scripts/training_table.py PAIRS… --gold GOLD… [--forests CACHE] [--workers 2]

Trains from the weights of ``--start`` on the first pairs of a fixed shuffle of all files (text only), and
prints scores on pairs with gold links: constituent recall, precision and F1, word F1, all in percent; and
seconds of training.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from forest_align.aligners.forest import ForestAligner
from forest_align.data.pairs import read_pairs
from forest_align.em.corpus import CorpusPair, CorpusReader
from forest_align.em.dev_set import DevSet, figures
from forest_align.em.events import Normalizer
from forest_align.em.training import train_forest_model
from forest_align.em.training_state import TrainingSettings

COLUMNS = ("constituent recall", "constituent precision", "constituent f1", "word f1")
ALL = 0


def read(paths: Sequence[str], reader: CorpusReader, limit: int | None) -> list[CorpusPair]:
    """Pairs of all files, at most so many of each."""
    found = []
    for path in paths:
        found += reader.read(list(read_pairs(path))[:limit])[0]
    return found


def main(argv: Sequence[str] | None = None) -> None:
    """Train, measure and print a line for each."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pairs", nargs="+", metavar="PAIRS")
    parser.add_argument("--gold", nargs="+", metavar="GOLD", required=True)
    parser.add_argument("--start", required=True, metavar="MODEL", help="where training starts")
    parser.add_argument("--options", default="forest", metavar="MODEL", help="takes its options from it")
    parser.add_argument("--forests", type=Path, metavar="CACHE")
    parser.add_argument("--sizes", type=int, nargs="+", default=[500, 2000, ALL], help="0 is all")
    parser.add_argument("--batch-sizes", type=int, nargs="+", default=[200, 2000, ALL], help="0 is all")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--limit", type=int, help="only the first pairs of each file of PAIRS")
    parser.add_argument("--gold-limit", type=int, default=150, help="only the first pairs of each GOLD")
    parser.add_argument("--workers", type=int, default=1)
    arguments = parser.parse_args(argv)
    reader = CorpusReader(cache=arguments.forests)
    pairs = read(arguments.pairs, reader, arguments.limit)
    dev = DevSet(read(arguments.gold, reader, arguments.gold_limit))
    options = ForestAligner.load(arguments.options).model.options
    start = replace(ForestAligner.load(arguments.start).model, options=options)
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
            trained = train_forest_model(chosen, start, settings, normalizer=Normalizer.SYMMETRIC).model
            seconds = time.perf_counter() - began
            used = replace(trained, options=options)
            scores = figures(dev.statistics(used))
            cells = [f"{100 * scores[name].value:.2f}" for name in COLUMNS]
            name = f"{batch_size:,}" if batch_size else "all"
            print(f"| {len(chosen):,} | {name} | " + " | ".join(cells) + f" | {seconds:.0f} |", flush=True)


if __name__ == "__main__":
    main()
