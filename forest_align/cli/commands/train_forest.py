"""``forest-align train forest``: learns the forest aligner's weights from pairs without links."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from forest_align.cli.arguments import argument, option, part, refuse_with
from forest_align.cli.corpora import (
    CorpusOptions,
    corpus_reader,
    prepare_corpus,
    read_files,
    read_gold_files,
    training_lock,
)
from forest_align.cli.run_options import ClusterOptions
from forest_align.system.terminal import counting_bar, positive
from forest_align.types import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forest_align.aligners.forest.model import ForestModel
    from forest_align.data.formats.format import SentencePair
    from forest_align.em.corpus.corpus import CorpusReader
    from forest_align.em.forest.expectation import BatchExpectation
    from forest_align.em.forest.problem import AlignmentProblem
    from forest_align.jobs import RayOptions

#: The learning curve in the model's folder.
_LEARNING_CURVE = "learning_curve.svg"

EPILOG = """\
PAIRS may be in any format that has two sentences; links in it are not used, trees are, as by align. Where
PAIRS have marked phrases, the judge of phrases learns from them too, if that helps on pairs that it did not
see. MODEL is a folder; the checkpoint is kept beside it. If the model to start from has a dictionary, as
forest-published, the new model's dictionary is learned from PAIRS.

examples:
  forest-align train forest pairs.tsv -o my_model
  forest-align train forest news.tsv wiki.json -o my_model --forests cache --dev gold.json --plot curve.svg
  forest-align train forest pairs.tsv -o my_model --forests cache --resume
  forest-align train forest pairs.tsv -o my_model --start forest-published
  forest-align train forest pairs.tsv -o my_model --forests cache --engine ray --address auto
"""


@dataclass(frozen=True, slots=True)
class TrainForestOptions:
    """Options of the command."""

    pairs: tuple[str, ...] = argument("PAIRS", nargs="+", help="files of sentence pairs, or -")
    output: Path = option("-o", "--output MODEL", type=Path, required=True, help="folder to write")
    start: str = option("--start MODEL", default="forest", help="model to start from")
    dev: tuple[str, ...] = option(
        "--dev GOLD", nargs="+", default=(), help="pairs with gold links, scored after each epoch"
    )
    corpus: CorpusOptions = part(CorpusOptions)
    forest_size: int | None = option(
        "--forest-size N",
        type=positive,
        help="trees in a forest while training; default: as many as the model to start from was tuned with",
    )
    epochs: int = option("--epochs N", type=positive, default=5, help="passes over the pairs")
    batch_size: int = option("--batch-size N", type=int, default=200, help="pairs between M-steps; 0 for all")
    regularization: float = option("--regularization KAPPA", type=float, default=1.0, help="κ of the M-step")
    seed: int = option("--seed N", type=int, default=0, help="order of the pairs")
    workers: int = option(
        "--workers N", type=positive, default=1, help="threads; the result does not depend on them"
    )
    resume: bool = option("--resume", action="store_true", help="continue from the checkpoint")
    cluster: ClusterOptions = part(ClusterOptions)
    plot: Path | None = option(
        "--plot FILE",
        type=Path,
        help="where to draw the learning curve: .png or .svg; "
        f"default: MODEL/{_LEARNING_CURVE}, if matplotlib is installed",
    )


OPTIONS = TrainForestOptions


def run(args: TrainForestOptions) -> int:
    """Train; return 0 on success, 1 if some pairs could not be used."""
    with training_lock(args.output):
        return _train(args)


def _train(args: TrainForestOptions) -> int:
    from forest_align.aligners.forest.aligner import ForestAligner
    from forest_align.aligners.loading import kind_of
    from forest_align.em.forest.dev_set import DevSet
    from forest_align.em.forest.state import TrainingSettings
    from forest_align.em.forest.trainer import TrainingProgress
    from forest_align.em.forest.training import train_forest_model
    from forest_align.em.plots import can_plot, check_plot, plot_learning_curve

    engine = args.cluster.cluster()
    if engine is not None:
        refuse_with("train --engine", args)
    if args.plot:
        check_plot(args.plot, args.output)
    settings = TrainingSettings(
        epochs=args.epochs,
        batch_size=args.batch_size,
        seed=args.seed,
        regularization=args.regularization,
        workers=args.workers,
    )
    if (kind := kind_of(args.start)) != "forest":
        raise InputError(f"the model {args.start} is for the aligner {kind}, not forest")
    raw_dev = read_gold_files(args.dev, args.corpus, "train forest")
    start = ForestAligner.load(args.start).model
    size = args.forest_size or start.forest_size
    reader = corpus_reader(args.corpus, size, start, given_trees=args.corpus.parser is None)
    learn = start.dictionary is not None
    read = read_files(args.pairs, args.corpus)
    pairs, failed = prepare_corpus(reader, read, "train forest", learn=learn)
    start = replace(start, dictionary=reader.dictionary)
    dev_pairs, dev_failed = prepare_corpus(reader, raw_dev, "train forest")
    trained = train_forest_model(
        pairs,
        start,
        settings,
        dev=DevSet(dev_pairs) if args.dev else None,
        checkpoint=args.output.with_name(args.output.name + ".checkpoint"),
        resume=args.resume,
        observer=TrainingProgress(len(pairs)),
        expect_on=partial(_expect_on, engine) if engine is not None else None,
    )
    marked = [pair for pair in read if not isinstance(pair, InputError) and pair.units]
    model = _adapted(trained.model, marked, reader, args) if marked else trained.model
    model.save(args.output)
    if args.plot or can_plot():
        plot_learning_curve(trained.history, args.plot or args.output / _LEARNING_CURVE)
    else:
        print(
            "forest-align train forest: no learning curve is drawn without matplotlib: "
            "pip install 'forest-align[plot]'",
            file=sys.stderr,
        )
    return 1 if failed or dev_failed else 0


def _adapted(
    model: ForestModel, marked: Sequence[SentencePair], reader: CorpusReader, args: TrainForestOptions
) -> ForestModel:
    """Let the model's judge learn from marked phrases, and say what came of it."""
    from forest_align.em.corpus.parsed_pairs import ParsedPair
    from forest_align.em.phrases.judge_training import adapted_to_marks

    try:
        with counting_bar("marked phrases", 3 * len(marked)) as bar:
            pairs = [pair for pair in reader.parse(marked, bar.update) if isinstance(pair, ParsedPair)]
            adapted = adapted_to_marks(
                model,
                pairs,
                parser=args.corpus.parser or "en",
                words=args.corpus.words,
                seed=args.seed,
                report=bar.update,
            )
    except InputError as reason:
        print(f"forest-align train forest: marked phrases are not used: {reason}", file=sys.stderr)
        return model
    print(
        f"marked phrases of {adapted.pairs} pairs: the judge's cross-entropy is {adapted.before:.4f}, and "
        f"{adapted.after:.4f} if it learned from the others; it "
        f"{'learned from them' if adapted.is_better else 'stays as it was'}"
    )
    return adapted.model


def _expect_on(engine: RayOptions, problem: AlignmentProblem) -> AbstractContextManager[BatchExpectation]:
    from forest_align.jobs import expect_on_ray

    return expect_on_ray(problem, engine)
