"""Aligns batches of pairs, in a process that is replaced when it dies or takes too long."""

from __future__ import annotations

import multiprocessing
import signal
import weakref
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from http import HTTPStatus
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from forest_align.alignment import Alignment
from forest_align.service.settings import PairRequest, PairResult, ServiceLimits
from forest_align.system.processes import use_one_thread
from forest_align.types import ForestAlignError, ModelError, Sentence

if TYPE_CHECKING:
    from forest_align.aligners import Aligner


#: Loads an aligner by its name.
Loader = Callable[[str], "Aligner"]


@dataclass(frozen=True, slots=True)
class PairBatch:
    """Pairs for one aligner that are aligned together."""

    aligner: str
    alignments: int  # how many of the best ones per pair
    pairs: tuple[PairRequest, ...]


@runtime_checkable
class _FindsSeveral(Protocol):
    """An aligner that can find several alignments of a pair."""

    alignments: int


class BatchAligner:
    """Aligns batches; each aligner is loaded at its first use."""

    def __init__(self, load: Loader) -> None:
        self._load = load
        self._loaded: dict[str, Aligner] = {}

    def align(self, batch: PairBatch) -> list[PairResult]:
        """The results of a batch, in its order.

        Status 422: the pair cannot be aligned; 500: a fault of the program, the others are aligned; 503 for
        all: the aligner cannot be loaded now.
        """
        try:
            if batch.aligner not in self._loaded:
                self._loaded[batch.aligner] = self._load(batch.aligner)
            return _results(self._loaded[batch.aligner], batch)
        except (ModelError, OSError, ImportError) as error:
            message = f"the aligner {batch.aligner} cannot be loaded: {error}"
            return [failed_result(pair, HTTPStatus.SERVICE_UNAVAILABLE, message) for pair in batch.pairs]


def failed_result(pair: PairRequest, status: int, error: str) -> PairResult:
    """The result of a pair that could not be aligned."""
    source, target = (Sentence((), text=text) for text in (pair.source, pair.target))
    alignment = Alignment(source, target, id=pair.id, aligner=pair.aligner, error=error)
    return PairResult(int(status), alignment.to_json(), error)


def _results(aligner: Aligner, batch: PairBatch) -> list[PairResult]:
    if isinstance(aligner, _FindsSeveral):
        aligner.alignments = batch.alignments
    texts = [(pair.source, pair.target) for pair in batch.pairs]
    try:
        alignments = list(aligner.align_many(texts, len(texts)))
    except (ModelError, OSError, ImportError):  # models are loaded with the first pair
        raise
    except Exception as error:
        if len(batch.pairs) > 1:
            alone = (replace(batch, pairs=(pair,)) for pair in batch.pairs)
            return [result for single in alone for result in _results(aligner, single)]
        if isinstance(error, ForestAlignError):
            return [failed_result(batch.pairs[0], HTTPStatus.UNPROCESSABLE_ENTITY, str(error))]
        message = f"unexpected error: {type(error).__name__}: {error}"
        return [failed_result(batch.pairs[0], HTTPStatus.INTERNAL_SERVER_ERROR, message)]
    return [
        PairResult(
            int(HTTPStatus.UNPROCESSABLE_ENTITY if alignment.error else HTTPStatus.OK),
            replace(alignment, id=pair.id).to_json(),
            alignment.error,
        )
        for pair, alignment in zip(batch.pairs, alignments, strict=True)
    ]


# How long a process that has nothing left to do may take to end.
_PATIENCE_SECONDS = 5.0


class BatchLostError(Exception):
    """A batch without results: its process died, or was given up."""

    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.status, self.message = status, message


class AligningProcess:
    """Aligns batches in a process of its own, one at a time; the process starts with the first batch.

    It is started afresh, not forked, so that it shares no connection or lock with the server. It ends when
    this object or the server does, and ignores the signals that ask the server to stop.

    Parameters
    ----------
    load : Loader
        Loads aligners in the process, which must be able to import it.
    limits : ServiceLimits
        How long a batch may take.
    one_thread : bool
        Whether torch uses one thread, because several processes share the processors.
    """

    def __init__(self, load: Loader, limits: ServiceLimits, *, one_thread: bool) -> None:
        self._load, self._limits, self._one_thread = load, limits, one_thread
        self._loaded: set[str] = set()
        self._running: _Running | None = None
        self._is_busy = False

    def align(self, batch: PairBatch) -> list[PairResult]:
        """Align a batch; this blocks.

        Raises
        ------
        BatchLostError
            If it takes too long, or the process dies. The next batch starts another process.
        """
        seconds = self._limits.align_seconds
        loading = 0.0 if batch.aligner in self._loaded else self._limits.load_seconds
        self._is_busy = True
        running = self._running = self._running or _Running(self._load, self._one_thread)
        try:
            running.connection.send(batch)
            if not running.connection.poll(seconds + loading):
                self._forget(running)
                raise BatchLostError(
                    HTTPStatus.GATEWAY_TIMEOUT, f"not aligned within {seconds:g} seconds: given up"
                )
            results: list[PairResult] = running.connection.recv()
        except (EOFError, OSError):
            self._forget(running)
            message = "the process that aligned the pair died; is there enough memory?"
            raise BatchLostError(HTTPStatus.INTERNAL_SERVER_ERROR, message) from None
        finally:
            self._is_busy = False
        if any(result.status != HTTPStatus.SERVICE_UNAVAILABLE for result in results):
            self._loaded.add(batch.aligner)
        return results

    def stop(self) -> None:
        """End the process; a batch that it is aligning is lost."""
        if (running := self._running) is not None:
            if self._is_busy:
                running.process.kill()  # whoever waits for the batch finds that out
            else:
                running.end()

    def _forget(self, running: _Running) -> None:
        running.process.kill()
        running.end()
        self._running = None
        self._loaded.clear()


class _Running:
    """A process and the connection to it."""

    def __init__(self, load: Loader, one_thread: bool) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(
            target=_work, args=(theirs, load, one_thread), name="forest-align", daemon=True
        )
        self.process.start()
        theirs.close()
        # Called at the exit of this process, too, before that waits for its children.
        self.end = weakref.finalize(self, _end, self.process, self.connection)


def _end(process: BaseProcess, connection: Connection) -> None:
    connection.close()  # the process ends when it finds nobody at the other end
    process.join(_PATIENCE_SECONDS)
    if process.exitcode is None:
        process.kill()
        process.join()


def _work(connection: Connection, load: Loader, one_thread: bool) -> None:
    """Align batches until the other end is closed."""
    for stop in (signal.SIGINT, signal.SIGTERM):
        signal.signal(stop, signal.SIG_IGN)
    aligner = BatchAligner(load)
    with suppress(EOFError, OSError):
        while True:
            results = aligner.align(connection.recv())
            if one_thread:  # torch is loaded with the first aligner
                use_one_thread()
            connection.send(results)
