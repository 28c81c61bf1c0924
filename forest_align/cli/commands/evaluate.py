"""``forest-align evaluate``: scores predicted alignments against gold ones."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from forest_align.cli.arguments import argument, format_option, option
from forest_align.data.text.lines import STANDARD_INPUT
from forest_align.system.terminal import positive
from forest_align.types import InputError, InputWarning

if TYPE_CHECKING:
    from forest_align.eval.files.evaluation import Evaluation
    from forest_align.eval.files.prediction_files import FilePrediction, JudgedPair

EPILOG = """\
GOLD may be in any format that has word links, PREDICTIONS as well; lines of Pharaoh links
(0-0 1-2) need no sentences. Pairs are matched in order, tokens must be the same, and so must
ids where both files have the same ones. All links of PREDICTIONS count, the possible ones too.
Plain text beside links is split on spaces. - is standard input, for one of the files.

examples:
  forest-align evaluate gold.json predictions.jsonl
  forest-align evaluate gold.json predictions.pharaoh --links all --json
  forest-align evaluate gold.json ours.jsonl --against theirs.jsonl
  forest-align evaluate gold.json ours.jsonl --worst 20
"""


@dataclass(frozen=True, slots=True)
class _EvaluateOptions:
    """Options of the command."""

    gold: str = argument("GOLD", help="file with gold word links")
    predictions: str = argument("PREDICTIONS", help="file with predicted word links")
    links: str = option(
        "--links",
        choices=("sure", "all"),
        default="sure",
        help="which gold links are wanted: the sure ones, or all, with the possible ones",
    )
    json: bool = option("--json", action="store_true", help="print JSON, figures in percent")
    against: str | None = option(
        "--against OTHER",
        help="file of another system: add differences, PREDICTIONS minus OTHER, and their p-values",
    )
    worst: int | None = option(
        "--worst N", type=positive, help="also show the N pairs with most errors (not --json)"
    )
    seed: int = option("--seed N", type=int, default=0, help="seed of tests and intervals")
    gold_format: str | None = format_option("--from", "format of GOLD; recognised by default")


OPTIONS = _EvaluateOptions


def run(args: _EvaluateOptions) -> int:
    """Score and print; return 0 on success."""
    from forest_align.eval.files.evaluation import compare, to_json, to_text
    from forest_align.eval.files.prediction_files import (
        name_of,
        read_gold,
        read_predictions,
        worst_pairs,
        worst_text,
    )

    if args.worst and args.json:
        raise InputError("--worst is for text; --json has the scores only")
    if args.seed < 0:
        raise InputError(f"expected at least 0, found {args.seed}", field="seed")
    if [args.gold, args.predictions, args.against].count(STANDARD_INPUT) > 1:
        raise InputError("standard input can be read but once; expected a file for the others")
    gold = read_gold(args.gold, args.gold_format)
    if not gold:
        # Without pairs every mean would be 100%.
        raise InputError("expected pairs with gold links, found none", file=name_of(args.gold))
    predictions = read_predictions(args.predictions)
    _warn_of_mistaken_files(gold, predictions, args)
    evaluation = _evaluate(gold, predictions, args.predictions, args.links)
    comparison, failed = None, 0
    if args.against:
        other = _evaluate(gold, read_predictions(args.against), args.against, args.links)
        comparison, failed = compare(evaluation, other, seed=args.seed), other.failed
    if args.json:
        report = to_json(evaluation, comparison, other_failed=failed, seed=args.seed)
        print(json.dumps(report, indent=2, ensure_ascii=False))
    else:
        print(to_text(evaluation, comparison, other_failed=failed, seed=args.seed))
    if args.worst:
        print(worst_text(worst_pairs(gold, predictions, args.worst, links=args.links)))
    return 0


def _warn_of_mistaken_files(
    gold: Sequence[JudgedPair], predictions: Sequence[FilePrediction], args: _EvaluateOptions
) -> None:
    """Warn if gold and predictions are one file, or look swapped: gold links have no probabilities."""
    if STANDARD_INPUT not in (args.gold, args.predictions) and os.path.samefile(args.gold, args.predictions):
        warnings.warn(InputWarning("GOLD and PREDICTIONS are the same file"), stacklevel=2)
    elif any(pair.links.scores for pair in gold) and not any(pair.links.scores for pair in predictions):
        message = f"the links of {args.gold} have probabilities: are GOLD and PREDICTIONS swapped?"
        warnings.warn(InputWarning(message), stacklevel=2)


def _evaluate(
    gold: Sequence[JudgedPair], predictions: Sequence[FilePrediction], path: str, links: str
) -> Evaluation:
    from forest_align.eval.files.evaluation import evaluate
    from forest_align.eval.files.prediction_files import name_of

    try:
        return evaluate(gold, predictions, links=links)
    except InputError as error:
        raise error.at(file=name_of(path)) from None
