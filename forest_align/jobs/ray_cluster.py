"""A Ray cluster: parts of an output that its actors make, and the E-step of a training on its actors."""

from __future__ import annotations

import logging
import os
import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from forest_align.jobs.part_folder import PartFolder
from forest_align.system.processes import use_one_thread
from forest_align.system.terminal import counting_bar
from forest_align.types import ForestAlignError, InputError

if TYPE_CHECKING:
    import numpy as np

    from forest_align.em.forest.expectation import BatchExpectation, PairExpectation
    from forest_align.em.forest.problem import AlignmentProblem, ClassScores, PairSearch

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
    # Otherwise a line about arguments of actors is printed.
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
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


@dataclass(frozen=True, slots=True)
class PartWork:
    """Makes the parts of a folder; it is pickled, and each actor gets a copy.

    Attributes
    ----------
    folder : PartFolder
        Gets the parts.
    write : callable
        Writes the part of a number, and returns what it has. It may be called again for the same part, even
        while another actor still writes it: the result must be the same, and replace a file in one step.
    read : mapping
        The whole input, see :attr:`~forest_align.jobs.part_folder.PartReport.read`.
    """

    folder: PartFolder
    write: Callable[[int], Mapping[str, int]]
    read: Mapping[str, int | str]

    def make(self, number: int) -> None:
        """Make a part, unless it is finished."""
        if not self.folder.is_finished(number):
            self.folder.attempt(number)
            self.folder.finish(number, self.write(number), self.read)


def run_parts(work: PartWork, unit: str, options: RayOptions) -> int:
    """Make the parts that are not finished, and say how many items there are; return how many failed."""
    folder = work.folder
    numbers = range(1, folder.parts + 1)
    left = [number for number in numbers if not folder.is_finished(number)]
    for number in left:
        folder.forget_attempts(number)
    done = folder.parts - len(left)
    if done:
        print(
            f"forest-align {folder.command}: {done} of {folder.parts} parts are finished already",
            file=sys.stderr,
        )
    with counting_bar("parts", folder.parts, done) as bar:
        for _ in make_parts(work, left, options):
            bar.update()
    reports = [folder.report(number) for number in numbers]
    items, failures = sum(report.items for report in reports), sum(report.failures for report in reports)
    failed = f"; {failures} of them have an error" if failures else ""
    print(f"forest-align {folder.command}: {items} {unit} in {folder.parts} parts{failed}", file=sys.stderr)
    return failures


def make_parts(work: PartWork, parts: Sequence[int], options: RayOptions) -> Iterator[int]:
    """Make parts on a Ray cluster; if an actor or its machine dies, another one makes the part again.

    Parameters
    ----------
    work : PartWork
        Makes one part. Relative paths in it are those of this process, as far as the machines of the cluster
        have its working directory.
    parts : sequence of int
        Numbers of the parts.
    options : RayOptions
        The cluster.

    Yields
    ------
    int
        The number of each finished part, in any order.

    Raises
    ------
    ForestAlignError
        If Ray is not installed, or a part cannot be made.
    """
    if not parts:
        return
    with ray_cluster(options) as ray:
        from ray import data

        logging.getLogger("ray.data").setLevel(logging.ERROR)
        context = data.DataContext.get_current()
        context.enable_progress_bars = context.print_on_execution_start = False
        actors = min(options.actors_of(ray), len(parts))
        strategy = data.ActorPoolStrategy(min_size=1, initial_size=actors, max_size=actors)
        more = {"num_gpus": options.gpus} if options.gpus else {}
        # One row a block, so that each part is a task of its own, which Ray repeats where it was lost.
        rows = data.from_items([{"part": number} for number in parts], override_num_blocks=len(parts))
        made_by: dict[str, Any] = {"compute": strategy, "fn_constructor_args": (work, os.getcwd())}
        made = rows.map_batches(_Actor, batch_size=1, num_cpus=1, **made_by, **more)
        try:
            for row in made.iter_rows():
                if row["error"]:
                    raise InputError(row["error"])
                yield int(row["part"])
        except ray.exceptions.RayError as error:
            raise ForestAlignError(f"the work on the Ray cluster failed: {error}") from error


class _Actor:
    """What each actor does; Ray Data calls it with batches of one row."""

    def __init__(self, work: PartWork, folder: str) -> None:
        if os.path.isdir(folder):
            os.chdir(folder)
        use_one_thread()
        self._work = work

    def __call__(self, batch: dict[str, Any]) -> dict[str, list[Any]]:
        (number,) = batch["part"]
        error = ""
        try:
            self._work.make(int(number))
        except (ForestAlignError, OSError) as problem:  # Ray would repeat it, or show its own traceback
            error = str(problem) or type(problem).__name__
        return {"part": [int(number)], "error": [error]}


# Pieces of a batch for each actor: few enough for little overhead, enough for actors of different speeds.
_PIECES = 4
_MOST_LOSSES = 8  # actors that may die in one batch


@contextmanager
def expect_on_ray(problem: AlignmentProblem, options: RayOptions) -> Iterator[BatchExpectation]:
    """The E-step on a Ray cluster.

    Each actor gets all pairs once. For each batch it gets the log-probabilities of its pairs' classes, and
    returns the events of their alignments. They come back in the order of the pairs, so the number of actors
    does not affect the result. If an actor or its machine dies, another one aligns its pairs.

    Parameters
    ----------
    problem : AlignmentProblem
        The pairs.
    options : RayOptions
        The cluster.

    Raises
    ------
    ForestAlignError
        If Ray is not installed, the cluster cannot be used, or its actors keep dying.
    """
    with ray_cluster(options, store_bytes=None) as ray:
        pool = _Pool(ray, problem, options.actors_of(ray))
        try:
            yield pool.expect
        finally:
            pool.close()


class _Searcher:
    """What each actor does."""

    def __init__(self, search: PairSearch) -> None:
        use_one_thread()
        self._search = search

    def is_ready(self) -> bool:
        return True

    def expect(self, scores: Sequence[tuple[int, ClassScores]]) -> list[PairExpectation]:
        from threadpoolctl import threadpool_limits

        with threadpool_limits(1, "blas"):
            return [self._search.expect(pair, pair_scores) for pair, pair_scores in scores]


class _Pool:
    """Actors, each busy with one piece of a batch at a time."""

    def __init__(self, ray: Any, problem: AlignmentProblem, size: int) -> None:
        self._ray, self._problem, self._size = ray, problem, size
        self._search = ray.put(problem.search)
        self._actor = ray.remote(num_cpus=1)(_Searcher)
        self._idle: list[Any] = []
        # Each running call with its actor and the number of its piece; None until a new actor is ready.
        self._running: dict[Any, tuple[Any, int | None]] = {}
        for _ in range(size):
            self._start()

    def _start(self) -> None:
        actor = self._actor.remote(self._search)
        self._running[actor.is_ready.remote()] = actor, None

    def expect(self, pairs: Sequence[int], log_events: np.ndarray) -> Iterator[PairExpectation]:
        """Align the pairs of a batch; results are in their order."""
        length = max(1, -(-len(pairs) // (self._size * _PIECES)))
        pieces = [pairs[first : first + length] for first in range(0, len(pairs), length)]
        waiting = deque(range(len(pieces)))
        done: dict[int, list[PairExpectation]] = {}
        coming = losses = 0
        while coming < len(pieces):
            while waiting and self._idle:
                actor, number = self._idle.pop(), waiting.popleft()
                scores = [(pair, self._problem.scores(pair, log_events)) for pair in pieces[number]]
                self._running[actor.expect.remote(scores)] = actor, number
            (call,), _ = self._ray.wait(list(self._running), num_returns=1)
            actor, piece = self._running.pop(call)
            try:
                expectations = self._ray.get(call)
            except self._ray.exceptions.RayActorError as error:
                losses += 1
                if losses > _MOST_LOSSES:
                    raise ForestAlignError(f"{losses} actors died in one batch; the last: {error}") from None
                self._ray.kill(actor)  # it may only be out of reach
                self._start()
                if piece is not None:
                    waiting.appendleft(piece)
                continue
            except self._ray.exceptions.RayTaskError as error:
                raise error.cause from None
            self._idle.append(actor)
            if piece is not None:
                done[piece] = expectations
            while coming in done:
                yield from done.pop(coming)
                coming += 1

    def close(self) -> None:
        """End the actors; in a program that uses Ray itself, the cluster stays."""
        for actor in [*self._idle, *(actor for actor, _ in self._running.values())]:
            self._ray.kill(actor)
