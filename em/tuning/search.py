"""What a sweep searches, and how: the ranges of the hyper-parameters, the number of trials and workers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

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


def count_states(study: optuna.Study, *names: str) -> int:
    """Count the trials in any of these states, such as ``COMPLETE``."""
    return sum(trial.state.name in names for trial in study.get_trials(deepcopy=False))


def best_values(study: optuna.Study) -> dict[str, float]:
    """Values of the best complete trial."""
    if not count_states(study, "COMPLETE"):
        raise InputError(f"the study {study.study_name!r} has no complete trial yet")
    return dict(study.best_params)


def importances(study: optuna.Study) -> dict[str, float]:
    """Share of each parameter in the difference between good and other trials (PED-ANOVA).

    Empty if there are too few trials, or if none of them is better than others.
    """
    import warnings

    import optuna

    if count_states(study, "COMPLETE") < 4:
        return {}
    evaluator = optuna.importance.PedAnovaImportanceEvaluator()
    with warnings.catch_warnings():  # Optuna warns if all trials have the same score
        warnings.simplefilter("ignore")
        found = optuna.importance.get_param_importances(study, evaluator=evaluator, normalize=False)
    total = sum(found.values())
    return {name: value / total for name, value in found.items()} if total else {}


def trial_table(study: optuna.Study, count: int = 10) -> str:
    """The best complete trials and the importances, as text."""
    complete = [trial for trial in study.get_trials(deepcopy=False) if trial.state.name == "COMPLETE"]
    complete.sort(key=lambda trial: (-trial.value, trial.number))
    names = sorted({name for trial in complete for name in trial.params})
    share = importances(study)
    header = ["trial", "score", *names]
    lines = [
        [str(t.number), f"{t.value:.3f}", *(_number(t.params.get(name)) for name in names)] for t in complete
    ]
    footer = ["", "importance", *(f"{share[name]:.2f}" if name in share else "-" for name in names)]
    table = [header, *lines[:count], footer]
    widths = [max(len(row[column]) for row in table) for column in range(len(header))]
    pruned, failed, begun = (count_states(study, state) for state in ("PRUNED", "FAIL", "RUNNING"))
    counted = f"{len(complete)} complete, {pruned} pruned"
    if failed:
        counted += f", {failed} interrupted and done again"
    if begun:
        # Those on other machines may still be running: they keep their place among the trials asked for.
        counted += (
            f", {begun} not ended: running, or killed on another machine (more trials make up for them)"
        )
    drawn = ("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in table)
    return "\n".join([*drawn, counted])


def winner_note(study: optuna.Study, start: Mapping[str, Any] | None) -> str:
    """Which trial won, what it changed and by how much, or that nothing better than the start was found."""
    complete = [trial for trial in study.get_trials(deepcopy=False) if trial.state.name == "COMPLETE"]
    if not complete:
        return "no trial is complete"
    best = min(complete, key=lambda trial: (-trial.value, trial.number))
    before = next((trial for trial in complete if start is not None and trial.params == dict(start)), None)
    if before is None:
        return f"trial {best.number} won with {best.value:.3f}"
    if best.value <= before.value:
        return f"nothing better was found than the values at the start ({before.value:.3f}): they are kept"
    changes = [
        f"{name} {_number(before.params.get(name))} → {_number(value)}"
        for name, value in sorted(best.params.items())
        if value != before.params.get(name)
    ]
    gain = f"{before.value:.3f} → {best.value:.3f}, +{best.value - before.value:.3f}"
    return f"trial {best.number} won ({gain}): {', '.join(changes)}"


def _number(value: Any) -> str:
    return "-" if value is None else f"{value:.3g}"
