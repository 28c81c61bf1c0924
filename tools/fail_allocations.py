"""Let the n-th allocation of memory fail in every kernel, for n after n.

A kernel must raise a MemoryError, or do without the memory, and give the same numbers as before when it is
called again. Its mallocs fail by a library of C that is compiled here and knows calls from kernels by their
address (Linux, gcc). Kernels that hold arrays of numpy only have none.

Example::

    python tools/fail_allocations.py --seconds 60
"""

from __future__ import annotations

import argparse
import ctypes
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from fuzz_kernels import FUNCTIONS, outcome

SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
static __thread long left = 0;

void fail_allocation(long number) { left = number; }
long allocations_left(void) { long now = left; left = 0; return now; }

static int fails(void *caller) {
    Dl_info place;
    if (left <= 0 || !dladdr(caller, &place) || !place.dli_fname) return 0;
    if (!strstr(place.dli_fname, "/cext/") && !strstr(place.dli_fname, "libstdc++")) return 0;
    return --left == 0;
}

#define CALLER __builtin_return_address(0)
void *malloc(size_t size) { return fails(CALLER) ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return fails(CALLER) ? NULL : __libc_calloc(count, size); }
void *realloc(void *old, size_t size) { return fails(CALLER) ? NULL : __libc_realloc(old, size); }
"""


def check_kernel(name: str, seed: int, seconds: float) -> str:
    """Fail each allocation of good cases of a kernel; say how many failed."""
    library = ctypes.CDLL(None)
    function, make, _ = FUNCTIONS[name]
    end, cases, refused = time.monotonic() + seconds, 0, 0
    while cases < 1 or time.monotonic() < end:
        expected, number, is_reached = _expected(name, seed + cases), 0, True
        while is_reached:
            number += 1
            arguments = make(np.random.default_rng(seed + cases))
            library.fail_allocation(ctypes.c_long(number))
            try:
                function(*arguments)
            except MemoryError:
                refused += 1
            except ValueError as error:  # scores that have no tree
                if "no tree" not in str(error):
                    raise
            finally:
                is_reached = library.allocations_left() == 0
            assert _expected(name, seed + cases) == expected, f"{name}, seed {seed + cases}: other numbers"
        cases += 1
    return f"{cases} cases, {refused} allocations refused"


def _expected(name: str, seed: int) -> bytes:
    return outcome(name, FUNCTIONS[name][1](np.random.default_rng(seed)))


def main() -> int:
    """Check each kernel in a process of its own, which names a crash; the exit status is 1 if one failed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=60.0, help="for all of them")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=FUNCTIONS, default=None, help="this kernel, in this process")
    options = parser.parse_args()
    if options.only:
        print(check_kernel(options.only, options.seed, options.seconds))
        return 0
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder, "shim.c"), Path(folder, "shim.so")
        source.write_text(SHIM, encoding="utf-8")
        subprocess.run(
            ["gcc", "-shared", "-fPIC", "-O1", "-o", str(library), str(source), "-ldl"], check=True
        )
        for name in sorted(FUNCTIONS):
            command = [sys.executable, __file__, "--only", name, "--seed", str(options.seed)]
            run = subprocess.run(
                [*command, "--seconds", str(options.seconds / len(FUNCTIONS))],
                env={**os.environ, "LD_PRELOAD": str(library)},
                capture_output=True,
                text=True,
            )
            failed += run.returncode != 0
            print(f"{name}: {run.stdout.strip()}" if not run.returncode else f"{name}: FAILED\n{run.stderr}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
