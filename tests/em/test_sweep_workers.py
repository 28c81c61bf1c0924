"""Several processes on one sweep, and what is left when they are interrupted or killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from forest_align.em.shared_study import SharedStudy
from forest_align.em.study_results import best_values
from forest_align.em.sweep_workers import can_fork
from forest_align.em.trial_owners import give_back, give_back_dead_trials
from forest_align.em.tuning import TuningSettings, Values, tune
from forest_align.types import InputError

from . import toy_sweep
from .toy_sweep import SPACE, START, STORAGES, Parabola, ended, sqlite, states

pytestmark = pytest.mark.skipif(not can_fork(), reason="needs processes that fork")


def begin(
    shared: SharedStudy, *, trials: int, workers: int = 1, delay: float, start: bool = False
) -> subprocess.Popen[str]:
    """Start a sweep in a process, and a group, of its own."""
    arguments = [shared.storage, str(trials), str(workers), str(delay), "start" if start else "no start"]
    # Who runs the tests in the background may have interrupts ignored.
    restore = "import os, signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
    command = [sys.executable, "-c", f"{restore}os.execv(sys.argv[1], sys.argv[1:])"]
    command += [sys.executable, toy_sweep.__file__, *arguments]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, start_new_session=True)


def wait_until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize("kind", STORAGES)
def test_two_processes_on_one_storage_share_the_study(tmp_path: Path, kind: str) -> None:
    shared = STORAGES[kind](tmp_path)
    processes = [begin(shared, trials=12, delay=0.05) for _ in range(2)]
    scored = [int(process.communicate()[0]) for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    assert len(ended(shared)) == 12
    assert all(scored), "one process ran all of the trials"
    assert len({trial.params["height"] for trial in ended(shared)}) == 12


@pytest.mark.parametrize("kind", STORAGES)
def test_workers_are_processes_that_share_the_trials(tmp_path: Path, kind: str) -> None:
    shared = STORAGES[kind](tmp_path)
    reports: list[int] = []
    study = tune(
        Parabola(delay=0.05), SPACE, TuningSettings(trials=12, workers=3), shared, START, reports.append
    )
    assert best_values(study) == START
    assert len(ended(shared)) == 12
    assert (reports[0], reports[-1]) == (0, 12)
    owners = {int(trial.user_attrs["owner"][1].partition("-")[0]) for trial in ended(shared)}
    assert len(owners) == 3 and os.getpid() not in owners


def test_trials_of_workers_differ(tmp_path: Path) -> None:
    tune(Parabola(delay=0.02), SPACE, TuningSettings(trials=9, workers=3), sqlite(tmp_path))
    assert len({trial.params["height"] for trial in ended(sqlite(tmp_path))}) == 9


class Failing(Parabola):
    """Fails in the first trial; the others wait, to be stopped."""

    def __init__(self, fail: Callable[[], None]) -> None:
        super().__init__()
        self.fail = fail

    def statistics(self, values: Values, pairs: Sequence[int]) -> np.ndarray:
        if values == START:
            self.fail()
        time.sleep(20)
        return super().statistics(values, pairs)


def kill_oneself() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def refuse() -> None:
    raise InputError("no luck", field="luck")


def break_down() -> None:
    raise ZeroDivisionError("no luck")


@pytest.mark.parametrize(
    ("fail", "kind", "message"),
    [
        (kill_oneself, InputError, r"a worker of the sweep was killed \(exit status -9\)"),
        (refuse, InputError, "field 'luck': no luck"),
        (break_down, RuntimeError, "in a worker: ZeroDivisionError: no luck"),
    ],
)
def test_a_worker_that_fails_ends_the_sweep_and_leaves_no_trial_unended(
    tmp_path: Path, fail: Callable[[], None], kind: type[Exception], message: str
) -> None:
    began = time.monotonic()
    with pytest.raises(kind, match=message):
        tune(Failing(fail), SPACE, TuningSettings(trials=5, workers=3), sqlite(tmp_path), START)
    assert time.monotonic() - began < 15
    assert set(states(sqlite(tmp_path))) == {"FAIL"}


@pytest.mark.parametrize(
    ("how", "workers", "kind"),
    [
        ("kill", 1, "sqlite"),
        ("kill", 2, "journal"),
        ("terminate", 2, "sqlite"),
        ("interrupt", 1, "journal"),
        ("interrupt", 2, "sqlite"),
        ("Ctrl-C", 1, "sqlite"),
        ("Ctrl-C", 2, "journal"),
    ],
)
def test_a_sweep_stopped_in_its_first_trial_scores_the_start_again_and_has_all_its_trials(
    tmp_path: Path, how: str, workers: int, kind: str
) -> None:
    shared = STORAGES[kind](tmp_path)
    process = begin(shared, trials=4, workers=workers, delay=5, start=True)
    wait_until(lambda: sum(len(trial.params) == len(SPACE) for trial in shared.open().trials) == workers)
    time.sleep(0.2)
    stopped = time.monotonic()
    if how == "Ctrl-C":  # which all processes of the terminal get
        os.killpg(process.pid, signal.SIGINT)
    else:
        number = {"kill": signal.SIGKILL, "terminate": signal.SIGTERM, "interrupt": signal.SIGINT}[how]
        process.send_signal(number)
    _, errors = process.communicate()  # ends when the workers, which have the pipe, too, have ended
    assert process.returncode != 0
    assert time.monotonic() - stopped < 20, "the trials were run to the end"
    if how in ("interrupt", "Ctrl-C"):
        assert states(shared) == ["FAIL"] * len(states(shared))
        assert errors.count("Traceback") == 1, "of the process that has started the workers"
    study = tune(Parabola(), SPACE, TuningSettings(trials=4, workers=workers), shared, START)
    assert best_values(study) == START
    assert len(ended(shared)) == 4
    assert set(states(shared)) <= {"COMPLETE", "PRUNED", "FAIL"}


def test_with_one_trial_a_killed_sweep_can_be_run_again(tmp_path: Path) -> None:
    process = begin(sqlite(tmp_path), trials=1, delay=5, start=True)
    wait_until(lambda: "RUNNING" in states(sqlite(tmp_path)))
    process.kill()
    process.communicate()
    study = tune(Parabola(), SPACE, TuningSettings(trials=1), sqlite(tmp_path), START)
    assert best_values(study) == START


def test_a_killed_sweep_of_one_worker_ends_with_the_trials_of_an_unbroken_one(tmp_path: Path) -> None:
    shared = sqlite(tmp_path)
    for count in (0, 5, 12):
        process = begin(shared, trials=20, delay=0.02, start=True)
        wait_until(lambda least=count: len(ended(shared)) >= least and "RUNNING" in states(shared))
        process.kill()
        process.communicate()
    tune(Parabola(), SPACE, TuningSettings(trials=20), shared, START)
    study = tune(Parabola(), SPACE, TuningSettings(trials=20), sqlite(tmp_path, "unbroken"), START)
    assert [trial.params for trial in ended(shared)] == [trial.params for trial in study.trials]
    assert len(states(shared)) > 20, "no trial was killed"


@pytest.mark.parametrize("kind", STORAGES)
def test_only_running_trials_of_processes_that_are_gone_are_given_back(tmp_path: Path, kind: str) -> None:
    shared = STORAGES[kind](tmp_path)
    process = begin(shared, trials=1, delay=5)
    wait_until(lambda: any("owner" in trial.user_attrs for trial in shared.open().trials))
    study = shared.open()
    study.ask()  # killed before it could be claimed
    study.ask().set_user_attr("owner", ["another machine", "1-1"])
    host, owner = study.trials[0].user_attrs["owner"]
    # The number is in use again, by a process that began later.
    study.ask().set_user_attr("owner", [host, f"{process.pid}-1"])
    give_back_dead_trials(study)
    assert owner.startswith(f"{process.pid}-")
    assert states(shared) == ["RUNNING", "FAIL", "RUNNING", "FAIL"]
    process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # dead, though not reaped
    give_back_dead_trials(study)
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


def test_a_storage_that_other_processes_do_not_see_has_one_worker(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="other processes do not see"):
        tune(Parabola(), SPACE, TuningSettings(workers=2), SharedStudy("sqlite:///:memory:", "toy"))
