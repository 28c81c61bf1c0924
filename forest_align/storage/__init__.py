"""Saved models, checkpoints, outputs, and fingerprints of what they were made from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align._faces import lazy_face

if TYPE_CHECKING:
    from forest_align.storage.arrays import load_arrays, save_arrays
    from forest_align.storage.checkpoint import Checkpoint
    from forest_align.storage.fingerprints import files_fingerprint, fingerprint_of

__all__ = [
    "Checkpoint",
    "files_fingerprint",
    "fingerprint_of",
    "load_arrays",
    "save_arrays",
]

__getattr__, __dir__ = lazy_face(
    __name__,
    {
        "Checkpoint": "forest_align.storage.checkpoint",
        "files_fingerprint": "forest_align.storage.fingerprints",
        "fingerprint_of": "forest_align.storage.fingerprints",
        "load_arrays": "forest_align.storage.arrays",
        "save_arrays": "forest_align.storage.arrays",
    },
)
