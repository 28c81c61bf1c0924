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

    Parameters
    ----------
    lines : InputLines
        The remaining lines.
    dialect
        Options of :func:`csv.reader`.
    """
    numbered = lines.numbered(blank_end=False)
    again: deque[tuple[int, str | InputError]] = deque()
    while True:
        taken: list[tuple[int, str | InputError]] = []
        try:
            row: list[str] | InputError | None = next(
                csv.reader(_texts(again, numbered, taken), **dialect), None
            )
        except (csv.Error, InputError) as error:
            row = _problem(error, lines.name, taken)
            again.extendleft(reversed(taken[1:]))
            del taken[1:]
        if row is None:
            return
        yield taken[0][0], row


def _texts(
    again: deque[tuple[int, str | InputError]],
    numbered: Iterator[tuple[int, str | InputError]],
    taken: list[tuple[int, str | InputError]],
) -> Iterator[str]:
    """Lines for the csv module, each recorded in ``taken``; lines to be read again come first."""
    while (found := again.popleft() if again else next(numbered, None)) is not None:
        taken.append(found)
        if isinstance(found[1], InputError):
            raise found[1]
        yield f"{found[1]}\n"


def _problem(
    error: csv.Error | InputError, name: str, taken: list[tuple[int, str | InputError]]
) -> InputError:
    if len(taken) == 1:
        return error if isinstance(error, InputError) else _broken(f"{error}", name, taken[0][0])
    # The unreadable line is reported separately when it is reached.
    what = f"line {taken[-1][0]} cannot be read" if isinstance(error, InputError) else f"{error}"
    return _broken(f"{what}; a quote that is not closed?", name, taken[0][0])


def _broken(what: str, name: str, line: int) -> InputError:
    return InputError(f"broken CSV: {what}", file=name, line=line)
