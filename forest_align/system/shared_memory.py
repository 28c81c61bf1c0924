"""Memory of a process and of the workers that are forked from it."""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Iterator
from contextlib import contextmanager


def release_free_memory() -> None:
    """Give memory that is free inside this process back to the system, if the C library can do that (glibc).

    Loading a model leaves some 100 MB of it: a library keeps what it frees between pieces that are in use.
    """
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (AttributeError, TypeError, OSError):  # another C library, or Windows
        return
    trim(0)


@contextmanager
def shared_with_forks() -> Iterator[None]:
    """Keep the memory of all present objects shared with processes that are forked inside of the block.

    The garbage collector would write a mark into every object, and so copy its memory into each process. It
    skips present objects inside of the block.
    """
    release_free_memory()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
