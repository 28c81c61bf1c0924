"""The sweep: an Optuna study over the penalties and sizes of the forest aligner, shared through a storage."""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from forest_align.em.study_results import count_states
from forest_align.types import InputError

if TYPE_CHECKING:
    import optuna

Values = Mapping[str, float]

_SEEDS = 2**32  # the samplers take seeds below it
# Attribute of a study: the fingerprint of the problem whose trials it holds.
_PROBLEM = "problem"


@dataclass(frozen=True, slots=True)
class Range:
    """What one hyper-parameter may be.

    Attributes
    ----------
    low, high : float
        Bounds, both allowed.
    integer : bool
        Whole numbers only.
    logarithmic : bool
        Search equal ratios alike.
    choices : tuple of int
        If given, only these values; the bounds do not matter then.
    """

    low: float = 0.0
    high: float = 1.0
    integer: bool = False
    logarithmic: bool = False
    choices: tuple[int, ...] = ()

    def suggest(self, trial: optuna.Trial, name: str) -> float:
        """Let the study's sampler pick a value."""
        if self.choices:
            return int(trial.suggest_categorical(name, self.choices))
        if self.integer:
            return trial.suggest_int(name, int(self.low), int(self.high), log=self.logarithmic)
        return trial.suggest_float(name, self.low, self.high, log=self.logarithmic)


class TuningProblem(Protocol):
    """Dev pairs to score, as the sweep sees them."""

    @property
    def pair_count(self) -> int:
        """Number of dev pairs."""

    @property
    def fingerprint(self) -> str:
        """Short text that differs between problems, so that a study is never continued on another one."""

    def statistics(self, values: Values, pairs: Sequence[int]) -> np.ndarray:
        """Align some pairs with these values; called from several threads at once.

        Returns
        -------
        numpy.ndarray
            float64, one row a pair, of what :meth:`score` needs.
        """

    def score(self, rows: np.ndarray) -> float:
        """The objective over the pairs that the rows belong to; higher is better."""


@dataclass(frozen=True, slots=True)
class TuningSettings:
    """How to search.

    Attributes
    ----------
    trials : int
        Trials that the study shall have in the end, whoever ran them.
    workers : int
        Trials run at a time.
    chunks : int
        Parts of the dev pairs; a trial that is below the median of the others after one of them is stopped.
    seed : int
        Seed of the sampler. One worker gives the same trials each time; several race for them.
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


def open_study(storage: str, name: str, start: Values | None = None) -> optuna.Study:
    """Open a study, or make it if the storage has none of that name.

    Parameters
    ----------
    storage : str
        An Optuna storage URL (``sqlite:///sweep.db``); ``journal:PATH`` for a journal file, which many
        processes can share on a network file system as well.
    name : str
        Name of the study.
    start : mapping, optional
        Values of the first trial, so that the best is never worse than they are.

    Raises
    ------
    InputError
        If the storage cannot be opened.
    """
    import optuna
    from optuna.exceptions import DuplicatedStudyError, StorageInternalError
    from sqlalchemy.exc import IntegrityError, OperationalError

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    # Processes that make the same tables at the same time get in each other's way, once.
    for remaining in reversed(range(20)):
        try:
            study = _create_study(storage, name)
            break
        except (DuplicatedStudyError, StorageInternalError, IntegrityError, OperationalError) as error:
            if not remaining:
                raise InputError(f"the storage {storage!r} does not answer ({error})") from error
            time.sleep(0.2)
        except Exception as error:  # Optuna and SQLAlchemy raise many kinds for a URL that they cannot use
            message = f"expected an Optuna storage URL that can be opened, found {storage!r} ({error})"
            raise InputError(message) from error
    if start is not None:
        study.enqueue_trial(dict(start), skip_if_exists=True)
    return study


def _create_study(storage: str, name: str) -> optuna.Study:
    import optuna

    opened: Any = storage
    if storage.startswith("journal:"):
        backend = optuna.storages.journal.JournalFileBackend(storage.removeprefix("journal:"))
        opened = optuna.storages.JournalStorage(backend)
    elif storage.startswith("sqlite"):
        # Seconds to wait while another process writes.
        opened = optuna.storages.RDBStorage(storage, engine_kwargs={"connect_args": {"timeout": 60}})
    pruner = optuna.pruners.MedianPruner(n_startup_trials=5)
    return optuna.create_study(
        storage=opened, study_name=name, direction="maximize", pruner=pruner, load_if_exists=True
    )


def tune(
    problem: TuningProblem,
    space: Mapping[str, Range],
    settings: TuningSettings,
    study: optuna.Study,
    report: Callable[[optuna.Study], None] | None = None,
) -> None:
    """Run trials until the study has as many as asked for.

    A study that other processes work on, or that an earlier run left, is continued.

    Parameters
    ----------
    problem : TuningProblem
        What to score.
    space : mapping of str to Range
        What to vary.
    settings : TuningSettings
        How.
    study : optuna.Study
        From :func:`open_study`.
    report : callable, optional
        Called after each trial with the study.

    Raises
    ------
    InputError
        If the study has trials of another problem, or a score is not finite.
    """
    known = study.user_attrs.get(_PROBLEM)
    if known is None:
        study.set_user_attr(_PROBLEM, problem.fingerprint)
    elif known != problem.fingerprint:
        raise InputError(
            f"the study {study.study_name!r} has trials of other pairs, or with another model, parser or "
            "settings (forest sizes, options to keep): expected the same ones, or a study of another name"
        )
    if settings.workers == 1:
        _work(problem, space, settings, study, report)
        return
    with ThreadPoolExecutor(settings.workers) as executor:
        for done in [
            executor.submit(_work, problem, space, settings, study, report) for _ in range(settings.workers)
        ]:
            done.result()


def _work(
    problem: TuningProblem,
    space: Mapping[str, Range],
    settings: TuningSettings,
    shared: optuna.Study,
    report: Callable[[optuna.Study], None] | None,
) -> None:
    import optuna

    study = copy.copy(shared)  # the sampler is an attribute of the study, and each thread has its own
    while count_states(study, "COMPLETE", "PRUNED") < settings.trials:
        study.sampler = optuna.samplers.RandomSampler(settings.seed)
        trial = study.ask()
        if trial.number >= settings.trials + count_states(study, "FAIL", before=trial.number):
            # Others have begun all that is left. One given back after this one was asked for leaves no room.
            study.tell(trial, state=optuna.trial.TrialState.FAIL)
            return
        # The storage numbers trials across processes. A seed from that number keeps processes that start at
        # the same time, with the same seed, from trying the same values.
        study.sampler = optuna.samplers.TPESampler(seed=(settings.seed * 1_000_003 + trial.number) % _SEEDS)
        _run_trial(problem, space, settings, study, trial)
        if report is not None:
            report(study)


def _run_trial(
    problem: TuningProblem,
    space: Mapping[str, Range],
    settings: TuningSettings,
    study: optuna.Study,
    trial: optuna.Trial,
) -> None:
    from optuna.exceptions import UpdateFinishedTrialError
    from optuna.trial import TrialState

    try:
        values = {name: range_.suggest(trial, name) for name, range_ in space.items()}
        rows: list[np.ndarray] = []
        parts = np.array_split(np.arange(problem.pair_count), min(settings.chunks, problem.pair_count))
        for step, pairs in enumerate(parts):
            rows.append(problem.statistics(values, pairs.tolist()))
            score = problem.score(np.concatenate(rows))
            if not math.isfinite(score):  # the storage would refuse it, and the trial be run again for ever
                raise InputError(f"expected a finite score, found {score} for {values}")
            trial.report(score, step)
            if step + 1 < len(parts) and trial.should_prune():
                study.tell(trial, state=TrialState.PRUNED, skip_if_finished=True)
                return
        study.tell(trial, score, skip_if_finished=True)
    except UpdateFinishedTrialError:
        # In SQLite, which has no locks of rows, two workers may get hold of the first trial at the same time.
        # The other one has finished it, with the same score.
        return
    except BaseException:
        study.tell(trial, state=TrialState.FAIL, skip_if_finished=True)
        raise
