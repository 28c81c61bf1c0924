"""Files that are replaced in one step, so a kill leaves the old or the new file."""

from __future__ import annotations

import os
from pathlib import Path


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file atomically: a reader, or a kill at any moment, finds either the old or the new content."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # The process number separates several writers of one path.
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
