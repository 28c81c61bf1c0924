"""Run the checks that take too long for every commit: sanitizers, fuzzers, the oracle, coverage.

``make nightly`` calls it. All seeds are printed, so that a fault can be found again. Its parts are

- the kernels built with the sanitizers of gcc (addresses, undefined behaviour) in ``build/sanitized``: their
  tests, and ``tools/fuzz_kernels.py`` over every public function;
- the kernels built for ThreadSanitizer in ``build/threads``, called from several threads at once with shared
  arguments and aligners (``tools/race_kernels.py``);
- ``tools/fail_allocations.py``: the n-th allocation of each kernel fails;
- ``tools/kernel_branches.py``: of the branches of the kernels, at least 95% are taken;
- ``tools/fuzz_readers.py`` over every reader, with atheris if it is installed, and the growth of its time.
  Inputs that reached something new, or were faults, stay in ``build/fuzz-readers`` for the next time;
- runs on a Ray cluster of which an actor, a node or the command is killed at drawn moments, thirty times;
- the oracle: twenty times as many random cases of the alignment kernel, others each time;
- the whole test suite with the lines of Python that it reaches (not in less than 20 minutes).

Example::

    python tools/nightly.py --minutes 30
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence

from instrumented_kernels import build_kernels, environment_of
from link_namespace import ROOT, link_namespace

CORPUS = ROOT / "build" / "fuzz-readers"
# Atheris instruments modules of plain folders only.
NAMESPACE = ROOT / "build" / "namespace"
CASE = ROOT / "build" / "fuzz-kernels.case"
#: Shares of the time that is given, one for each part with an end of its own choice.
SHARES = {
    "kernels": 0.2,
    "threads": 0.1,
    "memory": 0.1,
    "branches": 0.02,
    "readers": 0.1,
    "growth": 0.1,
    "oracle": 0.15,
}
#: Minutes from which on all tests run, and thirty trials on a cluster.
LEAST_FOR_COVERAGE = 20.0
TRIALS = 30
LEAST_BRANCHES = 95.0
# Its limit of memory leaves no room for a sanitizer's own.
NOT_UNDER_SANITIZERS = "not memory_that_cannot_be_had"


def run(
    title: str,
    command: Sequence[str],
    environment: Mapping[str, str] | None = None,
    seconds: float = 3600,
    before: Sequence[str] = (),
) -> bool:
    """Run one part and print how it ended; whether it ended well."""
    print(f"\n== {title}\n   {' '.join(command)}", flush=True)
    began = time.monotonic()
    try:
        status = subprocess.run(
            [*before, sys.executable, *command],
            cwd=ROOT,
            env={**os.environ, **(environment or {})},
            check=False,
            timeout=seconds,
        ).returncode
    except subprocess.TimeoutExpired:
        status = -1
        print(f"not over after {seconds:.0f} s")
    print(f"== {title}: status {status}, {time.monotonic() - began:.0f} s", flush=True)
    return status == 0


def main() -> int:
    """Run all parts; the exit status is 1 if one failed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=30.0, help="about how long all of it may take")
    parser.add_argument("--seed", type=int, default=None, help="of all parts (default: by chance)")
    options = parser.parse_args()
    seed = random.SystemRandom().randrange(10**9) if options.seed is None else options.seed
    seconds = {part: share * 60 * options.minutes for part, share in SHARES.items()}
    print(f"seed {seed}, {options.minutes:g} minutes", flush=True)
    for kinds in ("address,undefined", "thread"):
        build_kernels(kinds)
    link_namespace(NAMESPACE)
    tests = [
        *("-m", "pytest", "-p", "no:cacheprovider", "--import-mode=importlib"),
        *(f"--hypothesis-seed={seed}", "--hypothesis-profile=thorough"),
    ]
    sanitized = environment_of("address,undefined")
    results = {
        "kernel tests with sanitizers": run(
            "kernel tests with sanitizers", [*tests, "tests/cext", "-k", NOT_UNDER_SANITIZERS], sanitized
        ),
        "kernel fuzzer with sanitizers": run(
            "kernel fuzzer with sanitizers",
            [
                *("tools/fuzz_kernels.py", "--seconds", f"{seconds['kernels']:.0f}"),
                *("--seed", str(seed), "--case-file", str(CASE)),
            ],
            sanitized,
        ),
    }
    if not results["kernel fuzzer with sanitizers"]:
        print(f"the last case had the seed {CASE.read_text().strip()}")
    # Addresses drawn by the kernel may lie where ThreadSanitizer has its own.
    results["races of kernels"] = run(
        "races of kernels",
        ["tools/race_kernels.py", "--seconds", f"{seconds['threads']:.0f}", "--seed", str(seed)],
        environment_of("thread"),
        before=("setarch", "--addr-no-randomize"),
    )
    results["memory that cannot be had"] = run(
        "memory that cannot be had",
        ["tools/fail_allocations.py", "--seconds", f"{seconds['memory']:.0f}", "--seed", str(seed)],
    )
    results["damaged folders of models"] = run(
        "damaged folders of models", [*tests, "tests/aligners/test_hostile_folders.py"]
    )
    results["branches of kernels"] = run(
        "branches of kernels",
        [
            *("tools/kernel_branches.py", "--least", f"{LEAST_BRANCHES:g}"),
            *("--seconds", f"{seconds['branches']:.0f}", "--seed", str(seed)),
        ],
    )
    results["reader fuzzer"] = run(
        "reader fuzzer",
        [
            *("tools/fuzz_readers.py", "--seconds", f"{seconds['readers']:.0f}"),
            *("--seed", str(seed % 2**31 or 1), "--corpus", str(CORPUS)),
        ],
        {"PYTHONPATH": str(NAMESPACE)},
    )
    results["growth of the readers' times"] = run(
        "growth of the readers' times",
        [
            *("tools/fuzz_readers.py", "--growth", "--seconds", f"{seconds['growth']:.0f}"),
            *("--seed", str(seed)),
        ],
    )
    # Twenty times as many cases take about five minutes on two cores.
    times = max(1, min(20, round(seconds["oracle"] / 15)))
    results["oracle"] = run(
        "oracle",
        [*tests, "tests/cext/test_alignment.py", "tests/cext/test_alignment_oracles.py"],
        {"FOREST_ALIGN_NIGHTLY": str(times)},
    )
    if options.minutes >= LEAST_FOR_COVERAGE:
        results["killed parts of clusters"] = run(
            "killed parts of clusters",
            [*tests, "-m", "engine", "tests/jobs/test_ray_cluster.py", "-k", "drawn"],
            {"FOREST_ALIGN_NIGHTLY": str(TRIALS)},
        )
        results["all tests"] = run("all tests", ["-m", "coverage", "run", *tests])
        run("lines of Python that the tests reach", ["-m", "coverage", "report", "--skip-covered"])
    print()
    for title, passed in results.items():
        print(f"{'passed' if passed else 'FAILED'}: {title}")
    return 0 if all(results.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
