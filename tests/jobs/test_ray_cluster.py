"""Outputs and models of a Ray cluster of two nodes equal those of one machine, whoever is killed."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from forest_align.cli import main
from forest_align.em.forest.expectation import Totals
from forest_align.em.forest.state import EpochReport, TrainingSettings, TrainingState
from forest_align.em.forest.trainer import train
from forest_align.jobs import RayOptions, expect_on_ray
from forest_align.jobs.ray_cluster import ray_cluster

from ..cli.test_engine_parts import line_of
from ..cli.test_killed_run import write_pairs
from ..em.forest.test_planted_forests import planted_problem, start_weights
from .ray_nodes import Nodes, kill, ray_nodes, start, wait_until

pytestmark = pytest.mark.engine


@pytest.fixture
def nodes() -> Iterator[Nodes]:
    """A cluster of each test's own: after kills, what is left of one may refuse new actors."""
    yield from ray_nodes()


def test_killed_runs_actors_and_nodes_leave_the_bytes_of_a_run_on_one_machine(
    nodes: Nodes, tmp_path: Path
) -> None:
    pairs, whole, parts = tmp_path / "in.jsonl", tmp_path / "whole.jsonl", tmp_path / "parts"
    write_pairs(pairs, 720, random.Random("ray"))
    log = tmp_path / "log"
    assert start("align", str(pairs), "-o", str(whole), "--batch-size", "16", log=log).wait() == 1
    command = ("align", str(pairs), "-o", str(parts), "--batch-size", "16", "--part-size", "16")
    command = (*command, "--engine", "ray", "--address", nodes.address, "--num-actors")
    markers = parts / "completions"

    def finished() -> int:
        return len(list(markers.iterdir())) if markers.exists() else 0

    run = start(*command, "1", log=log)
    wait_until(lambda: finished() > 2, run)
    run.kill()
    run.wait()
    before = {path: path.stat().st_mtime_ns for path in markers.iterdir()}
    assert 2 < len(before) < 30
    run = start(*command, "2", log=log)
    try:
        wait_until(lambda: finished() > len(before), run)
        kill(nodes.actors("MapWorker")[0])
        then = finished()
        wait_until(lambda: finished() > then, run)
        assert finished() < 45
        nodes.kill_second()
        assert run.wait(400) == 1, log.read_text()
    finally:
        run.kill()
    assert finished() == 45
    assert all(path.stat().st_mtime_ns == then for path, then in before.items())
    assert main(["join", str(parts), "-o", str(tmp_path / "joined.jsonl")]) == 1
    assert (tmp_path / "joined.jsonl").read_bytes() == whole.read_bytes()


@pytest.mark.parametrize("trial", range(int(os.environ.get("FOREST_ALIGN_NIGHTLY", "1"))))
def test_what_is_killed_at_a_drawn_moment_leaves_the_bytes_of_a_run_on_one_machine(
    trial: int, nodes: Nodes, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    rng = random.Random(f"trial {trial}")
    whole = tmp_path_factory.getbasetemp() / "whole.jsonl"
    pairs, parts, log = whole.with_name("pairs.jsonl"), tmp_path / "parts", tmp_path / "log"
    if not whole.exists():
        write_pairs(pairs, 320, random.Random("drawn"))
        start("align", str(pairs), "-o", str(whole), "--batch-size", "16", log=log).wait()
    command = ("align", str(pairs), "-o", str(parts), "--batch-size", "16", "--part-size", "16")
    command = (*command, "--engine", "ray", "--address", nodes.address, "--num-actors", "2")
    nodes.add()
    run, kills = start(*command, log=log), rng.randint(1, 3)
    try:
        while run.poll() is None or run.returncode < 0:
            if run.poll() is not None:
                run = start(*command, log=log)
            time.sleep(rng.uniform(0, 12))
            if kills and run.poll() is None:
                kills -= 1
                victim = rng.choice(("actor", "node", "command"))
                if victim == "command":
                    run.kill()
                    run.wait()
                elif victim == "node":
                    nodes.kill_second()
                    nodes.add()
                elif actors := nodes.actors("MapWorker"):
                    kill(rng.choice(actors))
        assert run.returncode == 1, log.read_text()
    finally:
        run.kill()
    assert main(["join", str(parts), "-o", str(tmp_path / "joined.jsonl")]) == 1
    assert (tmp_path / "joined.jsonl").read_bytes() == whole.read_bytes()


def test_counts_of_actors_make_the_table_of_a_run_on_one_machine(nodes: Nodes, tmp_path: Path) -> None:
    rng, names, log = random.Random("counts"), [], tmp_path / "log"
    for number in range(5):
        path = tmp_path / f"lines{number}.jsonl"
        path.write_text("".join(line_of(rng, line) for line in range(40)))
        names.append(str(path))
    nodes.add()
    engine = ("--engine", "ray", "--address", nodes.address, "--num-actors", "2")
    counted = start("extract", *names, "-o", str(tmp_path / "parts"), *engine, log=log)
    assert main(["extract", *names, "-o", str(tmp_path / "whole.tsv")]) == 0
    assert counted.wait(400) == 0, log.read_text()
    assert main(["join", str(tmp_path / "parts"), "-o", str(tmp_path / "joined.tsv")]) == 0
    assert (tmp_path / "joined.tsv").read_bytes() == (tmp_path / "whole.tsv").read_bytes()


def test_without_an_address_a_new_cluster_starts_beside_one_on_this_machine(
    nodes: Nodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    with ray_cluster(RayOptions(None, 1)) as ray:
        assert ray.get_runtime_context().gcs_address != nodes.address
        assert len(ray.nodes()) == 1


SETTINGS = TrainingSettings(epochs=2, batch_size=30)


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
    nodes.add()
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
