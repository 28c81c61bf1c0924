"""Print which branches of the kernels are taken by their tests and by the programs that try them.

gcov counts the branches of the C that Cython writes. Counted here are those that the kernels' sources state:
each ``if``, loop, ``and``, ``or`` and choice, both ways. What Cython adds (arguments, reference counts,
errors of Python's calls) is left out, and so are instructions that this processor lacks. ``tests/cext``,
``tools/fuzz_kernels.py`` and ``tools/fail_allocations.py`` run. The exit status is 1 if one of them fails, or
if fewer branches than ``--least`` percent are taken.

Example::

    python tools/kernel_branches.py --least 95
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from functools import cache
from pathlib import Path

from instrumented_kernels import build_kernels, environment_of, objects_of
from link_namespace import ROOT

KIND = "coverage"
#: File and line of a kernel's source.
Place = tuple[str, int]

_MARK = re.compile(r'/\* "(cext/[\w/]+\.p[yx][xi])":(\d+)')
_DECISION = re.compile(r"\b(if|for|while|switch) ?\(.*__pyx_[tv]_")
_OF_CYTHON = re.compile(
    r"__PYX_|__Pyx_|\bPy[A-Z_]|CYTHON|__pyx_(nargs|kwds|temp|lineno|L\d+_error)|goto __pyx_r|unpacking_failed"
)
_VERBATIM = re.compile(r'cdef extern from \*:\n    """\n(.*?)\n    """', re.DOTALL)


def decisions(written: Path) -> dict[int, Place]:
    """Lines of a C file that decide what a kernel's source states, with its places."""
    lines = written.read_text(encoding="utf-8").split("\n")
    places: dict[int, Place] = {}
    place: Place | None = None
    for number, line in enumerate(lines, 1):
        if mark := _MARK.search(line):
            place = mark[1], int(mark[2])
        elif line == "}":  # helpers of Cython may follow
            place = None
        elif place and _DECISION.search(line) and not _OF_CYTHON.search(line):
            places[number] = place
    return places | _verbatim(lines)


def _verbatim(lines: list[str]) -> dict[int, Place]:
    """Lines of C that stand in a kernel's source."""
    stripped = [line.strip() for line in lines]
    places: dict[int, Place] = {}
    for source in sorted((ROOT / "cext").rglob("*.p[yx][xi]")):
        text = source.read_text(encoding="utf-8")
        for block in _VERBATIM.finditer(text):
            inside = [line.strip() for line in block[1].split("\n")]
            first = text.count("\n", 0, block.start(1)) + 1
            name = source.relative_to(ROOT).as_posix()
            for begin, line in enumerate(stripped):
                if line == inside[0] and stripped[begin : begin + len(inside)] == inside:
                    places |= {begin + 1 + k: (name, first + k) for k in range(len(inside))}
    return places


def branches(notes: Path) -> dict[Place, list[bool]]:
    """For each place in the sources of one kernel, whether each of its branches was taken."""
    command = ["gcov", "--json-format", "--stdout", "--branch-probabilities", str(notes)]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    taken: dict[tuple[Place, int, int], bool] = defaultdict(bool)
    for file in json.loads(found)["files"]:
        path = ROOT / file["file"]
        if path.suffix not in {".c", ".cpp"} or path.parent != ROOT / "cext":
            continue
        places = decisions(path)
        for line in file["lines"]:
            if line["line_number"] in places and not _not_here(line.get("function_name", "")):
                for number, branch in enumerate(line["branches"]):
                    key = places[line["line_number"]], line["line_number"], number
                    taken[key] |= branch["count"] > 0
    by_place: dict[Place, list[bool]] = defaultdict(list)
    for (place, *_), was_taken in taken.items():
        by_place[place].append(was_taken)
    return by_place


def _not_here(function: str) -> bool:
    return "vnni" in function and not _has_vnni()


@cache
def _has_vnni() -> bool:
    return "avx512_vnni" in Path("/proc/cpuinfo").read_text()


def main() -> int:
    """Run everything and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--least", type=float, default=0.0, metavar="PERCENT", help="default: 0")
    parser.add_argument("--seconds", type=float, default=30.0, help="of each program (default: 30)")
    parser.add_argument("--seed", type=int, default=1, help="of the programs (default: 1)")
    options = parser.parse_args()
    build_kernels(KIND)
    for counts in objects_of(KIND).rglob("*.gcda"):
        counts.unlink()
    programs = ["--seconds", str(options.seconds), "--seed", str(options.seed)]
    environment, failed = {**os.environ, **environment_of(KIND)}, False
    for command in (
        ["-m", "pytest", "-p", "no:cacheprovider", "--import-mode=importlib", "tests/cext"],
        ["tools/fuzz_kernels.py", *programs],
        ["tools/fail_allocations.py", *programs],
    ):
        failed |= (
            subprocess.run([sys.executable, *command], cwd=ROOT, env=environment, check=False).returncode != 0
        )
    by_place: dict[Place, list[bool]] = {}
    for notes in sorted(objects_of(KIND).rglob("*.gcno")):
        by_place |= branches(notes)
    by_file: dict[str, list[bool]] = defaultdict(list)
    for (file, line), taken in sorted(by_place.items()):
        by_file[file] += taken
        if not all(taken):
            print(f"{file}:{line}: {len(taken) - sum(taken)} of {len(taken)} branches not taken")
    print("\n| source | branches | taken |\n|---|---|---|")
    for file, taken in by_file.items():
        print(f"| {file} | {len(taken)} | {100 * sum(taken) / len(taken):.1f}% |")
    every = [one for taken in by_file.values() for one in taken]
    share = 100 * sum(every) / max(len(every), 1)
    print(f"| all | {len(every)} | {share:.1f}% |")
    return 1 if failed or share < options.least else 0


if __name__ == "__main__":
    sys.exit(main())
