"""Fits the first parts of the link model: projection and directions of word vectors, and the first pass."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch.nn.functional import binary_cross_entropy_with_logits, normalize

from forest_align.aligners.contextual.features import (
    BASE_FEATURES,
    CONTEXT_FEATURES,
    DIRECTION_FEATURES,
    DIRECTIONS,
    LINK_CLASSES,
    base_table,
)
from forest_align.em.contextual.examples import LinkExample
from forest_align.em.fitting.optimization import descend
from forest_align.lexicon.lexicon import Evidence

_SAMPLED = 0.04
PAIRS_A_STEP = 32

Projection = tuple[np.ndarray, np.ndarray]

#: Feature groups that ``--without`` removes, each given by prefixes of feature names.
GROUPS: dict[str, tuple[str, ...]] = {
    "cosine": ("cosine",),
    "projection": ("projected",),
    "lexicon": (
        *("same spelling", "same number", "abbreviation", "synonym", "derivation", "same stem", "substring"),
        *("both prepositions", "same function", "acronym", "word within"),
    ),
    "quantities": ("equal quantities", "unit of", "different quantities", "antonyms", "opposed"),
    "letters": ("letter bigrams",),
    "sequences": ("identical sequence", "length of identical sequence"),
    "neighbours": ("similar neighbours", "projected neighbours", "same content words", "any same content"),
    "directions": DIRECTION_FEATURES,
    "context": CONTEXT_FEATURES,
}


@dataclass(frozen=True, slots=True)
class LinkSettings:
    """Settings of the fit."""

    # dimension, epochs: Size of projected vectors; epochs of the projection
    dimension: int = 128
    epochs: int = 4
    ridge: float = 1e-5  # Weight of the squared weights in the first pass
    # units, second_epochs: Hidden units and epochs of the second pass
    units: int = 24
    second_epochs: int = 10
    # states, message, rounds, message_epochs: Hidden units, numbers in a message, rounds and epochs of the
    # message pass
    states: int = 64
    message: int = 9
    rounds: int = 2
    message_epochs: int = 12
    without: tuple[str, ...] = ()

    def left_out(self, count: int) -> list[int]:
        """Indices, below ``count``, of the features that are left out."""
        names = (*BASE_FEATURES, *DIRECTION_FEATURES, *CONTEXT_FEATURES)[:count]
        beginnings = tuple(beginning for group in self.without for beginning in GROUPS[group])
        return [k for k, name in enumerate(names) if name.startswith(beginnings)]


# --------------------------------------------------------------------------------------- projection


def learn_projection(examples: Sequence[LinkExample], settings: LinkSettings) -> Projection:
    """Learn the projection under which aligned words find one another (row and column soft-max with null)."""
    torch.manual_seed(0)
    size = examples[0].source.vectors.shape[1]
    mean = np.concatenate([side.vectors for e in examples[::8] for side in (e.source, e.target)]).mean(0)
    start = torch.linalg.qr(torch.randn(size, size))[0][:, : settings.dimension]
    matrix = torch.nn.Parameter(start.contiguous())
    scale, null = torch.nn.Parameter(torch.tensor(2.5)), torch.nn.Parameter(torch.tensor(6.0))
    groups = [{"params": [matrix], "weight_decay": 0.1}, {"params": [scale, null], "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=2e-3)
    steps = settings.epochs * (len(examples) // PAIRS_A_STEP)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=[2e-3, 1e-2], total_steps=steps + 1)
    for epoch in range(settings.epochs):
        order = torch.randperm(len(examples)).split(PAIRS_A_STEP)[: len(examples) // PAIRS_A_STEP]
        batches = ([examples[k] for k in chosen.tolist()] for chosen in order)
        losses = (alignment_loss(batch, torch.from_numpy(mean), matrix, scale, null) for batch in batches)
        mean_loss = descend(losses, optimizer, schedule)
        print(f"projection, epoch {epoch + 1}: loss {mean_loss:.4f}", file=sys.stderr, flush=True)
    return mean, matrix.detach().numpy()


def principal_directions(examples: Sequence[LinkExample]) -> np.ndarray:
    """The directions along which the words of the examples differ most, float32 (D, DIRECTIONS).

    They are scaled so that the words have a standard deviation of 1 along each.
    """
    vectors = np.concatenate([side.vectors for e in examples[::8] for side in (e.source, e.target)])
    variances, axes = np.linalg.eigh(np.cov(vectors.T.astype(np.float64)))
    strongest = slice(None, -DIRECTIONS - 1, -1)
    return (axes[:, strongest] / np.sqrt(variances[strongest])).astype(np.float32)


def alignment_loss(
    examples: Sequence[LinkExample],
    mean: torch.Tensor,
    matrix: torch.Tensor,
    scale: torch.Tensor,
    null: torch.Tensor,
) -> torch.Tensor:
    """Mean over words of the negative log-probability of a gold partner, or of null."""
    sides = [e.source for e in examples] + [e.target for e in examples]
    vectors = torch.from_numpy(np.concatenate([side.vectors for side in sides]))
    parts = normalize((vectors - mean) @ matrix, dim=1).split([len(side.kinds) for side in sides])
    sources, targets = (
        torch.nn.utils.rnn.pad_sequence(list(half), batch_first=True)
        for half in (parts[: len(examples)], parts[len(examples) :])
    )
    gold = torch.zeros(len(examples), sources.shape[1], targets.shape[1], dtype=torch.bool)
    inside = torch.zeros_like(gold)
    for row, example in enumerate(examples):
        n, m = example.gold.shape
        gold[row, :n, :m] = torch.from_numpy(example.gold)
        inside[row, :n, :m] = True
    cells = (sources @ targets.transpose(1, 2) * scale.exp()).masked_fill(~inside, -1e9)
    loss, words = torch.zeros(()), 0
    for table, links, real in (
        (cells, gold, inside.any(2)),
        (cells.transpose(1, 2), gold.transpose(1, 2), inside.any(1)),
    ):
        with_null = torch.cat([table, null.expand(*table.shape[:2], 1)], 2)
        right = torch.cat([links, ~links.any(2, keepdim=True)], 2)
        chosen = torch.log_softmax(with_null, 2).masked_fill(~right, -1e9).logsumexp(2)
        loss = loss - chosen[real].sum()
        words += int(real.sum())
    return loss / words


# --------------------------------------------------------------------------------------- first pass


def fit_first(examples: Sequence[LinkExample], settings: LinkSettings) -> np.ndarray:
    """Weights of the first pass, float32 (9, 76), fitted on the likely cells and a sample of the others."""
    rng = np.random.default_rng(0)
    parts = []
    for example in examples:
        kept, weight = chosen_cells(example, rng)
        base, classes, _ = base_table(example.source, example.target, example.evidence)
        parts.append((base[kept], classes[kept], example.gold.ravel()[kept], weight * example.weight))
    features, classes, gold, weights = (np.concatenate(column) for column in zip(*parts, strict=True))
    return logistic_regression(features, classes, gold, weights, settings)


def chosen_cells(example: LinkExample, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """All cells that could be links, and a weighted sample of the others."""
    similar = example.source.projected @ example.target.projected.T
    across, along = (similar >= similar.max(axis, keepdims=True) for axis in (1, 0))
    second_across, second_along = (similar >= second_best(similar, axis) for axis in (1, 0))
    has_evidence = example.evidence & ~int(Evidence.FUNCTION | Evidence.PREPOSITION) != 0
    likely = example.gold | has_evidence | across | along | (second_across & second_along)
    sampled = ~likely & (rng.random(likely.shape) < _SAMPLED)
    kept = np.flatnonzero(likely | sampled)
    return kept, np.where(likely.ravel()[kept], 1.0, 1 / _SAMPLED).astype(np.float32)


def second_best(table: np.ndarray, axis: int) -> np.ndarray:
    """Second-highest value along an axis, or the only one; the axis is kept."""
    place = max(table.shape[axis] - 2, 0)
    return np.sort(table, axis=axis).take([place], axis)


def logistic_regression(
    features: np.ndarray, classes: np.ndarray, gold: np.ndarray, weights: np.ndarray, settings: LinkSettings
) -> np.ndarray:
    """Weighted logistic regression: weights that all classes share plus weights of each class."""
    ridge = settings.ridge
    features[:, settings.left_out(features.shape[1])] = 0  # the ridge keeps their weights at 0
    spread = features.std(0) + 1e-6
    count, size = len(LINK_CLASSES), features.shape[1]
    parts = []
    for c in range(count):
        rows = classes == c
        of_class = features[rows] / spread, gold[rows].astype(np.float32), weights[rows]
        parts.append([torch.from_numpy(array) for array in of_class])
    own = torch.zeros(count, size, requires_grad=True)
    shared = torch.zeros(size, requires_grad=True)
    bias = torch.full((count,), -2.0, requires_grad=True)
    optimizer = torch.optim.LBFGS(
        [own, shared, bias], max_iter=60, history_size=10, line_search_fn="strong_wolfe"
    )
    total = float(weights.sum())

    def closure():  # type: ignore[no-untyped-def]
        optimizer.zero_grad()
        loss = ridge * (own**2).sum() + 0.1 * ridge * (shared**2).sum()
        for c, (rows, labels, weight) in enumerate(parts):
            if len(labels):
                score = rows @ (own[c] + shared) + bias[c]
                loss = loss + binary_cross_entropy_with_logits(score, labels, weight, reduction="sum") / total
        loss.backward()
        return loss

    before = optimizer.step(closure).item()
    print(f"loss {before:.5f} at first, {closure().item():.5f} at last", file=sys.stderr, flush=True)
    matrix = (own + shared).detach().numpy() / spread
    return np.concatenate([matrix, bias.detach().numpy()[:, None]], 1).astype(np.float32)
