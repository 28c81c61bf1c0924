"""Answers a stream of pairs, one per line, with a stream of alignments, in the same order."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from http import HTTPStatus

from starlette.requests import ClientDisconnect, Request
from starlette.types import Receive, Scope, Send

from forest_align.service._guard import RequestGate
from forest_align.service._request_bodies import PairReader, next_chunk, too_slow
from forest_align.service.aligning_process import failed_result
from forest_align.service.limits import PairRequest, PairResult, RequestError, ServiceLimits
from forest_align.service.micro_batches import MicroBatches
from forest_align.types import InputError
from forest_align.types.json_fields import parse_json

#: Types of a body with a JSON value on each line; answers have the first.
ROW_TYPES = ("application/x-ndjson", "application/ndjson", "application/jsonl", "application/json-lines")


class RowStream:
    """The answer to a stream of pairs, as an ASGI application.

    Each row is answered as soon as it and those before it are aligned, while further rows come in; a row that
    cannot be aligned yields its error. The client may send all rows before it reads, up to the limit of bytes
    that are read ahead.
    """

    def __init__(
        self,
        batches: MicroBatches,
        reader: PairReader,
        limits: ServiceLimits,
        gate: RequestGate,
        aligner: str | None,
    ) -> None:
        self._batches, self._reader, self._limits, self._aligner = batches, reader, limits, aligner
        self._gate = gate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read, align and answer at the same time."""
        rows = _Rows(self._limits)
        reading = asyncio.create_task(rows.read(Request(scope, receive)))
        coming = asyncio.create_task(rows.wait_for_first())
        try:
            await asyncio.wait((reading, coming), return_when=asyncio.FIRST_COMPLETED)
            if not coming.done():
                reading.result()
            with self._gate.entered():
                await self._align(rows, reading, send)
        except ClientDisconnect:
            return
        finally:
            for task in (reading, coming):
                task.cancel()
            await asyncio.gather(reading, coming, return_exceptions=True)

    async def _align(self, rows: _Rows, reading: asyncio.Task[None], send: Send) -> None:
        results: asyncio.Queue[asyncio.Future[PairResult] | None] = asyncio.Queue(self._limits.in_flight)
        answering = asyncio.create_task(self._answer(rows, results, send))
        starting = asyncio.create_task(self._start_all(rows, results))
        running = {answering, reading, starting}
        try:
            while not answering.done():
                done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    task.result()
        finally:
            for task in (answering, starting):
                task.cancel()
            await asyncio.gather(answering, starting, return_exceptions=True)
            while not results.empty():
                if (result := results.get_nowait()) is not None:
                    result.cancel()

    async def _start_all(
        self, rows: _Rows, results: asyncio.Queue[asyncio.Future[PairResult] | None]
    ) -> None:
        async for number, row in rows:
            await results.put(self._started(number, row))
        if rows.error is not None:
            await results.put(_done(_failed("", rows.error)))
        await results.put(None)

    def _started(self, number: int, row: bytes | None) -> asyncio.Future[PairResult]:
        values = None
        try:
            if row is None:
                message = f"expected rows of at most {self._limits.row} bytes, found a longer one"
                raise RequestError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, message)
            values = parse_json(row.decode("utf-8"))
            return self._batches.start(self._reader.read(values, str(number), self._aligner))
        except UnicodeDecodeError:
            error = RequestError(HTTPStatus.BAD_REQUEST, "expected UTF-8")
        except InputError as problem:
            error = RequestError(HTTPStatus.BAD_REQUEST, str(problem))
        except RequestError as problem:
            error = problem
        message = f"line {number}: {error.message}"
        return _done(_failed(self._reader.id_of(values, number), RequestError(error.status, message)))

    async def _answer(
        self, rows: _Rows, results: asyncio.Queue[asyncio.Future[PairResult] | None], send: Send
    ) -> None:
        headers = [(b"content-type", ROW_TYPES[0].encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        while (result := await results.get()) is not None:
            line = (await result).line
            await send({"type": "http.response.body", "body": f"{line}\n".encode(), "more_body": True})
            rows.note_answer()
        await send({"type": "http.response.body", "body": b""})


def _done(result: PairResult) -> asyncio.Future[PairResult]:
    future = asyncio.get_running_loop().create_future()
    future.set_result(result)
    return future


def _failed(id: str, error: RequestError) -> PairResult:
    return failed_result(PairRequest("", "", "", id), error.status, error.message)


def _is_blank(row: bytes | None) -> bool:
    return row is not None and not row.strip()


def _cost(row: bytes | None) -> int:
    """Memory of a row, about."""
    return 64 + len(row or b"")


class _Rows:
    """Rows of a body: read in one task, taken in another; blank ones at the end are dropped."""

    def __init__(self, limits: ServiceLimits) -> None:
        self.error: RequestError | None = None  # why the last row is missing
        self._limits = limits
        self._rows: deque[bytes | None] = deque()
        self._bytes = 0
        self._unanswered = 0
        self._moved = asyncio.get_running_loop().time()
        self._ended = False
        self._changed = asyncio.Condition()

    async def read(self, request: Request) -> None:
        """Read the body, then wait until the client has gone, which raises ClientDisconnect."""
        rest, more, too_long = b"", True, False
        while more:
            try:
                chunk, more = await self._next_chunk(request)
            except RequestError as error:
                self.error, chunk, more = error, b"", False
            *rows, rest = (rest + chunk).split(b"\n")
            if not more and self.error is None and (rest or too_long):
                rows, rest = [*rows, rest], b""
            found: list[bytes | None] = []
            for row in rows:
                found.append(None if too_long or len(row) > self._limits.row else row)
                too_long = False
            if len(rest) > self._limits.row:
                rest, too_long = b"", True
            elif too_long:
                rest = b""
            await self._add(found, ended=not more)
        while True:
            if (await request.receive())["type"] == "http.disconnect":
                raise ClientDisconnect

    def note_answer(self) -> None:
        """Note that a row was answered."""
        self._unanswered -= 1
        self._moved = asyncio.get_running_loop().time()

    async def _next_chunk(self, request: Request) -> tuple[bytes, bool]:
        """The next bytes, unless no row comes for too long after the last one has come and was answered."""
        now, most = asyncio.get_running_loop().time, self._limits.idle_seconds
        while True:
            left = most if self._unanswered else max(0.0, self._moved + most - now())
            try:
                async with asyncio.timeout(left):
                    return await next_chunk(request)
            except TimeoutError:
                if not self._unanswered and now() - self._moved >= most:
                    raise too_slow(most) from None

    async def wait_for_first(self) -> None:
        """Wait until a row, or the end, has come."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._rows or self._ended)

    async def _add(self, rows: list[bytes | None], *, ended: bool) -> None:
        async with self._changed:
            await self._changed.wait_for(lambda: self._bytes <= self._limits.read_ahead)
            self._rows += rows
            self._bytes += sum(map(_cost, rows))
            if full := sum(not _is_blank(row) for row in rows):
                self._unanswered += full
                self._moved = asyncio.get_running_loop().time()
            self._ended = ended
            self._changed.notify_all()

    async def __aiter__(self) -> AsyncIterator[tuple[int, bytes | None]]:
        number, blank = 0, 0
        while True:
            async with self._changed:
                await self._changed.wait_for(lambda: self._rows or self._ended)
                if not self._rows:
                    return
                row = self._rows.popleft()
                self._bytes -= _cost(row)
                self._changed.notify_all()
            number += 1
            if _is_blank(row):
                blank += 1
                continue
            self._unanswered += blank
            for earlier in range(number - blank, number):
                yield earlier, b""
            blank = 0
            yield number, row
