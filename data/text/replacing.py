"""Files that are replaced in one step: a kill or an error leaves the old file or the new one."""

from __future__ import annotations

import errno
import io
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any


class OutputFile(io.FileIO):
    """A file to write without a buffer. Errors of the system name it as the user does.

    Parameters
    ----------
    path : str or Path
        The file.
    mode : str
        Such as ``wb``.
    shown : str or Path
        Its name in errors.
    """

    def __init__(self, path: str | Path, mode: str, shown: str | Path) -> None:
        self._shown = str(shown)
        try:
            super().__init__(path, mode)
        except OSError as error:
            raise self._named(error) from None

    def write(self, content: Any) -> int:
        """See :meth:`io.FileIO.write`."""
        try:
            return os.write(self.fileno(), content)
        except OSError as error:
            raise self._named(error) from None

    def truncate(self, size: int) -> int:  # type: ignore[override]
        """See :meth:`io.FileIO.truncate`."""
        try:
            os.ftruncate(self.fileno(), size)
        except OSError as error:
            raise self._named(error) from None
        return size

    def sync(self) -> None:
        """Wait until the disk has what was written, if this is a plain file."""
        if os.path.isfile(self.name):
            try:
                os.fsync(self.fileno())
            except OSError as error:
                raise self._named(error) from None

    def _named(self, error: OSError) -> OSError:
        error.filename = self._shown
        return error


def as_text(file: io.BufferedWriter[Any]) -> io.TextIOWrapper:
    """A file for text in UTF-8; characters that cannot be encoded (half of a surrogate pair) are escaped."""
    return io.TextIOWrapper(file, "utf-8", "backslashreplace", newline="\n")


@contextmanager
def replacing(path: Path, *, text: bool = False) -> Iterator[IO[Any]]:
    """Open a file that replaces another one when it is closed without an error.

    Until then its content is in a temporary file of the same folder. Then the disk has the whole new file
    before it gets the name. Links stay links. Pipes and devices are written directly.

    Parameters
    ----------
    path : Path
        The file to replace or create.
    text : bool
        Write text, not bytes; see :func:`as_text`.

    Raises
    ------
    OSError
        If the file cannot be written; names ``path``.
    """
    is_plain = path.is_file() or not path.exists()
    final = path.resolve() if is_plain else path
    # The process number separates several writers of one path.
    fresh = final.with_name(f".{final.name}.{os.getpid()}.tmp") if is_plain else path
    try:
        raw = OutputFile(fresh, "wb", path)
        file = io.BufferedWriter(raw)
        with as_text(file) if text else file as out:
            yield out
            out.flush()
            raw.sync()
        if is_plain:
            _rename(fresh, final, path)
    finally:
        if is_plain:
            fresh.unlink(missing_ok=True)


def _rename(fresh: Path, final: Path, shown: Path) -> None:
    try:
        if final.exists():
            shutil.copymode(final, fresh)
        fresh.replace(final)
        sync_folder(final.parent)
    except OSError as error:
        error.filename, error.filename2 = str(shown), None
        raise


def sync_folder(folder: Path) -> None:
    """Wait until the disk has the names of the files in a folder, where the system can do that."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(opened)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # a file system that cannot do it
            raise
    finally:
        os.close(opened)
