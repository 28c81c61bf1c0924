"""The alignments of several files as one stream, which can be resumed at any line."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from forest_align.alignment import Alignment
from forest_align.data.formats import json_lines
from forest_align.data.formats.format import SentencePair
from forest_align.data.text.lines import InputLines
from forest_align.types import InputError


class Position(NamedTuple):
    """How much of a stream has been read."""

    lines: int = 0  # of all files together
    checksum: int = 0  # CRC-32 of the files' names and these lines
    broken: int = 0  # broken lines among them


def read_alignments(
    paths: Sequence[str],
    start: Position | None = None,
    wanted: Callable[[str], bool] | None = None,
    *,
    whole: Sequence[str] = (),
) -> Iterator[tuple[Alignment | InputError, Position]]:
    """Read the alignments of files, in order, with the stream's position after each.

    With several files, ids begin with the file's name, because the files may use the same ids.

    Parameters
    ----------
    paths : sequence of str
        JSON lines of alignments or of pairs with links, optionally gzipped; ``"-"`` is standard input.
    start : Position, optional
        Lines that an earlier run has read; they are skipped and their checksum is compared.
    wanted : callable, optional
        Called with every line, those that are skipped included. Lines for which it is false are no items.
    whole : sequence of str
        All files, if these are only some of them: ids are those of a stream of all.

    Yields
    ------
    (Alignment or InputError, Position)
        An error in place of each broken line.

    Raises
    ------
    OSError
        If a file cannot be read.
    InputError
        If the lines that were read before have changed or are missing.
    """
    start = start or Position()
    position = Position()
    is_one = len(set(whole or paths)) == 1
    for path in paths:
        lines = _Lines(path, position.checksum, wanted)
        with lines:
            lines.head()  # a failed decompression is an error of the file, not of a line
            if position.lines < start.lines:
                lines.skip(start.lines - position.lines)
                position = Position(position.lines + lines.number, lines.checksum, start.broken)
                if position.lines < start.lines:
                    continue
                if position != start:
                    raise _changed(paths)
            before = position.lines - lines.number
            for item in json_lines.read(lines, False):
                found = item if isinstance(item, InputError) else _alignment(item, lines)
                broken = position.broken + isinstance(found, InputError)
                position = Position(before + lines.number, lines.checksum, broken)
                if not isinstance(found, InputError) and not is_one:
                    found = replace(found, id=f"{path}:{found.id}")
                yield found, position
            position = Position(before + lines.number, lines.checksum, position.broken)
    if position.lines < start.lines:
        raise _changed(paths)


class _Lines(InputLines):
    """The wanted lines, with a running checksum of all lines that continues that of the files before."""

    def __init__(self, path: str, checksum: int, wanted: Callable[[str], bool] | None) -> None:
        super().__init__(path)
        self.checksum = zlib.crc32(path.encode("utf-8", "surrogateescape") + b"\n", checksum)
        self._wanted, self._is_wanted = wanted, True

    def __next__(self) -> str:
        try:
            line = super().__next__()
        except InputError as error:
            self._ask(str(error))
            raise
        self.checksum = zlib.crc32(f"{line}\n".encode(), self.checksum)
        self._ask(line)
        return line

    def _ask(self, line: str) -> None:
        self._is_wanted = self._wanted is None or self._wanted(line)

    def numbered(self, *, blank_end: bool = True) -> Iterator[tuple[int, str | InputError]]:
        """See :meth:`InputLines.numbered`; without the lines that are not wanted."""
        return (found for found in super().numbered(blank_end=blank_end) if self._is_wanted)

    def skip(self, count: int) -> None:
        """Skip this many lines, or as many as there are."""
        while self.number < count:
            try:
                if next(self, None) is None:
                    return
            except InputError:
                continue  # it was reported when it was first read


def _alignment(pair: SentencePair, lines: InputLines) -> Alignment | InputError:
    """The alignment of a line; for a corpus converted to JSON lines, its links."""
    if pair.alignment is not None:
        return pair.alignment
    if pair.links is None:
        return lines.error("expected an alignment, found a pair without links")
    return Alignment(pair.source, pair.target, pair.links, id=pair.id)


def _changed(paths: Sequence[str]) -> InputError:
    return InputError(
        "cannot resume: the lines that were counted before are not the same any more; "
        "leave out --resume to start over",
        file=paths[0] if len(paths) == 1 else "one of the inputs",
    )
