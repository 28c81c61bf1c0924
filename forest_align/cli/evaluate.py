"""``forest-align evaluate``: scores predicted alignments against gold ones."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from forest_align.eval.evaluation import Evaluation, GoldPair

EPILOG = """\
GOLD may be in any format that has word links, PREDICTIONS as well; lines of Pharaoh links
(0-0 1-2) need no sentences. Pairs are matched in order, tokens must be the same.

examples:
  forest-align evaluate gold.json predictions.jsonl
  forest-align evaluate gold.json predictions.pharaoh --links all --json
  forest-align evaluate gold.json ours.jsonl --against theirs.jsonl
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.epilog = EPILOG
    parser.add_argument("gold", metavar="GOLD", help="file with gold word links")
    parser.add_argument("predictions", metavar="PREDICTIONS", help="file with predicted word links")
    parser.add_argument(
        "--links",
        choices=("sure", "all"),
        default="sure",
        help="which gold links are wanted: the sure ones (default), or the possible ones too",
    )
    parser.add_argument("--json", action="store_true", help="print JSON, figures in percent")
    parser.add_argument(
        "--against", metavar="OTHER", help="file of another system: add differences and their p-values"
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of tests and intervals (default: 0)")
    parser.add_argument("--from", dest="gold_format", metavar="FORMAT", help="format of GOLD")


def run(args: argparse.Namespace) -> int:
    """Score and print; 0 when it went well."""
    from forest_align.eval.evaluation import compare, to_json, to_text
    from forest_align.eval.prediction_files import read_gold
    from forest_align.types import InputError

    if args.seed < 0:
        raise InputError(f"expected at least 0, found {args.seed}", field="seed")
    gold = read_gold(args.gold, args.gold_format)
    if not gold:
        # Without pairs every mean would be that of nothing, 100%.
        raise InputError("expected pairs with gold links, found none", file=args.gold)
    evaluation = _evaluate(gold, args.predictions, args.links)
    comparison = None
    if args.against:
        comparison = compare(evaluation, _evaluate(gold, args.against, args.links), seed=args.seed)
    if args.json:
        print(json.dumps(to_json(evaluation, comparison, seed=args.seed), indent=2, ensure_ascii=False))
    else:
        print(to_text(evaluation, comparison, seed=args.seed))
    return 0


def _evaluate(gold: Sequence[GoldPair], path: str, links: str) -> Evaluation:
    from forest_align.eval.evaluation import evaluate
    from forest_align.eval.prediction_files import read_predictions
    from forest_align.types import InputError

    predictions = read_predictions(path)
    try:
        return evaluate(gold, predictions, links=links)
    except InputError as error:
        raise error.at(file=path) from None
