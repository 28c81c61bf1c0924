"""Rows of CSV, one by one: an unclosed quote affects only its own row."""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Iterator
from typing import Any

from forest_align.data.text.lines import InputLines
from forest_align.types import InputError


def csv_rows(lines: InputLines, **dialect: Any) -> Iterator[tuple[int, list[str] | InputError]]:
    """Yield rows with the numbers of their first lines; a broken row yields an error.

    A quoted text may span several lines. If a row is broken, only its first line is dropped: the lines after
    an open quote are read again as separate rows.
    """
    numbered = lines.numbered(blank_end=False)
    again: deque[_Line] = deque()
    # A row that reaches one of the lines of a broken row inside of quotes, as that row did, ends as it did.
    failed_until, failure = 0, ""
    while True:
        taken: list[_Line] = []
        try:
            texts = _texts(again, numbered, taken, failed_until)
            row: list[str] | InputError | None = next(csv.reader(texts, **dialect), None)
        except _FailsAgainError:
            row = _broken(failure, lines.name, taken[0][0])
        except (csv.Error, InputError) as error:
            if len(taken) == 1:
                row = error if isinstance(error, InputError) else _broken(f"{error}", lines.name, taken[0][0])
            else:
                # The unreadable line is reported separately when it is reached.
                unread = isinstance(error, InputError)
                what = f"line {taken[-1][0]} cannot be read" if unread else f"{error}"
                failed_until, failure = taken[-1][0], f"{what}; a quote that is not closed?"
                row = _broken(failure, lines.name, taken[0][0])
            again.extendleft(reversed(taken[1:]))
            del taken[1:]
        if row is None:
            return
        yield taken[0][0], row


_Line = tuple[int, str | InputError]


class _FailsAgainError(Exception):
    """A row continues into a row that has failed."""


def _texts(
    again: deque[_Line], numbered: Iterator[_Line], taken: list[_Line], failed_until: int
) -> Iterator[str]:
    """Lines for the csv module, each recorded in ``taken``; lines to be read again come first."""
    while True:
        if taken and again and again[0][0] <= failed_until:
            raise _FailsAgainError
        line = again.popleft() if again else next(numbered, None)
        if line is None:
            return
        taken.append(line)
        if isinstance(line[1], InputError):
            raise line[1]
        yield f"{line[1]}\n"


def _broken(what: str, name: str, line: int) -> InputError:
    return InputError(f"broken CSV: {what}", file=name, line=line)
