"""``forest-align train joint`` and ``train semi-markov``: learn weights from pairs with gold word links."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from forest_align.cli.arguments import Command, option
from forest_align.cli.corpora import GoldOptions, training_lock
from forest_align.cli.input_reports import report_skipped
from forest_align.system.terminal import counting_bar, positive

if TYPE_CHECKING:
    from forest_align.em.joint.examples import JointExample
from forest_align.types import InputError

if TYPE_CHECKING:
    from forest_align.em.semi_markov.objective import LatticeExample
    from forest_align.em.semi_markov.training import SemiMarkovSettings

_JOINT_EPILOG = """\
GOLD may be in any format that has words and word links. MODEL is a folder; the checkpoint is kept beside it.

examples:
  forest-align train joint gold.json -o my_model
  forest-align train joint gold.json more.tsv -o my_model --forests cache --epochs 10
  forest-align train joint gold.json -o my_model --forests cache --resume
  forest-align train joint gold.json -o my_model --parser my_parser --no-link-features
  forest-align align pairs.tsv --aligner joint --model my_model
"""


@dataclass(frozen=True, slots=True)
class _TrainJointOptions(GoldOptions):
    """Options of the command."""

    variant: str = option(
        "--variant",
        choices=("phrase+arc", "phrase"),
        default="phrase+arc",
        help="align phrases and dependency arcs together, or phrases alone",
    )
    longest: int = option("--longest WORDS", type=positive, default=3, help="most words of a phrase")
    phrase_deletions: bool = option(
        "--delete-phrases",
        action="store_true",
        help="delete phrases of up to --longest words as wholes, as in the paper, not word by word",
    )
    link_features: bool = option(
        "--no-link-features",
        action="store_false",
        help="leave out what the link model of the contextual aligner says",
    )
    ppdb: str | None = option("--ppdb FILE", help="paraphrase pairs (TSV, perhaps gzipped): more synonyms")
    epochs: int = option("--epochs N", type=positive, default=3, help="passes over the pairs")
    update: str = option(
        "--update",
        choices=("margin", "perceptron"),
        default="margin",
        help="update of the weights: until the gold alignment wins by the cost of the wrong one "
        "(margin), or as in the paper (perceptron)",
    )
    seed: int = option("--seed N", type=int, default=0, help="order of the pairs")
    resume: bool = option("--resume", action="store_true", help="continue from the checkpoint")


def _train_joint(args: _TrainJointOptions) -> int:
    from forest_align.aligners.joint.program import import_solver
    from forest_align.em.joint.examples import fingerprint
    from forest_align.em.joint.training import JointSettings, train_joint_model

    import_solver()
    settings = JointSettings(args.epochs, args.seed, args.update)
    examples, failed = _read_joint(args)
    progress = _Progress(len(examples))
    model, history = train_joint_model(
        examples,
        settings,
        variant=args.variant,
        longest=args.longest,
        link_features=args.link_features,
        phrase_deletions=args.phrase_deletions,
        checkpoint=args.checkpoint,
        identity={"links": args.links, "pairs": fingerprint(examples)},
        resume=args.resume,
        report=progress,
    )
    progress.close()
    model.card.update(
        {
            **_card(args, len(examples)),
            "epochs": args.epochs,
            "update": args.update,
            "seed": args.seed,
        }
    )
    model.save(args.output)
    for epoch in history:
        print(
            f"epoch {epoch.epoch}: while training, precision {epoch.precision:.1%}, "
            f"recall {epoch.recall:.1%} of links, {epoch.exact:.1%} of pairs right"
        )
    return 1 if failed else 0


def _read_joint(args: _TrainJointOptions) -> tuple[list[JointExample], int]:
    """The examples, and the number of unusable pairs; the reasons are written to stderr."""
    from forest_align.aligners.contextual.aligner import bundled_model
    from forest_align.em.corpus.parsed_pairs import read_gold_files
    from forest_align.em.joint.examples import read_examples
    from forest_align.lexicon.pair_table import PairTable

    pairs = read_gold_files(args.gold, args.format, links=args.links)
    with counting_bar("preparing", 3 * len(pairs)) as bar:
        examples, problems = read_examples(
            pairs,
            parser=args.parser,
            cache=args.forests,
            longest=args.longest,
            arcs=args.variant == "phrase+arc",
            phrase_deletions=args.phrase_deletions,
            link_model=bundled_model() if args.link_features else None,
            ppdb=PairTable.load(args.ppdb) if args.ppdb else None,
            links=args.links,
            report=bar.update,
        )
    report_skipped("train joint", problems)
    return examples, len(problems)


class _Progress:
    """A progress bar for each pass over the pairs."""

    def __init__(self, pairs: int) -> None:
        self._pairs = pairs
        self._what = ""
        self._bar: Any = None

    def __call__(self, what: str, done: int) -> None:
        if what != self._what:
            self.close()
            self._what, self._bar = what, counting_bar(what, self._pairs)
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.close()


_SEMI_MARKOV_EPILOG = """\
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


def _train_semi_markov(args: _TrainSemiMarkovOptions) -> int:
    from forest_align.aligners.semi_markov.lattice import LatticeOptions
    from forest_align.em.semi_markov.training import SemiMarkovSettings, train_semi_markov_model

    if "paraphrases" in args.resources and not args.ppdb:
        raise InputError("--resources paraphrases needs --ppdb FILE, whose probabilities are the features")
    options = LatticeOptions(args.longest, args.longest_null, args.resources)
    settings = SemiMarkovSettings(args.iterations, args.regularization, options, args.both_directions)
    examples, pairs, failed = _read_semi_markov(args, settings)
    with counting_bar("training", settings.iterations) as bar:

        def report(iteration: int, loss: float) -> None:
            bar.update(iteration - bar.n)
            bar.set_postfix_str(f"loss {loss:.4f} a path")

        model, losses = train_semi_markov_model(
            examples, settings, checkpoint=args.checkpoint, resume=args.resume, report=report
        )
    model.card.update(
        {
            "weights": "softmax-margin with Hamming cost, L-BFGS",
            **_card(args, pairs),
            "regularization": args.regularization,
            "iterations": len(losses) - 1,
            "loss": losses[-1],
        }
    )
    model.save(args.output)
    print(f"{pairs} pairs, {len(losses) - 1} iterations: loss {losses[-1]:.4f} a path")
    return 1 if failed else 0


def _read_semi_markov(
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


def _card(args: _TrainJointOptions | _TrainSemiMarkovOptions, pairs: int) -> dict[str, object]:
    """What both models' descriptions say about the pairs."""
    return {
        "trained on": ["/".join(Path(path).parts[-2:]) for path in args.gold],
        "pairs": pairs,
        "links": args.links,
        "parser": Path(args.parser).name,
        "ppdb": Path(args.ppdb).name if args.ppdb else "",
    }


def _locked(train: Callable[[Any], int]) -> Callable[[Any], int]:
    """Keep other processes from training the same model; the status is 1 if some pairs could not be used."""

    def run(args: GoldOptions) -> int:
        with training_lock(args.output):
            return train(args)

    return run


COMMANDS = {
    "joint": Command(_TrainJointOptions, _JOINT_EPILOG, _locked(_train_joint)),
    "semi-markov": Command(_TrainSemiMarkovOptions, _SEMI_MARKOV_EPILOG, _locked(_train_semi_markov)),
}
