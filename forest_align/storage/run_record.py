"""What an output is made with and which of its pairs failed: a file beside it, for a run that goes on."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO, NamedTuple

from forest_align.alignment import Alignment
from forest_align.types import InputError
from forest_align.types.json_fields import Fields, parse_json_object

_MADE_WITH = "made_with"
# Of a pair of long sentences, so much is shown.
_SHOWN = 80
# After so many pairs each time, a checksum of all pairs so far is recorded.
STRETCH = 100


class Failure(NamedTuple):
    """A pair that could not be aligned: its line in the output, its name, and why."""

    line: int
    id: str
    error: str


class _Checksum(NamedTuple):
    """CRC-32 of the names and texts of all pairs up to a line of the output."""

    line: int
    checksum: int


class RunRecord(AbstractContextManager["RunRecord"]):
    """Counts the alignments of an output and those that failed, and keeps a record of both for a later run.

    The record is the file ``OUT.run``, JSON lines: first what OUT is made with, then every pair that failed,
    and after every hundredth pair a checksum of all pairs so far.
    A failure is recorded before its line of OUT is written, so that whenever a run is killed the next one
    knows all that have failed. The file goes away when all is written and nothing has failed. A pipe or a
    device has none, nor has a file in a folder that cannot be written to.

    Parameters
    ----------
    output : str or None
        OUT; None where there is nothing to go on with.
    made_with : mapping of str to str
        By the names of options, in the order in which differences are looked for.

    Attributes
    ----------
    path : Path or None
        The file, None where there is none.
    lines : int
        Alignments so far, those of earlier runs among them.
    failures : int
        How many of them failed.
    first : Failure or None
        The first of these.

    Raises
    ------
    InputError
        If there is a file of that name which is no record.
    """

    def __init__(self, output: str | None, made_with: Mapping[str, str]) -> None:
        self.path = Path(f"{output}.run") if output is not None and _can_have_one(Path(output)) else None
        self.lines = self.failures = 0
        self.first: Failure | None = None
        self._output, self._made_with = output, dict(made_with)
        self._file: IO[str] | None = None
        self._checksum = 0
        self._checksums: dict[int, int] = {}  # of the earlier run, by their lines
        self._earlier: tuple[Fields, list[Failure | _Checksum]] | None = None
        self._kept: list[Failure | _Checksum] = []
        if self.path is not None and self.path.exists():
            try:
                self._earlier = _read(self.path)
            except InputError as error:
                message = f"expected the record of an earlier run, found something else ({error})"
                raise InputError(message, file=str(self.path)) from None

    def go_on(self, lines: int) -> bool:
        """Take over what an earlier run has recorded of so many lines; False if there is no record.

        The pairs of these lines are to be passed over, see :meth:`pass_over`.

        Raises
        ------
        InputError
            If OUT was made with something else, which is named.
        """
        if self._earlier is None:
            return False
        made_with, entries = self._earlier
        check_made_with(made_with, self._made_with, self._output)
        self._kept = [entry for entry in entries if entry.line <= lines]
        self._checksums = dict(entry for entry in self._kept if isinstance(entry, _Checksum))
        failures = [entry for entry in self._kept if isinstance(entry, Failure)]
        self.failures, self.first = len(failures), next(iter(failures), None)
        return True

    def pass_over(self, pair: Sequence[str]) -> None:
        """Take note of a pair whose alignment is written already: its name and its two texts.

        Raises
        ------
        InputError
            If it, or one before it, is not the pair that the earlier run had there.
        """
        line, now = self._next(pair)
        if self._checksums.get(line, now) != now:
            raise InputError(
                f"cannot resume: one of the pairs {line - STRETCH + 1} to {line} is not what it was when it "
                "was begun; without --resume it is made anew",
                file=self._output,
            )

    def begin(self) -> None:
        """Write the record as far as it is known; alignments can be counted from here on."""
        if self.path is None:
            return
        fresh = self.path.with_name(f".{self.path.name}.new")
        with fresh.open("w", encoding="utf-8") as file:
            file.write(json.dumps({_MADE_WITH: self._made_with}) + "\n")
            file.writelines(json.dumps(entry._asdict()) + "\n" for entry in self._kept)
        fresh.replace(self.path)
        self._file = self.path.open("a", encoding="utf-8")

    def count(self, alignment: Alignment, pair: Sequence[str]) -> None:
        """Take note of an alignment that is about to be written, and of the name and texts of its pair."""
        checksum = self._next(pair)
        if alignment.error:
            failure = Failure(self.lines, alignment.id, alignment.error)
            self.failures, self.first = self.failures + 1, self.first or failure
            self._record(failure)
        if self.lines % STRETCH == 0:
            self._record(checksum)

    def _next(self, pair: Sequence[str]) -> _Checksum:
        self.lines += 1
        text = "\t".join(pair) + "\n"
        self._checksum = zlib.crc32(text.encode("utf-8", "surrogatepass"), self._checksum)
        return _Checksum(self.lines, self._checksum)

    def _record(self, entry: Failure | _Checksum) -> None:
        if self._file is not None:
            self._file.write(json.dumps(entry._asdict()) + "\n")
            self._file.flush()

    def __exit__(self, *exception: object) -> None:
        if self._file is not None and self.path is not None:
            self._file.close()
            if exception[0] is None and not self.failures:
                self.path.unlink()


def check_made_with(found: Fields, made_with: Mapping[str, str], output: str | None) -> None:
    """Make sure that an output was made with the same.

    Raises
    ------
    InputError
        If not: names the first difference.
    """
    for name, value in made_with.items():
        if (then := found.text(name, "")) != value:
            raise InputError(
                f"cannot resume: {name} was {_shown(then)} when it was begun, now it is {_shown(value)}; "
                "without --resume it is made anew",
                file=output,
            )


def _can_have_one(output: Path) -> bool:
    return (output.is_file() or not output.exists()) and os.access(output.parent, os.W_OK)


def _read(path: Path) -> tuple[Fields, list[Failure | _Checksum]]:
    with path.open(encoding="utf-8", errors="replace") as file:
        made_with = Fields(parse_json_object(file.readline())).fields(_MADE_WITH)
        # A line that was not finished is about one of OUT that is not written either.
        return made_with, [_entry(line) for line in file if line.endswith("\n")]


def _entry(line: str) -> Failure | _Checksum:
    fields = Fields(parse_json_object(line))
    if fields.has("checksum"):
        return _Checksum(fields.integer("line"), fields.integer("checksum"))
    return Failure(fields.integer("line"), fields.text("id"), fields.text("error"))


def _shown(value: str) -> str:
    if not value:
        return "not given"
    return repr(value if len(value) <= _SHOWN else f"{value[:_SHOWN]}…")
