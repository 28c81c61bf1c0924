"""The sweep: an Optuna study over the penalties and sizes of the forest aligner, shared through a storage."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Protocol

import numpy as np

from forest_align.em.tuning.search import SEEDS, Range, TuningSettings, Values, count_states
from forest_align.em.tuning.study import SharedStudy, claim, dead_trials, give_back
from forest_align.system.sweep_workers import interruptible, run_workers
from forest_align.types import InputError

if TYPE_CHECKING:
    import optuna

# Attribute of a study: the fingerprint of the problem whose trials it holds.
_PROBLEM = "problem"
# Attribute of a trial that tries the start values: these values.
_START = "start"


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
    _check_workers(shared, settings)
    study = shared.open()
    _check_problem(study, problem)

    def watch() -> None:
        if report is not None:
            report(_ended(study))

    _replace_dead_trials(study, start)
    watch()
    count = min(settings.workers, settings.trials - _ended(study))
    if settings.workers == 1:
        _work(problem, space, settings, study, start, nullcontext(), watch)
    elif count > 0:
        try:
            run_workers(
                lambda turn: _work(problem, space, settings, shared.open(), start, turn), count, watch
            )
        finally:
            give_back(study, *dead_trials(study))
    while start is not None and not _is_scored(study, start):
        # Another process is still running it, or the study had all trials before.
        _enqueue(study, start, range(len(study.trials)))
        _try_next(problem, space, settings, study, nullcontext())
    watch()
    return study


def _check_problem(study: optuna.Study, problem: TuningProblem) -> None:
    known = study.user_attrs.get(_PROBLEM)
    if known is None:
        study.set_user_attr(_PROBLEM, problem.fingerprint)
    elif known != problem.fingerprint:
        raise InputError(
            f"the study {study.study_name!r} has trials of other pairs, or with another model, parser or "
            "settings (forest sizes, options to keep): expected the same ones, or a study of another name"
        )


def _check_workers(shared: SharedStudy, settings: TuningSettings) -> None:
    if settings.workers > 1 and shared.in_memory:
        message = f"expected 1 with the storage {shared.storage!r}, which other processes do not see"
        raise InputError(message, field="workers")
    if settings.workers > 1 and not shared.can_fork:
        message = f"expected 1 with the storage {shared.storage!r}: start the command several times instead"
        raise InputError(message, field="workers")


def _ended(study: optuna.Study) -> int:
    return count_states(study, "COMPLETE", "PRUNED")


def _is_scored(study: optuna.Study, start: Values) -> bool:
    return any(
        trial.state.name == "COMPLETE" and trial.params == dict(start)
        for trial in study.get_trials(deepcopy=False)
    )


def _replace_dead_trials(study: optuna.Study, start: Values | None) -> bool:
    """Give dead trials back, and queue the start values again if they were among them."""
    dead = dead_trials(study)
    if start is not None:
        # Before their place is free: otherwise another process might fill it with the last trial asked for.
        _enqueue(study, start, dead)
    give_back(study, *dead)
    return bool(dead)


def _enqueue(study: optuna.Study, start: Values, lost: Sequence[int]) -> None:
    """Queue the start values for the next trial, unless they are scored, queued, or in a trial not lost."""
    begun = any(
        trial.user_attrs.get(_START) == dict(start)
        and (trial.state.name == "WAITING" or (trial.state.name == "RUNNING" and trial.number not in lost))
        for trial in study.get_trials(deepcopy=False)
    )
    if not begun and not _is_scored(study, start):
        study.enqueue_trial(dict(start), user_attrs={_START: dict(start)})


def _work(
    problem: TuningProblem,
    space: Mapping[str, Range],
    settings: TuningSettings,
    study: optuna.Study,
    start: Values | None,
    turn: AbstractContextManager[object],
    watch: Callable[[], None] | None = None,
) -> None:
    begun = replaced = True
    while (begun or replaced) and _ended(study) < settings.trials:
        begun = _try_next(problem, space, settings, study, turn)
        if watch is not None:
            watch()
        with turn:  # a trial that another worker is about to claim looks like that of a dead process
            replaced = _replace_dead_trials(study, start)


def _try_next(
    problem: TuningProblem,
    space: Mapping[str, Range],
    settings: TuningSettings,
    study: optuna.Study,
    turn: AbstractContextManager[object],
) -> bool:
    """Run one trial; return False if others have started all that are left."""
    import optuna

    trial = None
    try:
        study.sampler = optuna.samplers.RandomSampler(settings.seed)
        with turn:
            trial = study.ask()
            place = claim(study, trial)
        if place >= settings.trials and _START not in trial.user_attrs:
            give_back(study, trial.number)
            return False
        # The seed depends on the place, so that processes that start at the same time with the same seed do
        # not try the same values.
        study.sampler = optuna.samplers.TPESampler(seed=(settings.seed * 1_000_003 + place) % SEEDS)
        _run_trial(problem, space, settings, study, trial)
    except optuna.exceptions.UpdateFinishedTrialError:
        # SQLite does not lock rows, so two sweeps may take the first trial at the same time. Then the other
        # one has finished it, with the same score. Or the trial was given back before it was claimed.
        pass
    except Exception:
        if trial is not None:
            give_back(study, trial.number)
        raise
    return True


def _run_trial(
    problem: TuningProblem,
    space: Mapping[str, Range],
    settings: TuningSettings,
    study: optuna.Study,
    trial: optuna.Trial,
) -> None:
    from optuna.trial import TrialState

    values = {name: range_.suggest(trial, name) for name, range_ in space.items()}
    parts = _chunks(problem.pair_count, settings.chunks)
    found: dict[int, np.ndarray] = {}
    for step, pairs in enumerate(parts):
        try:
            with interruptible():
                rows = problem.statistics(values, pairs)
        except KeyboardInterrupt:
            # Only here, where the storage is not in use; elsewhere the next run gives the trial back.
            give_back(study, trial.number)
            raise
        found.update(zip(pairs, rows, strict=True))
        # In the order of the pairs: the division into parts must not change the last bits of the sum.
        score = problem.score(np.array([found[pair] for pair in sorted(found)]))
        if not math.isfinite(score):  # the storage would refuse it, and the trial would be repeated for ever
            raise InputError(f"expected a finite score, found {score} for {values}")
        trial.report(score, step)
        # The start values must be scored on all pairs, as the result must not be worse than they are.
        if step + 1 < len(parts) and _START not in trial.user_attrs and trial.should_prune():
            study.tell(trial, state=TrialState.PRUNED, skip_if_finished=True)
            return
    study.tell(trial, score, skip_if_finished=True)


def _chunks(pair_count: int, count: int) -> list[list[int]]:
    """Parts of the pairs, the same in all processes; shuffled, so that each has pairs from all files."""
    order = np.random.default_rng(0).permutation(pair_count)
    return [part.tolist() for part in np.array_split(order, min(count, pair_count))]
