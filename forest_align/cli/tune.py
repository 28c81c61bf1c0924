"""``forest-align tune``: searches the penalties and sizes of the forest aligner on pairs with gold links."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from forest_align.cli.corpora import add_corpus_arguments, corpus_reader, read_corpus

if TYPE_CHECKING:
    from forest_align.em.dev_set import DevSet

EPILOG = """\
The study is kept in a storage: a sweep that was stopped goes on where it was, and several processes (or
machines) that name the same storage and study share the work. --trials counts the trials of all of them.

examples:
  forest-align tune gold.json --model my_model -o my_tuned_model --trials 50 --forests cache
  forest-align tune gold.json -o tuned --objective word-f1 --storage sqlite:///sweep.db --plot sweep.svg
  forest-align tune gold.json -o tuned --forest-sizes 1 10 50 --storage journal:/shared/sweep.journal
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.epilog = EPILOG
    parser.add_argument("gold", metavar="GOLD", nargs="+", help="files of pairs with gold word links")
    parser.add_argument("-o", "--output", metavar="MODEL", type=Path, required=True, help="folder to write")
    parser.add_argument(
        "--model", default="forest", metavar="MODEL", help="model to tune (default: the bundled one)"
    )
    parser.add_argument(
        "--objective",
        choices=("constituent-f1", "word-f1", "uas"),
        default="constituent-f1",
        help="what to raise (default: constituent-f1); uas needs gold trees",
    )
    add_corpus_arguments(parser)
    parser.add_argument(
        "--forest-sizes",
        type=int,
        nargs="+",
        default=[10],
        metavar="N",
        help="forest sizes to try (default: 10)",
    )
    parser.add_argument("--trials", type=int, default=50, help="trials of the study in the end (default: 50)")
    parser.add_argument("--workers", type=int, default=1, help="trials at a time (default: 1)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the search (default: 0)")
    parser.add_argument(
        "--storage",
        metavar="URL",
        help="Optuna storage, or journal:FILE (default: a SQLite file beside the model)",
    )
    parser.add_argument("--study", metavar="NAME", help="name of the study (default: the objective)")
    parser.add_argument("--plot", metavar="FILE", type=Path, help="draw the trials: .png or .svg")


def run(args: argparse.Namespace) -> int:
    """Tune; 0 when it went well, 1 when some pairs could not be used."""
    from forest_align.aligners.forest import ForestAligner
    from forest_align.em.dev_set import DevSet
    from forest_align.em.plots import plot_sweep
    from forest_align.em.progress import counting_bar
    from forest_align.em.sweep import SweepProblem, search_space, start_values, with_values
    from forest_align.em.tuning import TuningSettings, best_values, open_study, trial_table, tune

    settings = TuningSettings(trials=args.trials, workers=args.workers, seed=args.seed)
    model = ForestAligner.load(args.model).model
    failed = 0

    def load(size: int) -> DevSet:
        nonlocal failed
        reader = corpus_reader(args, size, model.options.confident_link)
        pairs, failed = read_corpus(reader, args.gold, args)
        return DevSet(pairs)

    problem = SweepProblem(model, args.objective, args.forest_sizes, load)
    args.output.parent.mkdir(parents=True, exist_ok=True)
    storage = args.storage or f"sqlite:///{args.output.with_name(args.output.name + '.sweep.db')}"
    study = open_study(storage, args.study or args.objective, start_values(model, args.forest_sizes))
    with counting_bar("trials", args.trials) as bar:
        tune(problem, search_space(args.forest_sizes), settings, study, lambda _: bar.update())
    print(trial_table(study))
    with_values(model, best_values(study)).save(args.output)
    if args.plot:
        plot_sweep(study, args.plot)
    return 1 if failed else 0
