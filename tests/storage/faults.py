"""Faults of the disk for tests: a process that fails, is killed or loses power at its so-manyth call.

The calls are those by which files change: write, truncate, sync, rename, delete, and statements of SQLite.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

#: What happens at the call: the disk is full from then on; the call fails; the process is killed; the power
#: fails, and what was not synced is lost, or only the content of files, whose names are there.
FAULTS = ("full", "error", "kill", "power", "content")
_PASSED, _FAILED, _KILLED, _BROKEN = 0, 3, 9, 70


def run_with_fault(work: Callable[[], bool], fault: str, at: int) -> bool:
    """Do work in a process of its own that has a fault at a call, counted from 1; whether it came that far.

    ``work`` returns whether it has succeeded. After a fault, it may raise errors of the system, which fail.
    """
    process = os.fork()
    if process == 0:
        status = _BROKEN
        try:
            disk = _Disk(fault, at)
            disk.install()
            try:
                succeeded = work()
            except OSError:
                succeeded = False
            reached = disk.calls >= at
            status = _FAILED if reached else _PASSED if succeeded else _BROKEN
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    assert status in (_PASSED, _FAILED, _KILLED), f"{fault} at call {at}: exit status {status}"
    return status != _PASSED


class _Disk:
    """Counts calls, and remembers what a loss of power would take."""

    def __init__(self, fault: str, at: int) -> None:
        self.fault, self.at, self.calls = fault, at, 0
        self._real: dict[str, Any] = {}
        self._safe: dict[tuple[int, int], int] = {}  # bytes of a file that are on the disk
        self._places: dict[tuple[int, int], str] = {}
        self._undo: list[
            tuple[str, bytes | None]
        ] = []  # names that are not on the disk: what they had before

    def install(self) -> None:
        """Replace the functions of the system in this process, for good."""
        for name in ("write", "ftruncate", "fsync", "replace", "unlink"):
            self._real[name] = getattr(os, name)
            setattr(os, name, getattr(self, name))
        connect, disk = sqlite3.connect, self

        class Connection(sqlite3.Connection):
            def execute(self, *arguments: Any) -> Any:
                disk.in_database()
                return super().execute(*arguments)

            def executemany(self, *arguments: Any) -> Any:
                disk.in_database()
                return super().executemany(*arguments)

            def commit(self) -> None:
                disk.in_database()
                super().commit()

        sqlite3.connect = lambda *place, **options: connect(*place, **options, factory=Connection)  # type: ignore[assignment]

    def write(self, descriptor: int, content: Any) -> int:
        key = self._open_file(descriptor)
        self._safe.setdefault(key, os.fstat(descriptor).st_size)
        self._call(lambda: self._real["write"](descriptor, bytes(content)[: len(content) // 2]))
        return int(self._real["write"](descriptor, content))

    def ftruncate(self, descriptor: int, size: int) -> None:
        self._call()
        key = self._open_file(descriptor)
        self._safe[key] = min(self._safe.get(key, size), size)
        self._real["ftruncate"](descriptor, size)

    def fsync(self, descriptor: int) -> None:
        self._call()
        key = self._open_file(descriptor)
        place = self._places.pop(key)
        if os.path.isdir(place):
            self._undo = [(path, old) for path, old in self._undo if os.path.dirname(path) != place]
        else:
            self._places[key], self._safe[key] = place, os.fstat(descriptor).st_size

    def replace(self, old: Any, new: Any) -> None:
        self._call()
        stat = os.stat(old)
        self._undo += [(str(new), _content(new)), (str(old), _content(old))]
        self._real["replace"](old, new)
        if (stat.st_dev, stat.st_ino) in self._places:
            self._places[stat.st_dev, stat.st_ino] = str(new)

    def unlink(self, path: Any, **options: Any) -> None:
        if os.path.exists(path):
            self._call(needs_space=False)
            self._undo.append((str(path), _content(path)))
        self._real["unlink"](path, **options)

    def in_database(self) -> None:
        """Count a statement; SQLite itself sees to what is on the disk."""
        try:
            self._call()
        except OSError as error:
            raise sqlite3.OperationalError(error.strerror) from None

    def _call(self, half: Callable[[], object] = lambda: None, needs_space: bool = True) -> None:
        self.calls += 1
        if self.fault == "full" and not needs_space:
            return
        if self.calls == self.at and self.fault not in ("full", "error"):
            half()
            if self.fault != "kill":
                self._lose_power()
            os._exit(_KILLED)
        if self.calls == self.at or (self.calls > self.at and self.fault == "full"):
            number = errno.ENOSPC if self.fault == "full" else errno.EIO
            raise OSError(number, os.strerror(number))

    def _open_file(self, descriptor: int) -> tuple[int, int]:
        stat = os.fstat(descriptor)
        key = stat.st_dev, stat.st_ino
        self._places.setdefault(key, os.readlink(f"/proc/self/fd/{descriptor}"))
        return key

    def _lose_power(self) -> None:
        for key, place in self._places.items():
            if os.path.exists(place) and key in self._safe:
                os.truncate(place, min(self._safe[key], os.path.getsize(place)))
        for path, old in reversed(self._undo if self.fault == "power" else []):
            Path(path).parent.mkdir(exist_ok=True)
            Path(path).write_bytes(old) if old is not None else self._real["unlink"](path)


def _content(path: Any) -> bytes | None:
    return Path(path).read_bytes() if os.path.exists(path) else None
