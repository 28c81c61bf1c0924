"""The checkpoint of a training run: arrays and facts in one file, with the identity of their run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from forest_align.storage.arrays import load_arrays, save_arrays
from forest_align.types import InputError

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
        found = facts[_IDENTITY]
        for name, value in self.identity.items():
            if found.get(name) != value:
                other = self.hashed.get(name, f"{found.get(name)!r}, this run has {value!r}")
                message = (
                    f"the checkpoint was written with {other}; continue with the same, or start over without"
                )
                raise InputError(f"{message} --resume", file=str(self.path), field=name)
        return arrays, facts

    def past(self, unit: str, bound: int) -> InputError:
        """The error for a state that is past the last epoch or iteration of this run."""
        message = f"the checkpoint has more than the {bound} {unit} of this run behind it"
        return InputError(message, file=str(self.path), field=unit)
