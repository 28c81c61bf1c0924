"""What the service counts, in the format of Prometheus."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

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
