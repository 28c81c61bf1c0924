"""The sweep on a toy problem, in one process."""

from __future__ import annotations

import platform
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.exceptions import DuplicatedStudyError, StorageInternalError

from forest_align.cli import main
from forest_align.em.tuning import study as shared_study
from forest_align.em.tuning import trials
from forest_align.em.tuning.study import (
    SharedStudy,
    best_values,
    claim,
    importances,
    trial_table,
    winner_note,
)
from forest_align.em.tuning.trials import Range, TuningSettings, Values, tune
from forest_align.types import InputError

from .toy_sweep import SPACE, START, Parabola, ended, journal, states


def test_the_best_trial_comes_near_the_planted_optimum(tmp_path: Path) -> None:
    study = tune(Parabola(), SPACE, TuningSettings(trials=40), journal(tmp_path))
    assert best_values(study)["height"] == pytest.approx(1.0, abs=0.3)
    share = importances(study)
    assert share["height"] > share["size"]
    assert sum(share.values()) == pytest.approx(1.0)


def test_a_range_is_searched_as_it_says() -> None:
    ranges = {
        "ratio": Range(0.5, 30.0, logarithmic=True),
        "share": Range(0.0, 1.0),
        "beam": Range(20, 200, integer=True, logarithmic=True),
        "gap": Range(2, 6, integer=True),
        "size": Range(choices=(1, 50)),
    }
    trial = SharedStudy("sqlite://", "ranges").open().ask()
    values = {name: range_.suggest(trial, name) for name, range_ in ranges.items()}
    assert trial.distributions == {
        "ratio": FloatDistribution(0.5, 30.0, log=True),
        "share": FloatDistribution(0.0, 1.0),
        "beam": IntDistribution(20, 200, log=True),
        "gap": IntDistribution(2, 6),
        "size": CategoricalDistribution((1, 50)),
    }
    assert values == trial.params
    assert [type(values[name]) for name in ("beam", "gap", "size")] == [int, int, int]


def test_workers_need_a_system_that_can_fork(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trials, "can_fork", lambda: False)
    assert TuningSettings(workers=1).workers == 1
    with pytest.raises(InputError, match="expected 1 on this system"):
        TuningSettings(workers=2)


def test_an_interrupted_sweep_goes_on_where_it_stopped(tmp_path: Path) -> None:
    reports: list[int] = []
    tune(Parabola(), SPACE, TuningSettings(trials=6), journal(tmp_path))
    study = tune(Parabola(), SPACE, TuningSettings(trials=9), journal(tmp_path), report=reports.append)
    assert len(study.trials) == 9
    assert sorted(set(reports)) == [6, 7, 8, 9] and reports[0] == 6
    assert len(tune(Parabola(), SPACE, TuningSettings(trials=9), journal(tmp_path)).trials) == 9


def test_bad_trials_are_stopped_before_the_last_pair(tmp_path: Path) -> None:
    problem = Parabola()
    study = tune(problem, SPACE, TuningSettings(trials=30), journal(tmp_path))
    found = [trial.state.name for trial in study.trials]
    assert "PRUNED" in found
    assert found[:5] == ["COMPLETE"] * 5, "nobody knows yet what is bad"
    assert sum(map(len, problem.scored)) < 30 * problem.pair_count
    for trial in study.trials:
        if trial.state.name == "PRUNED":
            before = [one.value for one in study.trials[: trial.number] if one.state.name == "COMPLETE"]
            assert trial.value < np.median(before)


def test_each_part_of_the_pairs_is_drawn_from_all_files(tmp_path: Path) -> None:
    class Long(Parabola):
        pair_count = 100

    problem = Long()
    tune(problem, SPACE, TuningSettings(trials=1), journal(tmp_path))
    tune(again := Long(), SPACE, TuningSettings(trials=1, seed=3), journal(tmp_path, "other"))
    assert problem.scored == again.scored
    assert sorted(np.concatenate(problem.scored).tolist()) == list(range(100))
    for part in problem.scored:
        assert min(part) < 25 and max(part) >= 75


def test_parts_change_no_bit_of_a_score(tmp_path: Path) -> None:
    class Uneven(Parabola):
        pair_count = 50

        def statistics(self, values: Values, pairs: Sequence[int]) -> np.ndarray:
            return super().statistics(values, pairs) * 3.0 ** np.array(pairs)[:, None]

        def score(self, rows: np.ndarray) -> float:
            return float(sum(rows[:, 0].tolist()))

    whole = Uneven()
    for chunks in (1, 3, 5, 50):
        shared = journal(tmp_path, f"{chunks}")
        study = tune(Uneven(), SPACE, TuningSettings(trials=2, chunks=chunks), shared)
        for trial in study.trials:
            assert trial.value == whole.score(whole.statistics(trial.params, range(50)))


def test_the_table_lists_the_best_trials_first_and_says_what_was_pruned(tmp_path: Path) -> None:
    study = tune(Parabola(), SPACE, TuningSettings(trials=12), journal(tmp_path))
    lines = trial_table(study, 3).splitlines()
    assert lines[0].split() == ["trial", "score", "height", "size"]
    scores = [float(line.split()[1]) for line in lines[1:4]]
    assert scores == sorted(scores, reverse=True)
    assert lines[4].split()[0] == "importance"
    assert "complete" in lines[5] and "pruned" in lines[5]


def test_a_trial_of_a_process_that_dies_meanwhile_is_made_up_for(tmp_path: Path) -> None:
    other = journal(tmp_path).open()

    class Beside(Parabola):
        def statistics(self, values: Values, pairs: Sequence[int]) -> np.ndarray:
            if not self.scored:
                trial = other.ask()
                trial.set_user_attr("owner", [platform.node(), "0-0"])
                trial.set_user_attr("place", 1)
            return super().statistics(values, pairs)

    tune(Beside(), SPACE, TuningSettings(trials=4), journal(tmp_path))
    assert sorted(states(journal(tmp_path))) == ["COMPLETE"] * 4 + ["FAIL"]


def test_a_start_that_another_process_is_at_is_not_begun_a_second_time(tmp_path: Path) -> None:
    other = journal(tmp_path).open()
    other.enqueue_trial(START, user_attrs={"start": START})
    trial = other.ask()
    claim(other, trial)

    class Waiting(Parabola):
        def statistics(self, values: Values, pairs: Sequence[int]) -> np.ndarray:
            assert values != START
            if len(ended(journal(tmp_path))) == 2:  # this is the last one
                for name, range_ in SPACE.items():
                    range_.suggest(trial, name)
                other.tell(trial.number, 1.0, skip_if_finished=True)
            return super().statistics(values, pairs)

    study = tune(Waiting(), SPACE, TuningSettings(trials=4), journal(tmp_path), START)
    assert [one.params == START for one in study.trials] == [True, False, False, False]


@pytest.mark.parametrize("last", [1, 3])
def test_a_start_whose_process_dies_meanwhile_is_scored_among_the_trials_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, last: int
) -> None:
    """While another process seems alive, its trial has a place; it dies in a trial of this process."""
    other = journal(tmp_path).open()
    other.enqueue_trial(START, user_attrs={"start": START})
    begun = other.ask()
    claim(other, begun)
    begun.set_user_attr("owner", [platform.node(), "0-0"])
    alive = {"0-0"}
    is_alive = shared_study._is_alive
    monkeypatch.setattr(shared_study, "_is_alive", lambda host, name: name in alive or is_alive(host, name))

    class Outliving(Parabola):
        def statistics(self, values: Values, pairs: Sequence[int]) -> np.ndarray:
            if len(self.scored) == (last - 1) * 5:
                alive.clear()
            return super().statistics(values, pairs)

    study = tune(Outliving(), SPACE, TuningSettings(trials=4), journal(tmp_path), START)
    assert best_values(study) == START
    assert states(journal(tmp_path)) == ["FAIL"] + ["COMPLETE"] * 4
    assert sorted(trial.user_attrs["place"] for trial in ended(journal(tmp_path))) == [0, 1, 2, 3]


def test_a_failing_trial_is_marked_and_its_error_seen(tmp_path: Path) -> None:
    class Failing(Parabola):
        def statistics(self, values: Values, pairs: Sequence[int]) -> np.ndarray:
            raise RuntimeError("no luck")

    with pytest.raises(RuntimeError, match="no luck"):
        tune(Failing(), SPACE, TuningSettings(trials=2), journal(tmp_path))
    assert states(journal(tmp_path)) == ["FAIL"]
    with pytest.raises(InputError, match="no complete trial"):
        best_values(journal(tmp_path).open())


def test_a_trial_that_another_worker_has_finished_meanwhile_is_left_as_it_is(tmp_path: Path) -> None:
    start = {"height": 2.0, "size": 5}
    other = journal(tmp_path).open()

    class Overtaken(Parabola):
        def statistics(self, values: Values, pairs: Sequence[int]) -> np.ndarray:
            for name in start:
                other.trials[0].params[name] = start[name]
            other.tell(0, 0.25, skip_if_finished=True)
            return super().statistics(values, pairs)

    study = tune(Overtaken(), SPACE, TuningSettings(trials=3), journal(tmp_path), start)
    assert study.trials[0].value == 0.25
    assert states(journal(tmp_path)) == ["COMPLETE"] * 3


def test_a_study_of_another_problem_is_refused_by_name_and_left_as_it_is(tmp_path: Path) -> None:
    class Other(Parabola):
        fingerprint = "other"

    tune(Parabola(), SPACE, TuningSettings(trials=2), journal(tmp_path))
    with pytest.raises(InputError, match="'toy' has trials of other pairs"):
        tune(Other(), SPACE, TuningSettings(trials=4), journal(tmp_path), START)
    assert len(states(journal(tmp_path))) == 2


def test_a_score_that_is_no_number_ends_the_sweep(tmp_path: Path) -> None:
    class Undefined(Parabola):
        def score(self, rows: np.ndarray) -> float:
            return float("nan")

    with pytest.raises(InputError, match="finite score, found nan"):
        tune(Undefined(), SPACE, TuningSettings(trials=2), journal(tmp_path))
    assert states(journal(tmp_path)) == ["FAIL"]


def test_a_storage_that_cannot_be_opened_is_named() -> None:
    with pytest.raises(InputError, match="nonsense://x"):
        SharedStudy("nonsense://x", "toy").open()


@pytest.mark.parametrize(
    "storage",
    [
        "postgresql://user:hush%2Fhush@host/sweeps",
        "nonsense://user:hush%2Fhush@host/sweeps",
        "user:hush%2Fhush@host",
        "postgresql://host/sweeps?user=me&password=hush%2Fhush",
    ],
)
def test_no_message_shows_the_password_of_a_storage(
    storage: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shared = SharedStudy(storage, "toy")

    def refuse(_: SharedStudy) -> None:
        raise StorageInternalError(f"no route to {storage}, with the password 'hush/hush'")

    messages = [repr(shared)]
    for _ in range(2):  # whether the storage cannot be opened, or does not answer
        with pytest.raises(InputError) as error:
            shared.open()
        messages.append("".join(traceback.format_exception(error.value)))
        monkeypatch.setattr(SharedStudy, "_create", refuse)
        monkeypatch.setattr(shared_study.time, "sleep", lambda seconds: None)
    assert all("host" in message for message in messages[1:])
    with pytest.raises(SystemExit):
        main(["tune", "gold.json", "-o", "out", "--sturage", storage])
    messages.append(capsys.readouterr().err)
    assert "--sturage" in messages[-1] and "host" in messages[-1]
    assert not [message for message in messages if "hush" in message]


def test_a_storage_that_another_process_is_making_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, failures = SharedStudy._create, [DuplicatedStudyError("toy"), StorageInternalError("locked")]

    def busy(shared: SharedStudy) -> Any:
        if failures:
            raise failures.pop()
        return make(shared)

    monkeypatch.setattr(SharedStudy, "_create", busy)
    monkeypatch.setattr(shared_study.time, "sleep", lambda seconds: None)
    assert journal(tmp_path).open().study_name == "toy"
    failures += [StorageInternalError("locked")] * 100
    with pytest.raises(InputError, match=r"does not answer \(locked\)"):
        journal(tmp_path).open()


@pytest.mark.parametrize(
    ("range_", "value", "wider"),
    [
        (Range(1.0, 1.8), 1.5, Range(1.0, 1.8)),
        (Range(1.0, 1.8), 2.5, Range(1.0, 2.5)),
        (Range(20, 200, integer=True, logarithmic=True), 300, Range(20, 300, integer=True, logarithmic=True)),
        (Range(0.5, 30.0, logarithmic=True), 0.1, Range(0.1, 30.0, logarithmic=True)),
        (Range(0.5, 30.0, logarithmic=True), 0.0, Range(0.0, 30.0)),
        (Range(choices=(1, 50)), 10, Range(choices=(1, 10, 50))),
    ],
)
def test_a_range_is_made_to_hold_a_value(range_: Range, value: float, wider: Range) -> None:
    assert range_.holding(value) == wider


def test_the_winner_is_named_with_what_it_changed() -> None:
    study = optuna.create_study(direction="maximize")
    for x, y, value in ((1.0, 2.0, 0.5), (1.0, 3.0, 0.75), (2.0, 3.0, 0.75)):
        distributions = {name: optuna.distributions.FloatDistribution(0, 4) for name in ("x", "y")}
        trial = optuna.trial.create_trial(params={"x": x, "y": y}, distributions=distributions, value=value)
        study.add_trial(trial)
    assert winner_note(study, {"x": 1.0, "y": 2.0}) == "trial 1 won (0.500 → 0.750, +0.250): y 2 → 3"
    assert winner_note(study, {"x": 2.0, "y": 3.0}).startswith("nothing better was found")
    assert winner_note(study, None) == "trial 1 won with 0.750"
    assert winner_note(optuna.create_study(), None) == "no trial is complete"
