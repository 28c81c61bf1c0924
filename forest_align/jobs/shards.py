"""Shards of an input, and a run that writes one entry per item into a file or into the part of a shard.

Every process reads all of the input and keeps every N-th block of items. So the number of items need not be
known before: pipes and gzipped files are read once. Each shard gets its share of long and short sentences. A
block has whole batches of an unsharded run, on which the last digits of results depend.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from typing import IO, Any, Generic, Self, TypeVar

from forest_align.jobs.part_folder import PartFolder, PartReport, described_inputs
from forest_align.jobs.run_record import BLOCK_LINES, RunRecord
from forest_align.storage.outputs import is_packed, open_output
from forest_align.system.terminal import counted
from forest_align.types import InputError

try:
    import resource
except ImportError:  # not a POSIX system
    resource = None  # type: ignore[assignment]

_MOST = 99_999  # names of parts have five digits
_OTHER_FILES = 64  # that a process may have open beside the parts


@dataclass(frozen=True, slots=True)
class Shard:
    """One of ``count`` shards of an input, numbered from 1."""

    number: int
    count: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse ``I/N``, for ``type=`` of an argument."""
        number, _, total = text.partition("/")
        if number.isdecimal() and total.isdecimal() and len(total) <= len(str(_MOST)):
            if 1 <= int(number) <= int(total):
                return cls(int(number), int(total))
            raise argparse.ArgumentTypeError(f"expected I/N with I from 1 to N, found {text!r}")
        raise argparse.ArgumentTypeError(f"expected I/N, such as 3/16, found {text!r}")


class Share:
    """Tells which items of an input belong to a shard, or all without one, and identifies the whole input."""

    def __init__(self, shard: Shard | None, block: int) -> None:
        self.items = 0
        self.first: Sequence[str] = ()
        self.shard, self.block = shard, block
        self._digest = hashlib.sha256()

    def takes(self, texts: Sequence[str]) -> bool:
        """Count the next item, which its texts identify, and say whether it belongs to the shard."""
        if not self.items:
            self.first = texts
        place, self.items = self.items, self.items + 1
        self._digest.update(("\t".join(texts) + "\n").encode("utf-8", "surrogatepass"))
        return self.shard is None or place // self.block % self.shard.count == self.shard.number - 1

    def read(self) -> dict[str, int | str]:
        """The number of items so far, and a short hash of them; see :attr:`PartReport.read`."""
        return {"items": self.items, "digest": self._digest.hexdigest()[:16]}


def shard_size(items: int, shard: Shard, block: int) -> int:
    """How many of the items of an input belong to a shard."""
    turns, rest = divmod(items, block * shard.count)
    return turns * block + min(max(rest - (shard.number - 1) * block, 0), block)


def joined_blocks(folder: PartFolder, reports: Sequence[PartReport]) -> Iterator[str]:
    """The lines of all parts in the order of the input, block by block; ``reports`` are the markers.

    Parts with line ranges of their own are read one after the other. Raises InputError if a part has more or
    fewer lines than its shard has items, or cannot be decompressed.
    """
    if not folder.block:
        yield from _joined_stretches(folder, reports)
        return
    _allow_open_files(folder.parts + _OTHER_FILES)
    with ExitStack() as stack:
        files = []
        for number, report in enumerate(reports, 1):
            items = shard_size(int(report.read["items"]), Shard(number, folder.parts), folder.block)
            path = str(folder.part(number))
            if report.counts.get("items") != items:
                found = report.counts.get("items", 0)
                raise InputError(f"expected {items:,} items in this part, found {found:,}", file=path)
            files.append(stack.enter_context(_open(path)))
        total = int(reports[0].read["items"])
        for turn in count():
            place = turn * folder.block
            if place >= total:
                break
            lines = list(islice(files[turn % folder.parts], folder.block))
            if len(lines) != min(folder.block, total - place):
                path = str(folder.part(turn % folder.parts + 1))
                raise InputError("the part has fewer lines than its marker says", file=path)
            yield b"".join(lines).decode("utf-8")


def _joined_stretches(folder: PartFolder, reports: Sequence[PartReport]) -> Iterator[str]:
    for number, report in enumerate(reports, 1):
        path = str(folder.part(number))
        items = 0
        with _open(path) as file:
            while lines := list(islice(file, BLOCK_LINES)):
                items += len(lines)
                yield b"".join(lines).decode("utf-8")
        if items != report.counts.get("items"):
            raise InputError(f"expected the lines that its marker counts, found {items:,}", file=path)


def _open(path: str) -> IO[bytes]:
    return gzip.open(path, "rb") if is_packed(path) else Path(path).open("rb")  # type: ignore[return-value]


def _allow_open_files(number: int) -> None:
    """Raise this process's limit of open files, if it is lower and the system allows more."""
    if resource is None:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < number:
        most = number if hard == resource.RLIM_INFINITY else min(number, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


Item = TypeVar("Item")
#: An item and its text; its name and the reason if it failed.
Line = tuple[Item, str, tuple[str, str] | None]


@dataclass(frozen=True, slots=True)
class EntryWriter:
    """How entries, such as alignments, are written in one format."""

    line: Callable[[Any], str]  # raises InputError if the format cannot hold the entry
    header: str = ""
    footer: str = ""
    one_line_each: bool = False  # no other text, so that a run can be resumed
    one_pair: bool = False  # an output holds one entry only
    separator: str = ""
    may_pack: bool = True  # gzip if the output's name says so


class LineRun(Generic[Item]):
    """Writes the entries of a run, and resumes an earlier one.

    The output is a file, None for standard output, or the folder in which a shard has its part. Settings and
    ``texts``, which identify an item, are compared with those of the earlier run. A shard reads the files
    ``inputs`` and resumes an unfinished part in any case; ``finished`` is the marker of a finished part.
    """

    def __init__(
        self,
        command: str,
        output: str | None,
        writer: EntryWriter,
        settings: Mapping[str, str],
        share: Share,
        texts: Callable[[Item], Sequence[str]],
        *,
        resume: bool,
        unit: str = "pairs",
        inputs: Sequence[str] = (),
        suffix: str = "",
    ) -> None:
        self.output, self.resumes = output, resume
        self._command, self._writer, self._share, self._texts = command, writer, share, texts
        self._folder: PartFolder | None = None
        self.finished: PartReport | None = None
        if share.shard is not None:
            number, count = share.shard.number, share.shard.count
            facts = {**settings, **described_inputs(inputs)}
            self._folder = PartFolder(Path(str(output)), command, count, suffix, share.block, facts)
            self._folder.begin()
            self.output, self.resumes = str(self._folder.part(number)), True
            self.finished = self._folder.report_finished(number)
        recorded = self.output if writer.one_line_each and self.finished is None else None
        self.record = RunRecord(recorded, settings, share.block, unit)

    def left(self, items: Iterator[Item], check_last: Callable[[Item], None]) -> Iterator[Item]:
        """Skip the items that an earlier run has written, and say so; see :meth:`RunRecord.skip_written`."""
        if not self.resumes:
            return items
        left = self.record.skip_written(items, self._texts, check_last)
        self.record.report(self._command)
        return left

    def write(self, lines: Iterator[Line[Item]], total: int | None = None) -> None:
        """Write the lines of the items that are left, of about ``total``, and mark a part as finished."""
        record, writer = self.record, self._writer
        hidden = self.output is None and sys.stdout is not None and sys.stdout.isatty()
        # The beginning of a picture or page is of no use: only a whole one replaces a file.
        replace = writer.one_pair or bool(writer.footer)
        out = open_output(self.output, record.size, may_pack=writer.may_pack, replace=replace)
        # The record is deleted when everything is written: after the output is closed.
        with record, out as file:
            record.begin()
            file.write(writer.header)
            shown = counted(lines, record.unit, hidden=hidden, total=total, done=record.lines)
            for item, text, failure in shown:
                record.write(file, text, self._texts(item), failure)
            file.write(writer.footer)
        if self._folder is not None and self._share.shard is not None:
            counts = {"items": record.lines, "failures": record.failures}
            self._folder.finish(self._share.shard.number, counts, self._share.read())
