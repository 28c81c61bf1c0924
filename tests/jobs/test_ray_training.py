"""Training on a Ray cluster gives the bytes of a run on one machine, for any number of actors."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from forest_align.em.forest._trainer import train
from forest_align.em.forest.expectation import Totals
from forest_align.em.forest.state import EpochReport, TrainingSettings, TrainingState
from forest_align.jobs import RayOptions, expect_on_ray

from ..em.forest.planted_forests import planted_problem
from ..em.forest.test_planted_forests import start_weights
from .ray_nodes import Nodes, kill, ray_nodes

pytestmark = pytest.mark.engine

SETTINGS = TrainingSettings(epochs=2, batch_size=30)


@pytest.fixture(scope="module")
def nodes() -> Iterator[Nodes]:
    yield from ray_nodes()


class Killer:
    """An observer that kills an actor after some pairs, and later the second node."""

    def __init__(self, nodes: Nodes) -> None:
        self.nodes, self.pairs = nodes, 0

    def begin_epoch(self, state: TrainingState) -> None:
        pass

    def end_epoch(self, report: EpochReport) -> None:
        pass

    def pair_done(self, totals: Totals) -> None:
        self.pairs += 1
        if self.pairs == 40:
            kill(self.nodes.actors("_Searcher")[0])
        elif self.pairs == 100:
            self.nodes.kill_second()


@pytest.mark.parametrize("count", [1, 2, 3])
def test_weights_are_those_of_a_local_run_for_any_number_of_actors(nodes: Nodes, count: int) -> None:
    problem, _ = planted_problem(75)
    expected = train(problem, SETTINGS, start_weights())
    killer = Killer(nodes) if count == 3 else None
    found = train(
        problem,
        SETTINGS,
        start_weights(),
        expectation=expect_on_ray(problem, RayOptions(nodes.address, count)),
        observer=killer,
    )
    assert found.weights.tobytes() == expected.weights.tobytes()
    assert found.counts.tobytes() == expected.counts.tobytes()
    assert found.history == expected.history and found.totals == expected.totals
    assert killer is None or killer.pairs == 150
    assert np.abs(found.weights - start_weights()).max() > 0.1
