"""Several processes on one sweep, and what is left when they are interrupted or killed."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from forest_align.em.tuning import study as trial_owners
from forest_align.em.tuning.study import SharedStudy, best_values, claim, dead_trials, give_back
from forest_align.em.tuning.trials import TuningSettings, Values, tune
from forest_align.system import processes
from forest_align.system.processes import can_fork
from forest_align.types import InputError

from . import toy_sweep
from .toy_sweep import (
    KINDS,
    SPACE,
    START,
    STORAGES,
    Held,
    Meeting,
    Parabola,
    ended,
    hold,
    sqlite,
    states,
    wait_until,
)

pytestmark = pytest.mark.skipif(not can_fork(), reason="needs processes that fork")


def begin(
    shared: SharedStudy, problem: Meeting | Held, *, trials: int, workers: int = 1, start: bool = False
) -> subprocess.Popen[str]:
    """Start a sweep in a process, and a group, of its own."""
    kind = next(name for name, one in KINDS.items() if type(problem) is one)
    arguments = [shared.storage, trials, workers, kind, problem.folder, problem.count]
    # Who runs the tests in the background may have interrupts ignored.
    restore = "import os, signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
    command = [sys.executable, "-c", f"{restore}os.execv(sys.argv[1], sys.argv[1:])"]
    command += [sys.executable, toy_sweep.__file__, *map(str, arguments), "start" if start else "no start"]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, start_new_session=True)


@pytest.fixture
def held(tmp_path: Path) -> Held:
    """Processes that are held in their first trial."""
    return Held(tmp_path / "held", 0)


def wait_for(processes: int, held: Held) -> None:
    """Wait until so many processes are held."""
    wait_until(lambda: len(list(held.folder.iterdir())) == processes)


def left_over() -> list[BaseProcess]:
    """Workers that have not ended; they end now."""
    left = multiprocessing.active_children()
    for worker in left:
        assert worker.pid is not None
        os.kill(worker.pid, signal.SIGKILL)
    return left


def kill(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


@pytest.mark.parametrize("kind", STORAGES)
def test_two_processes_on_one_storage_share_the_study(tmp_path: Path, kind: str) -> None:
    shared = STORAGES[kind](tmp_path)
    meeting = Meeting(tmp_path / "meeting", 2)
    processes = [begin(shared, meeting, trials=12) for _ in range(2)]
    scored = [int(process.communicate()[0]) for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    assert len(ended(shared)) == 12
    assert all(scored), "one process ran all of the trials"
    assert len({trial.params["height"] for trial in ended(shared)}) == 12


@pytest.mark.parametrize("kind", STORAGES)
def test_workers_are_processes_that_share_the_trials(tmp_path: Path, kind: str) -> None:
    shared = STORAGES[kind](tmp_path)
    reports: list[int] = []
    meeting = Meeting(tmp_path / "meeting", 3)
    study = tune(meeting, SPACE, TuningSettings(trials=12, workers=3), shared, START, reports.append)
    assert best_values(study) == START
    assert len(ended(shared)) == 12
    assert (reports[0], reports[-1]) == (0, 12)
    owners = {int(trial.user_attrs["owner"][1].partition("-")[0]) for trial in ended(shared)}
    assert len(owners) == 3 and os.getpid() not in owners
    assert len({trial.params["height"] for trial in ended(shared)}) == 12


class Failing(Parabola):
    """Fails in the first trial; the others wait, to be stopped."""

    def __init__(self, fail: Callable[[], None]) -> None:
        super().__init__()
        self.fail = fail

    def statistics(self, values: Values, pairs: Sequence[int]) -> np.ndarray:
        if values == START:
            self.fail()
        hold()
        return super().statistics(values, pairs)


def kill_oneself() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def refuse() -> None:
    raise InputError("no luck", field="luck")


def break_down() -> None:
    raise ZeroDivisionError("no luck")


def tell_a_long_story() -> None:
    raise InputError("€" * 100_000 + " no luck")  # more than a pipe holds, and nobody reads it yet


@pytest.mark.parametrize(
    ("fail", "kind", "message"),
    [
        (kill_oneself, InputError, r"a worker of the sweep was killed \(exit status -9\)"),
        (refuse, InputError, "field 'luck': no luck"),
        (break_down, RuntimeError, "in a worker: ZeroDivisionError: no luck"),
        (tell_a_long_story, InputError, "€ no luck"),
    ],
)
def test_a_worker_that_fails_ends_the_sweep_and_leaves_no_trial_unended(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    fail: Callable[[], None],
    kind: type[Exception],
    message: str,
) -> None:
    monkeypatch.setattr(processes, "_PATIENCE_SECONDS", 300.0)
    monkeypatch.setattr(BaseProcess, "kill", None)  # workers in a trial end when they are asked to
    masked = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    with pytest.raises(kind, match=message) as error:
        tune(Failing(fail), SPACE, TuningSettings(trials=5, workers=3), sqlite(tmp_path), START)
    assert not left_over()
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == masked
    if kind is RuntimeError:
        assert "in break_down" in error.value.__notes__[0]
    assert set(states(sqlite(tmp_path))) == {"FAIL"}


def test_a_worker_that_does_not_end_when_asked_to_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "_PATIENCE_SECONDS", 0.1)
    first = tmp_path / "first"

    def work(turn: AbstractContextManager[object]) -> None:
        with turn:
            is_first = not first.exists()
            first.touch()
        if is_first:
            hold()  # not interruptible
        raise InputError("no luck")

    with pytest.raises(InputError, match="no luck"):
        processes.run_workers(work, 2, lambda: None)
    assert not left_over()


@pytest.mark.parametrize("kind", STORAGES)
def test_trials_that_are_begun_at_the_same_time_get_places_of_their_own(tmp_path: Path, kind: str) -> None:
    study = STORAGES[kind](tmp_path).open()
    first, second, third = (study.ask() for _ in range(3))
    assert claim(study, second) == 1, "the first one has not yet chosen"
    assert claim(study, first) == 0
    assert claim(study, third) == 2
    give_back(study, second.number)
    assert [claim(study, study.ask()) for _ in range(2)] == [1, 3]


@pytest.mark.parametrize(("state", "flags", "alive"), [("R", 0, True), ("R", 4, False), ("Z", 4, False)])
def test_a_process_that_has_begun_to_exit_owns_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, state: str, flags: int, alive: bool
) -> None:
    for number in ("self", "5"):
        (tmp_path / number).mkdir()
        fields = [state, 1, 5, 5, 0, -1, 0x400040 | flags, *range(12), 77]
        (tmp_path / number / "stat").write_text(f"5 (a (b) c) {' '.join(map(str, fields))}\n")
    monkeypatch.setattr(trial_owners, "_PROC", tmp_path)
    assert trial_owners._process(5) == ("5-77" if alive else None)


def test_where_the_system_does_not_tell_when_a_process_began_its_number_is_its_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(trial_owners, "_PROC", tmp_path)
    child = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)
    assert trial_owners._process(child.pid) == f"{child.pid}-"
    child.communicate()
    assert trial_owners._process(child.pid) is None


@pytest.mark.parametrize(
    ("how", "workers", "kind"),
    [
        ("kill", 2, "journal"),
        ("terminate", 2, "sqlite"),
        ("interrupt", 2, "sqlite"),
        ("Ctrl-C", 1, "sqlite"),
        ("Ctrl-C", 2, "journal"),
    ],
)
def test_a_sweep_stopped_in_its_first_trial_scores_the_start_again_and_has_all_its_trials(
    tmp_path: Path, held: Held, how: str, workers: int, kind: str
) -> None:
    shared = STORAGES[kind](tmp_path)
    process = begin(shared, held, trials=4, workers=workers, start=True)
    wait_for(workers, held)
    if how == "Ctrl-C":  # which all processes of the terminal get
        os.killpg(process.pid, signal.SIGINT)
    else:
        number = {"kill": signal.SIGKILL, "terminate": signal.SIGTERM, "interrupt": signal.SIGINT}[how]
        process.send_signal(number)
    # It ends when the workers, which have the pipe, too, have ended; their trials would last an hour.
    _, errors = process.communicate()
    assert process.returncode != 0
    if how in ("interrupt", "Ctrl-C"):
        assert states(shared) == ["FAIL"] * len(states(shared))
        assert errors.count("Traceback") == 1, "of the process that has started the workers"
    study = tune(Parabola(), SPACE, TuningSettings(trials=4, workers=workers), shared, START)
    assert best_values(study) == START
    assert len(ended(shared)) == 4
    assert set(states(shared)) <= {"COMPLETE", "PRUNED", "FAIL"}


def test_with_one_trial_a_killed_sweep_can_be_run_again(tmp_path: Path, held: Held) -> None:
    process = begin(sqlite(tmp_path), held, trials=1, start=True)
    wait_for(1, held)
    kill(process)
    study = tune(Parabola(), SPACE, TuningSettings(trials=1), sqlite(tmp_path), START)
    assert best_values(study) == START


def test_a_killed_sweep_of_one_worker_ends_with_the_trials_of_an_unbroken_one(tmp_path: Path) -> None:
    shared = sqlite(tmp_path)
    for number, count in enumerate((0, 5, 7)):
        held = Held(tmp_path / f"held-{number}", count)
        process = begin(shared, held, trials=20, start=True)
        wait_for(1, held)
        kill(process)
    assert len(ended(shared)) == 12
    tune(Parabola(), SPACE, TuningSettings(trials=20), shared, START)
    study = tune(Parabola(), SPACE, TuningSettings(trials=20), sqlite(tmp_path, "unbroken"), START)
    assert [trial.params for trial in ended(shared)] == [trial.params for trial in study.trials]
    assert states(shared).count("FAIL") == 3


def run_until_write(shared: SharedStudy, count: int) -> None:
    """Work on a sweep of four trials, and be killed at the so-manyth write to its storage."""
    create = SharedStudy._create

    def watched(self: SharedStudy) -> Any:
        study = create(self)

        def counted(write: Callable[..., Any]) -> Callable[..., Any]:
            def call(*args: Any, **options: Any) -> Any:
                nonlocal count
                count -= 1
                if count == 0:
                    kill_oneself()
                return write(*args, **options)

            return call

        for name in WRITES:
            setattr(study._storage, name, counted(getattr(study._storage, name)))
        return study

    SharedStudy._create = watched  # type: ignore[method-assign]
    tune(Parabola(), SPACE, TuningSettings(trials=4), shared, START)


WRITES = [
    "create_new_trial",
    "set_trial_param",
    "set_trial_user_attr",
    "set_trial_intermediate_value",
    "set_trial_state_values",
]


@pytest.mark.parametrize(("kind", "counts"), [("journal", range(1, 15)), ("sqlite", (2, 3, 8))])
def test_a_sweep_killed_at_any_write_ends_with_the_trials_of_an_unbroken_one(
    tmp_path: Path, kind: str, counts: Sequence[int]
) -> None:
    shared = STORAGES[kind](tmp_path)
    context = multiprocessing.get_context("fork")
    for count in counts:
        process = context.Process(target=run_until_write, args=(shared, count))
        process.start()
        process.join()
        assert process.exitcode == -signal.SIGKILL
    tune(Parabola(), SPACE, TuningSettings(trials=4), shared, START)
    study = tune(Parabola(), SPACE, TuningSettings(trials=4), STORAGES[kind](tmp_path, "unbroken"), START)
    assert [trial.params for trial in ended(shared)] == [trial.params for trial in study.trials]
    assert set(states(shared)) == {"COMPLETE", "FAIL"}


@pytest.mark.parametrize("kind", STORAGES)
def test_only_running_trials_of_processes_that_are_gone_are_given_back(
    tmp_path: Path, held: Held, kind: str
) -> None:
    shared = STORAGES[kind](tmp_path)
    process = begin(shared, held, trials=1)
    wait_for(1, held)
    study = shared.open()
    study.ask()  # killed before it could be claimed
    study.ask().set_user_attr("owner", ["another machine", "1-1"])
    host, owner = study.trials[0].user_attrs["owner"]
    # The number is in use again, by a process that began later.
    study.ask().set_user_attr("owner", [host, f"{process.pid}-1"])
    give_back(study, *dead_trials(study))
    assert owner.startswith(f"{process.pid}-")
    assert states(shared) == ["RUNNING", "FAIL", "RUNNING", "FAIL"]
    process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # dead, though not reaped
    give_back(study, *dead_trials(study))
    assert states(shared) == ["FAIL", "FAIL", "RUNNING", "FAIL"]
    process.communicate()


@pytest.mark.parametrize("kind", STORAGES)
def test_a_trial_that_ends_while_it_is_given_back_stays_as_it_ended(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = STORAGES[kind](tmp_path)
    study = shared.open()
    trial = study.ask()
    running = study.trials[0]
    shared.open().tell(trial.number, 1.0)
    monkeypatch.setattr(study._storage, "get_trial", lambda _: running)  # what it was a moment ago
    give_back(study, trial.number)
    assert states(shared) == ["COMPLETE"]


@pytest.mark.parametrize("storage", ["sqlite://", "sqlite:///", "sqlite:///:memory:"])
def test_a_storage_that_other_processes_do_not_see_has_one_worker(storage: str) -> None:
    with pytest.raises(InputError, match="other processes do not see"):
        tune(Parabola(), SPACE, TuningSettings(workers=2), SharedStudy(storage, "toy"))
