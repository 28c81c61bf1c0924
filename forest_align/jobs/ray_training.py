"""The E-step of the forest aligner's training on actors of a Ray cluster."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from forest_align.em.forest.expectation import BatchExpectation, PairExpectation
from forest_align.em.forest.problem import AlignmentProblem, ClassScores, PairSearch
from forest_align.jobs.ray_parts import RayOptions, ray_cluster
from forest_align.system.processes import use_one_thread
from forest_align.types import ForestAlignError

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
            return [self._search.expect(pair, one) for pair, one in scores]


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
        waiting, done = deque(range(len(pieces))), dict[int, list[PairExpectation]]()
        coming = losses = 0
        while coming < len(pieces):
            while waiting and self._idle:
                actor, number = self._idle.pop(), waiting.popleft()
                scores = [(pair, self._problem.scores(pair, log_events)) for pair in pieces[number]]
                self._running[actor.expect.remote(scores)] = actor, number
            (call,), _ = self._ray.wait(list(self._running), num_returns=1)
            actor, piece = self._running.pop(call)
            try:
                found = self._ray.get(call)
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
                done[piece] = found
            while coming in done:
                yield from done.pop(coming)
                coming += 1

    def close(self) -> None:
        """End the actors; in a program that uses Ray itself, the cluster stays."""
        for actor in [*self._idle, *(actor for actor, _ in self._running.values())]:
            self._ray.kill(actor)
