"""Measure the system of Arase & Tsujii (2017), with and without EM.

Usage: python benchmarks/quality/measure_published.py GOLD… [--model MODEL] [--other MODEL …]
            [--forests CACHE] [--skip 150]

Prints a table for each file of pairs with gold word links, and one for all files together:

    trained      the model
    without EM   the same options and dictionary, with weights of zero
    projection   no search: all words that the dictionary relates, projected onto the parser's best trees

Each other model has a row of its own, and its own kind of word candidates. p is of constituent F1 against the
trained model.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from ablation import projection_rows, rows_of, table

from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.aligners.forest.model import ForestModel
from forest_align.data.pairs import read_pairs
from forest_align.em.corpus.corpus import CorpusReader
from forest_align.em.forest.dev_set import DevSet


def dev_set(path: str, model: ForestModel, arguments: argparse.Namespace) -> DevSet:
    """Prepare the pairs of a file as the model needs them."""
    reader = CorpusReader.for_model(model, arguments.parser, cache=arguments.forests)
    pairs = list(read_pairs(path))[arguments.skip : arguments.limit and arguments.skip + arguments.limit]
    found, problems = reader.read(pairs)
    print(*problems, sep="\n", end="\n" if problems else "", file=sys.stderr)
    return DevSet(found)


def measure(path: str, arguments: argparse.Namespace) -> dict[str, np.ndarray]:
    """Statistics of every system on one file."""
    model = ForestAligner.load(arguments.model).model
    dev = dev_set(path, model, arguments)
    untrained = replace(model, weights=np.zeros_like(model.weights), lexical={})
    systems = {"trained": (dev, model), "without EM": (dev, untrained)}
    for name in arguments.other:
        other = ForestAligner.load(name).model
        systems[Path(name).name] = (dev_set(path, other, arguments), other)
    rows = {name: rows_of(dev, used, f"{path} {name}") for name, (dev, used) in systems.items()}
    return {**rows, "projection": projection_rows(dev)}


def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("gold", nargs="+", metavar="GOLD")
    parser.add_argument("--model", default="forest-published")
    parser.add_argument("--other", nargs="+", default=[], metavar="MODEL")
    parser.add_argument("--parser", default="en")
    parser.add_argument("--forests", type=Path, metavar="CACHE")
    parser.add_argument(
        "--skip", type=int, default=0, help="leave out so many pairs at the start of each file"
    )
    parser.add_argument("--limit", type=int, help="only so many pairs of each file")
    arguments = parser.parse_args(argv)
    found = {path: measure(path, arguments) for path in arguments.gold}
    for path, results in found.items():
        print(table(f"{Path(path).parent.name} {Path(path).name}", results, "trained"), end="\n\n")
    if len(found) > 1:
        together = {
            name: np.concatenate([results[name] for results in found.values()])
            for name in next(iter(found.values()))
        }
        print(table("all", together, "trained"))


if __name__ == "__main__":
    main()
