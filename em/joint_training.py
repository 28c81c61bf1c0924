"""Online training of the joint aligner's weights, averaged (Thadani et al. 2012, §5.2; Collins 2002)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from forest_align.aligners.joint_features import PairEdits
from forest_align.aligners.joint_model import WEIGHT_COUNT, JointModel, feature_squares, summed_features
from forest_align.aligners.joint_program import Solution, best_edits
from forest_align.em.array_file import load_arrays, save_arrays
from forest_align.em.joint_calibration import calibrate
from forest_align.types import InputError

# What the reachable gold alignment prefers among those with equally many right links: fewer phrase pairs, and
# arc pairs of one type. Small enough to outweigh no link.
_A_PHRASE = 0.01
_SAME_ARCS = 0.001
_OTHER_ARCS = 0.0005

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
        the paper. ``"margin"``: by as much of it as lets the gold alignment win by the cost of the other one,
        which is searched for with its cost added (Crammer et al. 2006, PA-I with the loss of the prediction).
    largest_step : float
        Bound on the step of ``"margin"``, their C.
    missing_cost : float
        Cost of a link that is missing in ``"margin"``; that of a wrong one is 1.
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


@dataclass(frozen=True, slots=True, eq=False)
class JointExample:
    """A pair to learn from.

    Attributes
    ----------
    edits : PairEdits
        Its edits.
    gold : numpy.ndarray
        bool, shape (n, m): gold links.
    """

    edits: PairEdits
    gold: np.ndarray

    def worth(self, right: float = 1.0) -> np.ndarray:
        """Right links, each worth as much as said, less wrong ones, of each phrase pair: float64 (P,)."""
        worth = np.zeros((self.gold.shape[0] + 1, self.gold.shape[1] + 1))
        worth[1:, 1:] = np.where(self.gold, right, -1.0)
        sums = worth.cumsum(axis=0).cumsum(axis=1)
        s, e, t, f = self.edits.spans.T
        return np.asarray(sums[e, f] - sums[s, f] - sums[e, t] + sums[s, t])

    def reachable(self) -> Solution:
        """The edits that come nearest to the gold links: most right less wrong ones, in few phrase pairs."""
        edits = self.edits
        same = (edits.arc_features[:, : edits.arc_features.shape[1] // 3] > 0).any(axis=1)
        arc_scores = np.where(same, _SAME_ARCS, _OTHER_ARCS)
        scores = self.worth() - _A_PHRASE
        return best_edits(edits.lengths, edits.spans, scores, edits.arc_pairs, arc_scores)


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
class _State:
    """Weights, the sum of the weights after all steps, the number of steps, and the epochs done."""

    weights: np.ndarray
    total: np.ndarray
    steps: int = 0
    history: tuple[JointEpoch, ...] = ()


def train_joint_model(
    examples: Sequence[JointExample],
    settings: JointSettings,
    *,
    variant: str = "phrase+arc",
    longest: int = 3,
    link_features: bool = False,
    checkpoint: Path | None = None,
    identity: Mapping[str, Any] | None = None,
    resume: bool = False,
    report: Callable[[int, int], None] | None = None,
) -> tuple[JointModel, tuple[JointEpoch, ...]]:
    """Train the weights online and average them over all steps.

    Parameters
    ----------
    examples : sequence of JointExample
        Pairs with edits as the variant wants them.
    settings : JointSettings
        How to train.
    variant, longest, link_features : str, int, bool
        What kind of model.
    checkpoint : Path, optional
        File that keeps the state after each epoch, replaced in one step.
    identity : mapping, optional
        What a resumed run must share with the one it continues, besides the settings.
    resume : bool
        Whether to go on from the checkpoint, if there is one.
    report : callable, optional
        Called with epoch, from 1, and pairs done in it, after each pair.

    Returns
    -------
    JointModel
        With averaged weights and calibrated probabilities.
    tuple of JointEpoch

    Raises
    ------
    InputError
        If there are no pairs, or the checkpoint belongs to another run.
    ModelError
        If HiGHS is not installed.
    """
    if not examples:
        raise InputError("expected at least one sentence pair with links to train on, found none")
    scale = _scale(examples)
    same_run = {**asdict(settings), "variant": variant, "longest": longest}
    same_run |= {"link_features": link_features, **(identity or {})}
    del same_run["epochs"]
    state = _State(np.zeros(WEIGHT_COUNT), np.zeros(WEIGHT_COUNT))
    if resume and checkpoint is not None and checkpoint.exists():
        state = _load_state(checkpoint, same_run)
    gold = [example.reachable() for example in examples]
    while len(state.history) < settings.epochs:
        state = _epoch(examples, gold, state, settings, scale, JointModel(scale, variant, longest), report)
        if checkpoint is not None:
            _save_state(checkpoint, state, same_run)
    weights = state.total / max(state.steps, 1) * scale
    model = JointModel(weights, variant, longest, link_features=link_features)
    return replace(model, calibration=calibrate(examples, model)), state.history


def _epoch(
    examples: Sequence[JointExample],
    gold: Sequence[Solution],
    state: _State,
    settings: JointSettings,
    scale: np.ndarray,
    kind: JointModel,
    report: Callable[[int, int], None] | None,
) -> _State:
    number = len(state.history) + 1
    weights, total = state.weights.copy(), state.total.copy()
    exact = 0
    counts = np.zeros(3)
    order = np.random.default_rng([settings.seed, number]).permutation(len(examples))
    for done, place in enumerate(order, start=1):
        example, wanted = examples[place], gold[place]
        worth = example.worth(settings.missing_cost) if settings.update == "margin" else None
        found = _search(example, JointModel(weights * scale, kind.variant, kind.longest), worth)
        counts += _link_counts(example, found)
        if _same(found, wanted):
            exact += 1
        else:
            change = summed_features(example.edits, wanted.phrases, wanted.arcs)
            change -= summed_features(example.edits, found.phrases, found.arcs)
            weights += _step(change * scale, weights, worth, wanted, found, settings.largest_step)
        total += weights
        if report is not None:
            report(number, done)
    right, made, there = counts
    epoch = JointEpoch(number, exact / len(examples), right / max(made, 1), right / max(there, 1))
    return _State(weights, total, state.steps + len(examples), (*state.history, epoch))


def _search(example: JointExample, model: JointModel, worth: np.ndarray | None) -> Solution:
    """The best alignment, or the best together with its cost, which is the less the more it is worth."""
    phrase_scores, arc_scores = model.scores(example.edits)
    if worth is not None:
        phrase_scores = phrase_scores - worth
    edits = example.edits
    return best_edits(edits.lengths, edits.spans, phrase_scores, edits.arc_pairs, arc_scores)


def _step(
    change: np.ndarray,
    weights: np.ndarray,
    worth: np.ndarray | None,
    wanted: Solution,
    found: Solution,
    largest: float,
) -> np.ndarray:
    """What is added to the weights: the change, or as much of it as closes the gap to the margin."""
    if worth is None:
        return change
    gap = worth[wanted.phrases].sum() - worth[found.phrases].sum() - weights @ change
    return change * min(largest, max(gap, 0.0) / max(float(change @ change), 1e-12))


def _same(one: Solution, other: Solution) -> bool:
    return np.array_equal(one.phrases, other.phrases) and np.array_equal(one.arcs, other.arcs)


def _link_counts(example: JointExample, found: Solution) -> np.ndarray:
    linked = example.edits.covered(found.phrases)
    return np.array([(linked & example.gold).sum(), linked.sum(), example.gold.sum()], dtype=np.float64)


def _scale(examples: Sequence[JointExample]) -> np.ndarray:
    """What features are multiplied by while training, so that the mean square of each is 1."""
    sums, sizes = (sum(parts) for parts in zip(*(feature_squares(e.edits) for e in examples), strict=True))
    mean = np.sqrt(sums / np.maximum(sizes, 1))
    return np.where(mean > 0, 1 / np.maximum(mean, 0.05), 0.0)


def _save_state(path: Path, state: _State, identity: Mapping[str, Any]) -> None:
    facts = {
        "joint_identity": dict(identity),
        "steps": state.steps,
        "history": [asdict(epoch) for epoch in state.history],
    }
    save_arrays(path, {"weights": state.weights, "total": state.total}, facts)


def _load_state(path: Path, identity: Mapping[str, Any]) -> _State:
    arrays, facts = load_arrays(path)
    if "joint_identity" not in facts:
        raise InputError("expected a checkpoint of a training run of the joint aligner", file=str(path))
    for name, value in identity.items():
        found = facts["joint_identity"].get(name)
        if found != value:
            message = f"the checkpoint was written with {found!r}, this run has {value!r}"
            raise InputError(message, file=str(path), field=name)
    history = tuple(JointEpoch(**epoch) for epoch in facts["history"])
    return _State(arrays["weights"], arrays["total"], facts["steps"], history)
