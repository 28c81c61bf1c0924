"""Files that are replaced in one step, so a kill leaves the old or the new file."""

from __future__ import annotations

from pathlib import Path

from forest_align.data.text.replacing import replacing


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file atomically: a reader, or a kill at any moment, finds either the old or the new content."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write(content)
