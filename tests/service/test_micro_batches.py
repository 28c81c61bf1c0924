"""Which pairs are aligned together, and what becomes of them when a worker fails."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from http import HTTPStatus
from typing import Any

import pytest

from forest_align.service._guard import ServiceMetrics
from forest_align.service._micro_batches import MicroBatches
from forest_align.service.aligning_process import BatchLostError, PairBatch
from forest_align.service.settings import PairRequest, PairResult, ServiceLimits

LIMITS = ServiceLimits(gather_seconds=0.2)


class HeldWorker:
    """Aligns a batch when it is let go; some words lose the batch."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.began, self.go = threading.Semaphore(0), threading.Semaphore(1)  # the warming up may pass

    def align(self, batch: PairBatch) -> list[PairResult]:
        self.batches.append([pair.source for pair in batch.pairs])
        self.began.release()
        self.go.acquire()
        if any("lost" in pair.source for pair in batch.pairs):
            raise BatchLostError(HTTPStatus.GATEWAY_TIMEOUT, "too slow")
        if any("bug" in pair.source for pair in batch.pairs):
            raise ZeroDivisionError("oh")
        return [PairResult(200, f"{pair.aligner} {pair.source}") for pair in batch.pairs]

    def stop(self) -> None:
        pass


def during(
    test: Callable[[MicroBatches], Awaitable[None]],
    workers: Sequence[HeldWorker],
    limits: ServiceLimits = LIMITS,
) -> None:
    async def run() -> None:
        async with MicroBatches(workers, "forest", limits, ServiceMetrics()) as batches:
            await began(*workers)
            while batches.ready < len(workers):
                await asyncio.sleep(0.001)
            await test(batches)

    asyncio.run(run())


async def began(*workers: HeldWorker) -> None:
    for worker in workers:
        await asyncio.to_thread(worker.began.acquire)


def pairs(text: str, aligner: str = "forest") -> list[PairRequest]:
    return [PairRequest(word, word, aligner) for word in text.split()]


async def lines(results: Sequence[asyncio.Future[PairResult]]) -> list[str]:
    return [result.line.removeprefix("forest ") or result.error for result in await asyncio.gather(*results)]


def test_what_waits_while_a_worker_is_busy_is_aligned_together() -> None:
    worker = HeldWorker()

    async def test(batches: MicroBatches) -> None:
        first = batches.start(*pairs("a"))
        await began(worker)
        others = [batches.start(pair) for pair in pairs("b c d")]
        assert len(batches) == 3
        worker.go.release(2)
        assert await lines([first, *others]) == ["a", "b", "c", "d"]
        assert len(batches) == 0

    during(test, [worker])
    assert worker.batches[1:] == [["a"], ["b", "c", "d"]]


def test_clients_that_were_answered_together_are_waited_for_a_moment() -> None:
    worker = HeldWorker()

    async def test(batches: MicroBatches) -> None:
        first = batches.start(*pairs("a"))
        await began(worker)
        others = [batches.start(pair) for pair in pairs("b c")]
        worker.go.release(10)
        await lines([first, *others])
        again = [batches.start(*pairs("d"))]
        await asyncio.sleep(0.01)
        again.append(batches.start(*pairs("e")))
        await lines(again)

    during(test, [worker])
    assert worker.batches[1:] == [["a"], ["b", "c"], ["d", "e"]]


def test_free_workers_take_equal_shares() -> None:
    workers = [HeldWorker(), HeldWorker()]

    async def test(batches: MicroBatches) -> None:
        results = [batches.start(pair) for pair in pairs("a b c d e")]
        await began(*workers)
        for worker in workers:
            worker.go.release(10)
        assert await lines(results) == ["a", "b", "c", "d", "e"]

    during(test, workers)
    assert sorted(batch for worker in workers for batch in worker.batches[1:]) == [
        ["a", "b", "c"],
        ["d", "e"],
    ]


def test_a_batch_has_one_aligner_and_its_pairs_keep_their_turn() -> None:
    worker = HeldWorker()

    async def test(batches: MicroBatches) -> None:
        first = batches.start(*pairs("a"))
        await began(worker)
        mixed = [*pairs("b"), *pairs("x", "joint"), *pairs("c"), replace(*pairs("k"), alignments=2)]
        others = [batches.start(pair) for pair in mixed]
        worker.go.release(10)
        assert await lines([first, *others]) == ["a", "b", "joint x", "c", "k"]

    during(test, [worker])
    assert worker.batches[1:] == [["a"], ["b", "c"], ["x"], ["k"]]


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        (replace(LIMITS, batch_pairs=2), [["bb", "cc"], ["dd", "ee"]]),
        (replace(LIMITS, batch_characters=12), [["bb", "cc", "dd"], ["ee"]]),
        (replace(LIMITS, batch_characters=1), [["bb"], ["cc"], ["dd"], ["ee"]]),
    ],
)
def test_batches_have_limits(limits: ServiceLimits, expected: list[list[str]]) -> None:
    worker = HeldWorker()

    async def test(batches: MicroBatches) -> None:
        first = batches.start(*pairs("a"))
        await began(worker)
        others = [batches.start(pair) for pair in pairs("bb cc dd ee")]
        worker.go.release(10)
        assert await lines([first, *others]) == ["a", "bb", "cc", "dd", "ee"]

    during(test, [worker], limits)
    assert worker.batches[2:] == expected


def test_a_lost_batch_costs_only_the_pair_that_loses_it() -> None:
    worker = HeldWorker()

    async def test(batches: MicroBatches) -> None:
        first = batches.start(*pairs("a"))
        await began(worker)
        others = [batches.start(pair) for pair in pairs("b lost c")]
        worker.go.release(10)
        await first
        found = await asyncio.gather(*others)
        assert [result.status for result in found] == [200, 504, 200]
        assert found[1].error == "too slow" and '"error": "too slow"' in found[1].line

    during(test, [worker])
    assert worker.batches[1:] == [["a"], ["b", "lost", "c"], ["b"], ["lost"], ["c"]]


def test_a_worker_goes_on_after_a_fault(capfd: pytest.CaptureFixture[str]) -> None:
    worker = HeldWorker()
    worker.go.release(10)

    async def test(batches: MicroBatches) -> None:
        result = await batches.start(*pairs("bug"))
        assert result.status == 500 and "ZeroDivisionError" in result.error
        assert (await batches.start(*pairs("a"))).status == 200

    during(test, [worker])
    assert capfd.readouterr().err.count("ZeroDivisionError") == 1


def test_pairs_that_were_given_up_are_not_aligned() -> None:
    worker = HeldWorker()

    async def test(batches: MicroBatches) -> None:
        first = batches.start(*pairs("a"))
        await began(worker)
        others = [batches.start(pair) for pair in pairs("b c d")]
        others[1].cancel()
        worker.go.release(10)
        assert await lines([first, others[0], others[2]]) == ["a", "b", "d"]
        alone = batches.start(*pairs("e"))
        alone.cancel()
        assert await lines([batches.start(*pairs("f"))]) == ["f"]

    during(test, [worker])
    assert worker.batches[1:] == [["a"], ["b", "d"], ["f"]]


def test_pairs_that_still_wait_at_the_end_are_given_up() -> None:
    worker = HeldWorker()
    found: list[Any] = []

    async def test(batches: MicroBatches) -> None:
        found.append(batches.start(*pairs("a")))
        await began(worker)
        found.append(batches.start(*pairs("b")))
        worker.go.release()

    during(test, [worker])
    assert found[1].cancelled()
