"""An Optuna study in a storage that several processes can open, its trials, and what they show.

The state of a sweep is Optuna's, not a file of :mod:`forest_align.storage`: many processes and machines share
it, each trial is complete or not, and Optuna's storages write each change as a whole. Optuna's own heartbeat
frees trials too, though after a time, and in databases alone.
"""

from __future__ import annotations

import os
import platform
import time
import warnings
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from forest_align.system.terminal import hide_passwords
from forest_align.types import InputError

if TYPE_CHECKING:
    import optuna


# Attributes of a trial.
_OWNER, _PLACE = "owner", "place"
_PROC = Path("/proc")
# Flag of a process that has begun to exit (PF_EXITING of Linux).
_EXITING = 0x4


def claim(study: optuna.Study, trial: optuna.Trial) -> int:
    """Record that this process owns a trial, and the trial's place among the trials that count.

    Trials that were given back do not count: the first one started after them takes their place. So a resumed
    sweep has the same trial in each place as an uninterrupted one.

    Raises optuna.exceptions.UpdateFinishedTrialError if another process has given the trial back, or finished
    it, in between.
    """
    trial.set_user_attr(_OWNER, [platform.node(), _process(os.getpid())])
    counted = [
        other
        for other in study.get_trials(deepcopy=False)
        if other.state.name not in ("FAIL", "WAITING") and other.number != trial.number
    ]
    taken = {other.user_attrs[_PLACE] for other in counted if _PLACE in other.user_attrs}
    # Trials started before this one that have no place yet: leave the first free places to them.
    choosing = sum(_PLACE not in other.user_attrs and other.number < trial.number for other in counted)
    place = next(islice((place for place in count() if place not in taken), choosing, None))
    trial.set_user_attr(_PLACE, place)
    return place


def dead_trials(study: optuna.Study) -> list[int]:
    """Numbers of the running trials whose process on this machine is gone.

    A trial without an owner is taken for one whose process was killed right after the start. If that process
    is alive, it notices the failure when it claims the trial or reports its first score, and starts another
    trial. Processes on other machines cannot be checked.
    """
    from optuna.trial import TrialState

    return [
        trial.number
        for trial in study.get_trials(deepcopy=False, states=(TrialState.RUNNING,))
        if not _is_alive(*trial.user_attrs.get(_OWNER, (platform.node(), "")))
    ]


def give_back(study: optuna.Study, *numbers: int) -> None:
    """Mark trials as failed, except those that have ended."""
    from optuna.exceptions import UpdateFinishedTrialError
    from optuna.trial import TrialState

    for number in numbers:
        with suppress(UpdateFinishedTrialError):  # it ended after Optuna had checked its state
            study.tell(number, state=TrialState.FAIL, skip_if_finished=True)


def _is_alive(host: str, process: str) -> bool:
    number = process.partition("-")[0]
    return host != platform.node() or (bool(number) and _process(int(number)) == process)


def _process(number: int) -> str | None:
    """Unique name of a process: its number and, if known, its start time; None if it has ended or is exiting.

    An exiting process closes its files before it counts as ended. On a busy machine it takes a while until
    then, and whoever has waited for the files to close would find the process alive.
    """
    if (_PROC / "self" / "stat").exists():
        try:
            # The program's name, in brackets, may contain blanks. State, flags and start time are
            # fields 3, 9 and 22.
            fields = (_PROC / str(number) / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            return None
        ended = fields[0] in "ZX" or int(fields[6]) & _EXITING
        return None if ended else f"{number}-{fields[19]}"
    if os.name == "posix":  # on other systems os.kill would interrupt the process
        try:
            os.kill(number, 0)
        except ProcessLookupError:
            return None
        except PermissionError:  # it belongs to another user
            pass
    return f"{number}-"


_GRPC = "grpc://"
_PATIENCE_SECONDS = 20.0  # for a server to answer


@dataclass(frozen=True, slots=True)
class SharedStudy:
    """Where a study is stored. Each process opens it separately: connections do not survive a fork."""

    # An Optuna storage URL (`sqlite:///sweep.db`), or `journal:PATH` for a journal file. Many processes can
    # share a journal file, even on a network file system. `grpc://HOST:PORT` is a server that
    # run_grpc_proxy_server runs. No message shows a password in it.
    storage: str = field(repr=False)
    name: str

    @property
    def in_memory(self) -> bool:
        """Whether no other process can see the study."""
        return self.storage in ("sqlite://", "sqlite:///", "sqlite:///:memory:")

    @property
    def can_fork(self) -> bool:
        """Whether a process that has opened the study may fork; gRPC forbids it."""
        return not self.storage.startswith(_GRPC)

    def open(self) -> optuna.Study:
        """Open the study, or create it if the storage has no study of that name."""
        import optuna
        from optuna.exceptions import DuplicatedStudyError, StorageInternalError
        from sqlalchemy.exc import IntegrityError, OperationalError

        optuna.logging.set_verbosity(optuna.logging.WARNING)
        # Processes that create the same tables at the same time can fail; a retry succeeds.
        for remaining in reversed(range(20)):
            try:
                return self._create()
            except (DuplicatedStudyError, StorageInternalError, IntegrityError, OperationalError) as error:
                if not remaining:
                    raise self._error(f"the storage {self.storage!r} does not answer ({error})") from None
                time.sleep(0.2)
            # Optuna and SQLAlchemy raise many kinds of errors for a URL that they cannot use.
            except Exception as error:
                raise self._error(
                    f"expected an Optuna storage URL that can be opened, found {self.storage!r} ({error})"
                ) from None
        raise AssertionError("the last attempt returns or raises")

    def _error(self, message: str) -> InputError:
        return InputError(hide_passwords(message, self.storage))

    def _create(self) -> optuna.Study:
        import optuna

        opened: Any = self.storage
        if self.storage.startswith(_GRPC):
            opened = _proxy(self.storage)
        elif self.storage.startswith("journal:"):
            backend = optuna.storages.journal.JournalFileBackend(self.storage.removeprefix("journal:"))
            opened = optuna.storages.JournalStorage(backend)
        elif self.storage.startswith("sqlite"):
            # Seconds to wait while another process writes.
            opened = optuna.storages.RDBStorage(self.storage, engine_kwargs={"connect_args": {"timeout": 60}})
        pruner = optuna.pruners.MedianPruner(n_startup_trials=5)
        return optuna.create_study(
            storage=opened, study_name=self.name, direction="maximize", pruner=pruner, load_if_exists=True
        )


def _proxy(url: str) -> optuna.storages.BaseStorage:
    """The storage behind a gRPC server."""
    import optuna

    try:
        import grpc  # noqa: F401
    except ImportError as error:
        raise ImportError(f"{error}; pip install 'forest-align[grpc]'") from None
    place = urlsplit(url)
    if not (place.hostname and place.port):
        raise ValueError("expected grpc://HOST:PORT")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        proxy = optuna.storages.GrpcStorageProxy(host=place.hostname, port=place.port)
    proxy.wait_server_ready(timeout=_PATIENCE_SECONDS)
    return proxy


def _complete(study: optuna.Study) -> list[Any]:
    """The complete trials, the best first."""
    trials = study.get_trials(deepcopy=False)
    complete = [trial for trial in trials if trial.state.name == "COMPLETE"]
    return sorted(complete, key=lambda trial: (-trial.value, trial.number))


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
    import optuna

    if count_states(study, "COMPLETE") < 4:
        return {}
    evaluator = optuna.importance.PedAnovaImportanceEvaluator()
    with warnings.catch_warnings():  # Optuna warns if all trials have the same score
        warnings.simplefilter("ignore")
        shares = optuna.importance.get_param_importances(study, evaluator=evaluator, normalize=False)
    total = sum(shares.values())
    return {name: value / total for name, value in shares.items()} if total else {}


def trial_table(study: optuna.Study, count: int = 10) -> str:
    """The best complete trials and the importances, as text."""
    complete, share = _complete(study), importances(study)
    names = sorted({name for trial in complete for name in trial.params})
    rows = [["trial", "score", *names]]
    rows += [
        [str(trial.number), f"{trial.value:.3f}", *(_number(trial.params.get(name)) for name in names)]
        for trial in complete[:count]
    ]
    rows.append(["", "importance", *(f"{share[name]:.2f}" if name in share else "-" for name in names)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    pruned, failed, begun = (count_states(study, state) for state in ("PRUNED", "FAIL", "RUNNING"))
    counted = f"{len(complete)} complete, {pruned} pruned"
    if failed:
        counted += f", {failed} interrupted and done again"
    if begun:
        # Those on other machines may still be running: they keep their place among the trials asked for.
        counted += (
            f", {begun} not ended: running, or killed on another machine (more trials make up for them)"
        )
    drawn = ("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join([*drawn, counted])


def winner_note(study: optuna.Study, start: Mapping[str, Any] | None) -> str:
    """Which trial won, what it changed and by how much, or that nothing better than the start was found."""
    complete = _complete(study)
    if not complete:
        return "no trial is complete"
    best = complete[0]
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
