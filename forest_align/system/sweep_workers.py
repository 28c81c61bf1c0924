"""Processes that work on one sweep: they are forked, so each inherits the prepared pairs."""

from __future__ import annotations

import json
import multiprocessing
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from forest_align.system.processes import begin_forked_process, can_fork
from forest_align.types import ForestAlignError, InputError

_POLL_SECONDS = 0.5
_PATIENCE_SECONDS = 10.0  # how long a worker may continue after a request to stop
_LONGEST = 5_000  # characters of a message; JSON may need six bytes each
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def run_workers(
    work: Callable[[AbstractContextManager[object]], None], count: int, watch: Callable[[], None]
) -> None:
    """Do the same work in several processes at a time; return when all of them have ended.

    All end early if one fails, or if this process is interrupted (Ctrl-C) or killed: at once where they are
    :func:`interruptible`, otherwise when they become so, or after ten seconds. ``work`` is called once per
    process with a lock for tasks of one process at a time; it must not use connections opened before.
    ``watch`` is called here about twice a second, and whenever a worker has ended. Raises InputError if a
    worker could not use its input or was killed, RuntimeError with a note of the traceback otherwise.
    """
    context = multiprocessing.get_context("fork")
    turn = context.Lock()
    workers: list[tuple[BaseProcess, Connection]] = []
    # A signal must not reach a worker before it can handle signals, nor interrupt ``watch``.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        for _ in range(count):
            ours, theirs = context.Pipe(duplex=False)
            worker: BaseProcess = context.Process(target=_run_worker, args=(work, turn, theirs))
            worker.start()
            theirs.close()
            workers.append((worker, ours))
        running = list(workers)
        while running:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            wait([worker.sentinel for worker, _ in running], _POLL_SECONDS)
            signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
            watch()
            asked = [(worker, failure, worker.exitcode) for worker, failure in running]
            for _, failure, exit_code in asked:
                if exit_code:
                    _raise_failure(exit_code, failure)
            running = [(worker, failure) for worker, failure, exit_code in asked if exit_code is None]
    finally:
        _stop([worker for worker, _ in workers])
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def interruptible() -> Iterator[None]:
    """Mark code where a worker may be stopped. Elsewhere it might leave a storage locked or half written."""
    if not can_fork():
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGTERM,))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _stop(workers: list[BaseProcess]) -> None:
    for worker in workers:
        worker.terminate()
    end = time.monotonic() + _PATIENCE_SECONDS
    for worker in workers:
        worker.join(max(0.0, end - time.monotonic()))
        if worker.exitcode is None:
            worker.kill()
            worker.join()


def _raise_failure(exit_code: int, failure: Connection) -> None:
    try:
        expected, message, where = json.loads(failure.recv_bytes())
    except EOFError:
        raise InputError(f"a worker of the sweep was killed (exit status {exit_code})") from None
    if expected:
        raise InputError(message)
    error = RuntimeError(f"in a worker: {message}")
    error.add_note(where)
    raise error


def _run_worker(
    work: Callable[[AbstractContextManager[object]], None],
    turn: AbstractContextManager[object],
    failure: Connection,
) -> None:
    # SIGTERM stops workers. It is blocked from before the fork until they are interruptible.
    begin_forked_process()
    try:
        work(turn)
    except Exception as error:
        expected = isinstance(error, (ForestAlignError, OSError))
        message = str(error) if expected else f"{type(error).__name__}: {error}"
        # The parent reads only after this process has ended, so the message must fit into the pipe.
        report = [expected, message[-_LONGEST:], traceback.format_exc()[-_LONGEST:]]
        failure.send_bytes(json.dumps(report).encode())
        sys.exit(1)
