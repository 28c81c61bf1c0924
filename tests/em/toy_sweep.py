"""A sweep on a toy problem, for tests.

Run as a script, this file works on a study: as one of several processes, or to be killed.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from forest_align.em.shared_study import SharedStudy
from forest_align.em.tuning import Range, TuningSettings, Values, tune

SPACE = {"height": Range(0.0, 4.0), "size": Range(1, 100, integer=True, logarithmic=True)}
START = {"height": 1.0, "size": 100}  # the best there is


class Parabola:
    """Scores highest at height 1; size hardly matters. Remembers which pairs were scored."""

    def __init__(self, delay: float = 0.0) -> None:
        self.delay = delay
        self.scored: list[list[int]] = []

    pair_count = 10
    fingerprint = "parabola"

    def statistics(self, values: Values, pairs: Sequence[int]) -> np.ndarray:
        time.sleep(self.delay)
        self.scored.append(list(pairs))
        return np.full((len(pairs), 1), 1 - (values["height"] - 1) ** 2 + 1e-4 * values["size"])

    def score(self, rows: np.ndarray) -> float:
        return float(rows.mean())


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
    storage, trials, workers, delay, first = sys.argv[1:]
    parabola = Parabola(float(delay))
    settings = TuningSettings(trials=int(trials), workers=int(workers))
    tune(parabola, SPACE, settings, SharedStudy(storage, "toy"), START if first == "start" else None)
    print(sum(map(len, parabola.scored)))
