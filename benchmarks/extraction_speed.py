"""Speed and memory of ``forest-align extract``: lines a second, bytes a distinct pair of phrases.

Usage::

    forest-align align pairs.tsv -o alignments.jsonl
    python benchmarks/extraction_speed.py alignments.jsonl --count 20000
    python benchmarks/extraction_speed.py alignments.jsonl --count 20000 --distinct

The lines of ALIGNMENTS are gone through again and again. With ``--distinct`` the words are others each time,
so that no pair of phrases of an earlier turn comes again: the worst that can happen to memory.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

from forest_align.data.phrase_counts import PhraseCounts
from forest_align.types import Alignment, Sentence


def resident() -> float:
    """Memory of this process that is in use now, in MiB (Linux)."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def other_words(sentence: Sentence, turn: int) -> Sentence:
    """The sentence with the number of the turn in every word."""
    return replace(sentence, tokens=tuple(replace(t, text=f"{t.text}{turn:04}") for t in sentence.tokens))


def alignments(lines: list[str], distinct: bool) -> Iterator[Alignment]:
    """The alignments of the lines without end, each with a name of its own."""
    for turn in count(1):
        for number, line in enumerate(lines, 1):
            found = replace(Alignment.from_json(line), id=f"{turn}.{number}")
            if distinct:
                source, target = (other_words(side, turn) for side in (found.source, found.target))
                found = replace(found, source=source, target=target)
            yield found


def main() -> None:
    """Run the benchmark."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("alignments", metavar="ALIGNMENTS", help="JSON lines of 'forest-align align'")
    options.add_argument("--count", type=int, default=20_000, help="lines; default: 20,000")
    options.add_argument("--distinct", action="store_true", help="other words each time")
    arguments = options.parse_args()
    lines = Path(arguments.alignments).read_text(encoding="utf-8").splitlines()
    counts, before = PhraseCounts(), resident()
    every = max(1, arguments.count // 5)
    started = time.process_time()
    for number, alignment in enumerate(alignments(lines, arguments.distinct), 1):
        counts.add(alignment)
        if number % every == 0:
            used = time.process_time() - started
            grown = resident() - before
            print(
                f"{number:9} lines  {number / used:6.0f} lines/s  {len(counts):9} pairs  "
                f"{grown:6.0f} MiB more  {grown * 2**20 / len(counts):6.0f} bytes a pair",
                flush=True,
            )
        if number == arguments.count:
            break
    started = time.process_time()
    rows = sum(1 for _ in counts.entries())
    used = time.process_time() - started
    print(f"table: {rows} rows in {used:.1f} s, {resident() - before:.0f} MiB more")


if __name__ == "__main__":
    main()
