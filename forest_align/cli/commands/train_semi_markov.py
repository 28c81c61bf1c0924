"""``forest-align train semi-markov``: learns the semi-Markov aligner's weights from gold links."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from forest_align.cli.arguments import option
from forest_align.cli.corpora import GoldOptions, training_lock
from forest_align.cli.input_reports import report_skipped
from forest_align.system.terminal import counting_bar, positive
from forest_align.types import InputError

if TYPE_CHECKING:
    from forest_align.em.semi_markov.objective import LatticeExample
    from forest_align.em.semi_markov.training import SemiMarkovSettings

EPILOG = """\
GOLD may be in any format that has words and word links; phrases are the blocks of links. MODEL is a folder;
the checkpoint is kept beside it.

examples:
  forest-align train semi-markov gold.json -o my_model
  forest-align train semi-markov gold.json more.tsv -o my_model --forests cache
  forest-align train semi-markov gold.json -o my_model --forests cache --resume
  forest-align train semi-markov gold.json -o my_tokens --longest 1 1 --both-directions
  forest-align train semi-markov gold.json -o my_model --longest-null 3 --resources wordnet names groups
  forest-align align pairs.tsv --model my_model
"""


@dataclass(frozen=True, slots=True)
class _TrainSemiMarkovOptions(GoldOptions):
    """Options of the command."""

    ppdb: str | None = option("--ppdb FILE", help="paraphrase pairs (TSV, perhaps gzipped): more synonyms")
    longest: tuple[int, int] = option(
        "--longest WORDS",
        type=positive,
        nargs=2,
        default=(3, 3),
        help="most words of a phrase of the shorter sentence, which is read, and of the other",
    )
    longest_null: int = option(
        "--longest-null WORDS",
        type=positive,
        default=1,
        help="most words of the sentence that is read that one step aligns to nothing",
    )
    resources: tuple[str, ...] = option(
        "--resources",
        nargs="+",
        choices=("wordnet", "names", "groups", "paraphrases"),
        default=(),
        help="further features: hypernyms, parts and consequences of WordNet; spelling of names; words at "
        "the same place of synonyms of several words; probabilities of --ppdb",
    )
    both_directions: bool = option(
        "--both-directions",
        action="store_true",
        help="read either sentence, and align what one of both paths aligns; with --longest 1 1 this is the "
        "paper's model of single words",
    )
    iterations: int = option(
        "--iterations N",
        type=int,
        default=200,
        help="maximum number of L-BFGS iterations; fewer if the loss converges",
    )
    regularization: float = option(
        "--regularization L2", type=float, default=2.0, help="strength of the L2 term"
    )
    resume: bool = option("--resume", action="store_true", help="continue from the checkpoint")


OPTIONS = _TrainSemiMarkovOptions


def run(args: _TrainSemiMarkovOptions) -> int:
    """Train; return 0 on success, 1 if some pairs could not be used."""
    with training_lock(args.output):
        return _train(args)


def _train(args: _TrainSemiMarkovOptions) -> int:
    from forest_align.aligners.semi_markov.lattice import LatticeOptions
    from forest_align.em.semi_markov.training import SemiMarkovSettings, train_semi_markov_model

    if "paraphrases" in args.resources and not args.ppdb:
        raise InputError("--resources paraphrases needs --ppdb FILE, whose probabilities are the features")
    options = LatticeOptions(args.longest, args.longest_null, args.resources)
    settings = SemiMarkovSettings(args.iterations, args.regularization, options, args.both_directions)
    examples, pairs, failed = _read(args, settings)
    with counting_bar("training", settings.iterations) as bar:
        model, losses = train_semi_markov_model(
            examples,
            settings,
            checkpoint=args.output.with_name(args.output.name + ".checkpoint"),
            resume=args.resume,
            report=_report(bar),
        )
    model.card.update(_card(args, pairs, losses))
    model.save(args.output)
    print(f"{pairs} pairs, {len(losses) - 1} iterations: loss {losses[-1]:.4f} a path")
    return 1 if failed else 0


def _report(bar: Any) -> Any:
    def report(iteration: int, loss: float) -> None:
        bar.update(iteration - bar.n)
        bar.set_postfix_str(f"loss {loss:.4f} a path")

    return report


def _read(
    args: _TrainSemiMarkovOptions, settings: SemiMarkovSettings
) -> tuple[list[LatticeExample], int, int]:
    """The examples, and the numbers of pairs and of unusable ones; the reasons are written to stderr."""
    from forest_align.em.corpus.parsed_pairs import read_gold_files, read_gold_pairs
    from forest_align.em.semi_markov.training import examples_of
    from forest_align.lexicon.lexicon import load_lexicon
    from forest_align.lexicon.pair_table import PairTable

    ppdb = PairTable.load(args.ppdb) if args.ppdb else None
    pairs = read_gold_files(args.gold, args.format, links=args.links)
    with counting_bar("preparing", 3 * len(pairs)) as bar:
        gold, problems = read_gold_pairs(
            pairs, parser=args.parser, cache=args.forests, links=args.links, report=bar.update
        )
        examples = examples_of(gold, load_lexicon(), ppdb, bar.update, settings)
    report_skipped("train semi-markov", problems)
    return examples, len(gold), len(problems)


def _card(args: _TrainSemiMarkovOptions, pairs: int, losses: tuple[float, ...]) -> dict[str, object]:
    """The part of the model's description about its training."""
    return {
        "weights": "softmax-margin with Hamming cost, L-BFGS",
        "trained on": [f"{Path(path).parent.name}/{Path(path).name}" for path in args.gold],
        "pairs": pairs,
        "links": args.links,
        "parser": Path(args.parser).name,
        "ppdb": Path(args.ppdb).name if args.ppdb else "",
        "regularization": args.regularization,
        "iterations": len(losses) - 1,
        "loss": losses[-1],
    }
