"""Measure any aligner's time from prepared sentences (parses, word vectors) to alignments, on one thread.

Example::

    OMP_NUM_THREADS=1 python benchmarks/speed/aligner_speed.py edinburgh/train.sure.json --aligner joint
"""

from __future__ import annotations

import argparse
import time
from itertools import islice

import forest_align
from forest_align.data.pairs import SentencePair, read_pairs
from forest_align.types import Sentence


def words_in(sentence: Sentence) -> int:
    """Number of words of a sentence; for raw text, number of pieces between blanks."""
    return len(sentence) or len((sentence.text or "").split())


def main() -> None:
    """Prepare, align, print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("pairs", help="file of sentence pairs in any format")
    parser.add_argument("--aligner", action="append", help="name or folder; repeat it for several")
    parser.add_argument("--limit", type=int, default=200, help="pairs (default: 200)")
    parser.add_argument("--longest", type=int, default=30, help="most words of a sentence (default: 30)")
    options = parser.parse_args()
    read = (pair for pair in read_pairs(options.pairs) if isinstance(pair, SentencePair))
    sides = ((pair.source, pair.target) for pair in read)
    short = (pair for pair in sides if max(map(words_in, pair)) <= options.longest)
    texts = [
        side if side.tokens else side.text or "" for pair in islice(short, options.limit) for side in pair
    ]
    for name in options.aligner or ["forest", "contextual", "semi-markov", "joint"]:
        aligner = forest_align.load(name)
        prepared = list(aligner.prepare(texts, 32))
        ready = [
            (source, target)
            for source, target in zip(prepared[::2], prepared[1::2], strict=True)
            if isinstance(source, Sentence) and isinstance(target, Sentence)
        ]
        if not ready:
            raise SystemExit("no pair could be prepared")
        aligner.align_prepared(*ready[0])  # loads everything that is not loaded yet
        started = time.process_time()
        for source, target in ready:
            aligner.align_prepared(source, target)
        seconds = time.process_time() - started
        words = sum(len(source) + len(target) for source, target in ready) / len(ready) / 2
        print(
            f"{name}: {len(ready) / seconds:.0f} pairs/s, {1000 * seconds / len(ready):.2f} ms a pair "
            f"({len(ready)} pairs, {words:.1f} words a sentence)"
        )


if __name__ == "__main__":
    main()
