"""Batches in another process: results, time-outs, and deaths."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from forest_align.service.aligning_process import AligningProcess, BatchLostError, PairBatch
from forest_align.service.settings import PairRequest, ServiceLimits

from ..places import ROOT
from .fake_service import load_fake

LIMITS = ServiceLimits(align_seconds=1.0, load_seconds=60.0)


@pytest.fixture
def process(monkeypatch: pytest.MonkeyPatch) -> Iterator[AligningProcess]:
    monkeypatch.syspath_prepend(ROOT)  # the process imports the loader
    process = AligningProcess(load_fake, LIMITS, one_thread=True)
    yield process
    process.stop()


def batch(*sources: str, target: str = "a b", aligner: str = "forest") -> PairBatch:
    return PairBatch(aligner, 1, tuple(PairRequest(source, target, aligner, source) for source in sources))


def test_results_come_in_order_and_each_pair_has_its_own(process: AligningProcess) -> None:
    results = process.align(batch("a", "fail", "bug", "b"))
    assert [result.status for result in results] == [200, 422, 500, 200]
    assert [json.loads(result.line)["id"] for result in results] == ["a", "fail", "bug", "b"]
    assert json.loads(results[3].line)["words"] == [[0, 1]]
    assert [result.error for result in results[:3]] == [
        *("", "cannot be parsed", "unexpected error: ZeroDivisionError: oh")
    ]
    missing = process.align(batch("a", "b", aligner="missing"))
    assert [(result.status, result.error) for result in missing] == [
        (503, "the aligner missing cannot be loaded: no weights")
    ] * 2


def test_a_batch_that_takes_too_long_is_given_up_and_the_next_one_is_aligned(
    process: AligningProcess,
) -> None:
    process.align(batch("a"))  # loaded
    with pytest.raises(BatchLostError, match="not aligned within 1 seconds: given up") as lost:
        process.align(batch("wait", target="3600"))
    assert lost.value.status == 504
    assert process.align(batch("a"))[0].status == 200


def test_a_process_that_dies_is_replaced(process: AligningProcess) -> None:
    with pytest.raises(BatchLostError, match="the process that aligned the pair died") as lost:
        process.align(batch("a", "die"))
    assert lost.value.status == 500
    assert process.align(batch("a"))[0].status == 200


def pid_of(process: AligningProcess) -> int:
    assert process._running is not None and process._running.process.pid is not None
    return process._running.process.pid


def test_it_ignores_what_asks_the_server_to_stop_and_ends_with_it(process: AligningProcess) -> None:
    process.align(batch("a"))
    pid = pid_of(process)
    for asked in (signal.SIGINT, signal.SIGTERM):
        os.kill(pid, asked)
    assert process.align(batch("a"))[0].status == 200 and pid_of(process) == pid
    process.stop()
    with pytest.raises(OSError):
        os.kill(pid, 0)


def is_running(pid: int) -> bool:
    state = Path(f"/proc/{pid}/stat")
    return state.exists() and state.read_text().rpartition(")")[2].split()[0] != "Z"


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc to see processes")
def test_it_ends_when_the_server_is_killed() -> None:
    code = (
        "import os, sys; sys.path.insert(0, sys.argv[1])\n"
        "from tests.service.test_aligning_process import *\n"
        "process = AligningProcess(load_fake, LIMITS, one_thread=False)\n"
        "process.align(batch('a')); print(pid_of(process), flush=True); os.kill(os.getpid(), 9)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(ROOT)], capture_output=True, text=True)
    assert done.returncode == -9, done.stderr
    pid = int(done.stdout)
    while is_running(pid):
        time.sleep(0.01)
