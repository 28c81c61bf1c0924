"""The service: alignments over HTTP as JSON, and the pages, as one ASGI application."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from forest_align._version import __version__
from forest_align.alignment import alignment_schema
from forest_align.service._guard import METRICS_TYPE, Guard, ServiceMetrics, error_answer, json_answer
from forest_align.service._micro_batches import BatchWorker, MicroBatches
from forest_align.service._openapi import openapi_document
from forest_align.service._page_routes import PageRoutes, docs_page
from forest_align.service._requests import ROW_TYPES, PairIntake, RowStream, read_json
from forest_align.service.aligning_process import failed_result
from forest_align.service.line_index import LineIndex
from forest_align.service.settings import PairRequest, RequestError, ServiceSettings
from forest_align.types.json_fields import format_json_object

# Compressing takes longer than sending below this many bytes.
_LEAST_COMPRESSED = 1000


def create_app(
    settings: ServiceSettings,
    workers: Sequence[BatchWorker],
    pairs: LineIndex | None = None,
    beside: LineIndex | None = None,
) -> Starlette:
    """Make the application.

    Parameters
    ----------
    settings : ServiceSettings
        What it offers.
    workers : sequence of BatchWorker
        What aligns, such as :class:`~forest_align.service.aligning_process.AligningProcess` objects. They
        start and end with the application.
    pairs, beside : LineIndex, optional
        A file of alignments to browse, and one to compare it with line by line.
    """
    metrics = ServiceMetrics()
    batches = MicroBatches(workers, settings.default, settings.limits, metrics)
    intake = PairIntake(settings, batches)
    service, pages = _Service(intake, metrics), PageRoutes(intake, pairs, beside)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with batches:
            yield

    routes = [
        Route("/", pages.sentences),
        Route("/align", service.align, methods=["POST"]),
        Route("/health", service.health),
        Route("/metrics", service.metrics),
        Route("/version", service.version),
        Route("/docs", service.docs),
        Route("/openapi.json", service.openapi),
        Route("/alignment.schema.json", service.schema),
    ]
    if pairs is not None:
        routes += [Route("/pairs", pages.pairs), Route("/pairs/{line}", pages.pair)]
    paths = {route.path for route in routes}
    middleware = [
        Middleware(Guard, metrics, settings.names, settings.origins, settings.limits.head, paths),
        Middleware(GZipMiddleware, _LEAST_COMPRESSED, compresslevel=5),
    ]
    if settings.origins:
        middleware.append(
            Middleware(
                CORSMiddleware,
                allow_origins=settings.origins,
                allow_methods=["GET", "POST"],
                allow_headers=["Content-Type"],
            )
        )
    return Starlette(
        routes=routes,
        middleware=middleware,
        lifespan=lifespan,
        exception_handlers={HTTPException: _refused, RequestError: _explained},
    )


class _Service:
    """Aligns what clients post, and says how the service is and what it offers."""

    def __init__(self, intake: PairIntake, metrics: ServiceMetrics) -> None:
        self._intake, self._settings, self._metrics = intake, intake.settings, metrics
        batches = self._batches = intake.batches
        metrics.watch("aligning_requests", "Requests that align now", lambda: intake.gate.inside)
        metrics.watch("waiting_pairs", "Pairs that wait for a worker", lambda: len(batches))
        metrics.watch("workers", "Processes that align", lambda: len(batches.workers))
        metrics.watch("ready_workers", "Processes that have loaded their models", lambda: batches.ready)

    async def align(self, request: Request) -> ASGIApp:
        """Align a pair, a list of pairs, or a stream of them."""
        headers = request.headers
        if headers.get("content-encoding", "identity") != "identity":
            raise RequestError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "expected a body that is not compressed")
        aligner = request.query_params.get("aligner")
        if headers.get("content-type", "").partition(";")[0].strip().lower() in ROW_TYPES:
            return RowStream(self._intake, aligner)
        values = await read_json(request, self._settings.limits)
        with self._intake.gate.entered():
            aligning = asyncio.create_task(self._aligned(values, aligner))
            leaving = asyncio.ensure_future(request.receive())
            try:
                await asyncio.wait((aligning, leaving), return_when=asyncio.FIRST_COMPLETED)
                if not aligning.done():
                    raise ClientDisconnect
                return aligning.result()
            finally:  # what nobody waits for is not aligned
                aligning.cancel()
                leaving.cancel()

    async def _aligned(self, values: Any, aligner: str | None) -> Response:
        if isinstance(values, list):
            return await self._align_list(values, aligner)
        result = await self._batches.start(self._intake.read(values, aligner=aligner))
        if result.status == HTTPStatus.OK:
            return json_answer(result.line)
        return error_answer(RequestError(HTTPStatus(result.status), result.error))

    async def _align_list(self, values: list[Any], aligner: str | None) -> Response:
        limits = self._settings.limits
        if len(values) > limits.pairs:
            message = f"expected at most {limits.pairs} pairs, found {len(values)}; send a stream"
            raise RequestError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, message)
        places = asyncio.Semaphore(limits.in_flight)

        async def aligned(number: int, fields: Any) -> str:
            async with places:
                try:
                    pair = self._intake.read(fields, str(number), aligner)
                except RequestError as error:
                    nobody = PairRequest("", "", "", self._intake.id_of(fields, number))
                    return failed_result(nobody, error.status, f"pair {number}: {error.message}").line
                return (await self._batches.start(pair)).line

        lines = await asyncio.gather(*(aligned(number, fields) for number, fields in enumerate(values, 1)))
        return json_answer(f"[{', '.join(lines)}]")

    async def health(self, _: Request) -> Response:
        """Whether the service can align: 503 until a worker has loaded its models."""
        batches = self._batches
        state = "ok" if batches.ready else "failed" if batches.problem else "starting"
        values = {"status": state, "workers": len(batches.workers), "ready_workers": batches.ready}
        if batches.problem:
            values["error"] = batches.problem
        status = HTTPStatus.OK if batches.ready else HTTPStatus.SERVICE_UNAVAILABLE
        return json_answer(format_json_object(values), status)

    async def metrics(self, _: Request) -> Response:
        """Counters for Prometheus."""
        return Response(self._metrics.text(), media_type=METRICS_TYPE)

    async def version(self, _: Request) -> Response:
        """Version of the package, and the aligners with their models."""
        aligners = [
            {"name": name, "kind": model.kind, "model": model.model, "digest": model.digest}
            for name, model in self._settings.models.items()
        ]
        values = {"version": __version__, "default": self._settings.default, "aligners": aligners}
        return json_answer(format_json_object(values))

    async def docs(self, request: Request) -> Response:
        """The page that describes this service."""
        return HTMLResponse(docs_page(self._document(), str(request.base_url)))

    async def openapi(self, _: Request) -> Response:
        """Description of this service."""
        return json_answer(format_json_object(self._document()))

    def _document(self) -> dict[str, Any]:
        names = list(self._settings.models)
        return openapi_document(names, self._settings.default, self._settings.limits)

    async def schema(self, _: Request) -> Response:
        """JSON schema of an alignment."""
        return json_answer(format_json_object(alignment_schema()))


async def _refused(request: Request, error: Exception) -> Response:
    """Answer what no route is for."""
    assert isinstance(error, HTTPException)
    headers = dict(error.headers or {})
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        headers["Allow"] = ", ".join(sorted(headers.get("Allow", "GET").split(", ")))
        message = f"expected {headers['Allow']}"
    elif error.status_code == HTTPStatus.NOT_FOUND:
        message = f"there is nothing at {request.url.path}"
    else:
        message = str(error.detail)
    return error_answer(RequestError(HTTPStatus(error.status_code), message, headers))


async def _explained(_: Request, error: Exception) -> Response:
    assert isinstance(error, RequestError)
    return error_answer(error)
