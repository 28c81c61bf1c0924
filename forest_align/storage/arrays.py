"""Files of arrays and facts, with a hash of both. They are replaced in one step, and damage is noticed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from forest_align.storage.fingerprints import fingerprint_of
from forest_align.system.replacing import write_atomically
from forest_align.types import InputError

_CARD, _FACTS, _CONTENTS = "card", "facts", "contents"


def save_arrays(path: Path, arrays: Mapping[str, np.ndarray], facts: Mapping[str, Any]) -> None:
    """Write arrays and JSON values into one safetensors file, atomically; numbers round-trip exactly."""
    from safetensors.numpy import save

    contiguous = {name: np.asarray(array, order="C") for name, array in arrays.items()}
    text = json.dumps(facts)
    # One entry: safetensors writes several in any order, and equal content must give equal bytes.
    card = json.dumps({_FACTS: text, _CONTENTS: _contents(contiguous, text)})
    write_atomically(path, save(contiguous, metadata={_CARD: card}))


def load_arrays(path: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Read what :func:`save_arrays` wrote; raises InputError if any byte of arrays or facts was changed."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            card = json.loads((file.metadata() or {})[_CARD])
            text, contents = card[_FACTS], card[_CONTENTS]
            facts = json.loads(text)
            if not isinstance(facts, dict):
                raise TypeError("facts that are no object")
    except (SafetensorError, KeyError, TypeError, AttributeError, ValueError) as error:
        message = f"expected a file of arrays written by forest-align, found something else ({error})"
        raise InputError(message, file=str(path)) from None
    if contents != _contents(arrays, text):
        raise InputError("the file is damaged: delete it to start over", file=str(path))
    return arrays, facts


def _contents(arrays: Mapping[str, np.ndarray], facts: str) -> str:
    names = sorted(arrays)
    return fingerprint_of(facts, names, *(arrays[name] for name in names))
