"""Files of arrays and facts. They are replaced in one step, so a kill leaves the old or the new file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from forest_align.storage.atomic import write_atomically
from forest_align.types import InputError


def save_arrays(path: Path, arrays: Mapping[str, np.ndarray], facts: Mapping[str, Any]) -> None:
    """Write arrays and JSON values into one safetensors file, atomically.

    Parameters
    ----------
    path : pathlib.Path
        The file to write; missing folders are created.
    arrays : mapping of str to numpy.ndarray
        Any shapes and number types.
    facts : mapping
        JSON values; numbers round-trip exactly.
    """
    from safetensors.numpy import save

    contiguous = {name: np.asarray(array, order="C") for name, array in arrays.items()}
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
