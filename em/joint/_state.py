"""Where a training run of the joint aligner stands, and the file that it can go on from."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from forest_align.storage.checkpoint import Checkpoint

RUN = "a training run of the joint aligner"
#: What differs where the hash does that the command gives a run for its pairs.
HASHED = {"pairs": "other pairs, or the same with other links, parses or paraphrases"}


@dataclass(frozen=True, slots=True)
class JointEpoch:
    """What one epoch did.

    Attributes
    ----------
    epoch : int
        Counted from 1.
    exact : float
        Share of pairs that needed no change of the weights.
    precision, recall : float
        Of the links of the alignments found on the way, all pairs pooled.
    """

    epoch: int
    exact: float
    precision: float
    recall: float


@dataclass(frozen=True, slots=True, eq=False)
class JointState:
    """All that the next step depends on.

    Attributes
    ----------
    weights : numpy.ndarray
        float64.
    total : numpy.ndarray
        Of the same shape: the sum of the weights after all steps.
    history : tuple of JointEpoch
        Epochs that are finished.
    done, exact : int
        Pairs done in the epoch that is not, and how many of them needed no change.
    links : tuple of int
        Of these pairs: right links, links made, gold links.
    """

    weights: np.ndarray
    total: np.ndarray
    history: tuple[JointEpoch, ...] = ()
    done: int = 0
    exact: int = 0
    links: tuple[int, int, int] = (0, 0, 0)


def save_state(checkpoint: Checkpoint, state: JointState) -> None:
    """Write a state; replaces the file in one step."""
    facts = {
        "history": [asdict(epoch) for epoch in state.history],
        "done": state.done,
        "exact": state.exact,
        "links": state.links,
    }
    checkpoint.save({"weights": state.weights, "total": state.total}, facts)


def load_state(checkpoint: Checkpoint) -> JointState:
    """Read what :func:`save_state` wrote; raises as :meth:`Checkpoint.load` does."""
    arrays, facts = checkpoint.load()
    return JointState(
        arrays["weights"],
        arrays["total"],
        tuple(JointEpoch(**epoch) for epoch in facts["history"]),
        facts["done"],
        facts["exact"],
        tuple(facts["links"]),
    )
