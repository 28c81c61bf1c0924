"""A gzipped output that a killed run can be continued in: members of so many lines, each written whole."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from forest_align.storage.outputs import Finished, claim, is_begun, last_line, open_claimed
from forest_align.types import InputError

#: Lines of a member. A killed run loses no more; with fewer, links take more room.
MEMBER_LINES = 100

_BLOCK = 1 << 16


@contextmanager
def open_gzipped(path: str, finished: Finished | None = None) -> Iterator[IO[str]]:
    """Open a file for text that is gzipped, as UTF-8; what cannot be encoded is escaped.

    Where the members end, and with them all bytes, depends on the lines alone: not on when they are written,
    nor by how many runs.

    Parameters
    ----------
    path : str
        The file.
    finished : Finished, optional
        From :func:`repair_gzipped`: what is there stays, and lines follow it.

    Raises
    ------
    InputError
        If another process is writing to it.
    OSError
        If it cannot be written; names it.
    """
    with open_claimed(path, append=finished is not None) as file:
        members: Any = _Members(file, finished)
        with io.TextIOWrapper(members, encoding="utf-8", errors="backslashreplace", newline="\n") as out:
            yield out


class _Members(io.BufferedIOBase):
    """Gathers lines and writes a member whenever there are enough, or when it is closed."""

    def __init__(self, file: IO[bytes], finished: Finished | None) -> None:
        rest = finished.rest if finished is not None else b""
        self._file = file
        self._text, self._lines = bytearray(rest), rest.count(b"\n")
        # The last member that a run has left is replaced only when there is more to write.
        self._keep = finished.size if finished is not None and rest else None
        # A file without any member could not be unpacked.
        self._is_due = finished is None or not finished.lines

    def writable(self) -> bool:
        return True

    def write(self, text: bytes) -> int:  # type: ignore[override]
        for line in io.BytesIO(text):
            self._text += line
            self._is_due = True
            self._lines += line.endswith(b"\n")
            if self._lines == MEMBER_LINES:
                self._write_member()
        return len(text)

    def close(self) -> None:
        if self.closed:
            return
        try:
            if self._is_due:
                self._write_member()
        finally:
            super().close()

    def _write_member(self) -> None:
        if self._keep is not None:
            self._file.truncate(self._keep)
            self._keep = None
        # With the time in it, the same lines would have other bytes.
        member = gzip.compress(self._text, compresslevel=6, mtime=0)
        # Before it is written: what was written in part must not be written again when the file is closed.
        self._text, self._lines, self._is_due = bytearray(), 0, False
        self._file.write(member)
        self._file.flush()


def repair_gzipped(path: Path, kind: str) -> Finished:
    """Cut an unfinished last member off a file that a killed run has left, and count the lines of the others.

    Raises
    ------
    InputError
        If the file cannot be what a run that writes ``kind`` (``jsonl`` or ``pharaoh``) has left: nothing is
        cut off then. Also if another process is writing to it.
    """
    if not path.exists():
        return Finished()
    with path.open("r+b") as file:
        claim(file, str(path))
        lines, last, size, end, rest = 0, "", 0, 0, b""
        for text, text_end in _members(file, path):
            is_whole = text_end is not None and (not text or text.endswith(b"\n"))
            # Only the last member of all may be unfinished or hold fewer lines than a full one.
            if rest or not (is_whole or (text_end is None and is_begun(text.partition(b"\n")[0], kind))):
                raise _other_file(path, lines + 1)
            if text_end is None:
                break
            end, found = text_end, text.count(b"\n")
            lines, last = lines + found, last_line(text)
            if found == MEMBER_LINES:
                size = end
            else:
                rest = text
        file.truncate(end if rest else size)
    return Finished(lines, last, size, rest)


def _members(file: IO[bytes], path: Path) -> Iterator[tuple[bytes, int | None]]:
    """The lines of each member, and the byte after it; None after the last one if it is unfinished."""
    ahead = b""
    while ahead := ahead or file.read(_BLOCK):
        member, text = zlib.decompressobj(wbits=31), bytearray()
        while ahead and not member.eof:
            try:
                text += member.decompress(ahead)
            except zlib.error:
                raise _other_file(path) from None
            if text.count(b"\n") > MEMBER_LINES:
                raise _other_file(path)
            ahead = member.unused_data or (b"" if member.eof else file.read(_BLOCK))
        yield bytes(text), file.tell() - len(ahead) if member.eof else None


def _other_file(path: Path, line: int | None = None) -> InputError:
    message = (
        f"cannot resume: expected gzip members of {MEMBER_LINES} lines, as runs leave them; another file?"
    )
    return InputError(message, file=str(path), line=line)
