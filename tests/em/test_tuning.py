"""The sweep on a toy problem.

Run as a script, this file works on a study, as one of several processes; a test starts two of them.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from forest_align.em.study_results import best_values, importances, trial_table
from forest_align.em.tuning import (
    Range,
    TuningSettings,
    Values,
    open_study,
    tune,
)
from forest_align.types import InputError

SPACE = {"height": Range(0.0, 4.0), "size": Range(1, 100, integer=True, logarithmic=True)}


class Parabola:
    """Scores highest at height 1; size hardly matters. Remembers which pairs were scored."""

    def __init__(self, delay: float = 0.0) -> None:
        self.delay = delay
        self.scored = 0

    pair_count = 10
    fingerprint = "parabola"

    def statistics(self, values: Values, pairs: Sequence[int]) -> np.ndarray:
        time.sleep(self.delay)
        self.scored += len(pairs)
        return np.full((len(pairs), 1), 1 - (values["height"] - 1) ** 2 + 1e-4 * values["size"])

    def score(self, rows: np.ndarray) -> float:
        return float(rows.mean())


def sqlite(folder: Path) -> str:
    return f"sqlite:///{folder / 'sweep.db'}"


def test_the_best_trial_comes_near_the_planted_optimum(tmp_path: Path) -> None:
    study = open_study(sqlite(tmp_path), "toy")
    tune(Parabola(), SPACE, TuningSettings(trials=40), study)
    assert best_values(study)["height"] == pytest.approx(1.0, abs=0.3)
    share = importances(study)
    assert share["height"] > share["size"]


def test_the_first_trial_has_the_start_values(tmp_path: Path) -> None:
    study = open_study(sqlite(tmp_path), "toy", {"height": 3.5, "size": 7})
    tune(Parabola(), SPACE, TuningSettings(trials=3), study)
    assert study.trials[0].params == {"height": 3.5, "size": 7}


@pytest.mark.parametrize("seed", [-1, 2**32])
def test_a_seed_that_no_sampler_takes_is_refused(seed: int) -> None:
    with pytest.raises(InputError, match="seed"):
        TuningSettings(seed=seed)


def test_large_seeds_work(tmp_path: Path) -> None:
    study = open_study(sqlite(tmp_path), "toy")
    tune(Parabola(), SPACE, TuningSettings(trials=2, seed=2**32 - 1), study)
    assert len(study.trials) == 2


def test_one_worker_with_one_seed_gives_the_same_trials(tmp_path: Path) -> None:
    params = []
    for name in ("first", "second"):
        study = open_study(sqlite(tmp_path), name)
        tune(Parabola(), SPACE, TuningSettings(trials=15, seed=4), study)
        params.append([trial.params for trial in study.trials])
    assert params[0] == params[1]


def test_an_interrupted_sweep_goes_on_where_it_stopped(tmp_path: Path) -> None:
    tune(Parabola(), SPACE, TuningSettings(trials=6), open_study(sqlite(tmp_path), "toy"))
    study = open_study(sqlite(tmp_path), "toy")
    tune(Parabola(), SPACE, TuningSettings(trials=9), study)
    assert len(study.trials) == 9
    tune(Parabola(), SPACE, TuningSettings(trials=9), study)
    assert len(study.trials) == 9


def test_bad_trials_are_stopped_before_the_last_pair(tmp_path: Path) -> None:
    problem = Parabola()
    study = open_study(sqlite(tmp_path), "toy")
    tune(problem, SPACE, TuningSettings(trials=30), study)
    assert any(trial.state.name == "PRUNED" for trial in study.trials)
    assert problem.scored < 30 * problem.pair_count


def test_workers_share_the_trials(tmp_path: Path) -> None:
    study = open_study(sqlite(tmp_path), "toy")
    tune(Parabola(delay=0.01), SPACE, TuningSettings(trials=12, workers=3), study)
    ran = [trial for trial in study.trials if trial.state.name in ("COMPLETE", "PRUNED")]
    assert len(ran) == 12


@pytest.mark.parametrize("kind", ["sqlite", "journal"])
def test_two_processes_on_one_storage_share_the_study(tmp_path: Path, kind: str) -> None:
    storage = sqlite(tmp_path) if kind == "sqlite" else f"journal:{tmp_path / 'sweep.journal'}"
    command = [sys.executable, __file__, storage]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    scored = [int(process.communicate()[0]) for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    study = open_study(storage, "toy")
    ran = [trial for trial in study.trials if trial.state.name in ("COMPLETE", "PRUNED")]
    assert len(ran) == 12
    assert all(scored), "one process ran all of the trials"
    assert len({trial.params["height"] for trial in ran}) == 12


def test_the_table_lists_the_best_trials_first_and_says_what_was_pruned(tmp_path: Path) -> None:
    study = open_study(sqlite(tmp_path), "toy")
    tune(Parabola(), SPACE, TuningSettings(trials=12), study)
    lines = trial_table(study, 3).splitlines()
    assert lines[0].split() == ["trial", "score", "height", "size"]
    scores = [float(line.split()[1]) for line in lines[1:4]]
    assert scores == sorted(scores, reverse=True)
    assert lines[4].split()[0] == "importance"
    assert "complete" in lines[5] and "pruned" in lines[5]


def test_the_table_counts_trials_that_were_killed(tmp_path: Path) -> None:
    study = open_study(sqlite(tmp_path), "toy")
    study.ask()
    tune(Parabola(), SPACE, TuningSettings(trials=3), study)
    assert "2 complete" in trial_table(study).splitlines()[-1]
    assert "1 not ended" in trial_table(study).splitlines()[-1]
    tune(Parabola(), SPACE, TuningSettings(trials=4), study)
    assert "3 complete" in trial_table(study).splitlines()[-1]


def test_a_failing_trial_is_marked_and_its_error_seen(tmp_path: Path) -> None:
    class Failing(Parabola):
        def statistics(self, values: Values, pairs: Sequence[int]) -> np.ndarray:
            raise RuntimeError("no luck")

    study = open_study(sqlite(tmp_path), "toy")
    with pytest.raises(RuntimeError, match="no luck"):
        tune(Failing(), SPACE, TuningSettings(trials=2), study)
    assert study.trials[0].state.name == "FAIL"
    with pytest.raises(InputError, match="no complete trial"):
        best_values(study)


def test_a_trial_that_another_worker_has_finished_meanwhile_is_left_as_it_is(tmp_path: Path) -> None:
    study = open_study(sqlite(tmp_path), "toy", {"height": 2.0, "size": 5})

    class Overtaken(Parabola):
        def statistics(self, values: Values, pairs: Sequence[int]) -> np.ndarray:
            study.tell(0, 0.25, skip_if_finished=True)
            return super().statistics(values, pairs)

    tune(Overtaken(), SPACE, TuningSettings(trials=3), study)
    assert study.trials[0].value == 0.25
    assert [trial.state.name for trial in study.trials if trial.state.name == "FAIL"] == []
    assert len(study.trials) == 3


def test_a_study_of_another_problem_is_refused_by_name(tmp_path: Path) -> None:
    class Other(Parabola):
        fingerprint = "other"

    study = open_study(sqlite(tmp_path), "toy")
    tune(Parabola(), SPACE, TuningSettings(trials=2), study)
    with pytest.raises(InputError, match="'toy' has trials of other pairs"):
        tune(Other(), SPACE, TuningSettings(trials=4), study)
    assert len(study.trials) == 2


def test_a_score_that_is_no_number_ends_the_sweep(tmp_path: Path) -> None:
    class Undefined(Parabola):
        def score(self, rows: np.ndarray) -> float:
            return float("nan")

    study = open_study(sqlite(tmp_path), "toy")
    with pytest.raises(InputError, match="finite score, found nan"):
        tune(Undefined(), SPACE, TuningSettings(trials=2), study)
    assert [trial.state.name for trial in study.trials] == ["FAIL"]


def test_a_storage_that_cannot_be_opened_is_named() -> None:
    with pytest.raises(InputError, match="nonsense://x"):
        open_study("nonsense://x", "toy")


if __name__ == "__main__":
    parabola = Parabola(delay=0.05)
    tune(parabola, SPACE, TuningSettings(trials=12), open_study(sys.argv[1], "toy"))
    print(parabola.scored)
