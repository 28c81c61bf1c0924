"""More processors than threads keep busy: several processes, each with an aligner of its own."""

import multiprocessing
import os
from itertools import islice
from pathlib import Path

import forest_align

PROCESSES, PAIRS_AT_A_TIME = 2, 64


def start() -> None:
    """Load an aligner: those of other processes cannot be sent here."""
    global aligner
    aligner = forest_align.load("forest")


def align(pairs: list[tuple[str, str]]) -> list[str]:
    """Alignments of some pairs, as lines of JSON."""
    return [alignment.to_json() for alignment in aligner.align_many(pairs)]


if __name__ == "__main__":
    os.environ["OMP_NUM_THREADS"] = "1"  # in each process: there are enough of them
    lines = Path("pairs.tsv").read_text(encoding="utf-8").splitlines()
    pairs = iter([tuple(line.split("\t")) for line in lines])
    batches = iter(lambda: list(islice(pairs, PAIRS_AT_A_TIME)), [])
    with multiprocessing.get_context("spawn").Pool(PROCESSES, initializer=start) as pool:
        for lines in pool.imap(align, batches):  # in the order of the input
            for line in lines:
                print(line)
