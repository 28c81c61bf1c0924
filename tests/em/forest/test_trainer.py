"""The training loop on synthetic pairs whose best alignment is found by enumeration.

Run as a script, this file trains on them with a checkpoint; a test kills it while it does.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from forest_align.em.forest._objective import EventTable, Objective, maximize
from forest_align.em.forest.expectation import PairExpectation, Totals
from forest_align.em.forest.state import RUN, TrainingSettings, TrainingState, load_state
from forest_align.em.forest.trainer import TrainingProgress, epoch_batches, train
from forest_align.storage.checkpoint import Checkpoint
from forest_align.types import InputError

CATEGORIES = 3
NULL = CATEGORIES  # the category of the null phrase
PHRASES = 4  # in each sentence
PLANTED = np.array([[2.0, 0.0, -1.0, 0.5], [0.0, 1.0, 0.0, 1.0], [-1.0, 0.5, 1.5, 1.5]])


class SyntheticPairs:
    """Source phrases that picked a target phrase, or null, with planted probabilities.

    Each source phrase is a context with an event for each target phrase and one for null. The best alignment
    gives it the phrase that it picked, or null at the cost of a penalty.
    """

    fingerprint = "synthetic"

    def __init__(self, pair_count: int, *, penalty: float = 1.0, delay: float = 0.0) -> None:
        random = np.random.default_rng(17)
        self.delay, self.penalty, self.pair_count = delay, penalty, pair_count
        sources = random.integers(CATEGORIES, size=(pair_count, PHRASES))
        targets = np.pad(random.integers(CATEGORIES, size=(pair_count, PHRASES)), ((0, 0), (0, 1)))
        targets[:, PHRASES] = NULL
        features = sources[:, :, None] * (CATEGORIES + 1) + targets[:, None, :]
        planted = np.exp(PLANTED.ravel()[features])
        thresholds = np.cumsum(planted / planted.sum(2, keepdims=True), 2)
        self.picked = (thresholds < random.random((pair_count, PHRASES, 1))).sum(2)
        contexts = pair_count * PHRASES
        self.table = EventTable(
            np.arange(PLANTED.size + 1),
            np.arange(PLANTED.size, dtype=np.int32),
            PLANTED.size,
            features.ravel().astype(np.int32),
            np.ones(features.size),
            np.arange(contexts + 1) * (PHRASES + 1),
        )

    def expect(self, pair: int, log_events: np.ndarray) -> PairExpectation:
        time.sleep(self.delay)
        first = pair * PHRASES
        size = PHRASES * (PHRASES + 1)
        scores = log_events[pair * size :][:size].reshape(PHRASES, PHRASES + 1)
        each, picked = np.arange(PHRASES), self.picked[pair]
        null_scores = scores[:, PHRASES] - self.penalty
        best = np.where(scores[each, picked] >= null_scores, picked, PHRASES)
        score = float(np.where(best == picked, scores[each, picked], null_scores).sum())
        events = (first + each) * (PHRASES + 1) + best
        return PairExpectation(events, score, True, int((best == PHRASES).sum()), PHRASES)


class ForgetfulPairs(SyntheticPairs):
    """Their search misses the best alignment of some pairs, of others under other weights."""

    def expect(self, pair: int, log_events: np.ndarray) -> PairExpectation:
        expectations = super().expect(pair, log_events)
        if (int(-1e9 * log_events[pair]) + pair) % 3:
            return expectations
        first = pair * PHRASES
        events = (first + np.arange(PHRASES)) * (PHRASES + 1) + PHRASES
        score = float(log_events[events].sum()) - self.penalty * PHRASES
        return PairExpectation(events, score, True, PHRASES, PHRASES)


def start_weights() -> np.ndarray:
    return np.zeros(PLANTED.size)


SETTINGS = TrainingSettings(epochs=4, batch_size=8, seed=3, checkpoint_seconds=0.0)
FULL_BATCHES = TrainingSettings(epochs=12, batch_size=0, regularization=0.1)


# What the killed runs are: pairs, settings, M-steps in the end.
RUNS = {"mini": (SyntheticPairs, SETTINGS, 20), "full": (ForgetfulPairs, FULL_BATCHES, 12)}


@pytest.mark.parametrize("kind", [SyntheticPairs, ForgetfulPairs])
def test_log_likelihood_of_the_hard_assignments_never_falls_on_full_batches(
    kind: type[SyntheticPairs],
) -> None:
    state = train(kind(60), FULL_BATCHES, start_weights())
    objectives = [report.objective for report in state.history]
    assert all(later >= earlier - 1e-9 for earlier, later in pairwise(objectives))
    assert objectives[-1] > objectives[0] + 10


@pytest.mark.parametrize("batch_size", [0, 50])
def test_planted_probabilities_are_recovered(batch_size: int) -> None:
    settings = TrainingSettings(epochs=4, batch_size=batch_size, regularization=0.01)
    problem = SyntheticPairs(1500, penalty=20.0)
    state = train(problem, settings, start_weights())
    assert state.history[-1].null_share == (problem.picked == PHRASES).mean()
    # Adding the same to all weights of a source category changes nothing.
    found = state.weights.reshape(PLANTED.shape)
    difference = (found - found[:, :1]) - (PLANTED - PLANTED[:, :1])
    assert np.abs(difference).max() < 0.3


def plain_training(problem: SyntheticPairs, settings: TrainingSettings) -> np.ndarray:
    """Stepwise EM (Liang & Klein 2009, §3.1) in a plain loop: the weights."""
    weights, counts, updates = start_weights(), np.zeros(problem.table.event_count), 0
    for epoch in range(settings.epochs):
        order = np.random.default_rng((settings.seed, epoch)).permutation(problem.pair_count)
        size = settings.batch_size or problem.pair_count
        for first in range(0, problem.pair_count, size):
            batch = order[first : first + size].tolist()
            logs = problem.table.log_probabilities(weights)
            found = np.zeros_like(counts)
            for pair in batch:
                for event in problem.expect(pair, logs).events:
                    found[event] += problem.pair_count / len(batch)
            rate = (updates + 2) ** -settings.step_exponent
            if updates == 0 or len(batch) == problem.pair_count:
                rate = 1.0
            counts = (1 - rate) * counts + rate * found
            objective = Objective(problem.table, counts, settings.regularization)
            weights, _ = maximize(objective, weights, settings.m_step_iterations)
            updates += 1
    return weights


@pytest.mark.parametrize("batch_size", [0, 7, 40])
def test_weights_are_those_of_a_plain_loop(batch_size: int) -> None:
    settings = TrainingSettings(
        epochs=3, batch_size=batch_size, seed=4, regularization=0.3, step_exponent=0.9, m_step_iterations=4
    )
    found = train(SyntheticPairs(40), settings, start_weights()).weights
    np.testing.assert_allclose(found, plain_training(SyntheticPairs(40), settings), atol=1e-6)


@pytest.mark.parametrize("workers", [2, 5])
def test_weights_do_not_depend_on_the_number_of_workers(workers: int) -> None:
    alone = train(SyntheticPairs(40), SETTINGS, start_weights())
    settings = TrainingSettings(epochs=4, batch_size=8, seed=3, workers=workers)
    together = train(SyntheticPairs(40, delay=0.0005), settings, start_weights())
    assert (alone.weights == together.weights).all()
    assert alone.history == together.history


def test_batches_of_an_epoch_hold_every_pair_once() -> None:
    batches = epoch_batches(23, 5, seed=1, epoch=2)
    assert sorted(np.concatenate(batches).tolist()) == list(range(23))
    assert [len(batch) for batch in batches] == [5, 5, 5, 5, 3]
    orders = {tuple(np.concatenate(epoch_batches(23, 5, 1, epoch))) for epoch in range(4)}
    assert len(orders) == 4


@pytest.mark.parametrize(("batches", "kill_after"), [("mini", 1), ("mini", 13), ("full", 1), ("full", 7)])
def test_a_killed_run_resumes_to_the_weights_of_an_unbroken_one(
    tmp_path: Path, batches: str, kill_after: int
) -> None:
    kind, settings, updates = RUNS[batches]
    checkpoint = tmp_path / "run.checkpoint"
    command = [sys.executable, __file__, str(checkpoint), batches]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    while child.poll() is None:
        if checkpoint.exists() and load_any(checkpoint).updates >= kill_after:
            break
        time.sleep(0.01)
    os.kill(child.pid, signal.SIGKILL)
    shown, _ = child.communicate()
    assert child.returncode == -signal.SIGKILL, "the run ended before it could be killed"
    finished = load_any(checkpoint).epoch
    assert [line.split(":")[0] for line in shown.splitlines()][:finished] == [
        f"epoch {number}" for number in range(1, finished + 1)
    ]
    assert kill_after <= load_any(checkpoint).updates < updates
    resumed = train(kind(40), settings, start_weights(), checkpoint=checkpoint, resume=True)
    unbroken = train(kind(40), settings, start_weights())
    assert (resumed.weights == unbroken.weights).all()
    assert (resumed.counts == unbroken.counts).all()
    assert resumed.history == unbroken.history


@pytest.mark.parametrize("batches", ["mini", "full"])
@pytest.mark.parametrize("stop_at", [0, 19, 75, 150])
def test_a_run_stopped_at_any_pair_goes_on_from_its_last_batch(
    tmp_path: Path, batches: str, stop_at: int
) -> None:
    class Stopping(TrainingProgress):
        """Stops the run after so many pairs."""

        left = stop_at

        def pair_done(self, totals: Totals) -> None:
            if not self.left:
                raise KeyboardInterrupt
            self.left -= 1

    kind, settings, _ = RUNS[batches]
    checkpoint = tmp_path / "run.checkpoint"
    with pytest.raises(KeyboardInterrupt):
        train(kind(40), settings, start_weights(), checkpoint=checkpoint, observer=Stopping(40))
    done = stop_at // (settings.batch_size or 40)
    assert checkpoint.exists() == (done > 0)
    if done:
        assert load_any(checkpoint).updates == done
    resumed = train(kind(40), settings, start_weights(), checkpoint=checkpoint, resume=True)
    unbroken = train(kind(40), settings, start_weights())
    assert (resumed.weights == unbroken.weights).all() and (resumed.counts == unbroken.counts).all()
    assert resumed.history == unbroken.history


def load_any(checkpoint: Path) -> TrainingState:
    return load_state(Checkpoint(checkpoint, RUN, {}))


def test_a_run_of_fewer_epochs_than_the_checkpoint_has_is_refused(tmp_path: Path) -> None:
    checkpoint = tmp_path / "run.checkpoint"
    done = train(SyntheticPairs(40), SETTINGS, start_weights(), checkpoint=checkpoint)
    again = train(SyntheticPairs(40), SETTINGS, start_weights(), checkpoint=checkpoint, resume=True)
    assert (again.weights == done.weights).all()
    fewer = TrainingSettings(epochs=3, batch_size=8, seed=3)
    with pytest.raises(InputError, match=r"run\.checkpoint: field 'epochs': .* more than the 3 epochs"):
        train(SyntheticPairs(40), fewer, start_weights(), checkpoint=checkpoint, resume=True)


@pytest.mark.parametrize(
    ("seed", "shift", "message"),
    [(2, 0.0, r"field 'seed': .* with 1, this run has 2"), (1, 0.5, "initial weights")],
)
def test_a_checkpoint_of_another_run_is_refused(
    tmp_path: Path, seed: int, shift: float, message: str
) -> None:
    run = {"checkpoint": tmp_path / "run.checkpoint"}
    train(SyntheticPairs(10), TrainingSettings(epochs=1, seed=1), start_weights(), **run)
    settings = TrainingSettings(epochs=2, seed=seed)
    with pytest.raises(InputError, match=rf"run\.checkpoint: .*{message}"):
        train(SyntheticPairs(10), settings, start_weights() + shift, resume=True, **run)


def test_pairs_that_are_not_reached_count_as_pairs() -> None:
    class Unreached(SyntheticPairs):
        """Every fourth pair is not reached."""

        def expect(self, pair: int, log_events: np.ndarray) -> PairExpectation:
            if pair % 4:
                return super().expect(pair, log_events)
            return PairExpectation(np.zeros(0, np.int64), 0.0, False, PHRASES, PHRASES)

    problem = Unreached(8)
    logs = problem.table.log_probabilities(start_weights())
    expected = sum(problem.expect(pair, logs).log_score for pair in range(8))
    (report,) = train(problem, TrainingSettings(epochs=1, batch_size=0), start_weights()).history
    assert report.log_likelihood == pytest.approx(expected / 8)
    assert (report.reachability, report.objective) == (0.75, pytest.approx(expected))


def test_dev_scores_enter_the_history_and_the_checkpoint(tmp_path: Path) -> None:
    checkpoint = tmp_path / "run.checkpoint"
    state = train(
        SyntheticPairs(10),
        TrainingSettings(epochs=2),
        start_weights(),
        checkpoint=checkpoint,
        evaluate=lambda weights: {"word F1": float(weights.sum())},
    )
    assert state.history[1].dev["word F1"] == float(state.weights.sum())
    assert load_any(checkpoint).history == state.history


def test_no_pairs_is_an_error() -> None:
    with pytest.raises(InputError, match="at least one sentence pair"):
        train(SyntheticPairs(0), TrainingSettings(), np.zeros(PLANTED.size))


if __name__ == "__main__":
    of_run, run_settings, _ = RUNS[sys.argv[2]]
    train(
        of_run(40, delay=0.01),
        run_settings,
        start_weights(),
        checkpoint=Path(sys.argv[1]),
        observer=TrainingProgress(40),
    )
