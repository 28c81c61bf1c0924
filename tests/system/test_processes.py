"""Workers: order, reading ahead, what becomes of them when something ends early."""

from __future__ import annotations

import ctypes
import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch

from forest_align.system import processes as worker_processes
from forest_align.system.processes import can_fork, map_in_workers, release_free_memory, shared_with_forks
from forest_align.types import ForestAlignError, InputError

needs_processes = pytest.mark.skipif(
    not can_fork() or sys.platform == "darwin", reason="workers are threads here"
)


@pytest.fixture(params=[False, True], ids=["threads", "processes"])
def fork(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether this process may fork others."""
    if not request.param:
        monkeypatch.setattr(worker_processes, "can_fork", lambda: False)
    return bool(request.param)


def double(number: int) -> tuple[int, int, int]:
    """Later items are done sooner."""
    time.sleep(0.01 / (1 + number))
    return 2 * number, os.getpid(), threading.get_ident()


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_results_are_in_order_and_made_elsewhere(fork: bool, workers: int) -> None:
    found = list(map_in_workers(double, range(20), workers))
    assert [number for number, _, _ in found] == list(range(0, 40, 2))
    assert (os.getpid(), threading.get_ident()) not in {tuple(place) for _, *place in found}


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_a_single_item_is_worked_on_here(fork: bool, workers: int) -> None:
    assert list(map_in_workers(double, [7], workers)) == [(14, os.getpid(), threading.get_ident())]
    assert list(map_in_workers(double, [], workers)) == []


@needs_processes
def test_workers_are_processes_or_where_none_may_be_forked_threads(fork: bool) -> None:
    processes = {process for _, process, _ in map_in_workers(double, range(8), 2)}
    assert (os.getpid() in processes) == (not fork) and len(processes) <= 2


def test_few_items_are_read_ahead(fork: bool) -> None:
    read: list[int] = []

    def items() -> Iterator[int]:
        for number in range(1000):
            read.append(number)
            yield number

    results = map_in_workers(double, items(), 3)
    for done in range(1, 20):
        next(results)
        assert len(read) <= done + 3
    results.close()
    assert len(read) <= 19 + 3


def fail(number: int) -> int:
    if number == 2:
        raise InputError("not this one", field="number")
    return number


def test_what_a_worker_raises_comes_out_in_its_place(fork: bool) -> None:
    results = map_in_workers(fail, range(5), 2)
    assert [next(results), next(results)] == [0, 1]
    with pytest.raises(InputError, match=r"^field 'number': not this one$"):
        next(results)


@needs_processes
def test_a_worker_that_dies_is_an_error_not_an_endless_wait() -> None:
    def end(number: int) -> int:
        if number == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return number

    with pytest.raises(ForestAlignError, match="one of 2 worker processes died"):
        list(map_in_workers(end, range(10), 2))


def test_workers_use_one_thread_of_torch_which_gets_its_own_back(fork: bool) -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        results = map_in_workers(lambda _: torch.get_num_threads(), range(9), 2)
        assert [next(results) for _ in range(4)] == [1, 1, 1, 1]
        results.close()
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


@needs_processes
def test_a_stream_that_is_given_up_does_not_work_through_what_it_has_read() -> None:
    done = multiprocessing.get_context("fork").Value("i", 0)

    def count(_: int) -> None:
        with done.get_lock():
            done.value += 1
        time.sleep(0.2)

    results = map_in_workers(count, range(100), 4)
    next(results)
    results.close()  # waits for those that have begun
    assert not multiprocessing.active_children()
    assert done.value <= 9


PROGRAM = """
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # even if the tests run where it is ignored
from forest_align.system.processes import map_in_workers
def work(number):
    with open(sys.argv[1], "a") as file:
        print(os.getpid(), file=file)
    time.sleep(0.05)
for _ in map_in_workers(work, range(10_000), 3):
    pass
"""


def is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@needs_processes
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_workers_end_with_the_process_that_has_them(how: signal.Signals, tmp_path: Path) -> None:
    log = tmp_path / "log"
    command = [sys.executable, "-c", PROGRAM, str(log)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True) as program:
        workers: set[int] = set()
        while len(workers) < 3:
            assert program.poll() is None, "it ended before it had workers"
            time.sleep(0.01)
            workers = set(map(int, log.read_text().split())) if log.exists() else set()
        if how == signal.SIGINT:  # as a terminal does it, all of them
            os.killpg(program.pid, how)
        else:
            program.send_signal(how)
        _, told = program.communicate()
    assert program.returncode
    assert told.count(b"Traceback") == (how == signal.SIGINT)  # the program's own KeyboardInterrupt
    while any(map(is_running, workers)):
        time.sleep(0.01)


def test_the_collector_skips_present_objects_only_inside_of_the_block() -> None:
    assert gc.get_freeze_count() == 0
    with shared_with_forks():
        assert gc.get_freeze_count() > 1000
    assert gc.get_freeze_count() == 0
    with pytest.raises(KeyError), shared_with_forks():
        raise KeyError
    assert gc.get_freeze_count() == 0


def test_workers_are_forked_with_frozen_objects() -> None:
    found = list(map_in_workers(lambda _: gc.get_freeze_count(), range(3), 2))
    assert min(found) > 1000 and gc.get_freeze_count() == 0


def in_use() -> int:
    """Bytes of this process's own memory."""
    with open("/proc/self/statm", encoding="ascii") as file:
        _, resident, shared, *_ = map(int, file.read().split())
    return (resident - shared) * 4096


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="needs the C library glibc")
def test_freed_memory_goes_back_to_the_system() -> None:
    # Small blocks, of which every hundredth stays: the library cannot give the others back by itself.
    blocks = [np.zeros(500) for _ in range(20_000)]
    kept = blocks[::100]
    full = in_use()
    del blocks
    release_free_memory()
    assert full - in_use() > 30_000_000
    assert all(block.sum() == 0 for block in kept)


def test_another_c_library_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def without(name: str | None) -> object:
        asked.append(name)
        return object()

    monkeypatch.setattr(ctypes, "CDLL", without)
    release_free_memory()
    assert asked == [None]
