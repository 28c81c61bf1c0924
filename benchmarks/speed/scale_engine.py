"""Align pairs on one engine, in this process and those that it starts: what ``scale.py`` measures.

Usage::

    python benchmarks/speed/scale_engine.py ENGINE PAIRS FOLDER [--aligner contextual] [--batch-size 32]

PAIRS is a TSV file of two texts a line. FOLDER gets the JSON lines (``alignments.jsonl``). Its subfolder
``log`` has a file for each process that aligned, with one line for each pair: the time, and the processor
time of the process, both in seconds.
"""

from __future__ import annotations

import argparse
import functools
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from forest_align import cli
from forest_align.aligners.base import Aligner
from forest_align.aligners.model_folder import bundled_models
from forest_align.system.terminal import positive

if TYPE_CHECKING:
    from forest_align.batches import AlignBatch
    from forest_align.jobs import RayOptions


@dataclass(frozen=True, slots=True)
class Job:
    """What an engine has to do.

    Attributes
    ----------
    pairs : Path
        A TSV file.
    folder : Path
        Gets the output.
    aligner : str
        Name of the aligner.
    batch_size : int
        Number of pairs that are parsed together.
    """

    pairs: Path
    folder: Path
    aligner: str
    batch_size: int

    @property
    def output(self) -> Path:
        """The file of JSON lines."""
        return self.folder / "alignments.jsonl"

    @property
    def log(self) -> Path:
        """The folder in which each process notes when it has aligned a pair."""
        return self.folder / "log"

    def align(self, output: Path, *more: str) -> None:
        """Run ``forest-align align`` in this process."""
        options = ("--aligner", self.aligner, "--batch-size", str(self.batch_size), "--to", "jsonl")
        run_command("align", str(self.pairs), "-o", str(output), *options, *more)

    def join(self, parts: Path) -> None:
        """Make the output of parts."""
        run_command("join", str(parts), "-o", str(self.output))

    def rows(self) -> list[dict[str, str]]:
        """The pairs, with the ids that ``forest-align`` gives them."""
        lines = self.pairs.read_text(encoding="utf-8").splitlines()
        texts = (line.split("\t") for line in lines)
        return [{"id": str(n), "source": one, "target": other} for n, (one, other) in enumerate(texts, 1)]

    def write(self, rows: Sequence[tuple[str, str]]) -> None:
        """Write JSON lines, given with their ids, in the order of the pairs."""
        ordered = sorted(rows, key=lambda row: int(row[0]))
        self.output.write_text("".join(f"{line}\n" for _, line in ordered), encoding="utf-8")


def run_command(*arguments: str) -> None:
    """Run ``forest-align`` in this process."""
    if status := cli.main(arguments):
        raise SystemExit(status)


def log_pairs(folder: Path) -> None:
    """Note time and processor time after each pair, in this process and those that are forked from it."""
    usual = Aligner._align_or_explain
    if hasattr(usual, "__wrapped__"):  # this process does so already
        return

    @functools.wraps(usual)
    def logged(self: Aligner, job: Any) -> Any:
        found = usual(self, job)
        with (folder / str(os.getpid())).open("a", encoding="ascii") as file:
            file.write(f"{time.monotonic()} {time.process_time()}\n")
        return found

    Aligner._align_or_explain = logged  # type: ignore[method-assign]


@dataclass(frozen=True, slots=True)
class Logged:
    """A callable, such as AlignBatch, that logs its pairs in whichever process it is called."""

    work: Callable[[Any], Any]
    log: Path

    def __call__(self, batch: Any) -> Any:
        """Call it."""
        log_pairs(self.log)
        return self.work(batch)


@dataclass(frozen=True, slots=True)
class LoggedParts:
    """Work of Ray's actors that logs its pairs."""

    work: Any
    log: Path

    def make(self, number: int) -> None:
        """Make a part."""
        log_pairs(self.log)
        self.work.make(number)


def run_local(job: Job, *more: str) -> None:
    """The command line, perhaps with more options."""
    log_pairs(job.log)
    job.align(job.output, *more)


def run_shard(job: Job, shard: str) -> None:
    """One shard."""
    log_pairs(job.log)
    job.align(job.folder / "parts", "--shard", shard)


def run_shards(job: Job) -> None:
    """Two runs with ``--shard`` at the same time, and ``join``."""
    command = [sys.executable, __file__, "shards", str(job.pairs), str(job.folder), "--aligner", job.aligner]
    command += ["--batch-size", str(job.batch_size)]
    runs = [subprocess.Popen([*command, "--shard", shard]) for shard in ("1/2", "2/2")]
    if any([run.wait() for run in runs]):
        raise SystemExit("a shard failed")
    job.join(job.folder / "parts")


def run_ray(job: Job) -> None:
    """``--engine ray`` with two actors on this machine, and ``join``."""
    from forest_align.jobs import ray_cluster

    usual, parts = ray_cluster.make_parts, job.folder / "parts"

    def logged(work: Any, numbers: Sequence[int], options: RayOptions) -> Iterator[int]:
        return usual(LoggedParts(work, job.log), numbers, options)  # type: ignore[arg-type]

    with patch.object(ray_cluster, "make_parts", logged):
        job.align(parts, "--engine", "ray", "--num-actors", "2", "--part-size", str(job.batch_size))
    job.join(parts)


def align_batch(job: Job) -> AlignBatch:
    """What engines map over their batches."""
    from forest_align.batches import AlignBatch

    columns = ("source", "target", "id")
    return AlignBatch(job.aligner, columns, "json", batch_size=job.batch_size)


def run_datasets(job: Job) -> None:
    """``map`` of the library ``datasets``, with two processes."""
    import datasets

    datasets.disable_progress_bars()
    data = datasets.Dataset.from_list(job.rows()).with_format("arrow")
    found = data.map(Logged(align_batch(job), job.log), batched=True, batch_size=job.batch_size, num_proc=2)
    job.write([(row["id"], row["alignment"]) for row in found.with_format(None)])


def run_spark(job: Job) -> None:
    """``mapInPandas`` of Spark, with two Python workers."""
    from pyspark.sql import SparkSession
    from pyspark.sql.pandas.types import from_arrow_schema
    from pyspark.sql.types import StructType

    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    settings = settings.config("spark.sql.execution.arrow.maxRecordsPerBatch", str(job.batch_size))
    spark = settings.getOrCreate()
    align = align_batch(job)
    work = Logged(align, job.log)
    data = spark.createDataFrame(job.rows()).repartition(2)
    schema = StructType([*data.schema, *from_arrow_schema(align.schema)])
    found = data.mapInPandas(lambda batches: map(work, batches), schema)
    job.write([(row.id, row.alignment) for row in found.collect()])
    spark.stop()


#: The engines: what each is called in the table, what it does, and the packages that it needs.
ENGINES: dict[str, tuple[str, Callable[[Job], None], tuple[str, ...]]] = {
    "local": ("`align`", run_local, ()),
    "workers": ("`align --workers 2`", lambda job: run_local(job, "--workers", "2"), ()),
    "shards": ("`--shard 1/2` beside `2/2`, `join`", run_shards, ()),
    "ray": ("`--engine ray`, 2 actors, `join`", run_ray, ("ray", "pyarrow")),
    "datasets": ("`datasets.map`, 2 processes", run_datasets, ("datasets", "pyarrow", "narwhals")),
    "spark": ("Spark `mapInPandas`, 2 workers", run_spark, ("pyspark", "pandas", "pyarrow", "narwhals")),
}


def missing(engine: str) -> str:
    """What an engine needs that this machine has not; empty if it has all."""
    if engine == "spark" and shutil.which("java") is None:
        return "Java"
    return ", ".join(package for package in ENGINES[engine][2] if find_spec(package) is None)


def main(argv: Sequence[str] | None = None) -> None:
    """Align the pairs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("engine", metavar="ENGINE", choices=tuple(ENGINES))
    parser.add_argument("pairs", metavar="PAIRS", type=Path)
    parser.add_argument("folder", metavar="FOLDER", type=Path)
    parser.add_argument("--aligner", choices=tuple(bundled_models()), default="contextual")
    parser.add_argument("--batch-size", type=positive, default=32, metavar="N", help="default: 32")
    parser.add_argument("--shard", metavar="I/N", help="of shards, this one only, and no join")
    options = parser.parse_args(argv)
    job = Job(options.pairs, options.folder, options.aligner, options.batch_size)
    job.log.mkdir(parents=True, exist_ok=True)
    with patch.object(Aligner, "_align_or_explain", Aligner._align_or_explain):  # unlogged again at the end
        if options.shard:
            run_shard(job, options.shard)
        else:
            ENGINES[options.engine][1](job)


if __name__ == "__main__":
    main()
