"""A sweep on a toy problem, for tests.

Run as a script, this file works on a study: as one of several processes, or to be killed. Nothing depends on
how fast processes are: they wait for one another, or wait to be killed.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from forest_align.em.tuning.study import SharedStudy
from forest_align.em.tuning.trials import Range, TuningSettings, Values, tune

SPACE = {"height": Range(0.0, 4.0), "size": Range(1, 100, integer=True, logarithmic=True)}
START = {"height": 1.0, "size": 100}  # the best there is


class Parabola:
    """Scores highest at height 1; size hardly matters. Remembers which pairs were scored."""

    def __init__(self) -> None:
        self.scored: list[list[int]] = []

    pair_count = 10
    fingerprint = "parabola"

    def statistics(self, values: Values, pairs: Sequence[int]) -> np.ndarray:
        self.scored.append(list(pairs))
        return np.full((len(pairs), 1), 1 - (values["height"] - 1) ** 2 + 1e-4 * values["size"])

    def score(self, rows: np.ndarray) -> float:
        return float(rows.mean())


def wait_until(true: Callable[[], bool]) -> None:
    """Wait as long as need be: how long it takes says nothing."""
    while not true():
        time.sleep(0.01)


def hold() -> None:
    """Do not go on: to be stopped here."""
    time.sleep(3600)


class Meeting(Parabola):
    """Each process waits in its first trial until so many have begun one: each has some of the trials."""

    def __init__(self, folder: Path, count: int) -> None:
        super().__init__()
        self.folder, self.count = folder, count
        folder.mkdir(exist_ok=True)

    def statistics(self, values: Values, pairs: Sequence[int]) -> np.ndarray:
        (self.folder / str(os.getpid())).touch()
        wait_until(lambda: len(list(self.folder.iterdir())) >= self.count)
        return super().statistics(values, pairs)


class Held(Parabola):
    """Scores so many trials; then each process leaves its number in a folder, and never ends its trial."""

    def __init__(self, folder: Path, count: int) -> None:
        super().__init__()
        self.folder, self.count = folder, count
        folder.mkdir(exist_ok=True)
        self.seen: set[tuple[float, ...]] = set()

    def statistics(self, values: Values, pairs: Sequence[int]) -> np.ndarray:
        self.seen.add(tuple(values.values()))
        if len(self.seen) > self.count:
            (self.folder / str(os.getpid())).touch()
            hold()
        return super().statistics(values, pairs)


KINDS: dict[str, type[Meeting] | type[Held]] = {"meeting": Meeting, "held": Held}


def sqlite(folder: Path, name: str = "toy") -> SharedStudy:
    return SharedStudy(f"sqlite:///{folder / 'sweep.db'}", name)


def journal(folder: Path, name: str = "toy") -> SharedStudy:
    return SharedStudy(f"journal:{folder / 'sweep.journal'}", name)


STORAGES = {"sqlite": sqlite, "journal": journal}


def ended(shared: SharedStudy) -> list[Any]:
    return [trial for trial in shared.open().trials if trial.state.name in ("COMPLETE", "PRUNED")]


def states(shared: SharedStudy) -> list[str]:
    return [trial.state.name for trial in shared.open().trials]


if __name__ == "__main__":
    storage, trials, workers, kind, folder, count, first = sys.argv[1:]
    problem = KINDS[kind](Path(folder), int(count))
    settings = TuningSettings(trials=int(trials), workers=int(workers))
    tune(problem, SPACE, settings, SharedStudy(storage, "toy"), START if first == "start" else None)
    print(sum(map(len, problem.scored)))
