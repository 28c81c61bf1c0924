"""Pairs of requests: bodies and rows of a stream are read within the limits, and wait for an aligner."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from http import HTTPStatus
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.types import Receive, Scope, Send

from forest_align.service._guard import RequestGate
from forest_align.service._micro_batches import MicroBatches
from forest_align.service.aligning_process import failed_result
from forest_align.service.settings import (
    PairRequest,
    PairResult,
    RequestError,
    ServiceLimits,
    ServiceSettings,
)
from forest_align.types import InputError
from forest_align.types.json_fields import Fields, parse_json

#: Types of a body with a JSON value on each line; answers have the first.
ROW_TYPES = ("application/x-ndjson", "application/ndjson", "application/jsonl", "application/json-lines")
# A client that is still sending would not read an answer; so much of a body that is too large is dropped.
_DROPPED = 16


class PairIntake:
    """Turns JSON values into pairs within the limits, and lets them wait for an aligner."""

    def __init__(self, settings: ServiceSettings, batches: MicroBatches) -> None:
        self.settings, self.limits, self.batches = settings, settings.limits, batches
        self.gate = RequestGate(settings.limits.requests)

    def read(self, values: Any, id: str = "", aligner: str | None = None) -> PairRequest:
        """Read a pair, which may name its id and aligner itself.

        Raises RequestError if something is missing or wrong (400), or a sentence is too long (413).
        """
        try:
            fields = Fields(values)
            texts = fields.text("source"), fields.text("target")
            name = fields.text("aligner", aligner or self.settings.default)
            name_and_count = fields.identifier("id", id), fields.integer("alignments", 1)
        except InputError as error:
            raise RequestError(HTTPStatus.BAD_REQUEST, str(error)) from None
        return self.check(PairRequest(*texts, name, *name_and_count))

    def check(self, pair: PairRequest) -> PairRequest:
        """Return a pair that is within the limits; raises RequestError if it is not."""
        for side, text in (("source", pair.source), ("target", pair.target)):
            if not text.strip():
                raise RequestError(HTTPStatus.BAD_REQUEST, f"{side}: expected a sentence, found nothing")
            if len(text) > self.limits.characters:
                message = f"{side}: expected at most {self.limits.characters} characters, found {len(text)}"
                raise RequestError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, message)
        models = self.settings.models
        if pair.aligner not in models:
            message = f"no aligner {pair.aligner!r}; expected one of: {', '.join(models)}"
            raise RequestError(HTTPStatus.BAD_REQUEST, message)
        most = self.limits.alignments if models[pair.aligner].kind == "forest" else 1
        if not 1 <= pair.alignments <= most:
            message = f"alignments: expected 1 to {most} with this aligner, found {pair.alignments}"
            raise RequestError(HTTPStatus.BAD_REQUEST, message)
        return pair

    def id_of(self, values: Any, number: int) -> str:
        """Name of a pair that may be broken: its own if that can be read, else its number."""
        try:
            return Fields(values).identifier("id", str(number))
        except InputError:
            return str(number)


async def _next_chunk(request: Request) -> tuple[bytes, bool]:
    """The next bytes of a body, and whether more may follow; raises ClientDisconnect."""
    message = await request.receive()
    if message["type"] == "http.disconnect":
        raise ClientDisconnect
    return message.get("body", b""), message.get("more_body", False)


def _too_slow(seconds: float) -> RequestError:
    """The error for a body, or a row of a stream, that did not come within some seconds."""
    message = f"expected the rest of the body within {seconds:g} seconds"
    return RequestError(HTTPStatus.REQUEST_TIMEOUT, message, {"Connection": "close"})


async def read_json(request: Request, limits: ServiceLimits) -> Any:
    """The JSON value of a body: an object, or a list, which may be longer.

    Raises RequestError if it is too long (413), late (408) or not JSON (400), and ClientDisconnect.
    """
    try:
        async with asyncio.timeout(limits.body_seconds):
            body = await _read_body(request, limits)
    except TimeoutError:
        raise _too_slow(limits.body_seconds) from None
    try:
        return parse_json(body.decode("utf-8"))
    except UnicodeDecodeError:
        raise RequestError(HTTPStatus.BAD_REQUEST, "expected UTF-8") from None
    except InputError as error:
        raise RequestError(HTTPStatus.BAD_REQUEST, str(error)) from None


async def _read_body(request: Request, limits: ServiceLimits) -> bytearray:
    length = request.headers.get("content-length", "")
    claimed = int(length) if length.isascii() and length.isdigit() and len(length) < 16 else 0
    if claimed > limits.list_body:
        await _refuse(request, limits, limits.list_body, claimed)
    body, more = bytearray(), True
    while more:
        chunk, more = await _next_chunk(request)
        body += chunk
        most = limits.list_body if body[:64].lstrip()[:1] == b"[" else limits.body
        if len(body) > most:
            await _refuse(request, limits, most, max(claimed, len(body)), more=more)
    return body


async def _refuse(
    request: Request, limits: ServiceLimits, most: int, found: int, *, more: bool = True
) -> None:
    """Raise an error for a body that is too large, when the client has sent it or a good part of it."""
    dropped = 0
    while more and dropped < _DROPPED * limits.list_body and "expect" not in request.headers:
        chunk, more = await _next_chunk(request)
        dropped += len(chunk)
    message = f"expected at most {most} bytes, found {found}"
    raise RequestError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, message, {"Connection": "close"})


_Results = asyncio.Queue[asyncio.Future[PairResult] | None]


class RowStream:
    """The answer to a stream of pairs, as an ASGI application.

    Each row is answered as soon as it and those before it are aligned, while further rows come in; a row that
    cannot be aligned yields its error. The client may send all rows before it reads, up to the limit of bytes
    that are read ahead.
    """

    def __init__(self, intake: PairIntake, aligner: str | None) -> None:
        self._intake, self._limits, self._aligner = intake, intake.limits, aligner

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read, align and answer at the same time."""
        rows = _Rows(self._limits)
        reading = asyncio.create_task(rows.read(Request(scope, receive)))
        coming = asyncio.create_task(rows.wait_for_first())
        try:
            await asyncio.wait((reading, coming), return_when=asyncio.FIRST_COMPLETED)
            if not coming.done():
                reading.result()
            with self._intake.gate.entered():
                await self._align(rows, reading, send)
        except ClientDisconnect:
            return
        finally:
            for task in (reading, coming):
                task.cancel()
            await asyncio.gather(reading, coming, return_exceptions=True)

    async def _align(self, rows: _Rows, reading: asyncio.Task[None], send: Send) -> None:
        results: _Results = asyncio.Queue(self._limits.in_flight)
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

    async def _start_all(self, rows: _Rows, results: _Results) -> None:
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
            return self._intake.batches.start(self._intake.read(values, str(number), self._aligner))
        except UnicodeDecodeError:
            error = RequestError(HTTPStatus.BAD_REQUEST, "expected UTF-8")
        except InputError as problem:
            error = RequestError(HTTPStatus.BAD_REQUEST, str(problem))
        except RequestError as problem:
            error = problem
        message = f"line {number}: {error.message}"
        return _done(_failed(self._intake.id_of(values, number), RequestError(error.status, message)))

    async def _answer(self, rows: _Rows, results: _Results, send: Send) -> None:
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
                chunk, more = await self._next_of(request)
            except RequestError as error:
                self.error, chunk, more = error, b"", False
            *rows, rest = (rest + chunk).split(b"\n")
            if not more and self.error is None and (rest or too_long):
                rows, rest = [*rows, rest], b""
            read: list[bytes | None] = []
            for row in rows:
                read.append(None if too_long or len(row) > self._limits.row else row)
                too_long = False
            if len(rest) > self._limits.row:
                rest, too_long = b"", True
            elif too_long:
                rest = b""
            await self._add(read, ended=not more)
        while True:
            if (await request.receive())["type"] == "http.disconnect":
                raise ClientDisconnect

    def note_answer(self) -> None:
        """Note that a row was answered."""
        self._unanswered -= 1
        self._moved = asyncio.get_running_loop().time()

    async def _next_of(self, request: Request) -> tuple[bytes, bool]:
        """The next bytes, unless no row comes for too long after the last one has come and was answered."""
        now, most = asyncio.get_running_loop().time, self._limits.idle_seconds
        while True:
            left = most if self._unanswered else max(0.0, self._moved + most - now())
            try:
                async with asyncio.timeout(left):
                    return await _next_chunk(request)
            except TimeoutError:
                if not self._unanswered and now() - self._moved >= most:
                    raise _too_slow(most) from None

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
