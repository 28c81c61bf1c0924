"""The training loop: mini-batch Viterbi EM that can be killed at any time and resumed."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from forest_align.em.forest._objective import Objective, maximize
from forest_align.em.forest.expectation import (
    BatchExpectation,
    HardAssignments,
    PairExpectation,
    Totals,
    TrainingProblem,
    count_events,
    expect_in_threads,
)
from forest_align.em.forest.state import (
    HASHED,
    RUN,
    EpochReport,
    TrainingSettings,
    TrainingState,
    load_state,
    save_state,
)
from forest_align.storage.checkpoint import Checkpoint
from forest_align.storage.fingerprints import fingerprint_of
from forest_align.system.terminal import counting_bar
from forest_align.types import InputError


class TrainingObserver:
    """An observer of a training run, such as a progress bar; this one ignores everything."""

    def begin_epoch(self, state: TrainingState) -> None:
        """Called when an epoch begins, or when a resumed run continues within one."""

    def pair_done(self, totals: Totals) -> None:
        """Called when a pair has been aligned, with the sums of the epoch so far."""

    def end_epoch(self, report: EpochReport) -> None:
        """Called when an epoch is over and scored; a resumed run also reports its checkpoint's epochs."""


def epoch_batches(pair_count: int, batch_size: int, seed: int, epoch: int) -> list[np.ndarray]:
    """Shuffle the pairs of an epoch into batches; the order depends only on seed and epoch."""
    order = np.random.default_rng((seed, epoch)).permutation(pair_count)
    size = batch_size or max(pair_count, 1)
    return [order[first : first + size] for first in range(0, pair_count, size)]


def train(
    problem: TrainingProblem,
    settings: TrainingSettings,
    start: np.ndarray,
    *,
    checkpoint: Path | None = None,
    resume: bool = False,
    evaluate: Callable[[np.ndarray], Mapping[str, float]] | None = None,
    observer: TrainingObserver | None = None,
    expectation: AbstractContextManager[BatchExpectation] | None = None,
) -> TrainingState:
    """Train by mini-batch Viterbi EM. Shapes: ``start`` float64 (feature_count,)."""
    if not problem.pair_count:
        raise InputError("expected at least one sentence pair to train on")
    state = TrainingState(np.array(start, dtype=np.float64), np.zeros(problem.table.event_count))
    begun_from = fingerprint_of(state.weights)
    identity = {**settings.identity, "problem": problem.fingerprint, "initial weights": begun_from}
    saved = Checkpoint(checkpoint, RUN, identity, HASHED)
    if resume and saved.exists:
        state = load_state(saved)
        if (state.epoch, state.batch) > (settings.epochs, 0):
            raise saved.past("epochs", settings.epochs)
    observer = observer or TrainingObserver()
    for report in state.history:
        observer.end_epoch(report)
    saved_at = time.monotonic()
    with expectation or expect_in_threads(problem, settings.workers) as expect:
        is_new = True
        while state.epoch < settings.epochs:
            if state.batch == 0:
                regularizer = settings.regularization * float(np.square(state.weights).sum())
                state = replace(state, totals=Totals(), regularizer=regularizer)
            if is_new:
                observer.begin_epoch(state)
            state = _step(problem, settings, state, expect, observer)
            is_new = state.batch == 0
            if is_new:
                if evaluate is not None:
                    last = replace(state.history[-1], dev=dict(evaluate(state.weights)))
                    state = replace(state, history=(*state.history[:-1], last))
                # Report before saving, so that every saved epoch has been reported.
                observer.end_epoch(state.history[-1])
            overdue = time.monotonic() - saved_at >= settings.checkpoint_seconds
            if is_new or overdue:
                save_state(saved, state)
                saved_at = time.monotonic()
    return state


def _step(
    problem: TrainingProblem,
    settings: TrainingSettings,
    state: TrainingState,
    expect: BatchExpectation,
    observer: TrainingObserver,
) -> TrainingState:
    """One batch: E-step, running counts, M-step."""
    batches = epoch_batches(problem.pair_count, settings.batch_size, settings.seed, state.epoch)
    batch = batches[state.batch].tolist()
    is_full = len(batches) == 1
    log_events = problem.table.log_probabilities(state.weights)
    found: list[PairExpectation] = []
    totals = Totals()
    for pair, one in zip(batch, expect(batch, log_events), strict=True):
        best = state.kept.or_better(pair, one, log_events) if state.kept is not None else one
        found.append(best)
        totals += Totals.of(best)
        observer.pair_done(state.totals + totals)
    # The counts of a batch are scaled to all pairs. Before the first batch there are no running counts.
    scale = problem.pair_count / len(batch)
    rate = 1.0 if is_full or state.updates == 0 else (state.updates + 2.0) ** -settings.step_exponent
    counts = (1.0 - rate) * state.counts + rate * (scale * count_events(found, problem.table.event_count))
    objective = Objective(problem.table, counts, settings.regularization)
    weights, _ = maximize(objective, state.weights, settings.m_step_iterations)
    state = replace(
        state,
        weights=weights,
        counts=counts,
        batch=state.batch + 1,
        updates=state.updates + 1,
        totals=state.totals + totals,
        kept=HardAssignments.of(_in_order(batch, found), log_events) if is_full else None,
    )
    return _end_epoch(state) if state.batch == len(batches) else state


def _in_order(batch: Sequence[int], found: Sequence[PairExpectation]) -> list[PairExpectation]:
    """The alignments of a batch of all pairs, in the order of the pairs."""
    of_pair = dict(zip(batch, found, strict=True))
    return [of_pair[pair] for pair in range(len(batch))]


def _end_epoch(state: TrainingState) -> TrainingState:
    sums = state.totals
    report = EpochReport(
        epoch=state.epoch + 1,
        log_likelihood=sums.log_score / max(sums.pairs, 1),
        objective=sums.log_score - state.regularizer,
        reachability=sums.reachability,
        null_share=sums.null_share,
    )
    return replace(state, epoch=state.epoch + 1, batch=0, history=(*state.history, report))


# Without percentage and rate, the bar fits into 80 columns.
_TRAINING_BAR = "{desc}: |{bar}| {n_fmt}/{total_fmt} [{elapsed}<{remaining}{postfix}]"


class TrainingProgress(TrainingObserver):
    """A bar with means over the epoch so far, and a line on standard output when the epoch is over."""

    def __init__(self, pair_count: int) -> None:
        self._pair_count = pair_count
        self._regularizer = 0.0
        self._bar: Any = None

    def begin_epoch(self, state: TrainingState) -> None:
        """Open the bar, at a resumed run's position in the epoch."""
        self._regularizer = state.regularizer
        self._bar = counting_bar(
            f"epoch {state.epoch + 1}", self._pair_count, state.totals.pairs, _TRAINING_BAR
        )

    def pair_done(self, totals: Totals) -> None:
        """Advance the bar."""
        if self._bar.disable:
            return
        objective = totals.log_score / totals.pairs - self._regularizer / self._pair_count
        self._bar.set_postfix_str(
            f"objective {objective:.1f}, root {totals.reachability:.1%}, null {totals.null_share:.1%}",
            refresh=False,
        )
        self._bar.update(totals.pairs - self._bar.n)

    def end_epoch(self, report: EpochReport) -> None:
        """Clear the bar and print the epoch's line."""
        if self._bar is not None:
            self._bar.close()
        # Flushed, so that the line appears at the end of the epoch in a file or pipe, too.
        dev = "".join(f", {name} {100 * score:.2f}" for name, score in report.dev.items())
        print(
            f"epoch {report.epoch}: log-likelihood {report.log_likelihood:.3f} a pair, "
            f"objective {report.objective:.1f}, root reached {report.reachability:.1%}, "
            f"words null {report.null_share:.1%}{dev}",
            flush=True,
        )
