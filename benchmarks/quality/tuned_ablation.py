"""The ablation of table 3 of Arase & Tsujii (2017), with options tuned anew for each row.

Usage: python benchmarks/quality/tuned_ablation.py GOLD… [--model MODEL] [--trials 20] [--tune 150]
            [--limit 150] [--forests CACHE]

Each row's options are searched in as many trials, with the same seed, on the first pairs of all files
(``--tune``), from the model's own options. The rows are judged on the pairs after these. MODEL decides the
kind of word candidates W: contextual for ``forest``, the dictionary for ``forest-published``.

    full         the model
    monotonic    without the non-compositional step
    without EM   weights of zero
    1-best       on the parser's best trees
    projection   no search: likely word candidates, projected onto the parser's best trees; the probability
                 from which they are likely is searched

Prints a table for each file, one for all files together, and the options that were found. p is of constituent
F1 against the full system (approximate randomization).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from ablation import LIKELY, on_best_tree, projection_rows, rows_of, table
from measure_published import dev_set

from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.aligners.forest.model import ForestModel
from forest_align.em.forest.dev_set import DevSet, objective_value
from forest_align.em.tuning.forest_sweep import SweepProblem, search_space
from forest_align.em.tuning.results import best_values
from forest_align.em.tuning.search import TuningSettings
from forest_align.em.tuning.study import SharedStudy
from forest_align.em.tuning.trials import tune

OBJECTIVE = "constituent-f1"


def on_best_trees(dev: DevSet) -> DevSet:
    """The same pairs on best trees; recall stays over the constituents of the same trees."""
    best = DevSet([one.pair for one in dev.pairs])
    best.pairs = [on_best_tree(one) for one in dev.pairs]
    return best


def tuned(model: ForestModel, dev: DevSet, trials: int, seed: int) -> ForestModel:
    """The model with the best options of a search that begins with its own."""
    size = model.forest_size
    space = search_space(
        model, [size], keep=["beam"], also=["parser_weight"] if model.options.parser_weight else []
    )
    problem = SweepProblem(model, OBJECTIVE, [size], lambda _: dev, space)
    settings = TuningSettings(trials, seed=seed)
    study = tune(problem, space, settings, SharedStudy("sqlite:///:memory:", "row"), problem.start)
    return problem.tuned(best_values(study))


def tuned_threshold(dev: DevSet, trials: int) -> float:
    """The best of so many probabilities from which the projection takes a word candidate."""
    tried = [LIKELY, *np.linspace(0.05, 0.95, trials - 1)]
    return float(max(tried, key=lambda likely: objective_value(projection_rows(dev, likely), OBJECTIVE)))


def joined(sets: Sequence[DevSet]) -> DevSet:
    """All pairs in one set."""
    both = DevSet([one.pair for dev in sets for one in dev.pairs])
    both.pairs = [one for dev in sets for one in dev.pairs]
    return both


def main(argv: Sequence[str] | None = None) -> None:
    """Tune, measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("gold", nargs="+", metavar="GOLD")
    parser.add_argument("--model", default="forest")
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tune", type=int, default=150, help="pairs of each file to tune on")
    parser.add_argument("--limit", type=int, help="only so many pairs of each file after these")
    parser.add_argument("--parser", default="en")
    parser.add_argument("--forests", type=Path, metavar="CACHE")
    arguments = parser.parse_args(argv)
    model = ForestAligner.load(arguments.model).model
    options = vars(arguments)
    first = argparse.Namespace(**{**options, "skip": 0, "limit": arguments.tune})
    others = argparse.Namespace(**{**options, "skip": arguments.tune})
    tuning = joined([dev_set(path, model, first) for path in arguments.gold])
    judged = {path: dev_set(path, model, others) for path in arguments.gold}
    monotonic = model.with_options(noncompositional=False)
    untrained = replace(model, weights=np.zeros_like(model.weights), lexical={})
    rows: dict[str, dict[str, np.ndarray]] = {path: {} for path in judged}
    found = []
    for name, start, prepare in (
        ("full", model, None),
        ("monotonic", monotonic, None),
        ("without EM", untrained, None),
        ("1-best", model, on_best_trees),
    ):
        own = tuned(start, prepare(tuning) if prepare else tuning, arguments.trials, arguments.seed)
        found.append(f"{name}: {own.description['tuned']}")
        print(found[-1], file=sys.stderr)
        for path, dev in judged.items():
            rows[path][name] = rows_of(prepare(dev) if prepare else dev, own, f"{path} {name}")
    likely = tuned_threshold(tuning, arguments.trials)
    found.append(f"projection: from {likely:.3f}")
    for path, dev in judged.items():
        rows[path]["projection"] = projection_rows(dev, likely)
    for path, results in rows.items():
        print(table(f"{Path(path).parent.name} {Path(path).name}", results), end="\n\n")
    if len(rows) > 1:
        systems = next(iter(rows.values()))
        together = {name: np.concatenate([results[name] for results in rows.values()]) for name in systems}
        print(table("all", together), end="\n\n")
    print("\n".join(found))


if __name__ == "__main__":
    main()
