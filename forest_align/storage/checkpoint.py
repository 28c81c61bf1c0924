"""Files of arrays and facts with a hash of both, and the checkpoint of a training run, which is one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
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


_RUN, _IDENTITY = "run", "identity"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A file that keeps the state of a training run; a kill leaves the old state or the new one."""

    path: Path | None  # None if no state is kept
    run: str  # kind of run, for messages
    identity: Mapping[str, Any]  # JSON values that a resumed run must share
    # For values that are hashes: what messages say that the checkpoint was written with.
    hashed: Mapping[str, str] = field(default_factory=dict)

    @property
    def exists(self) -> bool:
        """Whether there is a state to continue from."""
        return self.path is not None and self.path.exists()

    def save(self, arrays: Mapping[str, np.ndarray], facts: Mapping[str, Any]) -> None:
        """Replace the state, if one is kept, by arrays and JSON values."""
        if self.path is not None:
            save_arrays(self.path, arrays, {**facts, _RUN: self.run, _IDENTITY: dict(self.identity)})

    def load(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Read the arrays and facts.

        Raises InputError that names the first difference if settings or pairs differ, or the file is damaged.
        """
        assert self.path is not None
        arrays, facts = load_arrays(self.path)
        if facts.get(_RUN) != self.run:
            raise InputError(f"expected a checkpoint of {self.run}", file=str(self.path))
        earlier = facts[_IDENTITY]
        for name, value in self.identity.items():
            if earlier.get(name) != value:
                other = self.hashed.get(name, f"{earlier.get(name)!r}, this run has {value!r}")
                message = (
                    f"the checkpoint was written with {other}; continue with the same, or start over without"
                )
                raise InputError(f"{message} --resume", file=str(self.path), field=name)
        return arrays, facts

    def past(self, unit: str, bound: int) -> InputError:
        """The error for a state that is past the last epoch or iteration of this run."""
        message = f"the checkpoint has more than the {bound} {unit} of this run behind it"
        return InputError(message, file=str(self.path), field=unit)
