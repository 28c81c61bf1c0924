"""``forest-align train joint``: learns the joint aligner's weights from pairs with gold word links."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from forest_align.cli.arguments import option
from forest_align.cli.corpora import GoldOptions, training_lock
from forest_align.cli.input_reports import report_skipped
from forest_align.system.terminal import counting_bar, positive

if TYPE_CHECKING:
    from forest_align.em.joint.examples import JointExample

EPILOG = """\
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


OPTIONS = _TrainJointOptions


def run(args: _TrainJointOptions) -> int:
    """Train; return 0 on success, 1 if some pairs could not be used."""
    with training_lock(args.output):
        return _train(args)


def _train(args: _TrainJointOptions) -> int:
    from forest_align.aligners.joint.program import import_solver
    from forest_align.em.joint.examples import fingerprint
    from forest_align.em.joint.training import JointSettings, train_joint_model

    import_solver()
    settings = JointSettings(args.epochs, args.seed, args.update)
    examples, failed = _read(args)
    progress = _Progress(len(examples))
    model, history = train_joint_model(
        examples,
        settings,
        variant=args.variant,
        longest=args.longest,
        link_features=args.link_features,
        phrase_deletions=args.phrase_deletions,
        checkpoint=args.output.with_name(args.output.name + ".checkpoint"),
        identity={"links": args.links, "pairs": fingerprint(examples)},
        resume=args.resume,
        report=progress,
    )
    progress.close()
    model.card.update(_card(args, len(examples)))
    model.save(args.output)
    for epoch in history:
        print(
            f"epoch {epoch.epoch}: while training, precision {epoch.precision:.1%}, "
            f"recall {epoch.recall:.1%} of links, {epoch.exact:.1%} of pairs right"
        )
    return 1 if failed else 0


def _read(args: _TrainJointOptions) -> tuple[list[JointExample], int]:
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


def _card(args: _TrainJointOptions, pairs: int) -> dict[str, object]:
    """The part of the model's description about its training."""
    return {
        "trained on": ["/".join(Path(path).parts[-2:]) for path in args.gold],
        "pairs": pairs,
        "links": args.links,
        "parser": Path(args.parser).name,
        "ppdb": Path(args.ppdb).name if args.ppdb else "",
        "epochs": args.epochs,
        "update": args.update,
        "seed": args.seed,
    }


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
