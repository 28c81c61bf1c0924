"""Files on any filesystem that pyarrow knows: local ones, and addresses such as ``s3://bucket/pairs.tsv``."""

from __future__ import annotations

import fnmatch
import glob
import gzip
import io
import os
import re
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

from forest_align.types import ForestAlignError, InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

_IS_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE)
_WILDCARDS = re.compile(r"[*?\[]")


def is_address(path: str) -> bool:
    """Whether a path names its filesystem, as ``s3://bucket/pairs.tsv`` does."""
    return _IS_ADDRESS.match(path) is not None


def expand(pattern: str) -> list[str]:
    """The files that a path with wildcards (``*``, ``?``, ``[…]``) names, sorted; a plain path is returned.

    Raises InputError if no file has such a name, or the filesystem is unknown.
    """
    if not _WILDCARDS.search(pattern) or os.path.exists(pattern):
        return [pattern]
    paths = _expand_address(pattern) if is_address(pattern) else glob.glob(pattern, recursive=True)
    if not paths:
        raise InputError("expected files, found none of such a name", file=pattern)
    return sorted(paths)


def _expand_address(pattern: str) -> list[str]:
    import pyarrow.fs

    # The folders before the first wildcard are listed.
    above, _, _ = pattern[: _WILDCARDS.search(pattern).start()].rpartition("/")  # type: ignore[union-attr]
    with _errors_of(pattern):
        system, folder = pyarrow.fs.FileSystem.from_uri(above)
        listed = system.get_file_info(pyarrow.fs.FileSelector(folder, recursive=True))
    files = [f"{above}{entry.path.removeprefix(folder)}" for entry in listed if entry.is_file]
    depth = pattern.count("/")
    return [file for file in files if fnmatch.fnmatchcase(file, pattern) and file.count("/") == depth]


@contextmanager
def open_anywhere(path: str, *, unpack: bool = True) -> Iterator[IO[bytes]]:
    """Open a file to read its bytes, unpacking ``.gz``; raises OSError, or InputError if it has no opener."""
    with _opened(path) as file:
        if unpack and path.endswith(".gz"):
            with gzip.open(file, "rb") as unpacked:
                yield unpacked  # type: ignore[misc]
        else:
            yield file


def _opened(path: str) -> IO[bytes]:
    if not is_address(path):
        return open(path, "rb")
    import pyarrow.fs

    with _errors_of(path):
        system, name = pyarrow.fs.FileSystem.from_uri(path)
        opened: Any = system.open_input_file(name)
        return io.BufferedReader(opened, 1 << 20)


@contextmanager
def _errors_of(path: str) -> Iterator[None]:
    import pyarrow as pa

    try:
        yield
    except pa.ArrowInvalid as error:
        raise InputError(f"expected a filesystem that pyarrow knows: {error}", file=path) from None
    except pa.ArrowNotImplementedError as error:
        raise ForestAlignError(f"{path}: {error}") from None
