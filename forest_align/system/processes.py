"""Processes and threads that share the items of an input, and processes that do the same work together."""

from __future__ import annotations

import ctypes
import gc
import json
import multiprocessing
import os
import signal
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager
from itertools import chain, islice
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from multiprocessing.synchronize import Event
from typing import Any, TypeVar

from forest_align.types import ForestAlignError, InputError
from forest_align.types.json_fields import is_whole_number

Item = TypeVar("Item")
Result = TypeVar("Result")
_POLL_SECONDS = 0.5
_PATIENCE_SECONDS = 10.0  # how long a worker may continue after a request to stop
_LONGEST = 5_000  # characters of a message; JSON may need six bytes each
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def can_fork() -> bool:
    """Whether this process may fork."""
    allowed = not multiprocessing.current_process().daemon
    return allowed and "fork" in multiprocessing.get_all_start_methods()


def map_in_workers(work: Callable[[Item], Result], items: Iterable[Item], workers: int) -> Iterator[Result]:
    """Do the same work on every item, on several in parallel; results keep the order of the items.

    Workers are forked processes with one thread of torch each: they inherit everything that is loaded, and
    share its memory until one writes to it. Items and results are pickled; at most ``workers`` items are read
    ahead. Where the system cannot fork safely, workers are threads, and only one at a time runs Python. A
    single item is processed here, with all threads. Raises ForestAlignError if a process died, for example
    for lack of memory.
    """
    items = iter(items)
    first = list(islice(items, 2))
    if len(first) < 2:
        yield from map(work, first)
        return
    # On macOS, system libraries may fail in a forked process.
    pool = _processes if can_fork() and sys.platform != "darwin" else _threads
    coming: deque[Future[Result]] = deque()
    with pool(work, workers) as submit:
        try:
            for item in chain(first, items):
                coming.append(submit(item))
                if len(coming) > workers:
                    yield coming.popleft().result()
            while coming:
                yield coming.popleft().result()
        except BrokenProcessPool:
            message = f"one of {workers} worker processes died; is there enough memory for them?"
            raise ForestAlignError(message) from None


@contextmanager
def _processes(work: Callable[[Any], Any], workers: int) -> Iterator[Callable[[Any], Future[Any]]]:
    context = multiprocessing.get_context("fork")
    given_up = context.Event()
    pool = ProcessPoolExecutor(workers, context, _initialise_worker, (work, given_up))
    # The first item starts all processes.
    with shared_with_forks():
        try:
            yield lambda item: pool.submit(_work_on, item)
        finally:
            given_up.set()
            pool.shutdown(cancel_futures=True)


@contextmanager
def _threads(work: Callable[[Any], Any], workers: int) -> Iterator[Callable[[Any], Future[Any]]]:
    torch = sys.modules.get("torch")
    before = torch.get_num_threads() if torch is not None else 0
    try:
        with ThreadPoolExecutor(workers, initializer=use_one_thread) as pool:
            yield lambda item: pool.submit(work, item)
    finally:
        if torch is not None:  # the workers' setting applies to new threads, too
            torch.set_num_threads(before)


class _Worker:
    """What a worker process does, and whether its results are still needed."""

    work: Callable[[Any], Any]
    given_up: Event


def _initialise_worker(work: Callable[[Any], Any], given_up: Event) -> None:
    _Worker.work, _Worker.given_up = work, given_up
    _begin_forked_process()


def _work_on(item: Any) -> Any:
    return None if _Worker.given_up.is_set() else _Worker.work(item)


def _begin_forked_process() -> None:
    """Make a forked process end with its parent, however that ends, and use one thread of torch.

    Ctrl-C reaches all processes of a terminal, but only the parent handles it. If a worker ended while
    sending a result, the parent would wait for the rest.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    use_one_thread()


def use_one_thread() -> None:
    """Make torch, if it is loaded, use the calling thread only.

    In a forked process, torch would wait forever for the parent's threads.
    """
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)


def check_counts(**counts: int) -> None:
    """Raise InputError that names the argument if a count is less than 1 or not whole."""
    for field, value in counts.items():
        if not is_whole_number(value):
            raise InputError(f"expected a whole number, found {value!r}", field=field)
        if value < 1:
            raise InputError(f"expected at least 1, found {value}", field=field)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)


def release_free_memory() -> None:
    """Give memory that is free inside this process back to the system, if the C library can do that (glibc).

    Loading a model leaves some 100 MB of it: a library keeps what it frees between pieces that are in use.
    """
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (AttributeError, TypeError, OSError):  # another C library, or Windows
        return
    trim(0)


@contextmanager
def shared_with_forks() -> Iterator[None]:
    """Keep the memory of all present objects shared with processes that are forked inside of the block.

    The garbage collector would write a mark into every object, and so copy its memory into each process. It
    skips present objects inside of the block.
    """
    release_free_memory()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


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
    _begin_forked_process()
    try:
        work(turn)
    except Exception as error:
        expected = isinstance(error, (ForestAlignError, OSError))
        message = str(error) if expected else f"{type(error).__name__}: {error}"
        # The parent reads only after this process has ended, so the message must fit into the pipe.
        report = [expected, message[-_LONGEST:], traceback.format_exc()[-_LONGEST:]]
        failure.send_bytes(json.dumps(report).encode())
        sys.exit(1)
