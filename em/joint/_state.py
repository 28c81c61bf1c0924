"""State of a training run of the joint aligner, and the file from which it can resume."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from forest_align.storage.checkpoint import Checkpoint

RUN = "a training run of the joint aligner"
#: What a different hash of a run's pairs means; the command computes the hash.
HASHED = {"pairs": "other pairs, or the same with other links, parses or paraphrases"}


@dataclass(frozen=True, slots=True)
class JointEpoch:
    """Results of one epoch."""

    epoch: int  # Counted from 1
    exact: float  # Share of pairs that needed no change of the weights
    # precision, recall: Scores of the links of the alignments found during the epoch, all pairs pooled
    precision: float
    recall: float


@dataclass(frozen=True, slots=True, eq=False)
class JointState:
    """Everything that the next step depends on."""

    weights: np.ndarray  # float64
    total: np.ndarray  # The sum of the weights after each step, with the same shape
    history: tuple[JointEpoch, ...] = ()
    # done, exact: Pairs done in the current epoch, and how many of them needed no change
    done: int = 0
    exact: int = 0
    links: tuple[int, int, int] = (0, 0, 0)  # Counts for these pairs: right links, links made, gold links


def save_state(checkpoint: Checkpoint, state: JointState) -> None:
    """Write a state; the file is replaced atomically."""
    facts = {
        "history": [asdict(epoch) for epoch in state.history],
        "done": state.done,
        "exact": state.exact,
        "links": state.links,
    }
    checkpoint.save({"weights": state.weights, "total": state.total}, facts)


def load_state(checkpoint: Checkpoint) -> JointState:
    """Read a state written by :func:`save_state`; raises the same errors as :meth:`Checkpoint.load`."""
    arrays, facts = checkpoint.load()
    return JointState(
        arrays["weights"],
        arrays["total"],
        tuple(JointEpoch(**epoch) for epoch in facts["history"]),
        facts["done"],
        facts["exact"],
        tuple(facts["links"]),
    )
