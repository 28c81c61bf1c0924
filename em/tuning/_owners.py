"""Whose a trial is: one of a process that is gone is given back, and its place in the study is free again."""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from itertools import count, islice
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import optuna

# Attributes of a trial.
_OWNER, _PLACE = "owner", "place"
_PROC = Path("/proc")


def claim(study: optuna.Study, trial: optuna.Trial) -> int:
    """Note that a trial is this process's, and which place it takes among the trials that count.

    Trials that were given back count for nothing: the first one begun after them takes their place. So a
    resumed sweep has the same trial in each place as an unbroken one.

    Returns
    -------
    int
        The place, counted from 0. No two trials get the same one, even if they are begun at the same time.

    Raises
    ------
    optuna.exceptions.UpdateFinishedTrialError
        If another process has given the trial back, or finished it, in between.
    """
    trial.set_user_attr(_OWNER, [platform.node(), _process(os.getpid())])
    counted = [
        other
        for other in study.get_trials(deepcopy=False)
        if other.state.name not in ("FAIL", "WAITING") and other.number != trial.number
    ]
    taken = {other.user_attrs[_PLACE] for other in counted if _PLACE in other.user_attrs}
    # Begun before this one, by a process that has not yet chosen: leave it the first free places.
    choosing = sum(_PLACE not in other.user_attrs and other.number < trial.number for other in counted)
    place = next(islice((place for place in count() if place not in taken), choosing, None))
    trial.set_user_attr(_PLACE, place)
    return place


def give_back_dead_trials(study: optuna.Study) -> None:
    """Mark the running trials whose process on this machine is gone as failed.

    A trial that nobody has claimed was killed as soon as it was begun. If not, it is lost: who has begun it
    notices that when it claims it or reports its first score, and begins another one. Of processes on other
    machines nothing can be said.
    """
    from optuna.trial import TrialState

    for trial in study.get_trials(deepcopy=False, states=(TrialState.RUNNING,)):
        if not _is_alive(*trial.user_attrs.get(_OWNER, (platform.node(), ""))):
            give_back(study, trial.number)


def give_back(study: optuna.Study, number: int) -> None:
    """Mark a trial as failed, unless it has ended."""
    from optuna.exceptions import UpdateFinishedTrialError
    from optuna.trial import TrialState

    with suppress(UpdateFinishedTrialError):  # it ended after Optuna had looked whether it had
        study.tell(number, state=TrialState.FAIL, skip_if_finished=True)


def _is_alive(host: str, process: str) -> bool:
    number = process.partition("-")[0]
    return host != platform.node() or (bool(number) and _process(int(number)) == process)


def _process(number: int) -> str | None:
    """Name a process for good: its number and, where the system tells, when it began; None if it is gone."""
    if (_PROC / "self" / "stat").exists():
        try:
            # The name of the program, in brackets, may have blanks. State and start are fields 3 and 22.
            fields = (_PROC / str(number) / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            return None
        return None if fields[0] in "ZX" else f"{number}-{fields[19]}"
    if os.name == "posix":  # elsewhere nothing can be learned, and asking would interrupt the process
        try:
            os.kill(number, 0)
        except ProcessLookupError:
            return None
        except PermissionError:  # it is somebody else's
            pass
    return f"{number}-"
