"""The sweep: an Optuna study over the parameters of an aligner, shared through a storage."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from forest_align.em.tuning.study import SharedStudy, claim, count_states, dead_trials, give_back
from forest_align.system.processes import can_fork, interruptible, run_workers
from forest_align.types import InputError

if TYPE_CHECKING:
    import optuna

#: Hyper-parameters by name.
Values = Mapping[str, float]
# Attribute of a study: the fingerprint of the problem whose trials it holds.
_PROBLEM = "problem"
# Attribute of a trial that tries the start values: these values.
_START = "start"
_SEEDS = 2**32  # the samplers take seeds below it


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
        if self.seed >= _SEEDS:
            raise InputError(f"expected less than {_SEEDS}, found {self.seed}", field="seed")
        if self.workers > 1 and not can_fork():
            raise InputError(
                "expected 1 on this system: start the command several times with the same storage instead",
                field="workers",
            )


class TuningProblem(Protocol):
    """Dev pairs to score: the sweep's interface to them."""

    @property
    def pair_count(self) -> int:
        """Number of dev pairs."""

    @property
    def fingerprint(self) -> str:
        """Short text that differs between problems, so that a study is never continued on another one."""

    def statistics(self, values: Values, pairs: Sequence[int]) -> np.ndarray:
        """Align some pairs with these values."""

    def score(self, rows: np.ndarray) -> float:
        """The objective over the pairs that the rows belong to; higher is better."""


def tune(
    problem: TuningProblem,
    space: Mapping[str, Range],
    settings: TuningSettings,
    shared: SharedStudy,
    start: Values | None = None,
    report: Callable[[int], None] | None = None,
) -> optuna.Study:
    """Run trials until the study has the number asked for.

    An existing study is continued, even while other processes work on it. Trials of processes that were
    killed on this machine are marked as failed and replaced.

    Parameters
    ----------
    problem : TuningProblem
        The dev pairs to score.
    space : mapping of str to Range
        The parameters to vary.
    settings : TuningSettings
        How to search.
    shared : SharedStudy
        Where the trials are stored.
    start : mapping, optional
        Values of the first trial, so that the best is never worse than these. If a study has all its trials
        but has not scored these values completely, one more trial runs with them.
    report : callable, optional
        Called with the number of trials that the study has, at the beginning and regularly.

    Returns
    -------
    optuna.Study
        With the trials of all processes.

    Raises
    ------
    InputError
        If the study has trials of another problem, or a score is not finite.
    """
    if settings.workers > 1 and (shared.in_memory or not shared.can_fork):
        instead = ", which other processes do not see"
        instead = instead if shared.in_memory else ": start the command several times instead"
        raise InputError(f"expected 1 with the storage {shared.storage!r}{instead}", field="workers")
    study = shared.open()
    known = study.user_attrs.get(_PROBLEM)
    if known is None:
        study.set_user_attr(_PROBLEM, problem.fingerprint)
    elif known != problem.fingerprint:
        raise InputError(
            f"the study {study.study_name!r} has trials of other pairs, or with another model, parser or "
            "settings (forest sizes, options to keep): expected the same ones, or a study of another name"
        )
    sweep = _Sweep(problem, space, settings, start)

    def watch() -> None:
        if report is not None:
            report(_ended(study))

    sweep.replace_dead_trials(study)
    watch()
    count = min(settings.workers, settings.trials - _ended(study))
    if settings.workers == 1:
        sweep.work(study, nullcontext(), watch)
    elif count > 0:
        try:
            run_workers(lambda turn: sweep.work(shared.open(), turn), count, watch)
        finally:
            give_back(study, *dead_trials(study))
    while not sweep.has_scored_start(study):
        # Another process is still running it, or the study had all trials before.
        sweep.enqueue_start(study, range(len(study.trials)))
        sweep.try_next(study, nullcontext())
    watch()
    return study


def _ended(study: optuna.Study) -> int:
    return count_states(study, "COMPLETE", "PRUNED")


@dataclass(frozen=True, slots=True)
class _Sweep:
    """What each worker does on its own connection to the study."""

    problem: TuningProblem
    space: Mapping[str, Range]
    settings: TuningSettings
    start: Values | None

    def has_scored_start(self, study: optuna.Study) -> bool:
        """Whether a trial with the start values is complete, or there are none."""
        return self.start is None or any(
            trial.state.name == "COMPLETE" and trial.params == dict(self.start)
            for trial in study.get_trials(deepcopy=False)
        )

    def enqueue_start(self, study: optuna.Study, lost: Sequence[int]) -> None:
        """Queue the start values for the next trial, unless a trial that is not lost has or had them."""
        if self.start is None or self.has_scored_start(study):
            return
        values = dict(self.start)
        same = [t for t in study.get_trials(deepcopy=False) if t.user_attrs.get(_START) == values]
        begun = any(trial.state.name == "RUNNING" and trial.number not in lost for trial in same)
        if not (begun or any(trial.state.name == "WAITING" for trial in same)):
            study.enqueue_trial(values, user_attrs={_START: values})

    def replace_dead_trials(self, study: optuna.Study) -> bool:
        """Give dead trials back, and queue the start values again if they were among them."""
        dead = dead_trials(study)
        # Before their place is free: otherwise another process might fill it with the last trial asked for.
        self.enqueue_start(study, dead)
        give_back(study, *dead)
        return bool(dead)

    def work(
        self,
        study: optuna.Study,
        turn: AbstractContextManager[object],
        watch: Callable[[], None] = lambda: None,
    ) -> None:
        """Run trials until the study has all; ``turn`` is held for what one process does at a time."""
        begun = replaced = True
        while (begun or replaced) and _ended(study) < self.settings.trials:
            begun = self.try_next(study, turn)
            watch()
            with turn:  # a trial that another worker is about to claim looks like that of a dead process
                replaced = self.replace_dead_trials(study)

    def try_next(self, study: optuna.Study, turn: AbstractContextManager[object]) -> bool:
        """Run one trial; return False if others have started all that are left."""
        import optuna

        trial, seed = None, self.settings.seed
        try:
            study.sampler = optuna.samplers.RandomSampler(seed)
            with turn:
                trial = study.ask()
                place = claim(study, trial)
            if place >= self.settings.trials and _START not in trial.user_attrs:
                give_back(study, trial.number)
                return False
            # The seed depends on the place, so that processes that start at the same time with the same seed
            # do not try the same values.
            study.sampler = optuna.samplers.TPESampler(seed=(seed * 1_000_003 + place) % _SEEDS)
            self._run(study, trial)
        except optuna.exceptions.UpdateFinishedTrialError:
            # SQLite does not lock rows, so two sweeps may take the first trial at the same time. Then the
            # other one has finished it, with the same score. Or the trial was given back before it was
            # claimed.
            pass
        except Exception:
            if trial is not None:
                give_back(study, trial.number)
            raise
        return True

    def _run(self, study: optuna.Study, trial: optuna.Trial) -> None:
        from optuna.trial import TrialState

        values = {name: range_.suggest(trial, name) for name, range_ in self.space.items()}
        # The same parts in all processes; shuffled, so that each has pairs from all files.
        order = np.random.default_rng(0).permutation(self.problem.pair_count)
        parts = [part.tolist() for part in np.array_split(order, min(self.settings.chunks, len(order)))]
        row_of_pair: dict[int, np.ndarray] = {}
        for step, pairs in enumerate(parts):
            try:
                with interruptible():
                    rows = self.problem.statistics(values, pairs)
            except KeyboardInterrupt:
                # Only here, where the storage is not in use; elsewhere the next run gives the trial back.
                give_back(study, trial.number)
                raise
            row_of_pair.update(zip(pairs, rows, strict=True))
            # In the order of the pairs: the division into parts must not change the last bits of the sum.
            score = self.problem.score(np.array([row_of_pair[pair] for pair in sorted(row_of_pair)]))
            if not math.isfinite(score):  # the storage would refuse it, and the trial be repeated for ever
                raise InputError(f"expected a finite score, found {score} for {values}")
            trial.report(score, step)
            # The start values must be scored on all pairs, as the result must not be worse than they are.
            if step + 1 < len(parts) and _START not in trial.user_attrs and trial.should_prune():
                study.tell(trial, state=TrialState.PRUNED, skip_if_finished=True)
                return
        study.tell(trial, score, skip_if_finished=True)
