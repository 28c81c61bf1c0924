"""Check that memory stays constant over a long stream, and how much of it two workers share.

Usage::

    python benchmarks/speed/memory.py parse PAIRS --count 100000
    python benchmarks/speed/memory.py align PAIRS --count 1000000 --words contextual --workers 2
    python benchmarks/speed/memory.py shared PAIRS --count 600 --aligner contextual

``parse`` and ``align`` print memory in use at regular intervals. ``shared`` prints it for one process and for
two workers, each in a run of its own: resident memory of each process (RSS), and its share (PSS), in which
memory that several processes map is divided among them. Of ten measurements, the largest sum is shown.

PAIRS is any file that ``forest-align align`` reads. Its raw text is repeated, each time with another number
in it, so that caches of single words get new entries.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import count, islice
from pathlib import Path

from forest_align.aligners.loading import load
from forest_align.aligners.model_folder import bundled_models
from forest_align.aligners.words.choose import DEFAULT_WORDS, WORD_CANDIDATES
from forest_align.data.pairs import read_pairs
from forest_align.types import InputError

EXAMPLES = Path(__file__).parents[2] / "examples" / "pairs.tsv"


def in_use() -> float:
    """Memory in use by this process and its workers, in MiB (Linux); shared memory counts once."""
    return sum(share for _, share in memory_of_processes())


def memory_of_processes() -> list[tuple[float, float]]:
    """Resident memory and share of it (PSS) of this process and of each worker, in MiB (Linux)."""
    found = []
    for process in (os.getpid(), *(child.pid for child in multiprocessing.active_children())):
        text = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii")
        rows = dict(re.findall(r"^(Rss|Pss): +(\d+) kB", text, re.MULTILINE))
        found.append((int(rows["Rss"]) / 2**10, int(rows["Pss"]) / 2**10))
    return found


def report_shared(arguments: argparse.Namespace) -> None:
    """Print memory after loading, with one process and with two workers, each in a run of its own."""
    totals = []
    for workers, name in ((1, "one process"), (2, "two workers")):
        command = [sys.executable, __file__, "run", arguments.pairs, "--count", str(arguments.count)]
        command += ["--aligner", arguments.aligner, "--workers", str(workers)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        loaded, most = json.loads(done.stdout)
        totals.append(sum(share for _, share in most))
        each = ", ".join(f"{resident:.0f} ({share:.0f})" for resident, share in most)
        if workers == 1:
            print(f"after loading: RSS {loaded:.0f} MiB")
        print(f"{name}: {totals[-1]:.0f} MiB; RSS (PSS) of each: {each}", flush=True)
    print(f"two workers take {totals[1] / totals[0]:.2f} times the memory of one process")


def most_used(
    pairs: Sequence[tuple[str, str]], name: str, workers: int
) -> tuple[float, list[tuple[float, float]]]:
    """Resident memory after loading, and the memory of all processes when it is largest."""
    aligner = load(name)
    aligner.align(*pairs[0])
    most, every = memory_of_processes(), max(1, len(pairs) // 10)
    loaded = most[0][0]
    for number, _ in enumerate(aligner.align_many(pairs, workers=workers), 1):
        if number % every == 0:
            most = max(most, memory_of_processes(), key=lambda found: sum(share for _, share in found))
    return loaded, most


def endless_pairs(path: str) -> Iterator[tuple[str, str]]:
    """Repeat the pairs of a file endlessly."""
    pairs = [pair for pair in read_pairs(path) if not isinstance(pair, InputError)]
    for turn in count(1):
        for pair in pairs:
            yield f"{pair.source.text} ({turn})", f"{pair.target.text} ({turn})"


def report(results: Iterable[object], every: int, unit: str) -> None:
    """Consume results and print memory and speed."""
    started = last = time.perf_counter()
    for number, _ in enumerate(results, 1):
        if number % every == 0:
            now = time.perf_counter()
            print(f"{number:9} {unit}  {in_use():7.0f} MiB  {every / (now - last):6.0f} a second", flush=True)
            last = now
    print(f"{time.perf_counter() - started:.0f} s in all")


def main() -> None:
    """Run the benchmark."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("what", choices=("parse", "align", "shared", "run"))
    options.add_argument("pairs", metavar="PAIRS", nargs="?", default=str(EXAMPLES))
    options.add_argument("--count", type=int, default=10_000, help="sentences or pairs; default: 10,000")
    options.add_argument("--every", type=int, help="how often to print; default: ten times")
    options.add_argument("--aligner", choices=tuple(bundled_models()), default="forest", help="for shared")
    options.add_argument("--words", choices=WORD_CANDIDATES, default=DEFAULT_WORDS)
    options.add_argument("--workers", type=int, default=1)
    arguments = options.parse_args()
    pairs = endless_pairs(arguments.pairs)
    every = arguments.every or max(1, arguments.count // 10)
    if arguments.what == "parse":
        from forest_align.parsing import load_parser

        sentences = islice((text for pair in pairs for text in pair), arguments.count)
        report(load_parser("en").parse_many(sentences), every, "sentences")
    elif arguments.what == "shared":
        report_shared(arguments)
    elif arguments.what == "run":  # one of the two of shared
        print(
            json.dumps(most_used(list(islice(pairs, arguments.count)), arguments.aligner, arguments.workers))
        )
    else:
        from forest_align.aligners.forest.aligner import ForestAligner

        aligner = ForestAligner.load(candidates=arguments.words)
        found = aligner.align_many(islice(pairs, arguments.count), workers=arguments.workers)
        report((alignment.to_json() for alignment in found), every, "pairs")


if __name__ == "__main__":
    main()
