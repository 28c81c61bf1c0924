"""List tables of measurements that are older than the models that they measure.

    python tools/stale_tables.py

A table is as old as the newest of its lines with figures, as git blame finds it; lines that were only moved
keep their age. It measures the bundled models that its rows or the line above it name in backquotes, and what
these build on. Models are as old as the last commit that changed their files.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_MODELS = ROOT / "forest_align" / "aligners" / "models"
_PARSER = ROOT / "forest_align" / "parsing"
#: A cell that begins with a number; sections and definitions of papers stand inside a text.
_FIGURE = re.compile(r"\| *\**[−-]?\d+\.\d")


def main() -> None:
    """Print a line for each stale table."""
    ages = {path.name: _age_of(path) for path in sorted(_MODELS.iterdir()) if path.is_dir()}
    parser = _age_of(_PARSER / "models")
    pages = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
    for page in pages:
        lines = page.read_text(encoding="utf-8").splitlines()
        commits: list[tuple[int, str]] = []
        for first, last in tables_of(lines):
            named = set(re.findall(r"`([\w-]+)`", "\n".join(lines[max(0, first - 2) : last]))) & ages.keys()
            if not named:
                continue
            commits = commits or _blame(page)
            measured = max(commits[k] for k in range(first, last) if _FIGURE.search(lines[k]))
            basis = {*named, *({"contextual"} if named & {"forest", "joint", "projection"} else set())}
            newest = max(*(ages[name] for name in basis), parser)
            if measured[0] < newest[0]:
                print(
                    f"{page.relative_to(ROOT)}:{first + 1}: {', '.join(sorted(named))} "
                    f"measured at {measured[1]}, a model changed at {newest[1]}"
                )


def tables_of(lines: list[str]) -> Iterator[tuple[int, int]]:
    """The first line, and the one after the last, of each table that has figures."""
    first = None
    for number, line in enumerate([*lines, ""]):
        if line.startswith("|"):
            first = number if first is None else first
        elif first is not None:
            if any(_FIGURE.search(row) for row in lines[first:number]):
                yield first, number
            first = None


def _age_of(folder: Path) -> tuple[int, str]:
    """Time and name of the last commit that changed a folder's files, apart from its pages."""
    found = _git("log", "-1", "--format=%ct %h", "--", str(folder), f":(exclude){folder}/**/*.md")
    time, _, name = found.strip().partition(" ")
    return int(time or 0), name


def _blame(page: Path) -> list[tuple[int, str]]:
    """Time and name of the commit of each line; what is not committed is newest."""
    commits, names = [], []
    for line in _git("blame", "-M", "-C", "--line-porcelain", "--", str(page)).splitlines():
        if re.match(r"[0-9a-f]{40} ", line):
            names.append(line[:8])
        elif line.startswith("committer-time "):
            commits.append((int(line.split()[1]), names[-1]))
    return commits


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"stale_tables needs the history of the repository: {done.stderr.strip()}")
    return done.stdout


if __name__ == "__main__":
    main()
