"""Time training and a trial of the sweep on cached forests.

Usage: python benchmarks/speed/training_speed.py PAIRS… --forests CACHE [--limit 2000] [--epochs 5]
            [--workers 2]

Preparation (parsing, word candidates, features) is timed separately; with a filled cache it only reads files.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.data.pairs import read_pairs
from forest_align.em.corpus.corpus import CorpusReader
from forest_align.em.forest.dev_set import DevSet
from forest_align.em.forest.state import TrainingSettings
from forest_align.em.forest.training import train_forest_model
from forest_align.em.forest.training_progress import TrainingProgress

TRIAL_PAIRS = 300


def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pairs", nargs="+", metavar="PAIRS")
    parser.add_argument("--forests", type=Path, required=True, metavar="CACHE")
    parser.add_argument("--parser", default="en")
    parser.add_argument("--limit", type=int, default=2000)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--batch-size", type=int, default=200)
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args(argv)
    raw = [pair for path in arguments.pairs for pair in read_pairs(path)][: arguments.limit]
    began = time.perf_counter()
    pairs, _ = CorpusReader(arguments.parser, cache=arguments.forests).read(raw)
    prepared = time.perf_counter()
    words = sum(len(pair.source) + len(pair.target) for pair in pairs)
    print(f"prepared {len(pairs)} pairs of {words / len(pairs) / 2:.1f} words in {prepared - began:.1f} s")
    model = ForestAligner.load().model
    settings = TrainingSettings(
        epochs=arguments.epochs, batch_size=arguments.batch_size, workers=arguments.workers
    )
    train_forest_model(pairs, model, settings, observer=TrainingProgress(len(pairs)))
    trained = time.perf_counter()
    print(f"trained {arguments.epochs} epochs in {trained - prepared:.1f} s on {arguments.workers} threads")
    linked = [pair for pair in pairs if pair.links is not None][:TRIAL_PAIRS]
    if linked:
        dev = DevSet(linked)
        began = time.perf_counter()
        dev.statistics(model)
        print(f"one trial on {len(linked)} dev pairs: {time.perf_counter() - began:.1f} s on one thread")


if __name__ == "__main__":
    main()
