"""Online training of the joint aligner's weights, averaged (Thadani et al. 2012, §5.2; Collins 2002)."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from forest_align.aligners.joint.aligner import margins
from forest_align.aligners.joint.model import WEIGHT_COUNT, JointModel, feature_squares, summed_features
from forest_align.aligners.joint.program import Solution
from forest_align.em.fitting.cross_fitting import fit_logistic
from forest_align.em.joint.examples import JointExample, Report
from forest_align.storage.checkpoint import Checkpoint
from forest_align.types import InputError

RUN = "a training run of the joint aligner"
# What a different hash of a run's pairs means; the command computes the hash.
_HASHED = {"pairs": "other pairs, or the same with other links, parses or paraphrases"}


@dataclass(frozen=True, slots=True)
class JointEpoch:
    """Results of one epoch."""

    epoch: int  # Counted from 1
    exact: float  # Share of pairs that needed no change of the weights
    # precision, recall: Scores of the links of the alignments found during the epoch, all pairs pooled
    precision: float
    recall: float


@dataclass(frozen=True, slots=True, eq=False)
class _JointState:
    """Everything that the next step depends on."""

    weights: np.ndarray  # float64
    total: np.ndarray  # The sum of the weights after each step, with the same shape
    history: tuple[JointEpoch, ...] = ()
    # done, exact: Pairs done in the current epoch, and how many of them needed no change
    done: int = 0
    exact: int = 0
    links: tuple[int, int, int] = (0, 0, 0)  # Counts for these pairs: right links, links made, gold links


def save_state(checkpoint: Checkpoint, state: _JointState) -> None:
    """Write a state; the file is replaced atomically."""
    facts = {
        "history": [asdict(epoch) for epoch in state.history],
        "done": state.done,
        "exact": state.exact,
        "links": state.links,
    }
    checkpoint.save({"weights": state.weights, "total": state.total}, facts)


def _load_state(checkpoint: Checkpoint) -> _JointState:
    """Read a state written by :func:`save_state`; raises the same errors as :meth:`Checkpoint.load`."""
    arrays, facts = checkpoint.load()
    return _JointState(
        arrays["weights"],
        arrays["total"],
        tuple(JointEpoch(**epoch) for epoch in facts["history"]),
        facts["done"],
        facts["exact"],
        tuple(facts["links"]),
    )


#: Seconds between two checkpoints of one epoch.
CHECKPOINT_SECONDS = 60.0

#: See :class:`JointSettings`.
UPDATES = ("margin", "perceptron")


@dataclass(frozen=True, slots=True)
class JointSettings:
    """How to train.

    Attributes
    ----------
    epochs : int
        Passes over the pairs.
    seed : int
        Determines the order of the pairs.
    update : str
        How a wrong alignment changes the weights. ``"perceptron"``: by the difference of the features, as in
        the paper. ``"margin"``: by the multiple of it with which the gold alignment wins by the cost of the
        other one. The search for the other one adds its cost (Crammer et al. 2006, PA-I with the loss of the
        prediction).
    largest_step : float
        Bound on the step of ``"margin"``, their C.
    missing_cost : float
        Cost of a missing link in ``"margin"``; the cost of a wrong link is 1.
    """

    epochs: int = 3
    seed: int = 0
    update: str = "margin"
    largest_step: float = 0.01
    missing_cost: float = 2.0

    def __post_init__(self) -> None:
        for name in ("epochs", "seed"):
            if getattr(self, name) < 0:
                raise InputError(f"expected at least 0, found {getattr(self, name)}", field=name)
        for name in ("largest_step", "missing_cost"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0):
                raise InputError(f"expected a finite number above 0, found {value}", field=name)
        if self.update not in UPDATES:
            message = f"expected one of {', '.join(UPDATES)}, found {self.update!r}"
            raise InputError(message, field="update")


def train_joint_model(
    examples: Sequence[JointExample],
    settings: JointSettings,
    *,
    variant: str = "phrase+arc",
    longest: int = 3,
    link_features: bool = False,
    phrase_deletions: bool = False,
    checkpoint: Path | None = None,
    identity: Mapping[str, Any] | None = None,
    resume: bool = False,
    report: Report | None = None,
) -> tuple[JointModel, tuple[JointEpoch, ...]]:
    """Train the weights online and average them over all steps.

    Parameters
    ----------
    examples : sequence of JointExample
        Pairs with the edits that the variant needs.
    settings : JointSettings
        How to train.
    variant, longest, link_features, phrase_deletions : str, int, bool, bool
        The kind of model.
    checkpoint : Path, optional
        File for the state, replaced atomically after each epoch and every minute within an epoch.
    identity : mapping, optional
        Values besides the settings that must be the same in a resumed run.
    resume : bool
        Whether to resume from the checkpoint, if there is one.
    report : callable, optional
        Called after each pair with the current phase ("gold links", "epoch 1" and so on, "calibration") and
        the number of pairs done in it.

    Returns
    -------
    JointModel
        With averaged weights and calibrated probabilities.
    tuple of JointEpoch

    Raises
    ------
    InputError
        If there are no pairs, or the checkpoint belongs to another run or is past this run's last epoch.
    ModelError
        If HiGHS is not installed.
    """
    if not examples:
        raise InputError("expected at least one sentence pair with links to train on, found none")
    report = report or (lambda what, done: None)
    scale = _scale(examples)
    same_run = {**asdict(settings), "variant": variant, "longest": longest}
    same_run |= {"link_features": link_features, "phrase_deletions": phrase_deletions, **(identity or {})}
    del same_run["epochs"]
    state = _JointState(np.zeros(WEIGHT_COUNT), np.zeros(WEIGHT_COUNT))
    saved = Checkpoint(checkpoint, RUN, same_run, _HASHED)
    if resume and saved.exists:
        state = _load_state(saved)
        if (len(state.history), state.done) > (settings.epochs, 0):
            raise saved.past("epochs", settings.epochs)
    gold = []
    for example in examples:
        gold.append(example.reachable())
        report("gold links", len(gold))
    kind, saved_at = JointModel(scale, variant, longest, phrase_deletions=phrase_deletions), time.monotonic()
    while len(state.history) < settings.epochs:
        states = _epoch(examples, gold, state, settings, scale, kind)
        for state in states:
            report(f"epoch {len(state.history) + (state.done > 0)}", state.done or len(examples))
            if not state.done or time.monotonic() - saved_at > CHECKPOINT_SECONDS:
                save_state(saved, state)
                saved_at = time.monotonic()
    weights = state.total / max(len(state.history) * len(examples), 1) * scale
    model = replace(kind, weights=weights, link_features=link_features)
    return replace(model, calibration=calibrate(examples, model, report)), state.history


def _epoch(
    examples: Sequence[JointExample],
    gold: Sequence[Solution],
    state: _JointState,
    settings: JointSettings,
    scale: np.ndarray,
    kind: JointModel,
) -> Iterator[_JointState]:
    """Yield the state after each pair of the epoch; all states share the same arrays."""
    number = len(state.history) + 1
    weights, total = state.weights.copy(), state.total.copy()
    exact, counts = state.exact, np.array(state.links)
    order = np.random.default_rng([settings.seed, number]).permutation(len(examples))
    for done, place in enumerate(order[state.done :], start=state.done + 1):
        example, wanted = examples[place], gold[place]
        agreement = example.agreement(settings.missing_cost) if settings.update == "margin" else None
        found = replace(kind, weights=weights * scale).best_edits(example.edits, agreement)
        linked = example.edits.covered(found.phrases)
        counts += np.array([(linked & example.gold).sum(), linked.sum(), example.gold.sum()])
        if all(map(np.array_equal, _edits(found), _edits(wanted))):
            exact += 1
        else:
            change = summed_features(example.edits, wanted) - summed_features(example.edits, found)
            weights += _step(change * scale, weights, agreement, wanted, found, settings.largest_step)
        total += weights
        right, made, there = counts.tolist()
        if done < len(examples):
            yield _JointState(weights, total, state.history, done, exact, (right, made, there))
    epoch = JointEpoch(number, exact / len(examples), right / max(made, 1), right / max(there, 1))
    yield _JointState(weights, total, (*state.history, epoch))


def _step(
    change: np.ndarray,
    weights: np.ndarray,
    agreement: np.ndarray | None,
    wanted: Solution,
    found: Solution,
    largest: float,
) -> np.ndarray:
    """The update of the weights: the whole change, or the multiple that closes the gap to the margin."""
    if agreement is None:
        return change
    gap = agreement[wanted.phrases].sum() - agreement[found.phrases].sum() - weights @ change
    return change * min(largest, max(gap, 0.0) / max(float(change @ change), 1e-12))


def _edits(solution: Solution) -> tuple[np.ndarray, ...]:
    return solution.phrases, solution.arcs, solution.deletions


def _scale(examples: Sequence[JointExample]) -> np.ndarray:
    """Factors for the features during training, which make the mean square of each 1."""
    sums, sizes = (sum(parts) for parts in zip(*(feature_squares(e.edits) for e in examples), strict=True))
    mean = np.sqrt(sums / np.maximum(sizes, 1))
    return np.where(mean > 0, 1 / np.maximum(mean, 0.05), 0.0)


# Keeps the slope finite if margins separate right and wrong links perfectly.
_RIDGE = 1e-3


def calibrate(
    examples: Sequence[JointExample], model: JointModel, report: Report | None = None
) -> tuple[float, float]:
    """Fit the probability of a link given its margin, by logistic regression on the model's links."""
    found = []
    for example in examples:
        found.append(margins_and_truth(example, model))
        if report is not None:
            report("calibration", len(found))
    values, right = (np.concatenate(part) for part in zip(*found, strict=True))
    if not right.any() or right.all():
        return (1.0, 0.0)
    # Margins have no natural unit: those of a perceptron are in the thousands.
    unit = max(float(np.sqrt((values**2).mean())), 1e-9)
    slope, offset = fit_logistic((values / unit)[:, None], right, ridge=_RIDGE)
    return float(slope) / unit, float(offset)


def margins_and_truth(example: JointExample, model: JointModel) -> tuple[np.ndarray, np.ndarray]:
    """The margin of each link that the model makes, and whether it is a gold link."""
    edits, scores = example.edits, model.scores(example.edits)
    best = model.best_edits(edits)
    found, truth = [], []
    for margin, place in zip(margins(edits, best, *scores).tolist(), best.phrases, strict=True):
        start, end, other_start, other_end = edits.spans[place].tolist()
        cells = example.gold[start:end, other_start:other_end].ravel()
        truth.append(cells)
        found.append(np.full(len(cells), margin))
    if not found:
        return np.zeros(0), np.zeros(0, dtype=bool)
    return np.concatenate(found), np.concatenate(truth)
