"""``forest-align benchmark``: runs aligners on a test set and prints them beside the published rows."""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from forest_align.aligners.word_candidates import DEFAULT_WORDS, WORD_CANDIDATES

if TYPE_CHECKING:
    from forest_align.eval.tasks.run import AlignMany, Run
    from forest_align.eval.tasks.task import Task

NAMES = ("msr-rte", "edinburgh", "mtref", "wiki", "spade", "ists", "sts2013", "msrp", "rte", "qa")

EPILOG = """\
The corpora are not part of forest-align: DATA is a folder with alignment/, ists/ and so on, as
docs/evaluation.md lists them. The default split is for development; ask for the test part
(--split test) for final tables. 'identity' links equal words and needs no model.

examples:
  forest-align benchmark msr-rte --data DATA --aligner identity
  forest-align benchmark edinburgh --data DATA --aligner identity --aligner forest --split test -o runs
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.epilog = EPILOG
    parser.add_argument("name", metavar="NAME", choices=NAMES, help=f"one of {', '.join(NAMES)}")
    parser.add_argument("--data", metavar="DIR", type=Path, required=True, help="folder of the corpora")
    parser.add_argument(
        "--aligner",
        metavar="NAME",
        action="append",
        help="name of an aligner or folder of its model (default: forest); repeat it to compare several",
    )
    parser.add_argument(
        "--words",
        choices=WORD_CANDIDATES,
        help=f"where the forest aligner's word candidates come from (default: {DEFAULT_WORDS})",
    )
    parser.add_argument("--split", help="part of the corpus (default: the one for development)")
    parser.add_argument(
        "-o",
        "--output",
        metavar="DIR",
        type=Path,
        default=Path("benchmark-runs"),
        help="folder for predictions and reports (default: benchmark-runs)",
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of the intervals (default: 0)")


def run(args: argparse.Namespace) -> int:
    """Run, print and write; 1 when some pairs could not be aligned, else 0."""
    from forest_align.eval.tasks.corpora import BENCHMARKS
    from forest_align.eval.tasks.report import tables_text

    benchmark = BENCHMARKS[args.name]
    split = args.split or benchmark.default_split
    files = benchmark.paths(args.data, split)
    task = benchmark.load(files, split)
    names = dict.fromkeys(args.aligner or ["forest"])
    runs = [_run(task, args.name, split, name, args.words) for name in names]
    for finished in runs:
        _write(finished, files, args)
    print(f"## {args.name}, {split}: {benchmark.title}\n")
    if "test" in benchmark.files and split != "test":
        print(f"Published rows are on the test part; this run is on {split}.\n")
    print(tables_text(runs, args.seed))
    return 1 if any(finished.errors() for finished in runs) else 0


def _run(task: Task, benchmark: str, split: str, name: str, words: str | None) -> Run:
    from tqdm import tqdm

    from forest_align.eval.tasks.run import Run, run_task

    align_many, settings = _aligner(name, words)
    started = time.perf_counter()
    aligned = run_task(task, align_many)
    alignments = list(tqdm(aligned, name, len(task.pairs), unit="pair", disable=not sys.stderr.isatty()))
    seconds = time.perf_counter() - started
    name = f"{name}, {settings['words']} words" if "words" in settings else name
    return Run(benchmark, split, name, alignments, task.score(alignments), seconds, settings)


def _aligner(name: str, words: str | None) -> tuple[AlignMany, Mapping[str, object]]:
    """The aligner's function over many pairs, and its settings; ``words`` are for the forest aligner."""
    if name == "identity":
        from forest_align.eval.identity import IdentityAligner

        return IdentityAligner().align_many, {}
    from forest_align.aligners import load
    from forest_align.aligners.base import kind_of

    if words is not None and kind_of(name) == "forest":
        aligner = load(name, candidates=words)
        return aligner.align_many, {**_settings(aligner), "words": words}
    aligner = load(name)
    return aligner.align_many, _settings(aligner)


def _settings(aligner: Any) -> dict[str, object]:
    from dataclasses import asdict, is_dataclass

    settings = getattr(aligner, "settings", None)
    if is_dataclass(settings) and not isinstance(settings, type):
        return asdict(settings)
    return dict(settings) if isinstance(settings, Mapping) else {}


def _write(run: Run, files: Sequence[Path], args: argparse.Namespace) -> None:
    from forest_align.eval.tasks.report import report

    args.output.mkdir(parents=True, exist_ok=True)
    aligner = re.sub(r"[^A-Za-z0-9_-]+", "-", run.aligner).strip("-")
    stem = f"{run.benchmark}.{run.split}.{aligner}"
    with (args.output / f"{stem}.predictions.jsonl").open("w", encoding="utf-8", newline="\n") as out:
        out.writelines(alignment.to_json() + "\n" for alignment in run.alignments)
    text = json.dumps(report(run, files, args.data, args.seed), indent=2, ensure_ascii=False)
    (args.output / f"{stem}.report.json").write_text(text + "\n", encoding="utf-8")
