"""Around every request: names that the server answers to, headers of safety, errors, metrics, a gate."""

from __future__ import annotations

import base64
import hashlib
import sys
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, contextmanager
from http import HTTPStatus
from urllib.parse import urlsplit

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from forest_align.alignment.html import SCRIPT
from forest_align.service.settings import RequestError
from forest_align.types.json_fields import format_json_object

#: Type of the answer of ``/metrics``.
METRICS_TYPE = CONTENT_TYPE_LATEST
_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
_PAIRS = (1, 2, 4, 8, 16)


class ServiceMetrics:
    """Counters and times of one service."""

    def __init__(self) -> None:
        registry = self._registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        PlatformCollector(registry=registry)
        self._requests = Counter(
            "forest_align_requests", "Answered requests", ("path", "method", "status"), registry=registry
        )
        self._seconds = Histogram(
            "forest_align_request_seconds",
            "Seconds from the headers of a request to the end of its answer",
            ("path",),
            registry=registry,
            buckets=_SECONDS,
        )
        self._pairs = Counter(
            "forest_align_pairs", "Pairs by aligner and status", ("aligner", "status"), registry=registry
        )
        self._batch_pairs = Histogram(
            "forest_align_batch_pairs", "Pairs of a batch", registry=registry, buckets=_PAIRS
        )
        self._batch_seconds = Histogram(
            "forest_align_batch_seconds", "Seconds of a batch", registry=registry, buckets=_SECONDS
        )
        self.lost_batches = Counter(
            "forest_align_lost_batches", "Batches whose process died or was given up", registry=registry
        )

    def watch(self, name: str, description: str, value: Callable[[], float]) -> None:
        """Add a number that is read when it is asked for."""
        Gauge(f"forest_align_{name}", description, registry=self._registry).set_function(value)

    def count_request(self, path: str, method: str, status: int, seconds: float) -> None:
        """Count an answer; paths and methods must be of a fixed set."""
        self._requests.labels(path, method, str(status)).inc()
        self._seconds.labels(path).observe(seconds)

    def count_pair(self, aligner: str, status: int) -> None:
        """Count a pair."""
        self._pairs.labels(aligner, str(int(status))).inc()

    def batch(self, pairs: int) -> AbstractContextManager[object]:
        """Count a batch and measure its time."""
        self._batch_pairs.observe(pairs)
        return self._batch_seconds.time()

    def text(self) -> bytes:
        """All numbers, as :data:`METRICS_TYPE`."""
        return generate_latest(self._registry)


_JSON_TYPE = "application/json; charset=utf-8"
_METHODS = ("GET", "HEAD", "POST", "OPTIONS", "PUT", "DELETE", "PATCH")


def json_answer(text: str, status: int = HTTPStatus.OK) -> Response:
    """An answer with a JSON value that is already formatted."""
    return Response(f"{text}\n", status, media_type=_JSON_TYPE)


def error_answer(error: RequestError) -> Response:
    """``{"error": message}``."""
    answer = json_answer(format_json_object({"error": error.message}), error.status)
    answer.headers.update(error.headers)
    return answer


def content_security_policy() -> str:
    """A policy for the pages: only their own script may run, and nothing may be loaded."""
    digest = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )


class RequestGate:
    """Admits at most ``most`` requests that align at the same time; ``inside`` are admitted now."""

    def __init__(self, most: int) -> None:
        self.inside, self._most = 0, most

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Admit a request until it leaves the context; raises RequestError (503) if there are enough."""
        if self.inside >= self._most:
            message = f"{self.inside} requests are being aligned; come back later"
            raise RequestError(HTTPStatus.SERVICE_UNAVAILABLE, message, {"Retry-After": "1"})
        self.inside += 1
        try:
            yield
        finally:
            self.inside -= 1


class Guard:
    """ASGI middleware that every request passes first.

    ``names`` are the values that ``Host`` may have, in small letters, or empty for any: a foreign site whose
    name was made to resolve to this machine has another name, and must not read the user's files. Pages of
    ``origins`` may send requests that work is done for. A head has at most ``head`` bytes. ``paths`` are
    counted by name, all others as one.
    """

    def __init__(
        self,
        app: ASGIApp,
        metrics: ServiceMetrics,
        names: Collection[str],
        origins: Collection[str],
        head: int,
        paths: Collection[str],
    ) -> None:
        self._app, self._metrics, self._names, self._paths = app, metrics, names, paths
        self._origins, self._head = origins, head

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, in any case."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, status = time.perf_counter(), 0

        async def guarded_send(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers["Content-Security-Policy"] = content_security_policy()
                headers["X-Content-Type-Options"] = "nosniff"
                headers["Referrer-Policy"] = "no-referrer"
                headers["Cache-Control"] = "no-store"
            await send(message)

        try:
            self._check(scope, Headers(scope=scope))
            await self._app(scope, receive, guarded_send)
        except ClientDisconnect:
            pass
        except RequestError as error:
            await error_answer(error)(scope, receive, guarded_send)
        except Exception as error:
            problem = f"unexpected error: {type(error).__name__}: {error}"
            print(f"forest-align serve: {problem}", file=sys.stderr)
            if status:
                raise  # the connection is closed, so that nobody takes the answer for complete
            answer = error_answer(RequestError(HTTPStatus.INTERNAL_SERVER_ERROR, problem))
            await answer(scope, receive, guarded_send)
        finally:
            path = scope["path"] if scope["path"] in self._paths else "other"
            method = scope["method"] if scope["method"] in _METHODS else "other"
            self._metrics.count_request(path, method, status, time.perf_counter() - started)

    def _check(self, scope: Scope, headers: Headers) -> None:
        close = {"Connection": "close"}
        size = len(scope["raw_path"]) + len(scope["query_string"])
        size += sum(len(name) + len(value) + 4 for name, value in headers.raw)
        if size > self._head:
            message = f"expected a head of at most {self._head} bytes, found {size}"
            raise RequestError(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, message, close)
        if "content-length" in headers and "transfer-encoding" in headers:
            # A proxy may take the one, and this server the other, for the length of the body.
            message = "expected Content-Length or Transfer-Encoding, found both"
            raise RequestError(HTTPStatus.BAD_REQUEST, message, close)
        if not self._knows(headers.get("host", "")):
            raise RequestError(HTTPStatus.FORBIDDEN, "this server answers to the names of this machine only")
        if scope["method"] == "POST" and not self._may_send(headers):
            message = "pages of other sites may not use this server; --allow-origin names those that may"
            raise RequestError(HTTPStatus.FORBIDDEN, message, close)

    def _may_send(self, headers: Headers) -> bool:
        """Whether a request comes from a program, a page of this server, or another one that may use it.

        Browsers ask before they send JSON to another site, but not before they send text.
        """
        origin = headers.get("origin")
        if origin is None or origin in self._origins or "*" in self._origins:
            return True
        return headers.get("sec-fetch-site") == "same-origin" or urlsplit(origin).netloc == headers.get(
            "host"
        )

    def _knows(self, host: str) -> bool:
        if not self._names or not host:
            return True
        try:
            name = urlsplit(f"//{host}").hostname
        except ValueError:
            return False
        return name in self._names
