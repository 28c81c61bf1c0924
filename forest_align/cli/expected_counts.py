"""How many pairs or sentences an input has, about, so that a progress bar can tell the time left."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

# Formats with one pair per line; others have no such simple count.
_LINES = (".tsv", ".csv", ".jsonl")


def expected_count(path: str | None, suffixes: tuple[str, ...] = _LINES) -> int | None:
    """The number of lines of a file if each is one pair; None if that is unknown, or no bar is shown.

    Standard input, pipes and compressed files are not read. A header line counts too.
    """
    if path is None or sys.stderr is None or not sys.stderr.isatty():
        return None
    if Path(path).suffix.lower() not in suffixes or not Path(path).is_file():
        return None
    with Path(path).open("rb") as file:
        last, count = b"\n", 0
        for block in iter(partial(file.read, 1 << 20), b""):
            last, count = block[-1:], count + block.count(b"\n")
    return count + (last != b"\n")
