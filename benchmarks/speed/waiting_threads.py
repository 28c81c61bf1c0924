"""What the setting for waiting threads of torch is worth, beside other programs and on an idle machine.

Usage::

    python benchmarks/speed/waiting_threads.py PAIRS [--aligner contextual] [--limit 100] [--runs 3]

PAIRS is any file that ``forest-align align`` reads; only its raw text is used. A program that imports the
library aligns the pairs, in a process of its own: with the setting that ``import forest_align`` makes, and
with the one that GNU's OpenMP has without it. Each is run alone and beside a busy process. The fastest of a
few runs in turn counts. The time begins when the models are loaded.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from forest_align.aligners.model_folder import bundled_models
from forest_align.data.pairs import read_pairs
from forest_align.types import InputError

# Settings of a program: with ours, and with what OpenMP uses if each thread has a processor.
SETTINGS: dict[str, dict[str, str]] = {
    "set by forest_align": {},
    "OpenMP's own": {"GOMP_SPINCOUNT": "300000"},
}
PROGRAM = """
import json, sys, time
import forest_align
pairs = json.load(sys.stdin)
aligner = forest_align.load(sys.argv[1])
aligner.align("He died .", "He passed away .")
started = time.perf_counter()
for _ in aligner.align_many(pairs):
    pass
print(time.perf_counter() - started)
"""


def seconds(pairs: Sequence[tuple[str, str]], aligner: str, setting: dict[str, str]) -> float:
    """Wall-clock seconds in which a program aligns the pairs, without its start."""
    names = ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY")
    plain = {name: value for name, value in os.environ.items() if name not in names}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, aligner],
        input=json.dumps(pairs),
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        env=plain | setting,
    )
    return float(done.stdout)


@contextmanager
def busy_processes(count: int) -> Iterator[None]:
    """Keep some processors busy inside the context."""
    running = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pairs", metavar="PAIRS", help="file of sentence pairs")
    parser.add_argument("--aligner", choices=tuple(bundled_models()), default="contextual")
    parser.add_argument("--limit", type=int, default=100, help="pairs")
    parser.add_argument("--runs", type=int, default=3, help="runs of each setting, in turn")
    parser.add_argument("--busy", type=int, nargs="*", default=[0, 1], help="numbers of busy processes")
    options = parser.parse_args(arguments)
    found = (pair for pair in read_pairs(options.pairs) if not isinstance(pair, InputError))
    pairs = [
        (pair.source.text, pair.target.text) for pair, _ in zip(found, range(options.limit), strict=False)
    ]
    for busy in options.busy:
        times: dict[str, list[float]] = {name: [] for name in SETTINGS}
        with busy_processes(busy):
            for _ in range(options.runs):
                for name, setting in SETTINGS.items():
                    times[name].append(seconds(pairs, options.aligner, setting))
        ours, theirs = (min(times[name]) for name in SETTINGS)
        print(
            f"{options.aligner}, {len(pairs)} pairs, {busy} busy processes: {ours:.1f} s with the setting, "
            f"{theirs:.1f} s without, {theirs / ours:.2f} times as long",
            flush=True,
        )


if __name__ == "__main__":
    main()
