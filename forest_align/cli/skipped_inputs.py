"""Reports skipped input on standard error: the first ten one by one, then how many more."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import AbstractContextManager

# In a file of the wrong kind, every pair is broken.
_NAMED = 10


class SkippedInputs(AbstractContextManager["SkippedInputs"]):
    """Names skipped inputs; at the end of the ``with`` block it says how many were not named."""

    def __init__(self, command: str) -> None:
        self.count = 0
        self._command = command

    def add(self, problem: object) -> None:
        """Count a pair, and report its error if it is one of the first."""
        self.count += 1
        if self.count <= _NAMED:
            self._print(problem)

    def __exit__(self, *exception: object) -> None:
        if self.count > _NAMED:
            self._print(f"{self.count - _NAMED} more")

    def _print(self, what: object) -> None:
        print(f"forest-align {self._command}: left out: {what}", file=sys.stderr)


def report_skipped(command: str, problems: Iterable[object]) -> None:
    """Report skipped inputs when all of them are already known."""
    with SkippedInputs(command) as left_out:
        for problem in problems:
            left_out.add(problem)
