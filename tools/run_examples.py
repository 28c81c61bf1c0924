"""Run the commands of pages and write what they print into the pages.

    python tools/run_examples.py README.md docs/guide/*.md

Commands begin with ``$``, and a backslash continues them. Below stands their output, up to a line ``…``,
which leaves out the rest. A command ``cat FILE`` makes the file, if there is none. Blocks without output
stay, and so do those that need a server or a terminal.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from forest_align.system.replacing import replacing

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"(?<=^```console\n)(.*?)(?=^```$)", re.MULTILINE | re.DOTALL)
_ELSEWHERE = ("$ pip", "^C", "$ curl", "$ docker", "forest-align serve")
_COMMAND = re.compile(r"\$ [a-z]")
_OMITTED = "…"


def steps_of(block: str) -> list[tuple[str, list[str]]]:
    """The commands of a block, each with the lines of its output."""
    steps: list[tuple[str, list[str]]] = []
    for line in block.splitlines():
        if _COMMAND.match(line):
            steps.append((line, []))
        elif not steps[-1][1] and steps[-1][0].endswith("\\"):
            steps[-1] = f"{steps[-1][0]}\n{line}", []
        else:
            steps[-1][1].append(line)
    return steps


def fresh_block(block: str, folder: Path) -> str:
    """A block with what its commands print now, in a folder."""
    steps = steps_of(block)
    if not any(output for _, output in steps) or any(name in block for name in _ELSEWHERE):
        return block
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    lines = []
    for command, output in steps:
        made = re.fullmatch(r"\$ cat (\S+)", command)
        if made and not (folder / made[1]).exists():
            (folder / made[1]).write_text("\n".join(output) + "\n", encoding="utf-8")
        done = subprocess.run(
            ["bash", "-e", "-c", command.removeprefix("$ ")],
            cwd=folder,
            env={**os.environ, "PATH": path, "COLUMNS": ""},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        # What prints nothing on the page may name files that only its reader has.
        if done.returncode and output:
            raise subprocess.CalledProcessError(done.returncode, command, done.stdout)
        printed = done.stdout.rstrip("\n").splitlines() if output else []
        if output and output[-1] == _OMITTED:
            printed = [*printed[: len(output) - 1], _OMITTED]
        lines += [command, *(line.rstrip() for line in printed)]
    return "\n".join(lines) + "\n"


def fresh_page(page: Path) -> str:
    """The text of a page with what its commands print now; the blocks of a page share a folder."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(ROOT / "examples" / "pairs.tsv", folder)
        text = page.read_text(encoding="utf-8")
        return BLOCK.sub(lambda block: fresh_block(block[1], Path(folder)), text)


def main() -> None:
    """Rewrite the pages."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("pages", nargs="+", type=Path)
    for page in parser.parse_args().pages:
        text = fresh_page(page)
        if text != page.read_text(encoding="utf-8"):
            with replacing(page, text=True) as out:
                out.write(text)
            print(page)


if __name__ == "__main__":
    main()
