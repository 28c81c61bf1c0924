"""Check that memory stays constant over a long stream: print memory in use at regular intervals.

Usage::

    python benchmarks/speed/memory.py parse PAIRS --count 100000
    python benchmarks/speed/memory.py align PAIRS --count 1000000 --words contextual --workers 2

PAIRS is any file that ``forest-align align`` reads. Its raw text is repeated, each time with another number
in it, so that caches of single words get new entries.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import re
import time
from collections.abc import Iterable, Iterator
from itertools import count, islice
from pathlib import Path

from forest_align.aligners.words.choose import DEFAULT_WORDS, WORD_CANDIDATES
from forest_align.data.pairs import read_pairs
from forest_align.types import InputError

EXAMPLES = Path(__file__).parents[2] / "examples" / "pairs.tsv"


def in_use() -> float:
    """Memory in use by this process and its workers, in MiB (Linux); shared memory counts once."""
    shares = 0
    for process in (os.getpid(), *(child.pid for child in multiprocessing.active_children())):
        text = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii")
        (share,) = re.findall(r"^Pss: +(\d+) kB", text, re.MULTILINE)
        shares += int(share)
    return shares / 2**10


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
    options.add_argument("what", choices=("parse", "align"))
    options.add_argument("pairs", metavar="PAIRS", nargs="?", default=str(EXAMPLES))
    options.add_argument("--count", type=int, default=10_000, help="sentences or pairs; default: 10,000")
    options.add_argument("--every", type=int, help="how often to print; default: ten times")
    options.add_argument("--words", choices=WORD_CANDIDATES, default=DEFAULT_WORDS)
    options.add_argument("--workers", type=int, default=1)
    arguments = options.parse_args()
    pairs = endless_pairs(arguments.pairs)
    every = arguments.every or max(1, arguments.count // 10)
    if arguments.what == "parse":
        from forest_align.parsing import load_parser

        sentences = islice((text for pair in pairs for text in pair), arguments.count)
        report(load_parser("en").parse_many(sentences), every, "sentences")
    else:
        from forest_align.aligners.forest.aligner import ForestAligner

        aligner = ForestAligner.load(candidates=arguments.words)
        found = aligner.align_many(islice(pairs, arguments.count), workers=arguments.workers)
        report((alignment.to_json() for alignment in found), every, "pairs")


if __name__ == "__main__":
    main()
