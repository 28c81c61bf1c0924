"""``forest-align benchmark``: runs aligners on a test set and prints them beside the published rows."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from forest_align._version import __version__
from forest_align.cli.aligner_choice import contents_of
from forest_align.cli.benchmark_aligners import (
    CHUNKS,
    IDENTITY,
    BenchmarkOptions,
    benchmark_aligner,
    check_aligners,
    kind_by_name,
    options_for,
    with_variants,
    without_variant,
)
from forest_align.cli.input_reports import report_skipped
from forest_align.types import InputError

if TYPE_CHECKING:
    from forest_align.eval.benchmarks.runner import Run
    from forest_align.eval.benchmarks.table_aligners import ParseOnce
    from forest_align.eval.benchmarks.task import Task

# The part of a benchmark that the relations of given chunks were learned from.
_LEARNED_FROM = ("ists", "train")

EPILOG = """\
The corpora are not part of forest-align: DATA is a folder with alignment/, ists/ and so on, as
docs/guide/evaluate.md lists them. The default split is for development; ask for the test part
(--split test) for final tables. 'identity' links equal words and needs no model.

examples:
  forest-align benchmark msr-rte --data DATA --aligner identity
  forest-align benchmark edinburgh --data DATA --aligner identity --aligner forest --split test -o runs
"""


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
    check_aligners(names, args)
    names = with_variants(names) if args.ablation else names
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
    from forest_align.eval.benchmarks.table_aligners import ParseOnce
    from forest_align.parsing import load_parser_for_alignment

    return ParseOnce(load_parser_for_alignment())


def _run(task: Task, split: str, name: str, args: BenchmarkOptions, parser: ParseOnce | None) -> Run:
    """Align and score; predictions are written at once, or read from an interrupted run."""
    from forest_align.eval.benchmarks.runner import Run, run_resumable, score_task
    from forest_align.eval.benchmarks.table_aligners import given_chunks

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
        "the aligner": contents_of(without_variant(name)[0]),
        "the content of the bundled models": files_fingerprint(list(_bundled().values())),
        "--ppdb": contents_of(args.ppdb) if kind_by_name(name) == "sultan" else "",
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
    own = {str(path): path for path in _models(Path(without_variant(name)[0]).glob("*"))}
    ppdb = {"--ppdb": Path(args.ppdb)} if args.ppdb is not None and kind_by_name(name) == "sultan" else {}
    return _bundled() | own | ppdb


def _row(name: str, args: BenchmarkOptions) -> str:
    """Name of an aligner's rows and progress bar."""
    if name == CHUNKS and (args.name, args.split) == _LEARNED_FROM:
        return f"{name}, which has learned from these pairs"
    return ", ".join([name, *(f"{option}={value}" for option, value in options_for(name, args).items())])


def _path(args: BenchmarkOptions, split: str, name: str, kind: str) -> Path:
    """An output file; each combination of aligner, options and limit has its own."""
    options = options_for(name, args) | ({"limit": args.limit} if args.limit else {})
    parts = [quote(name, safe=""), *(f"{option}={quote(str(value))}" for option, value in options.items())]
    return args.output / f"{args.name}.{split}.{'+'.join(parts)}.{kind}"
