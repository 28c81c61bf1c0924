"""A file beside an output that records its settings, the ends of its blocks and the failed items."""

from __future__ import annotations

import io
import json
import os
import sys
import zlib
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import chain, islice
from pathlib import Path
from typing import IO, NamedTuple, TypeVar

from forest_align.storage.outputs import block_text, blocks, check_made_with, end_block, last_line
from forest_align.system.replacing import OutputFile, as_text, replacing
from forest_align.types import InputError
from forest_align.types.json_fields import Fields, parse_json_object

Item = TypeVar("Item")

_MADE_WITH = "made_with"
#: Minimum number of lines of a block. Blocks end where batches end.
BLOCK_LINES = 64


def block_lines(batch_size: int) -> int:
    """Lines of a block of an output whose items are processed in batches of this size."""
    return batch_size * -(-BLOCK_LINES // batch_size)


class Failure(NamedTuple):
    """An item that failed: its line in the output, its name, and why."""

    line: int
    id: str
    error: str


class Outcome(NamedTuple):
    """How many lines an output has, how many of its items failed, and the first of these."""

    lines: int
    failures: int
    first: Failure | None

    def report(self, command: str) -> None:
        """Print how many pairs failed, and the first of them."""
        if self.first is not None:
            message = f"{self.failures} of {self.lines} pairs could not be aligned; the first: pair "
            print(f"forest-align {command}: {message}{self.first.id}: {self.first.error}", file=sys.stderr)


class _Mark(NamedTuple):
    """The end of a block: its last line, the byte after it, a CRC-32 of all names and texts so far."""

    line: int
    size: int
    checksum: int


class RunRecord(AbstractContextManager["RunRecord"]):
    """Counts the results and the failures of an output, and records both for a later run.

    The output OUT has one line per item. Its record ``OUT.run`` is JSON lines: first the settings OUT is made
    with, then failed items, and a mark after each block of OUT: its end and a checksum of all items so far. A
    later run truncates OUT at a mark and continues there, so a failure is recorded before its line of OUT is
    written, a mark after its block. The record is deleted when everything is written and nothing has failed.
    Pipes, devices and files in read-only folders have no record. Raises InputError if a file of that name is
    not a record.
    """

    def __init__(
        self, output: str | None, made_with: Mapping[str, str], block: int, unit: str = "pairs"
    ) -> None:
        self.path = Path(f"{output}.run") if output is not None and _can_have_one(Path(output)) else None
        self.block = block
        self.lines = self.size = self.failures = 0
        self.first: Failure | None = None
        self.last_line, self.unit, self.found, self.is_whole = "", unit, 0, False
        self._output, self._made_with = output, dict(made_with)
        self._file: IO[str] | None = None
        self._checksum = self._marked = 0  # the last line that has a mark
        self._marks: dict[int, _Mark] = {}
        self._ends: dict[int, int] = {}  # bytes of OUT up to the end of each block of the earlier run
        self._expected: dict[int, int] = {}  # checksums that the earlier run recorded there
        self._failed: list[Failure] = []  # in the earlier run
        self._earlier: tuple[Fields, list[Failure | _Mark]] | None = None
        if self.path is not None and self.path.exists():
            try:
                self._earlier = _read(self.path)
            except InputError as error:
                message = f"expected the record of an earlier run, found something else ({error})"
                raise InputError(message, file=str(self.path)) from None

    def report(self, command: str) -> None:
        """Print where an earlier run stopped, if there is one; for use after :meth:`skip_written`."""
        if self.is_whole:
            message = f"{self._output} has all {self.lines} {self.unit} already"
        elif self.found:
            missing = f"; {self._output}.run is missing, the earlier settings are unknown"
            message = f"resuming after line {self.lines}{'' if self.is_known else missing}"
        else:
            return
        print(f"forest-align {command}: {message}", file=sys.stderr)

    @property
    def outcome(self) -> Outcome:
        """What OUT has now."""
        return Outcome(self.lines, self.failures, self.first)

    @property
    def is_known(self) -> bool:
        """Whether an earlier run left a record."""
        return self._earlier is not None

    def skip_written(
        self,
        items: Iterator[Item],
        texts: Callable[[Item], Sequence[str]],
        check_last: Callable[[Item], None],
    ) -> Iterator[Item]:
        """Skip the items whose results an earlier run has written; write the others from ``size`` on.

        Items of an incomplete block come again, since items of one batch influence each other's digits.
        Raises InputError if a setting or an item differs from the earlier run, or OUT is not the output of a
        run.
        """
        self.found = lines = self._find_marks()
        recent: deque[Item] = deque(maxlen=self.block)
        for item in islice(items, lines):
            self._skip(texts(item))
            recent.append(item)
        if self.lines < lines:
            message = f"cannot resume: it has {lines} lines, more than there are {self.unit}"
            raise InputError(message, file=self._output)
        if recent:
            check_last(recent[-1])
        following = list(islice(items, 1))
        self.is_whole = bool(lines) and not following
        again = 0 if self.is_whole else lines % self.block
        self._keep(lines - again)
        return chain(list(recent)[len(recent) - again :], following, items)

    def _find_marks(self) -> int:
        """Count the lines in the complete blocks of an earlier run; the last block may be smaller."""
        out = Path(self._output or "")
        size = out.stat().st_size if out.is_file() else 0
        if not size:
            return 0
        if self._earlier is None:
            lines = 0
            for count, end, last in blocks(out, self.block):
                lines += count
                self._ends[lines] = end
                self.last_line = last
            return lines
        made_with, entries = self._earlier
        check_made_with(made_with, self._made_with, self._output)
        # Bytes may be missing that had not reached the disk when the machine stopped.
        marks = {entry.line: entry for entry in entries if isinstance(entry, _Mark) and entry.size <= size}
        kept = list(marks.values())
        self._ends = {mark.line: mark.size for mark in kept}
        self._expected = {mark.line: mark.checksum for mark in kept}
        self._failed = [entry for entry in entries if isinstance(entry, Failure)]
        if not kept:
            return 0
        start = kept[-2] if len(kept) > 1 else _Mark(0, 0, 0)
        self.last_line = last_line(block_text(out, start.size, kept[-1].size, kept[-1].line - start.line))
        return kept[-1].line

    def _skip(self, texts: Sequence[str]) -> None:
        self._next(texts)
        if self.lines not in self._ends:
            return
        if self._expected.get(self.lines, self._checksum) != self._checksum:
            first = (self.lines - 1) // self.block * self.block + 1
            raise InputError(
                f"cannot resume: one of the {self.unit} {first} to {self.lines} differs from the earlier "
                "run; start over without --resume",
                file=self._output,
            )
        self._marks[self.lines] = _Mark(self.lines, self._ends[self.lines], self._checksum)

    def _keep(self, lines: int) -> None:
        """Continue after a line that has a mark, or from the beginning; drop all later entries."""
        self._marks = {line: mark for line, mark in self._marks.items() if line <= lines}
        self._failed = [failure for failure in self._failed if failure.line <= lines]
        self.failures, self.first = len(self._failed), next(iter(self._failed), None)
        self.lines, self.size, self._checksum = self._marks[lines] if lines else _Mark(0, 0, 0)
        self._marked = lines

    def begin(self) -> None:
        """Write the record so far; from here on, results can be written."""
        if self.path is None:
            return
        entries: list[Failure | _Mark] = [*self._failed, *self._marks.values()]
        entries.sort(key=lambda entry: entry.line)
        with replacing(self.path, text=True) as file:
            file.write(json.dumps({_MADE_WITH: self._made_with}) + "\n")
            file.writelines(json.dumps(entry._asdict()) + "\n" for entry in entries)
        self._opened = OutputFile(self.path, "ab", self.path)
        self._file = as_text(io.BufferedWriter(self._opened))

    def write(
        self, out: IO[str], text: str, texts: Sequence[str], failure: tuple[str, str] | None = None
    ) -> None:
        """Write the line of an item, identified by ``texts``, and update the record.

        ``failure`` is its name and the reason if it failed.
        """
        self._next(texts)
        if failure is not None:
            failed = Failure(self.lines, *failure)
            self.failures, self.first = self.failures + 1, self.first or failed
            self._record(failed)
        out.write(text)
        if self.lines % self.block:
            out.flush()
        else:
            end_block(out)
            self._mark()

    def _next(self, texts: Sequence[str]) -> None:
        self.lines += 1
        text = "\t".join(texts) + "\n"
        self._checksum = zlib.crc32(text.encode("utf-8", "surrogatepass"), self._checksum)

    def _mark(self) -> None:
        if self._file is not None and self._output is not None and self.lines > self._marked:
            self._marked = self.lines
            self._record(_Mark(self.lines, os.path.getsize(self._output), self._checksum))

    def _record(self, entry: Failure | _Mark) -> None:
        if self._file is not None:
            self._file.write(json.dumps(entry._asdict()) + "\n")
            self._file.flush()

    def __exit__(self, *exception: object) -> None:
        if self._file is not None and self.path is not None:
            if exception[0] is None:
                self._mark()
                self._opened.sync()
            self._file.close()
            if exception[0] is None and not self.failures:
                self.path.unlink()


def _can_have_one(output: Path) -> bool:
    return (output.is_file() or not output.exists()) and os.access(output.parent, os.W_OK)


def _read(path: Path) -> tuple[Fields, list[Failure | _Mark]]:
    with path.open(encoding="utf-8", errors="replace") as file:
        made_with = Fields(parse_json_object(file.readline())).fields(_MADE_WITH)
        # An unfinished line describes a line of OUT that is not kept either.
        return made_with, [_entry(line) for line in file if line.endswith("\n")]


def _entry(line: str) -> Failure | _Mark:
    fields = Fields(parse_json_object(line))
    if fields.has("checksum"):
        return _Mark(fields.integer("line"), fields.integer("size"), fields.integer("checksum"))
    return Failure(fields.integer("line"), fields.text("id"), fields.text("error"))
