"""Fits the second pass of the link model, and computes the features of cells for the later passes."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch.nn.functional import binary_cross_entropy_with_logits

from forest_align.aligners.contextual.features import LINK_CLASSES, base_table, direction_features
from forest_align.aligners.contextual.passes import HOPELESS, MessageNetwork
from forest_align.cext import contextual as kernel
from forest_align.em.contextual._first_pass import LinkSettings
from forest_align.em.contextual.examples import LinkExample
from forest_align.em.fitting.optimization import descend

CELLS_A_STEP = 2048


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The cells of all examples, K in all, that a pass keeps for the next one."""

    # float32, shape (n, m): for each example, the pass's probabilities of all cells
    probabilities: list[np.ndarray]
    numbers: list[np.ndarray]  # int32, shape (k,): for each example, the cells that are kept, as i * m + j
    names: list[np.ndarray]  # uint8, shape (n, m): for each example, which cells join two capitalised words
    apart: np.ndarray  # float32, shape (K, 107): base and direction features
    classes: np.ndarray  # int32, shape (K,)

    def features(self, examples: Sequence[LinkExample], settings: LinkSettings) -> np.ndarray:
        """Features of the next pass, float32 (K, 163); features that are left out are 0."""
        context = []
        for p, names, e, numbers in zip(self.probabilities, self.names, examples, self.numbers, strict=True):
            kinds, related = (e.source.kinds, e.target.kinds), (e.source.related, e.target.related)
            context.append(kernel.context_features(p, names, e.evidence, *kinds, *related, numbers))
        features = np.concatenate([self.apart, np.concatenate(context)], 1)
        features[:, settings.left_out(features.shape[1])] = 0
        return features

    def wanted(self, examples: Sequence[LinkExample]) -> np.ndarray:
        """Targets of the next pass, float32 (K,)."""
        parts = [e.wanted.ravel()[numbers] for e, numbers in zip(examples, self.numbers, strict=True)]
        return np.concatenate(parts)

    def after(self, scores: np.ndarray, unlikely: float) -> Cells:
        """The cells that remain after a pass with these log-odds, float32 (K,)."""
        chance = 1 / (1 + np.exp(-scores))
        kept = chance >= unlikely
        ends = np.cumsum([len(numbers) for numbers in self.numbers])[:-1]
        probabilities = [p.copy() for p in self.probabilities]
        for p, numbers, values in zip(probabilities, self.numbers, np.split(chance, ends), strict=True):
            p.ravel()[numbers] = values
        left = [mine[chosen] for mine, chosen in zip(self.numbers, np.split(kept, ends), strict=True)]
        return Cells(probabilities, left, self.names, self.apart[kept], self.classes[kept])


def cells_of(examples: Sequence[LinkExample], first: np.ndarray, directions: np.ndarray) -> Cells:
    """The cells that the first pass keeps for the second."""
    probabilities, numbers, names, apart, classes = [], [], [], [], []
    for e in examples:
        base, kinds, both = base_table(e.source, e.target, e.evidence)
        p = kernel.first_probabilities(base, kinds, first)
        kept = np.flatnonzero(p >= HOPELESS).astype(np.int32)
        words = direction_features(e.source, e.target, directions, kept)
        probabilities.append(p.reshape(e.gold.shape))
        numbers.append(kept)
        names.append(both)
        apart.append(np.concatenate([base[kept], words], 1))
        classes.append(kinds[kept])
    return Cells(probabilities, numbers, names, np.concatenate(apart), np.concatenate(classes))


def fit_second(
    examples: Sequence[LinkExample], cells: Cells, settings: LinkSettings
) -> tuple[MessageNetwork, np.ndarray]:
    """Fit the second pass: its weights, and its log-odds of the cells, float32 (K,)."""
    features, wanted = cells.features(examples, settings), cells.wanted(examples)
    weights = np.repeat([e.weight for e in examples], [len(numbers) for numbers in cells.numbers])
    print(f"{len(wanted)} cells", file=sys.stderr, flush=True)
    network = fit_network(features, cells.classes, wanted, weights, settings)
    return network, network_scores(network, features, cells.classes)


def fit_network(
    features: np.ndarray, classes: np.ndarray, wanted: np.ndarray, weights: np.ndarray, settings: LinkSettings
) -> MessageNetwork:
    """Train a network without rounds: each cell is a separate example."""
    torch.manual_seed(0)
    mean, spread = features.mean(0), np.maximum(features.std(0), 0.1)
    rows = torch.from_numpy((features - mean) / spread)
    kinds, labels = torch.from_numpy(classes.astype(np.int64)), torch.from_numpy(wanted)
    weight = torch.from_numpy((weights / weights.mean()).astype(np.float32))
    units, count = settings.units, features.shape[1]
    bound = (count + len(LINK_CLASSES)) ** -0.5
    hidden = torch.empty(count, units + 1).uniform_(-bound, bound).requires_grad_()
    bias = torch.empty(len(LINK_CLASSES), units + 1).uniform_(-bound, bound).requires_grad_()
    output = torch.empty(units).uniform_(-(units**-0.5), units**-0.5).requires_grad_()
    optimizer = torch.optim.AdamW([hidden, bias, output], lr=4e-3, weight_decay=1e-3)
    steps = settings.second_epochs * (len(rows) // CELLS_A_STEP)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, max_lr=4e-3, total_steps=steps + 1, pct_start=0.2
    )

    def losses() -> Iterator[torch.Tensor]:
        for chosen in torch.randperm(len(rows)).split(CELLS_A_STEP)[: steps // settings.second_epochs]:
            mixed = rows[chosen] @ hidden + bias[kinds[chosen]]
            score = torch.relu(mixed[:, :-1]) @ output + mixed[:, -1]
            yield binary_cross_entropy_with_logits(score, labels[chosen], weight[chosen])

    for epoch in range(settings.second_epochs):
        mean_loss = descend(losses(), optimizer, schedule)
        print(f"second pass, epoch {epoch + 1}: loss {mean_loss:.5f}", file=sys.stderr, flush=True)
    matrix = hidden.detach().numpy() / spread[:, None]
    matrix[settings.left_out(count)] = 0
    shift = bias.detach().numpy() - mean @ matrix
    return MessageNetwork.without_rounds(
        matrix.astype(np.float32), shift.astype(np.float32), output.detach().numpy()
    )


def network_scores(network: MessageNetwork, features: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Log-odds of cells under a network without rounds."""
    parts = []
    for start in range(0, len(features), 65536):
        rows, kinds = features[start : start + 65536], classes[start : start + 65536]
        mixed = rows @ network.hidden + network.hidden_bias[kinds]
        parts.append(np.maximum(mixed[:, :-1], 0) @ network.output + mixed[:, -1])
    return np.concatenate(parts)
