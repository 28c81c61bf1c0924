r"""Install the package into fresh environments and print a table: size, packages, time, works or not.

DIST holds wheels and a source distribution (``make dist``); pip chooses the wheel if it fits the Python::

    python tools/fresh_environments.py build/dist --extras benepar \
        --constraints constraints.txt constraints-transformers-5.txt
    python tools/fresh_environments.py build/dist --from-source --without-compiler

Without a wheel for the Python, or with ``--from-source``, the kernels are compiled. ``--without-compiler``
takes the compilers away. An environment works if it aligns a pair with every method and lists its licences.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CPU_INDEX = "https://download.pytorch.org/whl/cpu"
ALIGNERS = ("forest", "contextual", "joint", "semi-markov", "sultan", "projection")
HEADS = ("Python", "constraints", "extras", "from", "compiler", "size", "packages", "seconds", "works")


def size_of(folder: Path) -> int:
    """Bytes of all files below a folder, without following links."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if not path.is_dir())


def call(command: Sequence[str | Path], environment: dict[str, str], folder: Path) -> bool:
    """Run a command in a folder; print the end of what it says if it fails."""
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        print(f"{' '.join(map(str, command))}\n{done.stdout[-500:]}\n{done.stderr[-1500:]}", file=sys.stderr)
    return done.returncode == 0


def row(python: str, constraints: str, options: argparse.Namespace) -> tuple[str, ...]:
    """Make one environment, and try it."""
    environment = {**os.environ, "PYTHONSAFEPATH": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    if options.without_compiler:
        environment |= dict.fromkeys(("CC", "CXX"), "/bin/false")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        call([python, "-m", "venv", "fresh"], environment, folder)
        here = folder / "fresh/bin"
        install: list[str | Path] = [here / "pip", "install", "-q", "-c", ROOT / constraints]
        chosen = ["--no-binary", "forest-align"] if options.from_source else []
        # Other packages than forest-align have the version of the constraints, wherever they come from.
        name = f"forest-align[{options.extras}]" if options.extras else "forest-align"
        packages: list[str | Path] = ["--find-links", options.dist.resolve(), *chosen, name]
        started = time.perf_counter()
        # Where there is no such build, the usual one of PyPI comes with the packages.
        call([*install, "--no-deps", "--index-url", CPU_INDEX, "torch"], environment, folder)
        works = call([*install, *packages], environment, folder)
        seconds = time.perf_counter() - started
        for aligner in ALIGNERS:
            command = ["align", "He died.", "He passed away.", "--aligner", aligner]
            works = works and call([here / "forest-align", *command], environment, folder)
        works = works and call([here / "forest-align", "licences"], environment, folder)
        count = len(list(folder.glob("fresh/lib/*/site-packages/*.dist-info")))
        version = subprocess.run(
            [here / "python", "--version"], capture_output=True, text=True
        ).stdout.split()[-1]
        cells = (version, constraints, options.extras or "none", "source" if options.from_source else "wheel")
        found = (f"{size_of(folder / 'fresh') / 1e6:.0f} MB", str(count), f"{seconds:.0f}")
        return *cells, "no" if options.without_compiler else "yes", *found, "yes" if works else "no"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("dist", type=Path)
    parser.add_argument("--python", nargs="+", default=[sys.executable])
    parser.add_argument("--constraints", nargs="+", default=["constraints.txt"])
    parser.add_argument("--extras", default="", help="such as benepar")
    parser.add_argument("--from-source", action="store_true")
    parser.add_argument("--without-compiler", action="store_true")
    options = parser.parse_args()
    print(f"| {' | '.join(HEADS)} |\n|{'---|' * len(HEADS)}")
    for python in options.python:
        for constraints in options.constraints:
            print(f"| {' | '.join(row(python, constraints, options))} |", flush=True)


if __name__ == "__main__":
    main()
