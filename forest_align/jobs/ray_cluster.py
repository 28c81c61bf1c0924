"""Connects to a Ray cluster, or starts one on this machine."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from forest_align.types import ForestAlignError, InputError

_NEEDS_MORE = "--engine ray needs more packages: pip install 'forest-align[ray]'"
#: Memory of Ray's object store on this machine if work is handed over in files.
_STORE_BYTES = 200 << 20


@dataclass(frozen=True, slots=True)
class RayOptions:
    """Which cluster to use, and how much of it.

    Attributes
    ----------
    address : str or None
        Address of a cluster, or ``auto`` for the one that this machine belongs to. By default, the one that
        the variable RAY_ADDRESS names, else a new one on this machine, which ends with the work.
    actors : int or None
        Number of processes that work; by default one for each processor of the cluster, or as many as its
        GPUs suffice for.
    gpus : float
        GPUs for each of them; a fraction lets several share one.
    """

    address: str | None = None
    actors: int | None = None
    gpus: float = 0.0

    def actors_of(self, ray: Any) -> int:
        """The number of actors on the connected cluster.

        Raises
        ------
        InputError
            If the cluster has no GPU for them.
        """
        resources = ray.cluster_resources()
        if self.gpus and not resources.get("GPU"):
            raise InputError(f"expected a cluster with GPUs for {self.gpus:g} an actor, found none")
        most = int(resources.get("CPU", 1))
        if self.gpus:
            most = min(most, int(resources["GPU"] / self.gpus))
        return self.actors or max(most, 1)


@contextmanager
def ray_cluster(options: RayOptions, store_bytes: int | None = _STORE_BYTES) -> Iterator[Any]:
    """Connect to a cluster while the block runs; the value is the module ``ray``.

    ``store_bytes`` is the object store of a new cluster; None leaves it to Ray. Raises ForestAlignError if
    Ray is not installed, or the cluster cannot be reached.
    """
    # Workers leave CUDA_VISIBLE_DEVICES alone; nothing is reported to anyone; no line about each actor.
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault(
        "RAY_BACKEND_LOG_LEVEL", "fatal"
    )  # else a line about arguments of actors is printed
    try:
        import ray
    except ImportError as error:
        raise ForestAlignError(f"{error}; {_NEEDS_MORE}") from None
    if ray.is_initialized():  # a program that uses Ray itself
        yield ray
        return
    address = options.address or os.environ.get("RAY_ADDRESS")
    more: dict[str, Any] = {}
    if address is None:
        more = {"object_store_memory": store_bytes, "include_dashboard": False}
        if options.actors is not None:
            more["num_cpus"] = max(options.actors, os.cpu_count() or 1)
    try:
        # Without an address, Ray would join a cluster that someone has started on this machine.
        ray.init(address=address or "local", log_to_driver=False, logging_level=logging.ERROR, **more)
    except (ConnectionError, ValueError, RuntimeError) as error:
        message = f"the Ray cluster {address or 'on this machine'} cannot be used: {error}"
        raise ForestAlignError(message) from None
    try:
        yield ray
    finally:
        ray.shutdown()
