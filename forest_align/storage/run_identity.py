"""Checks that a checkpoint belongs to the run that resumes from it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from forest_align.types import InputError


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
            message += "; continue with the same, or start over without --resume"
            raise InputError(message, file=str(path), field=name)
