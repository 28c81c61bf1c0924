"""``forest-align tune``: searches the parameters of an aligner on pairs with gold links."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from forest_align.cli.arguments import argument, flag_of, option, part, refuse_for, removed_variant
from forest_align.cli.corpora import (
    CorpusOptions,
    check_model_folder,
    corpus_reader,
    prepare_corpus,
    read_gold_files,
)
from forest_align.cli.input_reports import report_skipped
from forest_align.system.terminal import counting_bar, positive
from forest_align.types import InputError

if TYPE_CHECKING:
    import optuna

    from forest_align.aligners.contextual.aligner import ContextualAligner
    from forest_align.aligners.sultan.aligner import SultanAligner
    from forest_align.em.forest.dev_set import DevSet
    from forest_align.em.tuning.study import SharedStudy
    from forest_align.em.tuning.trials import Range, TuningProblem, TuningSettings, Values

#: Kinds of aligners that can be tuned.
_TUNED = ("forest", "contextual", "sultan")
#: The picture of the trials in the model's folder.
_SWEEP_PLOT = "sweep.svg"

EPILOG = """\
The study is kept in a storage: a stopped sweep resumes from it, and several processes (or
machines) that name the same storage and study share the work. --trials counts the trials of all of them.

examples:
  forest-align tune gold.json --model my_model -o my_tuned_model --trials 50 --forests cache
  forest-align tune gold.json -o tuned --objective word-f1 --storage sqlite:///sweep.db --workers 2
  forest-align tune gold.json -o tuned --forest-sizes 1 10 50 --storage journal:/shared/sweep.journal
  forest-align tune gold.json -o tuned --keep beam generation_gap --also parser_weight
  forest-align tune SPADE/dev --model forest-published -o tuned --objective phrase-f1 --also parser_weight
  forest-align tune marked.jsonl -o tuned --objective core-f1 --also phrase_weight phrase_bias
  forest-align tune gold.json -o tuned --aligner sultan --ppdb ppdb.tsv.gz
"""


@dataclass(frozen=True, slots=True)
class TuneOptions:
    """Options of the command."""

    gold: tuple[str, ...] = argument("GOLD", nargs="+", help="files of pairs with gold word links")
    output: Path = option("-o", "--output MODEL", type=Path, required=True, help="folder to write")
    model: str | None = option("--model MODEL", help="model to tune; default: the bundled one")
    aligner: str | None = option(
        "--aligner",
        choices=_TUNED,
        help="kind of aligner: forest has penalties and sizes, contextual a threshold, sultan ppdbSim, w and "
        "(without --ppdb) the least cosine of similar words; default: the model's, or forest",
    )
    objective: str | None = option(
        "--objective",
        choices=("constituent-f1", "word-f1", "uas", "phrase-f1", "core-f1"),
        help="score to maximise: uas compares the parser's trees with those of the input, phrase-f1 the "
        "phrases with those of annotators (SPADE: ALIP, ALIR), core-f1 the smallest differing ones with "
        "those that people marked; default: constituent-f1, for others word-f1",
    )
    links: str = option(
        "--links",
        choices=("sure", "all"),
        default="sure",
        help="which gold links are wanted: the sure ones, or all, with the possible ones; align with the "
        "same --links then",
    )
    variant: None = removed_variant()
    ppdb: str | None = option(
        "--ppdb FILE",
        help="paraphrase pairs (TSV, perhaps gzipped) for contextual and sultan; without them, sultan uses "
        "WordNet and word vectors",
    )
    annotator: str | None = option(
        "--annotator",
        choices=("trees", "spacy"),
        help="source of sultan's dependencies and named entities; default: what the model says",
    )
    corpus: CorpusOptions = part(CorpusOptions)
    forest_sizes: tuple[int, ...] | None = option(
        "--forest-sizes N", type=positive, nargs="+", help="forest sizes to try; default: the model's own"
    )
    keep: tuple[str, ...] | None = option(
        "--keep NAME",
        nargs="+",
        help="options of the forest aligner that stay as the model has them: beam and generation_gap, say, "
        "which decide how long an alignment takes",
    )
    also: tuple[str, ...] | None = option(
        "--also NAME",
        nargs="+",
        help="further options of the forest aligner to search: parser_weight, the µ_p of the paper; "
        "phrase_weight and phrase_bias, how much the search hears of the phrase-pair model",
    )
    trials: int = option("--trials N", type=positive, default=50, help="total number of trials")
    workers: int = option(
        "--workers N", type=positive, default=1, help="processes; each runs one trial at a time"
    )
    seed: int = option("--seed N", type=int, default=0, help="seed of the search")
    storage: str | None = option(
        "--storage URL",
        help="Optuna storage, journal:FILE or grpc://HOST:PORT; default: a SQLite file beside the model",
    )
    study: str | None = option("--study NAME", help="name of the study; default: the objective")
    plot: Path | None = option(
        "--plot FILE",
        type=Path,
        help="where to draw the trials: .png or .svg; "
        f"default: MODEL/{_SWEEP_PLOT}, if matplotlib is installed",
    )


OPTIONS = TuneOptions


def run(args: TuneOptions) -> int:
    """Tune; return 0 on success, 1 if some pairs could not be used."""
    from forest_align.aligners.loading import kind_of
    from forest_align.em.plots import check_plot
    from forest_align.em.tuning.trials import TuningSettings

    check_model_folder(args.output, beside=args.storage is None)
    if args.plot:
        check_plot(args.plot, args.output)
    settings = TuningSettings(trials=args.trials, workers=args.workers, seed=args.seed)
    kind = kind_of(args.model or args.aligner or "forest")
    if args.aligner not in (None, kind):
        raise InputError(f"the model {args.model} is for the aligner {kind}, not {args.aligner}")
    if kind not in _TUNED:
        raise InputError(f"the {kind} aligner is not tuned; the aligners {', '.join(_TUNED)} are")
    if args.annotator is not None:
        refuse_for(kind, "annotator", "--annotator")
    if kind != "forest":
        for name in ("keep", "also", "forest_sizes", "words"):
            if getattr(args.corpus if name == "words" else args, name):
                refuse_for(kind, name, flag_of(name))
        return _tune_words(args, settings, kind)
    if args.ppdb is not None:
        refuse_for(kind, "tuned with ppdb", "--ppdb")
    return _tune_forest(args, settings)


def _tune_forest(args: TuneOptions, settings: TuningSettings) -> int:
    from forest_align.aligners.forest.aligner import ForestAligner
    from forest_align.em.forest.dev_set import OBJECTIVE_GOLD, DevSet
    from forest_align.em.tuning.forest_sweep import SweepProblem, search_space
    from forest_align.em.tuning.study import best_values

    model = ForestAligner.load(args.model or "forest").model
    sizes = args.forest_sizes or [model.forest_size]
    objective = args.objective or "constituent-f1"
    gold = OBJECTIVE_GOLD.get(objective, "links")
    # Trees that results are compared with, and those that annotators marked, must not serve as forests too.
    given_trees = args.corpus.parser is None and gold not in ("trees", "phrases")
    ForestAligner(
        model, candidates=args.corpus.words, links=args.links
    )  # refuses words that know sure links only
    readers = {
        size: corpus_reader(
            args.corpus,
            size,
            model,
            given_trees=given_trees,
            links=args.links,
            judged=gold == "marked phrases",
        )
        for size in sizes
    }
    space = search_space(model, sizes, args.keep or (), args.also or ())
    raw = read_gold_files(args.gold, args.corpus, "tune", gold=gold, links=args.links)
    failed = 0

    def load(size: int) -> DevSet:
        nonlocal failed
        pairs, failed = prepare_corpus(readers[size], raw, "tune", quiet=size != sizes[0])
        return DevSet(pairs, args.links)

    shared = _study(args, objective + _of_links(args))
    identity = [readers[size].identity for size in sorted(readers)]
    problem = SweepProblem(model, objective, sizes, load, space, identity)
    study = _sweep(args, settings, problem, shared, space, problem.start)
    problem.tuned(best_values(study)).save(args.output)
    _draw(args, study)
    return 1 if failed else 0


def _tune_words(args: TuneOptions, settings: TuningSettings, kind: str) -> int:
    from forest_align.em.corpus.parsed_pairs import parser_fingerprint
    from forest_align.em.tuning.study import best_values
    from forest_align.em.tuning.word_link_sweep import WordSweep, dev_pairs, word_space, word_start
    from forest_align.storage.fingerprints import files_fingerprint

    if args.objective not in (None, "word-f1"):
        raise InputError(f"the {kind} aligner is tuned for word-f1, not {args.objective}")
    parser = args.corpus.parser or "en"
    aligner = _word_aligner(args, parser, kind)
    raw = read_gold_files(args.gold, args.corpus, "tune", links=args.links)
    shared = _study(args, f"{kind}-word-f1{_of_links(args)}")
    broken = [pair for pair in raw if isinstance(pair, InputError)]
    usable = [pair for pair in raw if not isinstance(pair, InputError)]
    with counting_bar("preparing", 2 * len(usable)) as bar:
        given_trees = args.corpus.parser is None
        pairs, problems = dev_pairs(
            aligner, usable, parser, args.corpus.forests, bar.update, given_trees=given_trees
        )
    report_skipped("tune", (*broken, *problems))
    paraphrases = [Path(args.ppdb)] if args.ppdb else []
    identity = [parser_fingerprint(parser), files_fingerprint(paraphrases)]
    problem = WordSweep(aligner, pairs, identity, args.links)
    study = _sweep(args, settings, problem, shared, word_space(aligner), word_start(aligner))
    aligner.with_values(best_values(study)).save(args.output)
    _draw(args, study)
    return 1 if broken or problems else 0


def _word_aligner(args: TuneOptions, parser: str, kind: str) -> ContextualAligner | SultanAligner:
    from forest_align.aligners.contextual.aligner import ContextualAligner
    from forest_align.aligners.sultan.aligner import SultanAligner

    given = {"annotator": args.annotator, "ppdb": args.ppdb}
    options = {name: value for name, value in given.items() if value is not None}
    if kind == "contextual":
        options["links"] = args.links
    aligner_class = SultanAligner if kind == "sultan" else ContextualAligner
    return aligner_class.load(args.model or kind, parser=parser, **options)


def _of_links(args: TuneOptions) -> str:
    """What the name of a study says of the gold links."""
    return "" if args.links == "sure" else f"-{args.links}-links"


def _study(args: TuneOptions, name: str) -> SharedStudy:
    """Return the study's storage; refuse an unusable one before any work is done.

    Its file next to the model is created with the first trial, so that a refused run leaves no file.
    """
    from sqlalchemy.engine import URL

    from forest_align.em.tuning.study import SharedStudy

    file = args.output.with_name(args.output.name + ".sweep.db")
    beside = URL.create("sqlite", database=str(file)).render_as_string()
    shared = SharedStudy(args.storage or beside, args.study or name)
    if args.storage or file.exists():
        shared.open()
    return shared


def _sweep(
    args: TuneOptions,
    settings: TuningSettings,
    problem: TuningProblem,
    shared: SharedStudy,
    space: Mapping[str, Range],
    start: Values,
) -> optuna.Study:
    """Run or continue the study and print its trials."""
    from forest_align.em.tuning.study import trial_table, winner_note
    from forest_align.em.tuning.trials import tune

    args.output.parent.mkdir(parents=True, exist_ok=True)
    bar: Any = None

    def show(ended: int) -> None:
        nonlocal bar
        if bar is None:
            bar = counting_bar("trials", args.trials, ended)
        bar.update(ended - bar.n)

    try:
        study = tune(problem, space, settings, shared, start, show)
    finally:
        if bar is not None:
            bar.close()
    print(trial_table(study))
    print(winner_note(study, start))
    return study


def _draw(args: TuneOptions, study: optuna.Study) -> None:
    """Draw the trials after the model is saved, so that a failed picture cannot lose the model."""
    from forest_align.em.plots import can_plot, plot_sweep

    if args.plot or can_plot():
        plot_sweep(study, args.plot or args.output / _SWEEP_PLOT)
    else:
        missing = "no plot of the trials without matplotlib: pip install 'forest-align[plot]' draws it"
        print(f"forest-align tune: {missing}", file=sys.stderr)
