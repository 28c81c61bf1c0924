"""A run that writes one entry per item: all items into a file, or those of a shard into a part."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from forest_align.jobs.part_folder import PartFolder, PartReport, described_inputs
from forest_align.jobs.run_record import RunRecord
from forest_align.jobs.shards import Share
from forest_align.storage.outputs import open_output
from forest_align.system.progress import counted

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
