"""Call kernels and one aligner from several threads at once, with the same arguments.

With kernels built for ThreadSanitizer (see ``tools/nightly.py``), a place of memory that two threads use
without order ends the process with its report. Results must equal those of one thread.

Example::

    python tools/race_kernels.py --seconds 30
"""

from __future__ import annotations

import argparse
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from fuzz_kernels import FUNCTIONS, outcome

import forest_align

THREADS = 4
#: These change an argument, which callers must not share.
WRITING = ("encoder.gelu", "encoder.normalise")
PAIRS = [
    ("He died of cancer last year .", "Last year cancer killed him ."),
    ("The boy who won was seen by the girl .", "The girl saw the winner , a boy ."),
]


def outcomes_equal(name: str, seed: int, pool: ThreadPoolExecutor) -> bool:
    """Whether all threads get what one gets, from the same arrays."""
    arguments = FUNCTIONS[name][1](np.random.default_rng(seed))
    expected = outcome(name, arguments)
    return all(
        found == expected for found in pool.map(lambda _: outcome(name, arguments), range(2 * THREADS))
    )


def main() -> int:
    """Run until the time is over; the exit status is 1 if threads got different results."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    names = [name for name in sorted(FUNCTIONS) if name not in WRITING]
    end, seed, different = time.monotonic() + options.seconds / 2, options.seed, 0
    with ThreadPoolExecutor(THREADS) as pool:
        while time.monotonic() < end or seed < options.seed + len(names):
            if not outcomes_equal(name := names[seed % len(names)], seed, pool):
                different += 1
                print(f"{name}, seed {seed}: threads got different results", file=sys.stderr)
            seed += 1
        for name in ("contextual", "forest"):
            aligner = forest_align.load(name)
            expected = [aligner.align(*pair).to_json() for pair in PAIRS]
            end, rounds = time.monotonic() + options.seconds / 4, 0
            while time.monotonic() < end or not rounds:
                found = list(pool.map(lambda pair: aligner.align(*pair).to_json(), PAIRS * THREADS))  # noqa: B023
                different += found != expected * THREADS
                rounds += 1
            print(f"{name}: {rounds * len(PAIRS) * THREADS} pairs in {THREADS} threads")
    print(f"{seed - options.seed} cases of kernels, {different} different")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
