"""Speed and memory of ``forest-align extract`` for growing inputs.

Usage::

    forest-align align pairs.tsv -o alignments.jsonl
    python benchmarks/speed/extraction_speed.py alignments.jsonl --count 20000
    python benchmarks/speed/extraction_speed.py alignments.jsonl --count 20000 --distinct

The lines of ALIGNMENTS are repeated. With ``--distinct`` each repetition has different words, so that no pair
of phrases occurs in two repetitions. Then the file of counts grows as fast as possible.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import count, islice
from pathlib import Path

from msgspec import structs

from forest_align.alignment import Alignment
from forest_align.data.phrases.counts import PhraseCounts
from forest_align.types import Sentence


def most_memory() -> float:
    """Peak memory of this process so far, in MiB (Linux)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10


def other_words(sentence: Sentence, turn: int) -> Sentence:
    """The sentence with the number of the repetition in every word."""
    return replace(
        sentence, tokens=tuple(structs.replace(t, text=f"{t.text}{turn:04}") for t in sentence.tokens)
    )


def alignments(path: Path, distinct: bool) -> Iterator[Alignment]:
    """Repeat the alignments of a file endlessly, each with a unique name."""
    for turn in count(1):
        with path.open(encoding="utf-8") as lines:
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
    options.add_argument("alignments", metavar="ALIGNMENTS", type=Path, help="lines of 'forest-align align'")
    options.add_argument("--count", type=int, default=20_000, help="lines; default: 20,000")
    options.add_argument("--distinct", action="store_true", help="other words each time")
    arguments = options.parse_args()
    every = max(1, arguments.count // 8)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "counts"
        with PhraseCounts(path=path) as counts:
            used, since = 0.0, time.process_time()
            stream = islice(alignments(arguments.alignments, arguments.distinct), arguments.count)
            for number, alignment in enumerate(stream, 1):
                counts.add(alignment)
                if number % every == 0:
                    now = time.process_time() - since
                    used += now
                    print(
                        f"{number:9} lines  {every / now:6.0f} lines/s  {most_memory():6.0f} MiB of memory  "
                        f"{path.stat().st_size / 2**20:6.0f} MiB of the disk",
                        flush=True,
                    )
                    since = time.process_time()
            since = time.process_time()
            rows = sum(1 for _ in counts.entries())
            now = time.process_time() - since
            size = path.stat().st_size
    print(
        f"table: {rows} rows in {now:.1f} s, all in {used + now:.1f} s; {most_memory():.0f} MiB of memory, "
        f"{size / 2**20:.0f} of the disk"
    )


if __name__ == "__main__":
    main()
