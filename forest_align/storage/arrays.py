"""Files of arrays and facts that are replaced in one step, so that a kill leaves the old or the new one."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from forest_align.types import InputError


def fingerprint_of(*parts: Any) -> str:
    """Short hash of arrays, by their shapes, number types and bytes, and of other values, by their texts."""
    digest = hashlib.sha256()
    for part in parts:
        if isinstance(part, np.ndarray):
            digest.update(repr((part.shape, part.dtype.str)).encode())
            digest.update(np.ascontiguousarray(part).tobytes())
        else:
            digest.update(repr(part).encode("utf-8", "replace"))
    return digest.hexdigest()[:16]


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file so that a reader, or a kill at any moment, meets either the old content or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # The process number keeps several writers of one path apart.
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def save_arrays(path: Path, arrays: Mapping[str, np.ndarray], facts: Mapping[str, Any]) -> None:
    """Write arrays and JSON values into one safetensors file, atomically.

    Parameters
    ----------
    path : pathlib.Path
        Where to; folders are made.
    arrays : mapping of str to numpy.ndarray
        Any shapes and number types.
    facts : mapping
        What JSON can hold; numbers come back exactly.
    """
    from safetensors.numpy import save

    contiguous = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    write_atomically(path, save(contiguous, metadata={"facts": json.dumps(facts)}))


def load_arrays(path: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Read what :func:`save_arrays` wrote.

    Raises
    ------
    InputError
        If the file is not of this kind or is damaged.
    """
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            facts = json.loads((file.metadata() or {})["facts"])
            if not isinstance(facts, dict):
                raise TypeError("facts that are no object")
    except (SafetensorError, KeyError, TypeError, AttributeError, json.JSONDecodeError) as error:
        message = f"expected a file of arrays written by forest-align, found something else ({error})"
        raise InputError(message, file=str(path)) from None
    return arrays, facts


def check_identity(
    found: Any,
    identity: Mapping[str, Any],
    path: Path,
    run: str,
    hashed: Mapping[str, str] | None = None,
) -> None:
    """Make sure that a checkpoint is that of the same run.

    Parameters
    ----------
    found : object
        What the checkpoint has for an identity.
    identity : mapping
        What this run has; the checkpoint may have more.
    path : pathlib.Path
        The checkpoint, for messages.
    run : str
        What kind of run it should be, for messages.
    hashed : mapping of str to str, optional
        Of values that are hashes, by their names: what the run of the checkpoint had if these differ.

    Raises
    ------
    InputError
        If the file is of another kind, or was written with other settings or for other pairs; names the first
        difference.
    """
    if not isinstance(found, dict):
        raise InputError(f"expected a checkpoint of {run}", file=str(path))
    for name, value in identity.items():
        if found.get(name) != value:
            if hashed and name in hashed:
                message = f"the checkpoint was written with {hashed[name]}"
            else:
                message = f"the checkpoint was written with {found.get(name)!r}, this run has {value!r}"
            message += "; go on with the same, or begin anew without --resume"
            raise InputError(message, file=str(path), field=name)
