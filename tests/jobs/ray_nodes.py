"""A Ray cluster of two nodes on this machine, whose nodes and actors tests may kill."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

STORE = 100 << 20
# A node that was killed is noticed after some seconds, not after half a minute.
HEALTH = {
    "health_check_initial_delay_ms": 1000,
    "health_check_period_ms": 1000,
    "health_check_timeout_ms": 2000,
    "health_check_failure_threshold": 3,
}
# Blocks are small, so that there are several.
PROGRAM = """
import sys
from forest_align.cli import main
from forest_align.jobs import run_record
run_record.BLOCK_LINES = 16
sys.exit(main(sys.argv[1:]))
"""


class Nodes:
    """The cluster."""

    def __init__(self) -> None:
        from ray.cluster_utils import Cluster

        head = {"num_cpus": 1, "object_store_memory": STORE, "include_dashboard": False}
        head["_system_config"] = HEALTH
        self._cluster: Any = Cluster(initialize_head=True, head_node_args=head)
        self._second: Any = None
        self.add()

    @property
    def address(self) -> str:
        return str(self._cluster.address)

    def add(self) -> None:
        """Add the second node, unless it is there."""
        if self._second is None:
            self._second = self._cluster.add_node(num_cpus=2, object_store_memory=STORE)

    def kill_second(self) -> None:
        """Kill all processes of the second node."""
        self._cluster.remove_node(self._second, allow_graceful=False)
        self._second = None

    def actors(self, name: str) -> list[int]:
        """Processes of the actors whose class has this in its name."""
        nodes = [node for node in (self._cluster.head_node, self._second) if node is not None]
        raylets = {node.all_processes["raylet"][0].process.pid for node in nodes}
        found = []
        for path in Path("/proc").glob("[0-9]*/stat"):
            try:
                parent = int(path.read_text().rpartition(")")[2].split()[1])
                title = path.with_name("cmdline").read_bytes()
            except OSError:  # it has ended
                continue
            if parent in raylets and title.startswith(b"ray::") and name.encode() in title:
                found.append(int(path.parent.name))
        return found

    def shutdown(self) -> None:
        self._cluster.shutdown()


def ray_nodes() -> Iterator[Nodes]:
    pytest.importorskip("ray", reason="needs the extra [ray]")
    pytest.importorskip("pyarrow", reason="needs the extra [ray]")
    # Without the niceness, workers of a busy machine would hardly get its processors.
    os.environ.update(RAY_USAGE_STATS_ENABLED="0", RAY_worker_niceness="0")
    nodes = Nodes()
    try:
        yield nodes
    finally:
        nodes.shutdown()


def start(*arguments: str, log: Path) -> subprocess.Popen[bytes]:
    """Start a command with small blocks."""
    with log.open("ab") as file:
        return subprocess.Popen([sys.executable, "-c", PROGRAM, *arguments], stderr=file, stdout=file)


def kill(process: int) -> None:
    os.kill(process, signal.SIGKILL)


def wait_until(happened: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    """Wait for something that a process does; fail if it ends before."""
    while not happened():
        assert process.poll() is None, f"it ended before, with {process.returncode}"
        time.sleep(0.05)
