"""Files that are replaced in one step: a kill or an error leaves the old file or the new one."""

from __future__ import annotations

import errno
import io
import os
import re
import secrets
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

try:
    import fcntl
except ImportError:  # not a POSIX system
    fcntl = None  # type: ignore[assignment]

#: Whether the system has locks; some file systems have none in any case.
CAN_LOCK = fcntl is not None
_LEFT_OVER = re.compile(r"\..*\.[0-9a-f]{16}\.tmp", re.DOTALL)


class OutputFile(io.FileIO):
    """A file to write without a buffer; errors of the system name it as the user does (``shown``)."""

    def __init__(
        self,
        path: str | Path,
        mode: str,
        shown: str | Path,
        opener: Callable[[str, int], int] | None = None,
    ) -> None:
        self._shown = str(shown)
        with _errors_about(shown):
            super().__init__(path, mode, opener=opener)

    def write(self, content: Any) -> int:
        """See :meth:`io.FileIO.write`."""
        with _errors_about(self._shown):
            return os.write(self.fileno(), content)

    def truncate(self, size: int) -> int:  # type: ignore[override]
        """See :meth:`io.FileIO.truncate`."""
        with _errors_about(self._shown):
            os.ftruncate(self.fileno(), size)
        return size

    def sync(self) -> None:
        """Wait until the disk has what was written, if this is a plain file."""
        if os.path.isfile(self.name):
            with _errors_about(self._shown):
                os.fsync(self.fileno())


@contextmanager
def _errors_about(shown: str | Path) -> Iterator[None]:
    """Make errors of the system name a file as the user does."""
    try:
        yield
    except OSError as error:
        error.filename, error.filename2 = str(shown), None
        raise


def as_text(file: io.BufferedWriter[Any]) -> io.TextIOWrapper:
    """A file for text in UTF-8; characters that cannot be encoded (half of a surrogate pair) are escaped."""
    return io.TextIOWrapper(file, "utf-8", "backslashreplace", newline="\n")


@contextmanager
def replacing(path: Path, *, text: bool = False) -> Iterator[IO[Any]]:
    """Open a file that replaces another one when it is closed without an error.

    Until then its content is in a temporary file of the same folder. The disk has the whole new file before
    it gets the name. Links stay links. Pipes and devices are written directly. Raises OSError that names
    ``path``.
    """
    try:
        is_plain = stat.S_ISREG(path.stat().st_mode)  # a loop of links is an OSError that names it
    except FileNotFoundError:
        is_plain = True
    if not is_plain:
        with OutputFile(path, "wb", path) as raw, _buffered(raw, text) as out:
            yield out
        return
    final = path.resolve()
    with temporary_beside(final, path) as raw, _buffered(raw, text) as out:
        yield out
        out.flush()
        raw.sync()
        with _errors_about(path):
            if final.exists():
                shutil.copymode(final, raw.name)
            os.replace(raw.name, final)
            sync_folder(final.parent)


@contextmanager
def temporary_beside(final: Path, shown: Path) -> Iterator[OutputFile]:
    """Create a file in the folder of another one, and remove it unless it has been renamed.

    Nobody can guess its name, a file or link that has the name stays as it is, and only the owner can read it
    if there is an older file. Such files that killed processes have left in the folder are removed. Raises
    OSError that names ``shown``.
    """
    _clean(final.parent)
    raw = _create_beside(final, shown)
    try:
        with raw:
            yield raw
    finally:
        Path(raw.name).unlink(missing_ok=True)


def _buffered(raw: OutputFile, text: bool) -> IO[Any]:
    file = io.BufferedWriter(raw)
    return as_text(file) if text else file


def _create_beside(final: Path, shown: Path) -> OutputFile:
    rights = 0o600 if final.exists() else 0o666
    while True:
        name = final.with_name(f".{final.name}.{secrets.token_hex(8)}.tmp")
        with suppress(FileExistsError):
            raw = OutputFile(name, "xb", shown, lambda path, flags: os.open(path, flags, rights))
            # The lock says that the file is no left-over; another process may have removed it before.
            if not lock(raw, wait=True) or os.fstat(raw.fileno()).st_nlink:
                return raw
            raw.close()


def lock(file: IO[bytes] | int, *, wait: bool = False) -> bool | None:
    """Lock a file until it is closed; False if another process has locked it, None if locks are missing."""
    if not CAN_LOCK:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return None
    return True


@lru_cache(maxsize=64)
def _clean(folder: Path) -> None:
    """Remove the temporary files that killed processes have left; once, as a folder may have many files."""
    with suppress(OSError):
        names = [name for name in os.listdir(folder) if _LEFT_OVER.fullmatch(name)]
        for name in names:
            with suppress(OSError):
                descriptor = os.open(folder / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
                with os.fdopen(descriptor, "rb") as file:
                    if stat.S_ISREG(os.fstat(descriptor).st_mode) and lock(file):
                        os.unlink(folder / name)


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


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file atomically: a reader, or a kill at any moment, finds either the old or the new content."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write(content)
