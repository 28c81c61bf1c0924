"""Measure what Ray costs: processor time a pair on actors and without them, and the memory of an actor.

Usage::

    python benchmarks/speed/ray_speed.py PAIRS [--limit 256] [--aligner contextual] [--actors 1 2]

PAIRS is a TSV file. Its first pairs are aligned in parts of 64, on a Ray cluster of this machine and then in
this process with one thread. The first part of each process loads the models. It is left out of the time a
pair, and belongs to the processor time in all, as do the imports and Ray's own processes. Processor time
depends less on other work of the machine than seconds do.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import torch

from forest_align.aligners.model_folder import bundled_models
from forest_align.cli.align_parts import AlignedParts
from forest_align.cli.commands import align
from forest_align.data.stretches import plan_stretches
from forest_align.engines import RayOptions, make_parts
from forest_align.storage.part_folder import PartFolder
from forest_align.types.positive import positive

PART = 64


class TimedParts:
    """Makes parts, and writes down the processor time that each took, by process.

    Parameters
    ----------
    work : AlignedParts
        Makes the parts.
    times : Path
        A folder, with one file a part.
    """

    def __init__(self, work: AlignedParts, times: Path) -> None:
        self.work, self.times = work, times

    def make(self, number: int) -> None:
        """Make one part."""
        started, begun = time.process_time(), time.monotonic()
        self.work.make(number)
        used = time.process_time() - started
        status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
        memory, peak = (status[name].split()[0] for name in ("VmRSS", "VmHWM"))
        text = f"{os.getpid()} {begun} {used} {memory} {peak}"
        (self.times / str(number)).write_text(text)


def measured(times: Path) -> tuple[float, float, float]:
    """Processor milliseconds a pair, without the first part of each process; MB after a part, and at most."""
    rows = [path.read_text().split() for path in times.iterdir()]
    first: dict[str, float] = {}
    for process, begun, *_ in rows:
        first[process] = min(first.get(process, float("inf")), float(begun))
    used = [float(row[2]) for row in rows if float(row[1]) > first[row[0]]]
    memory, peak = (max(float(row[place]) for row in rows) * 1024 / 1e6 for place in (3, 4))
    return 1000 * sum(used) / (PART * len(used)) if used else float("nan"), memory, peak


@contextmanager
def folder_of(plan_file: Path, name: str) -> Iterator[tuple[TimedParts, Sequence[int], Path]]:
    """The work on a file of pairs in a new folder, and the numbers of its parts."""
    parser = argparse.ArgumentParser()
    align.add_arguments(parser)
    with tempfile.TemporaryDirectory() as folder:
        options = parser.parse_args([str(plan_file), "-o", f"{folder}/parts", "--aligner", name])
        options.to = "jsonl"
        plan = plan_stretches([str(plan_file)], PART)
        parts = PartFolder(Path(folder) / "parts", "align", len(plan.stretches), ".jsonl.gz", 0, {})
        parts.begin()
        (times := Path(folder) / "times").mkdir()
        work = AlignedParts(parts, plan.stretches, align.load_aligner(options), options, {})
        yield TimedParts(work, times), range(1, parts.parts + 1), times


class Descendants:
    """Watches the processor time of all processes that this one has started, until they end."""

    def __init__(self) -> None:
        self.seconds: dict[int, float] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Descendants:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        tick = os.sysconf("SC_CLK_TCK")
        while not self._stop.wait(0.5):
            parents, used = {}, {}
            for path in Path("/proc").glob("[0-9]*/stat"):
                try:
                    fields = path.read_text().rpartition(")")[2].split()
                except OSError:  # it has ended
                    continue
                process = int(path.parent.name)
                parents[process], used[process] = int(fields[1]), (int(fields[11]) + int(fields[12])) / tick
            for process in used:
                above = process
                while above in parents and above != os.getpid():
                    above = parents[above]
                if above == os.getpid():
                    self.seconds[process] = used[process]


def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print a table."""
    imports = time.process_time()
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pairs", metavar="PAIRS", type=Path)
    parser.add_argument("--limit", type=positive, default=256, metavar="N", help="pairs (default: 256)")
    parser.add_argument("--aligner", choices=tuple(bundled_models()), default="contextual")
    parser.add_argument("--actors", type=positive, nargs="*", default=[1, 2], metavar="N")
    arguments = parser.parse_args(argv)
    torch.set_num_threads(1)
    print("| run | processor ms a pair | processor s in all | RSS, MB | at most |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder, arguments.pairs.open(encoding="utf-8") as file:
        pairs = Path(folder) / "pairs.tsv"
        pairs.write_text("".join(islice(file, arguments.limit)), encoding="utf-8")
        for actors in arguments.actors:
            with folder_of(pairs, arguments.aligner) as (work, parts, times):
                with Descendants() as watched:
                    started = time.process_time()
                    list(make_parts(work, parts, RayOptions(None, actors)))
                    own = time.process_time() - started
                spent, memory, peak = measured(times)
                total = imports + own + sum(watched.seconds.values())
                print(
                    f"| Ray, {actors} actors | {spent:.1f} | {total:.0f} | {memory:.0f} | {peak:.0f} |",
                    flush=True,
                )
        # Last, because the process that starts Ray has then loaded nothing.
        with folder_of(pairs, arguments.aligner) as (work, parts, times):
            started = time.process_time()
            for number in parts:
                work.make(number)
            total = imports + time.process_time() - started
            spent, memory, peak = measured(times)
            print(f"| one process | {spent:.1f} | {total:.0f} | {memory:.0f} | {peak:.0f} |")


if __name__ == "__main__":
    main()
