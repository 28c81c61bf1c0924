"""Two machines share the trials of a sweep, through a journal file or a gRPC server."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from forest_align.em.tuning.study import SharedStudy
from forest_align.em.tuning.trials import TuningSettings, tune
from forest_align.types import InputError

from .toy_sweep import SPACE, START, Parabola, journal

# A process that takes itself for another machine.
NODE = """
import platform, runpy, sys
name = sys.argv.pop(1)
platform.node = lambda: name
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""
SERVER = """
import sys
from optuna.storages import JournalStorage, run_grpc_proxy_server
from optuna.storages.journal import JournalFileBackend
storage = JournalStorage(JournalFileBackend(sys.argv[1]))
run_grpc_proxy_server(storage, host="127.0.0.1", port=int(sys.argv[2]))
"""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """The address of a gRPC server over a journal file."""
    pytest.importorskip("grpc", reason="needs the extra [grpc]")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-W", "ignore", "-c", SERVER, str(tmp_path / "behind.journal"), str(port)]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        yield f"grpc://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


def start(node: str, storage: str, trials: int, kind: str, folder: Path, count: int) -> subprocess.Popen[str]:
    script = str(Path(__file__).with_name("toy_sweep.py"))
    arguments = [node, script, storage, str(trials), "1", kind, str(folder), str(count), "start"]
    return subprocess.Popen(
        [sys.executable, "-c", NODE, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def share_trials(storage: str, folder: Path) -> None:
    nodes = [start(name, storage, 12, "meeting", folder / "seen", 2) for name in ("node1", "node2")]
    for node in nodes:
        _, problems = node.communicate()
        assert node.returncode == 0, problems
    trials = SharedStudy(storage, "toy").open().trials
    ended = [trial for trial in trials if trial.state.name in ("COMPLETE", "PRUNED")]
    assert {trial.user_attrs["owner"][0] for trial in ended} == {"node1", "node2"}
    assert {trial.user_attrs["place"] for trial in ended} >= set(range(12))
    # A machine that has done the rest cannot tell whether the one that runs the start values is alive.
    again = [trial for trial in ended if trial.user_attrs["place"] >= 12]
    assert len(ended) == 12 + len(again) <= 13 and all(trial.params == START for trial in again)


def test_machines_share_the_trials_of_a_journal_file(tmp_path: Path) -> None:
    share_trials(journal(tmp_path).storage, tmp_path)


def test_machines_share_the_trials_of_a_grpc_server(tmp_path: Path, server: str) -> None:
    share_trials(server, tmp_path)
    with pytest.raises(InputError, match="'workers': expected 1 with the storage 'grpc://"):
        tune(Parabola(), SPACE, TuningSettings(trials=14, workers=2), SharedStudy(server, "toy"))
    study = tune(Parabola(), SPACE, TuningSettings(trials=14), SharedStudy(server, "toy"))
    assert len([trial for trial in study.trials if trial.state.name in ("COMPLETE", "PRUNED")]) == 14


def test_a_machine_that_died_leaves_the_others_their_trials(tmp_path: Path) -> None:
    storage = journal(tmp_path).storage
    lost = start("node1", storage, 6, "held", tmp_path / "held", 2)
    while not (list((tmp_path / "held").glob("*")) if (tmp_path / "held").exists() else ()):
        assert lost.poll() is None
        time.sleep(0.02)
    lost.kill()
    lost.communicate()
    study = tune(Parabola(), SPACE, TuningSettings(trials=6), SharedStudy(storage, "toy"))
    states = Counter(trial.state.name for trial in study.trials)
    # Whether a process of another machine is alive cannot be told: its trial keeps its place.
    assert states["RUNNING"] == 1 and states["COMPLETE"] + states["PRUNED"] >= 5
    study = tune(Parabola(), SPACE, TuningSettings(trials=8), SharedStudy(storage, "toy"))
    assert Counter(trial.state.name for trial in study.trials)["RUNNING"] == 1
    assert len(study.trials) >= 8


def test_a_server_that_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("grpc", reason="needs the extra [grpc]")
    monkeypatch.setattr("forest_align.em.tuning.study._PATIENCE_SECONDS", 0.2)
    with pytest.raises(InputError, match=r"'grpc://127.0.0.1:9' \(GRPC connection timeout\)"):
        SharedStudy("grpc://127.0.0.1:9", "toy").open()
