"""Compares the dependencies derived from trees with those of the Stanford parser, given its trees.

    python benchmarks/quality/measure_dependencies.py ../shared/data/alignment/edinburgh/train.stanford.xml.gz

Prints recall and precision of labelled attachment, in percent. It covers every type of table 1 of Sultan et
al. (2014) that occurs ``--least`` times, and all types of the table together. ``--fold K`` selects every
third pair of sentences, ``--but K`` the others.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from nltk import Tree

from forest_align.eval.benchmarks.stanford_trees import StanfordParses
from forest_align.eval.metrics.dependencies import TABLE_TYPES, Attachment

FOLDS = 3


def measure(options: argparse.Namespace) -> Attachment:
    """Count over the sentences that the options select; the two sentences of a pair stay together."""
    parses, counts = StanfordParses.read(options.parses), Attachment()
    for number, (tree, basic) in enumerate(zip(parses.brackets(), parses.dependencies(), strict=True)):
        fold = number // 2 % FOLDS
        if options.fold in (None, fold) and options.but != fold:
            counts.add(Tree.fromstring(tree), basic)
    return counts


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parses", type=Path, metavar="FILE", help="parses of Edinburgh++")
    parser.add_argument("--least", type=int, default=30, metavar="N", help="(default: 30)")
    parser.add_argument("--fold", type=int, choices=range(FOLDS), help="this third of the pairs only")
    parser.add_argument("--but", type=int, choices=range(FOLDS), help="all but this third")
    counts = measure(options := parser.parse_args())
    print("| type | there | recall | precision |\n|---|---|---|---|")
    rows = [(name, (name,)) for name in TABLE_TYPES if counts.wanted[name] >= options.least]
    for name, types in [*rows, ("all of table 1", TABLE_TYPES)]:
        scores, wanted = counts.scores(types), sum(counts.wanted[one] for one in types)
        print(f"| {name} | {wanted:,} | {100 * scores.recall:.1f} | {100 * scores.precision:.1f} |")


if __name__ == "__main__":
    main()
