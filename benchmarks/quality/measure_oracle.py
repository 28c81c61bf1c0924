r"""Measure packed forests by size: labelled F1 of the best tree and the oracle, and calibration of nodes.

Calibration is the expected calibration error, in ten bins, of the probabilities of constituents. It is
measured among all trees (``log_posterior``) and among the trees of the forest (``log_marginal``).

Example::

    python benchmarks/quality/measure_oracle.py --gum TREEBANKS/gum --sizes 10 50 --limit 400
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from tqdm import tqdm

from forest_align.data.trees.penn import read_trees, strip_annotations
from forest_align.data.trees.treebanks import from_tree, gum_files
from forest_align.eval.metrics.bracket_scores import oracle_brackets, score_brackets
from forest_align.eval.metrics.calibration_error import calibrate_nodes
from forest_align.parsing import load_parser
from forest_align.types import Sentence


def main() -> None:
    """Parse and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--gum", type=Path, required=True)
    parser.add_argument("--model", default="en")
    parser.add_argument("--sizes", type=int, nargs="+", default=[10, 50])
    parser.add_argument("--limit", type=int, default=None, help="sentences, evenly spread, for a quick look")
    options = parser.parse_args()
    stripped = (
        strip_annotations(tree) for path in gum_files(options.gum)["dev"] for tree in read_trees(path)
    )
    trees = [tree for tree in stripped if tree is not None]
    if options.limit:
        trees = [trees[k] for k in np.linspace(0, len(trees) - 1, options.limit).astype(int)]
    for size in options.sizes:
        model = load_parser(options.model, forest_size=size)
        words = [tuple(tree.leaves()) for tree in trees]
        gold, best, oracle, parses = [], [], np.zeros(4), []
        stream = tqdm(model.parse_many(words), total=len(words), disable=None)
        for tree, parsed in zip(trees, stream, strict=True):
            if isinstance(parsed, Sentence) and parsed.forest is not None:
                gold.append(tree)
                best.append(parsed.forest.best_tree(parsed.words))
                oracle += oracle_brackets(parsed.forest, tree)
                if (harmonised := from_tree(tree)) is not None and len(harmonised) == len(parsed):
                    spans = {(first, last + 1, label) for first, last, label in harmonised.spans}
                    parses.append((parsed.forest, spans))
        first = 100 * score_brackets(gold, best).counts.micro().f1
        right, predicted, _, wanted = oracle
        highest = 100 * 2 * right / (predicted + wanted)
        print(f"forest of {size} trees: 1-best F1 {first:.2f}, oracle {highest:.2f}, {len(gold)} sentences")
        exact, kept = (calibrate_nodes(parses, of).expected_error for of in ("log_posterior", "log_marginal"))
        print(f"    calibration error of nodes {exact:.4f}; of shares in the trees kept {kept:.4f}")


if __name__ == "__main__":
    main()
