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
        try:
            super().__init__(path, mode, opener=opener)
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

    Until then its content is in a temporary file of the same folder. The disk has the whole new file before
    it gets the name. Links stay links. Pipes and devices are written directly. Raises OSError that names
    ``path``.
    """
    if not _is_plain(path):
        with OutputFile(path, "wb", path) as raw, _buffered(raw, text) as out:
            yield out
        return
    final = path.resolve()
    with temporary_beside(final, path) as raw, _buffered(raw, text) as out:
        yield out
        out.flush()
        raw.sync()
        _rename(Path(raw.name), final, path)


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


def _is_plain(path: Path) -> bool:
    """Whether a path is a file, or may become one; a loop of links is an OSError that names it."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        return True


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
            if not _lock(raw, wait=True) or os.fstat(raw.fileno()).st_nlink:
                return raw
            raw.close()


def _lock(file: IO[bytes], *, wait: bool = False) -> bool:
    """Lock a file until it is closed; False if another process has locked it, or the system has no locks."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except (OSError, AttributeError):
        return False
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
                    if stat.S_ISREG(os.fstat(descriptor).st_mode) and _lock(file):
                        os.unlink(folder / name)


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


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file atomically: a reader, or a kill at any moment, finds either the old or the new content."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write(content)
