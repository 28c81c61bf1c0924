"""Says on standard error what is left out: the first ten one by one, then how many more."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import AbstractContextManager

# A file that is something else than it should be has nothing but broken pairs.
_NAMED = 10


class SkippedInputs(AbstractContextManager["SkippedInputs"]):
    """Names what a command leaves out; at the end of the ``with`` block it says how many it has not named.

    Parameters
    ----------
    command : str
        Name of the command, for the messages.

    Attributes
    ----------
    count : int
        How many were left out so far.
    """

    def __init__(self, command: str) -> None:
        self.count = 0
        self._command = command

    def add(self, problem: object) -> None:
        """Count a pair, and say what is wrong with it if it is one of the first."""
        self.count += 1
        if self.count <= _NAMED:
            self._say(problem)

    def __exit__(self, *exception: object) -> None:
        if self.count > _NAMED:
            self._say(f"{self.count - _NAMED} more")

    def _say(self, what: object) -> None:
        print(f"forest-align {self._command}: left out: {what}", file=sys.stderr)


def report_skipped(command: str, problems: Iterable[object]) -> None:
    """Name what a command leaves out, where all of it is known already."""
    with SkippedInputs(command) as left_out:
        for problem in problems:
            left_out.add(problem)
