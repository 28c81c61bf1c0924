"""``forest-align benchmark``: runs aligners on a test set and prints them beside the published rows."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from forest_align._version import __version__
from forest_align.aligners.words.choose import WORD_CANDIDATES
from forest_align.alignment import Alignment, Links
from forest_align.cli.aligner_choice import contents_of
from forest_align.cli.arguments import ALL_LINKS, argument, links_option, option, word_candidates_name
from forest_align.cli.input_reports import report_skipped
from forest_align.types import InputError, Sentence

if TYPE_CHECKING:
    from forest_align.eval.benchmarks.runner import AlignMany, ParseOnce, Run
    from forest_align.eval.benchmarks.task import Task

# The part of a benchmark that the relations of given chunks were learned from.
_LEARNED_FROM = ("ists", "train")

NAMES = (
    *("msr-rte", "edinburgh", "mtref", "wiki", "spade", "ists", "etpc", "verses"),
    *("ssd", "sick", "paws", "edits", "sts2013", "msrp", "rte", "qa"),
)
#: The baseline, which needs no model, and the aligner of given chunks.
IDENTITY, CHUNKS = "identity", "chunks"

EPILOG = """\
The corpora are not part of forest-align: DATA is a folder with alignment/, ists/ and so on, as
docs/guide/evaluate.md lists them. The default split is for development; ask for the test part
(--split test) for final tables. 'identity' links equal words and needs no model.

examples:
  forest-align benchmark msr-rte --data DATA --aligner identity
  forest-align benchmark edinburgh --data DATA --aligner identity --aligner forest --split test -o runs
"""


@dataclass(frozen=True, slots=True)
class BenchmarkOptions:
    """Options of ``benchmark``."""

    name: str = argument("NAME", choices=NAMES, help=f"one of {', '.join(NAMES)}")
    data: Path = option("--data DIR", type=Path, required=True, help="folder of the corpora")
    aligner: tuple[str, ...] | None = option(
        "--aligner NAME",
        action="append",
        help="name of an aligner ('forest-align align --aligner help' explains them) or folder of its model; "
        "may be repeated; default: forest",
    )
    words: str | None = option(
        "--words NAME",
        type=word_candidates_name,
        help=f"source of the forest aligner's word candidates: {' or '.join(WORD_CANDIDATES)}; "
        "default: as the model has it",
    )
    ppdb: str | None = option(
        "--ppdb FILE",
        help="paraphrase pairs (TSV, perhaps gzipped) for sultan and models tuned from it, which use WordNet "
        "and word vectors without them",
    )
    annotator: str | None = option(
        "--annotator",
        choices=("trees", "spacy"),
        help="source of dependencies and named entities for sultan and models tuned from it; "
        "default: what the model says",
    )
    links: str = links_option()
    split: str | None = option("--split NAME", help="part of the corpus; default: the one for development")
    output: Path = option(
        "-o",
        "--output DIR",
        type=Path,
        default=Path("benchmark-runs"),
        help="folder for predictions and reports",
    )
    ablation: bool = option(
        "--ablation",
        action="store_true",
        help="also run each forest aligner without non-compositional alignment, without learned weights, and "
        "on 1-best trees",
    )
    limit: int | None = option("--limit N", type=int, help="a trial run over the first N pairs of each file")
    resume: bool = option(
        "--resume", action="store_true", help="continue an interrupted run from the predictions in the folder"
    )
    chunks: bool = option(
        "--chunks",
        action="store_true",
        help="also run the aligner of given chunks (ists); it has learned from the train part",
    )
    seed: int = option("--seed N", type=int, default=0, help="seed of the intervals")


OPTIONS = BenchmarkOptions


def run(args: BenchmarkOptions) -> int:
    """Run, print and write; 1 when some pairs could not be aligned, else 0."""
    from forest_align.eval.benchmarks.benchmark_corpora import BENCHMARKS
    from forest_align.eval.benchmarks.report import Difference, differences, report, tables_text
    from forest_align.eval.benchmarks.task import Files
    from forest_align.eval.files.result_tables import published_rows

    if args.limit is not None and args.limit < 1:
        raise InputError(f"expected at least 1 pair, found {args.limit}", field="limit")
    if args.seed < 0:
        raise InputError(f"expected at least 0, found {args.seed}", field="seed")
    names = list(dict.fromkeys(args.aligner or ["forest"]))
    _check_aligners(names, args)
    names = _with_variants(names) if args.ablation else names
    benchmark = BENCHMARKS[args.name]
    split = args.split or benchmark.split_for(args.data)
    args = replace(args, split=split)
    files = benchmark.paths(args.data, split)
    task = benchmark.load(Files(files, args.limit), split)
    if args.chunks:
        if not task.chunks:
            raise InputError("--chunks is for ists, the benchmark with chunks")
        names.append(CHUNKS)
    report_skipped("benchmark", task.skipped)
    args.output.mkdir(parents=True, exist_ok=True)
    parser = _shared_parser() if len(set(names) - {IDENTITY}) > 1 else None
    runs: list[Run] = []
    compared: list[Difference] = []
    for name in names:
        finished = _run(task, split, name, args, parser)
        runs.append(finished)
        found = differences(finished, runs, args.seed)
        values = report(finished, files, args.data, args.seed, _model_files(name, args), found)
        values |= {"limit": args.limit} if args.limit else {}
        values |= {"skipped": [str(problem) for problem in task.skipped]} if task.skipped else {}
        path = _path(args, split, name, "report.json")
        path.write_text(json.dumps(values, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        compared += found
    print(f"## {args.name}, {split}: {benchmark.title}\n")
    if args.limit:
        print(f"Only the first {args.limit} pairs of each file.\n")
    if task.skipped:
        print(f"Pairs that cannot be used and are in no figure: {len(task.skipped)}\n")
    if published_rows(args.name) and "test" in {*benchmark.files, *benchmark.found} and split != "test":
        print(f"Published rows are on the test part; this run is on {split}.\n")
    print(tables_text(runs, compared))
    return 1 if task.skipped or any(finished.errors() for finished in runs) else 0


def _shared_parser() -> ParseOnce:
    """The bundled parser, for several aligners."""
    from forest_align.eval.benchmarks.runner import ParseOnce
    from forest_align.parsing import load_parser_for_alignment

    return ParseOnce(load_parser_for_alignment())


def _run(task: Task, split: str, name: str, args: BenchmarkOptions, parser: ParseOnce | None) -> Run:
    """Align and score; predictions are written at once, or read from an interrupted run."""
    from forest_align.eval.benchmarks.runner import Run, given_chunks, run_resumable, score_task

    if name == CHUNKS:
        align_many, settings = given_chunks(task, parser)
    else:
        align_many, settings = benchmark_aligner(name, args, parser)
    made_with = _made_with(name, args, settings)
    row = _row(name, args)
    path, record = (_path(args, split, name, kind) for kind in ("predictions.jsonl", "made-with.json"))
    started = time.perf_counter()
    done, resumed = run_resumable(task, align_many, path, record, made_with, resume=args.resume, label=row)
    seconds = time.perf_counter() - started
    alignments = [prediction.alignment for prediction in done]
    return Run(args.name, split, row, alignments, score_task(task, done), seconds, settings, resumed)


def _made_with(name: str, args: BenchmarkOptions, settings: Mapping[str, object]) -> dict[str, str]:
    """Everything that predictions depend on besides the corpus."""
    from forest_align.storage.fingerprints import files_fingerprint

    return {
        "the version": __version__,
        "the aligner": contents_of(_without_variant(name)[0]),
        "the content of the bundled models": files_fingerprint(list(_bundled().values())),
        "--ppdb": contents_of(args.ppdb) if _kind_by_name(name) == "sultan" else "",
        **{name: str(value) for name, value in settings.items()},
    }


def _bundled() -> dict[str, Path]:
    """The models in the package, by their paths in it; most aligners use several of them."""
    from importlib.resources import files

    package = Path(str(files("forest_align")))
    return {path.relative_to(package).as_posix(): path for path in _models(package.glob("**/models/*/*"))}


def _models(paths: Iterable[Path]) -> list[Path]:
    return sorted(path for path in paths if path.suffix in (".json", ".safetensors"))


def _model_files(name: str, args: BenchmarkOptions) -> dict[str, Path]:
    """Files besides the corpus that determine an aligner's results, by their names in a report."""
    if name == IDENTITY:
        return {}
    if name == CHUNKS:
        return _bundled()
    own = {str(path): path for path in _models(Path(_without_variant(name)[0]).glob("*"))}
    ppdb = {"--ppdb": Path(args.ppdb)} if args.ppdb is not None and _kind_by_name(name) == "sultan" else {}
    return _bundled() | own | ppdb


def _row(name: str, args: BenchmarkOptions) -> str:
    """Name of an aligner's rows and progress bar."""
    if name == CHUNKS and (args.name, args.split) == _LEARNED_FROM:
        return f"{name}, which has learned from these pairs"
    return ", ".join([name, *(f"{option}={value}" for option, value in _options_for(name, args).items())])


def _path(args: BenchmarkOptions, split: str, name: str, kind: str) -> Path:
    """An output file; each combination of aligner, options and limit has its own."""
    options = _options_for(name, args) | ({"limit": args.limit} if args.limit else {})
    parts = [quote(name, safe=""), *(f"{option}={quote(str(value))}" for option, value in options.items())]
    return args.output / f"{args.name}.{split}.{'+'.join(parts)}.{kind}"


class IdentityAligner:
    """Link every source token to every target token with the same lower-cased form.

    It needs neither a model nor a parse, and aligns no phrases. A word that occurs twice on both sides gets
    four links.
    """

    name = "identity"

    def align(self, source: Sentence, target: Sentence) -> Alignment:
        """Align one pair of tokenized sentences."""
        places: dict[str, list[int]] = {}
        for j, word in enumerate(target.words):
            places.setdefault(word.lower(), []).append(j)
        links = Links.of((i, j) for i, word in enumerate(source.words) for j in places.get(word.lower(), ()))
        return Alignment(source, target, links, aligner=self.name)

    def align_many(self, pairs: Iterable[tuple[Sentence, Sentence]]) -> Iterator[Alignment]:
        """Align pairs one by one, in order."""
        for source, target in pairs:
            yield self.align(source, target)


def _with_variants(names: Sequence[str]) -> list[str]:
    """Aligner names; each forest aligner is followed by its ablation variants, ``NAME:VARIANT``."""
    from forest_align.eval.benchmarks.runner import VARIANTS

    return [
        f"{name}{variant}"
        for name in names
        for variant in ("", *(f":{variant}" for variant in VARIANTS if _kind_by_name(name) == "forest"))
    ]


def _without_variant(name: str) -> tuple[str, str]:
    """The aligner's own name, and the variant of the ablation; empty if it is the aligner itself."""
    from forest_align.eval.benchmarks.runner import VARIANTS

    own, _, variant = name.rpartition(":")
    return (own, variant) if own and variant in VARIANTS else (name, "")


def _check_aligners(names: Sequence[str], args: BenchmarkOptions) -> None:
    """Refuse wrong names and options now, instead of after hours of other aligners' work."""
    kinds = {_kind_by_name(name) for name in names}
    if args.ablation and "forest" not in kinds:
        raise InputError("--ablation is for the forest aligner, which is not asked for")
    for name in ("ppdb", "annotator"):
        if getattr(args, name) is not None and "sultan" not in kinds:
            raise InputError(f"--{name} is for the sultan aligner, which is not asked for")
    if args.links != "sure" and not kinds & {*ALL_LINKS}:
        raise InputError(f"--links all is for {', '.join(ALL_LINKS)}, which are not asked for")
    if args.links != "sure" and args.words == "dictionary":
        raise InputError("--links all cannot be combined with --words dictionary, which has no probabilities")
    if args.words is not None and "forest" not in kinds:
        raise InputError("--words is for the forest aligner, which is not asked for")
    if args.ppdb is not None and not Path(args.ppdb).is_file():
        raise InputError("no such file", file=args.ppdb)


def _kind_by_name(name: str) -> str:
    """The kind of an aligner; the baseline and the aligner of chunks are separate kinds."""
    from forest_align.aligners.loading import kind_of

    return name if name in (IDENTITY, CHUNKS) else kind_of(_without_variant(name)[0])


def _options_for(name: str, args: BenchmarkOptions) -> dict[str, str]:
    """The given options that apply to this aligner."""
    kind = _kind_by_name(name)
    if kind == "sultan":
        values = {"annotator": args.annotator, "ppdb": args.ppdb and Path(args.ppdb).name}
    elif kind == "forest":
        values = {"words": args.words}
    else:
        values = {}
    if kind in ALL_LINKS and args.links != "sure":
        values["links"] = args.links
    return {option: value for option, value in values.items() if value is not None}


def benchmark_aligner(
    name: str, args: BenchmarkOptions, parser: ParseOnce | None
) -> tuple[AlignMany, Mapping[str, object]]:
    """The aligner's function over many pairs, and its settings."""
    if name == IDENTITY:
        return IdentityAligner().align_many, {}
    from forest_align.aligners import load

    options: dict[str, Any] = {} if parser is None else {"parser": parser}
    given = _options_for(name, args)
    if "words" in given:
        options["candidates"] = given["words"]
    if "ppdb" in given and args.ppdb is not None:
        from forest_align.lexicon.pair_table import PairTable

        options["ppdb"] = PairTable.load(args.ppdb)
    options |= {option: given[option] for option in ("annotator", "links") if option in given}
    own, variant = _without_variant(name)
    aligner = load(own, **options)
    if variant:
        from forest_align.aligners.forest.aligner import ForestAligner
        from forest_align.eval.benchmarks.runner import ablated

        assert isinstance(aligner, ForestAligner)
        aligner = ablated(aligner, variant)
        given = {**given, "ablation": variant}
    return aligner.align_many, {**aligner.settings, **given}
