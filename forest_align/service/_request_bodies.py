"""Reads bodies of requests within the limits, and the pairs in them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from starlette.requests import ClientDisconnect, Request

from forest_align.service.limits import PairRequest, RequestError, ServiceLimits
from forest_align.types import InputError
from forest_align.types.json_fields import Fields, parse_json

# A client that is still sending would not read an answer; so much of a body that is too large is dropped.
_DROPPED = 16


class PairReader:
    """Turns JSON values into pairs to align; ``kinds`` has the kind of each aligner by name."""

    def __init__(self, kinds: Mapping[str, str], default: str, limits: ServiceLimits) -> None:
        self._kinds, self._default, self._limits = kinds, default, limits

    def read(self, values: Any, id: str = "", aligner: str | None = None) -> PairRequest:
        """Read a pair, which may name its id and aligner itself.

        Raises RequestError if something is missing or wrong (400), or a sentence is too long (413).
        """
        try:
            fields = Fields(values)
            texts = fields.text("source"), fields.text("target")
            name = fields.text("aligner", aligner or self._default)
            found = fields.identifier("id", id), fields.integer("alignments", 1)
        except InputError as error:
            raise RequestError(HTTPStatus.BAD_REQUEST, str(error)) from None
        return self.check(PairRequest(*texts, name, *found))

    def check(self, pair: PairRequest) -> PairRequest:
        """Return a pair that is within the limits; raises RequestError if it is not."""
        for side, text in (("source", pair.source), ("target", pair.target)):
            if not text.strip():
                raise RequestError(HTTPStatus.BAD_REQUEST, f"{side}: expected a sentence, found nothing")
            if len(text) > self._limits.characters:
                message = f"{side}: expected at most {self._limits.characters} characters, found {len(text)}"
                raise RequestError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, message)
        if pair.aligner not in self._kinds:
            message = f"no aligner {pair.aligner!r}; expected one of: {', '.join(self._kinds)}"
            raise RequestError(HTTPStatus.BAD_REQUEST, message)
        most = self._limits.alignments if self._kinds[pair.aligner] == "forest" else 1
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


async def next_chunk(request: Request) -> tuple[bytes, bool]:
    """The next bytes of a body, and whether more may follow; raises ClientDisconnect."""
    message = await request.receive()
    if message["type"] == "http.disconnect":
        raise ClientDisconnect
    return message.get("body", b""), message.get("more_body", False)


def too_slow(seconds: float) -> RequestError:
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
        raise too_slow(limits.body_seconds) from None
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
        chunk, more = await next_chunk(request)
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
        chunk, more = await next_chunk(request)
        dropped += len(chunk)
    message = f"expected at most {most} bytes, found {found}"
    raise RequestError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, message, {"Connection": "close"})
