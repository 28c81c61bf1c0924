"""Compare a device with the processor: links, pairs per second by batch size, memory (see ``device.sh``).

Usage::

    python benchmarks/speed/device_speed.py PAIRS [--device cuda] [--limit 600] [--batch-size 64 256 1024]

PAIRS is any file that ``forest-align align`` reads. A row has the share of links that the device and the
processor have in common, of those that either has.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from itertools import islice

import torch

from forest_align.aligners import load
from forest_align.alignment import Alignment
from forest_align.data.pairs import read_pairs
from forest_align.system.terminal import positive
from forest_align.types import InputError

Pairs = Sequence[tuple[str, str]]


def links_by_pair(
    name: str, device: str, pairs: Pairs, batch_size: int
) -> tuple[list[set[tuple[int, int]]], float]:
    """Links of each pair, and the seconds that they took after the models were loaded."""
    aligner = load(name, device=device)
    list(aligner.align_many(pairs[: 2 * batch_size], batch_size=batch_size))
    started = time.perf_counter()
    alignments = list(aligner.align_many(pairs, batch_size=batch_size))
    seconds = time.perf_counter() - started
    links = [set(pair.words) if isinstance(pair, Alignment) else set() for pair in alignments]
    return links, seconds


def main() -> None:
    """Print a row for each aligner, device and batch size."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("pairs", metavar="PAIRS")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--limit", type=positive, default=600, metavar="N", help="pairs (default: 600)")
    parser.add_argument("--batch-size", type=positive, nargs="+", default=[64, 256, 512, 1024])
    parser.add_argument("--aligner", nargs="+", default=["contextual", "forest"])
    options = parser.parse_args()
    usable = (pair for pair in read_pairs(options.pairs) if not isinstance(pair, InputError))
    pairs = [(pair.source.text, pair.target.text) for pair in islice(usable, options.limit)]
    has_memory = options.device.startswith("cuda")
    name = torch.cuda.get_device_name(options.device) if has_memory else options.device
    print(f"{name}, {len(pairs)} pairs\n")
    print("| aligner | device | batch | pairs/s | equal links | GPU memory |\n|---|---|---|---|---|---|")
    for aligner in options.aligner:
        expected, seconds = links_by_pair(aligner, "cpu", pairs, 64)
        print(f"| {aligner} | cpu | 64 | {len(pairs) / seconds:.0f} | | |", flush=True)
        for batch_size in options.batch_size:
            if has_memory:
                torch.cuda.reset_peak_memory_stats(options.device)
            links, seconds = links_by_pair(aligner, options.device, pairs, batch_size)
            both = sum(len(one & other) for one, other in zip(links, expected, strict=True))
            either = sum(len(one | other) for one, other in zip(links, expected, strict=True))
            memory = torch.cuda.max_memory_allocated(options.device) / 2**20 if has_memory else 0.0
            cells = (f"{len(pairs) / seconds:.0f}", f"{100 * both / either:.2f}%", f"{memory:.0f} MiB")
            print(f"| {aligner} | {options.device} | {batch_size} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
