"""Settings and state of a training run, and the checkpoint that stores both."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from forest_align.em.forest.expectation import HardAssignments, Totals
from forest_align.storage.checkpoint import Checkpoint
from forest_align.types import InputError

# Prefix of the names of arrays of kept alignments in a checkpoint.
_KEPT = "kept."
RUN = "a training run of the forest aligner"
#: What a different hash of a run means, see :func:`forest_align.em.forest.trainer.train`.
HASHED = {
    "problem": "other pairs, or the same with other trees, forest sizes, word candidates or options of "
    "the search",
    "initial weights": "another model to start from",
}


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """How to train.

    Attributes
    ----------
    epochs : int
        Passes over the pairs.
    batch_size : int
        Pairs between two M-steps; 0 for all pairs.
    seed : int
        Determines the order of the pairs.
    regularization : float
        κ of the M-step, see :class:`forest_align.em.forest._objective.Objective`.
    step_exponent : float
        The k-th batch, counted from 0, enters the running counts with weight ``(k + 2) ** -step_exponent``
        (stepwise EM, Liang & Klein 2009, §3.1); in (0.5, 1]. The first batch, or a batch of all pairs,
        alone determines the running counts.
    m_step_iterations : int
        Most L-BFGS iterations of one M-step.
    workers : int
        Threads of the E-step; does not affect the result.
    checkpoint_seconds : float
        A checkpoint is written after each epoch, and after a batch when the last one is older than this.
    """

    epochs: int = 5
    batch_size: int = 200
    seed: int = 0
    regularization: float = 1.0
    step_exponent: float = 0.7
    m_step_iterations: int = 20
    workers: int = 1
    checkpoint_seconds: float = 60.0

    def __post_init__(self) -> None:
        smallest = {"epochs": 0, "batch_size": 0, "seed": 0, "m_step_iterations": 1, "workers": 1}
        for name, least in smallest.items():
            if getattr(self, name) < least:
                raise InputError(f"expected at least {least}, found {getattr(self, name)}", field=name)
        if not (math.isfinite(self.regularization) and self.regularization >= 0):
            message = f"expected a finite number of at least 0, found {self.regularization}"
            raise InputError(message, field="regularization")
        if not 0.5 < self.step_exponent <= 1:
            message = f"expected a number above 0.5 and at most 1, found {self.step_exponent}"
            raise InputError(message, field="step_exponent")

    @property
    def identity(self) -> dict[str, Any]:
        """Values that must be the same in a resumed run; its number of epochs may be larger."""
        free = ("epochs", "workers", "checkpoint_seconds")
        return {name: value for name, value in asdict(self).items() if name not in free}


@dataclass(frozen=True, slots=True)
class EpochReport:
    """Results of one epoch."""

    epoch: int  # Counted from 1
    # Mean log score per pair of the best alignments (hard assignments), each under its batch's weights
    log_likelihood: float
    # Summed log score minus the regularisation term. On full batches it never decreases, except for pairs
    # whose roots are aligned for the first time: these add their own (negative) score.
    objective: float
    # reachability, null_share: Share of pairs with aligned roots, and share of words that align to nothing
    reachability: float
    null_share: float
    dev: Mapping[str, float] = field(default_factory=dict)  # Dev scores after the epoch, if requested


@dataclass(frozen=True, slots=True, eq=False)
class TrainingState:
    """Everything that a run needs to resume."""

    weights: np.ndarray  # float64, shape (feature_count,)
    counts: np.ndarray  # float64, shape (E,): running counts, scaled to the number of pairs
    # epoch, batch: The next epoch, and the next batch within it
    epoch: int = 0
    batch: int = 0
    updates: int = 0
    totals: Totals = field(default_factory=Totals)  # Sums over the batches of the current epoch
    regularizer: float = 0.0  # κ‖w‖² at the start of the current epoch
    history: tuple[EpochReport, ...] = ()  # Reports of the epochs done
    kept: HardAssignments | None = None  # The best alignments so far, on full batches


def save_state(checkpoint: Checkpoint, state: TrainingState) -> None:
    """Write a checkpoint atomically; only counts above zero are stored."""
    used = np.flatnonzero(state.counts)
    facts = {
        "event_count": len(state.counts),
        "epoch": state.epoch,
        "batch": state.batch,
        "updates": state.updates,
        "totals": asdict(state.totals),
        "regularizer": state.regularizer,
        "history": [asdict(report) for report in state.history],
    }
    arrays = {"weights": state.weights, "used_events": used, "used_counts": state.counts[used]}
    if state.kept is not None:
        arrays |= {_KEPT + name: array for name, array in state.kept.arrays().items()}
    checkpoint.save(arrays, facts)


def load_state(checkpoint: Checkpoint) -> TrainingState:
    """Read a state written by :func:`save_state`; raises the same errors as :meth:`Checkpoint.load`."""
    arrays, facts = checkpoint.load()
    counts = np.zeros(facts["event_count"])
    counts[arrays["used_events"]] = arrays["used_counts"]
    kept = {name.removeprefix(_KEPT): array for name, array in arrays.items() if name.startswith(_KEPT)}
    return TrainingState(
        arrays["weights"],
        counts,
        facts["epoch"],
        facts["batch"],
        facts["updates"],
        Totals(**facts["totals"]),
        facts["regularizer"],
        tuple(EpochReport(**report) for report in facts["history"]),
        HardAssignments.from_arrays(kept) if kept else None,
    )
