"""Align the same pairs on several engines, and compare their speed, their memory and their output.

Usage::

    python benchmarks/speed/scale.py PAIRS [--limit 256] [--aligner contextual] [--engines shards ray ...]

PAIRS is any file that ``forest-align align`` reads; its first pairs are aligned as raw text. Each engine is a
program of its own, which starts, loads the models and writes JSON lines. Engines whose packages are missing
are left out. The columns of the table:

- *pairs/s at work* and *processor ms a pair* leave out the first batch of each process that aligns, because
  it loads the models. The speeds of these processes are added up. Processor time depends less on other work
  of the machine than seconds do.
- *seconds in all* and *processor s in all* are of the whole program, with all processes that it starts.
- *MB of a process* is the most resident memory (RSS) of a process that aligns, and *MB in all* the most that
  all processes take together (PSS: shared memory counts once).
- *equal rows* are the lines that have all characters, so all digits, of those of the command line with one
  worker. The *largest difference* is that of any number in them; lines that differ in more than numbers have
  none, and are counted.

Memory and processor time are read from /proc (Linux), four times a second.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import scale_engine
from process_family import Processes

from forest_align.aligners.model_folder import bundled_models
from forest_align.data.pairs import read_pairs
from forest_align.system.terminal import positive
from forest_align.types import InputError


def at_work(log: Path, batch_size: int) -> tuple[float, float, set[int]]:
    """Pairs a second, processor ms a pair, and the processes that aligned; without their first batches."""
    speed = used = 0.0
    pairs = 0
    for path in log.iterdir():
        rows = [tuple(map(float, line.split())) for line in path.read_text().splitlines()]
        if (counted := len(rows) - batch_size) > 0:
            (began, before), (ended, after) = rows[batch_size - 1], rows[-1]
            speed += counted / (ended - began)
            used, pairs = used + after - before, pairs + counted
    processes = {int(path.name) for path in log.iterdir()}
    return (speed, 1000 * used / pairs, processes) if pairs else (math.nan, math.nan, processes)


def difference(one: Any, other: Any) -> float:
    """The largest difference of a number in two JSON values; infinite if they differ in more."""
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other)
    if isinstance(one, dict) and isinstance(other, dict) and list(one) == list(other):
        return max((difference(one[name], other[name]) for name in one), default=0.0)
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return max(map(difference, one, other), default=0.0)
    return 0.0 if one == other else math.inf


def compare(lines: Sequence[str], reference: Sequence[str]) -> str:
    """Two cells of the table: rows that are equal, and how far the others are from it."""
    if len(lines) != len(reference):
        return f"{len(lines)} rows in place of {len(reference)} | –"
    equal = sum(map(str.__eq__, lines, reference))
    apart = [
        difference(json.loads(one), json.loads(other)) for one, other in zip(lines, reference, strict=True)
    ]
    changed = sum(map(math.isinf, apart))
    largest = max((one for one in apart if not math.isinf(one)), default=0.0)
    return f"{equal} of {len(reference)} | {largest:.2g}" + (f", and {changed} other rows" if changed else "")


def measure(engine: str, job: scale_engine.Job, reference: Sequence[str]) -> list[str]:
    """Run an engine, print its row of the table, and return the lines that it wrote."""
    job.folder.mkdir()
    command = [sys.executable, scale_engine.__file__, engine, str(job.pairs), str(job.folder)]
    command += ["--aligner", job.aligner, "--batch-size", str(job.batch_size)]
    # One thread a process; Ray's processes with the priority of the others.
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "RAY_worker_niceness": "0"}
    messages = job.folder / "messages"
    with messages.open("w") as file:
        started = time.monotonic()
        run = subprocess.Popen(command, env=environment, stdout=file, stderr=file)
        watched = Processes(run.pid)
        status = run.wait()
        spent = time.monotonic() - started
    watched.stop()
    if status:
        sys.exit(f"{engine} failed:\n{messages.read_text(errors='replace')}")
    speed, used, processes = at_work(job.log, job.batch_size)
    lines = job.output.read_text(encoding="utf-8").splitlines()
    resident = max(watched.most_resident.get(process, 0.0) for process in processes)
    seconds = sum(watched.seconds.values())
    print(
        f"| {scale_engine.ENGINES[engine][0]} | {speed:.0f} | {used:.1f} | {spent:.0f} | {seconds:.0f} "
        f"| {resident:.0f} | {watched.most_together:.0f} | {compare(lines, reference or lines)} |",
        flush=True,
    )
    return lines


def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pairs", metavar="PAIRS")
    parser.add_argument("--limit", type=positive, default=256, metavar="N", help="pairs (default: 256)")
    parser.add_argument("--aligner", choices=tuple(bundled_models()), default="contextual")
    parser.add_argument("--batch-size", type=positive, default=32, metavar="N", help="default: 32")
    others = [name for name in scale_engine.ENGINES if name != "local"]
    parser.add_argument(
        "--engines", nargs="*", choices=others, default=others, metavar="NAME", help=", ".join(others)
    )
    options = parser.parse_args(argv)
    print("| run | pairs/s at work | processor ms a pair | s in all | processor s in all ", end="")
    print("| MB of a process | MB in all | equal rows | largest difference |\n" + "|---" * 9 + "|")
    left_out = []
    with tempfile.TemporaryDirectory() as folder:
        pairs = Path(folder) / "pairs.tsv"
        usable = (pair for pair in read_pairs(options.pairs) if not isinstance(pair, InputError))
        lines = [
            "\t".join(" ".join(side.text.split()) for side in (pair.source, pair.target))
            for pair in islice(usable, options.limit)
        ]
        pairs.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        reference: list[str] = []
        for engine in ["local", *options.engines]:
            if needed := scale_engine.missing(engine):
                left_out.append(f"{engine} is left out; it needs {needed}")
                continue
            job = scale_engine.Job(pairs, Path(folder) / engine, options.aligner, options.batch_size)
            found = measure(engine, job, reference)
            reference = reference or found
    for line in left_out:
        print(line)


if __name__ == "__main__":
    main()
