"""What a sweep searches, and how: the ranges of the hyper-parameters, the number of trials and workers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from forest_align.system.processes import can_fork
from forest_align.types import InputError

if TYPE_CHECKING:
    import optuna

#: Hyper-parameters by name.
Values = Mapping[str, float]

SEEDS = 2**32  # the samplers take seeds below it


@dataclass(frozen=True, slots=True)
class Range:
    """The values that one hyper-parameter may have."""

    low: float = 0.0
    high: float = 1.0
    integer: bool = False
    logarithmic: bool = False  # Search on a logarithmic scale
    choices: tuple[int, ...] = ()  # If given, only these values are tried and the bounds are ignored

    def suggest(self, trial: optuna.Trial, name: str) -> float:
        """Let the study's sampler pick a value."""
        if self.choices:
            return int(trial.suggest_categorical(name, self.choices))
        if self.integer:
            return trial.suggest_int(name, int(self.low), int(self.high), log=self.logarithmic)
        return trial.suggest_float(name, self.low, self.high, log=self.logarithmic)

    def holding(self, value: float) -> Range:
        """The range, widened to include a value; no longer logarithmic if the value is 0 or less."""
        if self.choices:
            return replace(self, choices=tuple(sorted({*self.choices, int(value)})))
        low, high = min(self.low, value), max(self.high, value)
        return replace(self, low=low, high=high, logarithmic=self.logarithmic and low > 0)


@dataclass(frozen=True, slots=True)
class TuningSettings:
    """How to search.

    Attributes
    ----------
    trials : int
        Total number of trials of the study, including those of other runs and processes.
    workers : int
        Processes that run trials at the same time.
    chunks : int
        Number of parts of the dev pairs. A trial that is below the median of the others after a part is
        stopped.
    seed : int
        Seed of the sampler. One worker runs the same trials each time, interrupted or not. With several
        workers, trials also depend on which earlier ones have finished, and so on chance.
    """

    trials: int = 50
    workers: int = 1
    chunks: int = 5
    seed: int = 0

    def __post_init__(self) -> None:
        for name, least in (("trials", 1), ("workers", 1), ("chunks", 1), ("seed", 0)):
            if getattr(self, name) < least:
                raise InputError(f"expected at least {least}, found {getattr(self, name)}", field=name)
        if self.seed >= SEEDS:
            raise InputError(f"expected less than {SEEDS}, found {self.seed}", field="seed")
        if self.workers > 1 and not can_fork():
            raise InputError(
                "expected 1 on this system: start the command several times with the same storage instead",
                field="workers",
            )
