"""Short hashes that show whether inputs and settings have changed."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np


def fingerprint_of(*parts: Any) -> str:
    """Short hash of arrays (their shapes, number types and bytes) and of other values (their ``repr``)."""
    digest = hashlib.sha256()
    for part in parts:
        if isinstance(part, np.ndarray):
            digest.update(repr((part.shape, part.dtype.str)).encode())
            digest.update(np.ascontiguousarray(part).tobytes())
        else:
            digest.update(repr(part).encode("utf-8", "replace"))
    return digest.hexdigest()[:16]


def model_files(folder: Path) -> list[Path]:
    """The files of a model's folder on which its results depend, in a fixed order."""
    return sorted(path for path in folder.iterdir() if path.suffix in (".json", ".safetensors", ".bin"))


def files_fingerprint(paths: Sequence[Path]) -> str:
    """Short hash of the names and contents of files."""
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.name.encode())
        with path.open("rb") as file:
            for block in iter(partial(file.read, 1 << 20), b""):
                digest.update(block)
    return digest.hexdigest()[:16]
