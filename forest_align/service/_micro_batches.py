"""Pairs of all requests that wait for an aligner, and the workers that take them in batches."""

from __future__ import annotations

import asyncio
import sys
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http import HTTPStatus
from typing import Protocol, Self

from forest_align.service._guard import ServiceMetrics
from forest_align.service.aligning_process import BatchLostError, PairBatch, failed_result
from forest_align.service.settings import PairRequest, PairResult, ServiceLimits


class BatchWorker(Protocol):
    """What aligns batches: an :class:`AligningProcess`, except in tests."""

    def align(self, batch: PairBatch) -> list[PairResult]:
        """Align a batch, or raise BatchLostError."""

    def stop(self) -> None:
        """End."""


@dataclass(eq=False, slots=True)
class _WaitingPair:
    pair: PairRequest
    result: asyncio.Future[PairResult]
    alone: bool = False

    def goes_with(self, first: _WaitingPair) -> bool:
        """Whether the pair may be in a batch that begins with another one."""
        kind, other = self.pair, first.pair
        same = (kind.aligner, kind.alignments) == (other.aligner, other.alignments)
        return same and not (self.alone or first.alone)


class MicroBatches:
    """Shares the pairs of all requests out to workers, in the order in which they come.

    A free worker takes what waits at once: at most an equal share for each free worker, within the limits of
    pairs and characters. So single pairs do not wait for others, and batches grow with the number of clients.
    If a batch is lost, its pairs are aligned again, each alone; only the one that cannot be aligned fails.
    Entering the asynchronous context starts the workers; each loads the aligner ``default``.
    """

    def __init__(
        self, workers: Sequence[BatchWorker], default: str, limits: ServiceLimits, metrics: ServiceMetrics
    ) -> None:
        self.workers, self.problem = tuple(workers), ""
        self._ready: set[BatchWorker] = set()
        self._default, self._limits, self._metrics = default, limits, metrics
        self._waiting: deque[_WaitingPair] = deque()
        self._arrived = asyncio.Event()
        self._free = 0
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Self:
        self._threads = ThreadPoolExecutor(len(self.workers), "forest-align")
        self._tasks = [asyncio.create_task(self._work(worker)) for worker in self.workers]
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for waiting in self._waiting:
            waiting.result.cancel()
        await asyncio.gather(*(asyncio.to_thread(worker.stop) for worker in self.workers))
        self._threads.shutdown()

    @property
    def ready(self) -> int:
        """Number of workers that have loaded the default aligner."""
        return len(self._ready)

    def __len__(self) -> int:
        """Number of waiting pairs."""
        return len(self._waiting)

    def start(self, pair: PairRequest) -> asyncio.Future[PairResult]:
        """Let a pair wait for a worker; who cancels the future gives the pair up."""
        waiting = _WaitingPair(pair, asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        self._arrived.set()
        return waiting.result

    async def _work(self, worker: BatchWorker) -> None:
        warm = PairRequest("a", "b", self._default)
        await self._results(worker, [warm])
        before = 1
        while True:
            self._free += 1
            try:
                await self._arrived.wait()
                if len(self._waiting) < before:
                    # Clients that were answered together ask again one after the other.
                    await asyncio.sleep(self._limits.gather_seconds)
                batch = self._take()
            finally:
                self._free -= 1
            if batch:
                before = len(batch)
                await self._align(worker, batch)

    def _take(self) -> list[_WaitingPair]:
        """The first pair that waits, and others that go with it; none if all were given up."""
        limits, others = self._limits, deque[_WaitingPair]()
        wanted = [waiting for waiting in self._waiting if not waiting.result.done()]
        most = min(limits.batch_pairs, -(-len(wanted) // max(1, self._free)))
        batch: list[_WaitingPair] = []
        characters = 0
        for waiting in wanted:
            size = len(waiting.pair.source) + len(waiting.pair.target)
            fits = len(batch) < most and characters + size <= limits.batch_characters
            if not batch or (fits and waiting.goes_with(batch[0])):
                batch.append(waiting)
                characters += size
            else:
                others.append(waiting)
        self._waiting = others
        if not others:
            self._arrived.clear()
        return batch

    async def _align(self, worker: BatchWorker, batch: Sequence[_WaitingPair]) -> None:
        results = await self._results(worker, [waiting.pair for waiting in batch])
        if results is None:
            for waiting in reversed(batch):
                waiting.alone = True
                self._waiting.appendleft(waiting)
            self._arrived.set()
            return
        for waiting, result in zip(batch, results, strict=True):
            self._metrics.count_pair(waiting.pair.aligner, result.status)
            if result.status == HTTPStatus.INTERNAL_SERVER_ERROR:
                print(f"forest-align serve: {result.error}", file=sys.stderr)
            if not waiting.result.done():
                waiting.result.set_result(result)

    async def _results(self, worker: BatchWorker, pairs: Sequence[PairRequest]) -> list[PairResult] | None:
        """Results of pairs that go together; None if the batch was lost and they should be tried alone."""
        batch = PairBatch(pairs[0].aligner, pairs[0].alignments, tuple(pairs))
        try:
            with self._metrics.batch(len(pairs)):
                results = await asyncio.get_running_loop().run_in_executor(self._threads, worker.align, batch)
        except BatchLostError as lost:
            self._metrics.lost_batches.inc()
            status, message = lost.status, lost.message
        except Exception as error:  # others still need this worker
            status, message = HTTPStatus.INTERNAL_SERVER_ERROR, f"unexpected error: {error!r}"
        else:
            if batch.aligner == self._default:
                self._note(worker, results)
            return results
        self._ready.discard(worker)
        return [failed_result(pairs[0], status, message)] if len(pairs) == 1 else None

    def _note(self, worker: BatchWorker, results: Sequence[PairResult]) -> None:
        """Note whether a worker has loaded the default aligner."""
        if results[0].status == HTTPStatus.SERVICE_UNAVAILABLE:
            self.problem = results[0].error  # why the default aligner could not be loaded
        else:
            self.problem = ""
            self._ready.add(worker)
