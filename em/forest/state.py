"""What a training run is set to and where it stands, and the checkpoint that holds both."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from forest_align.em.forest._assignments import HardAssignments
from forest_align.em.forest.expectation import Totals
from forest_align.storage.checkpoint import Checkpoint
from forest_align.types import InputError

# What the names of the arrays of kept alignments begin with in a checkpoint.
_KEPT = "kept."
RUN = "a training run of the forest aligner"
#: What differs where the hashes do that a run is known by, see :func:`forest_align.em.forest._trainer.train`.
HASHED = {
    "problem": "other pairs, or the same with other trees, forest sizes, word candidates, normalizer or "
    "options of the search",
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
        Pairs between two M-steps; 0 for all of them.
    seed : int
        Determines the order of the pairs.
    regularization : float
        κ of the M-step, see :class:`forest_align.em.forest._objective.Objective`.
    step_exponent : float
        The k-th batch, counted from 0, enters the running counts with weight ``(k + 2) ** -step_exponent``
        (stepwise EM, Liang & Klein 2009, §3.1); in (0.5, 1]. The first one, before which there are no counts,
        makes them up alone, and so does a batch of all pairs.
    m_step_iterations : int
        Bound on the L-BFGS iterations of one M-step.
    workers : int
        Threads of the E-step; has no influence on the result.
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
        for name, least in (
            ("epochs", 0),
            ("batch_size", 0),
            ("seed", 0),
            ("m_step_iterations", 1),
            ("workers", 1),
        ):
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
        """What a resumed run must share with the one it continues; it may go on for more epochs."""
        free = ("epochs", "workers", "checkpoint_seconds")
        return {name: value for name, value in asdict(self).items() if name not in free}


@dataclass(frozen=True, slots=True)
class EpochReport:
    """What one epoch did.

    Attributes
    ----------
    epoch : int
        Counted from 1.
    log_likelihood : float
        Mean log score of the best alignments (hard assignments) a pair, each under the weights of its batch.
    objective : float
        Summed log score less the regularisation term; on full batches it never falls, but for pairs whose
        roots are aligned for the first time, which add their own (negative) score.
    reachability, null_share : float
        Shares of pairs with aligned roots and of words that align to nothing.
    dev : mapping of str to float
        Dev scores after the epoch, if asked for.
    """

    epoch: int
    log_likelihood: float
    objective: float
    reachability: float
    null_share: float
    dev: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class TrainingState:
    """All that a run needs to go on.

    Attributes
    ----------
    weights : numpy.ndarray
        float64, shape (feature_count,).
    counts : numpy.ndarray
        float64, shape (E,): running counts, scaled to the number of pairs.
    epoch, batch : int
        The epoch and the batch within it that come next.
    updates : int
        M-steps done.
    totals : Totals
        Sums over the batches of the current epoch.
    regularizer : float
        κ‖w‖² at the start of the current epoch.
    history : tuple of EpochReport
        Reports of the epochs done.
    kept : HardAssignments, optional
        The best alignments so far, on full batches.
    """

    weights: np.ndarray
    counts: np.ndarray
    epoch: int = 0
    batch: int = 0
    updates: int = 0
    totals: Totals = field(default_factory=Totals)
    regularizer: float = 0.0
    history: tuple[EpochReport, ...] = ()
    kept: HardAssignments | None = None


def save_state(checkpoint: Checkpoint, state: TrainingState) -> None:
    """Write a checkpoint, atomically; only counts above zero are stored."""
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
    """Read what :func:`save_state` wrote; raises as :meth:`Checkpoint.load` does."""
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
