"""The tree CRF as a differentiable loss over batches, used to train the parser.

Each n-ary tree is counted once. A split joins a *real* left part, a labelled span or a single word, with a
right part that may also be unlabelled. So an unlabelled span is always the rest of its parent.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.nn.functional import softplus


class _LogPartition(torch.autograd.Function):
    """Log partition of batches of charts; its gradient is the marginal of each labelled span."""

    @staticmethod
    def forward(ctx: Any, labelled: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Compute inside scores width by width; charts are indexed by start (or end) and width."""
        batch, longest, _ = labelled.shape
        by_start = labelled.new_zeros(batch, longest, longest)  # [b, first, width - 1] -> log potential
        for width in range(1, longest + 1):
            by_start[:, : longest - width + 1, width - 1] = torch.diagonal(labelled, width - 1, 1, 2)
        split = labelled.new_zeros(batch, longest, longest)
        real = labelled.new_zeros(batch, longest, longest)
        rest = labelled.new_zeros(batch, longest, longest)  # indexed by the last word
        real[:, :, 0] = rest[:, :, 0] = softplus(by_start[:, :, 0])
        for width in range(2, longest + 1):
            starts = longest - width + 1
            joined = real[:, :starts, : width - 1] + rest[:, width - 1 :, : width - 1].flip(-1)
            total = torch.logsumexp(joined, -1)
            label = by_start[:, :starts, width - 1]
            split[:, :starts, width - 1] = total
            real[:, :starts, width - 1] = total + label
            rest[:, width - 1 :, width - 1] = total + softplus(label)
        ctx.save_for_backward(by_start, split, real, rest, lengths)
        rows = torch.arange(batch, device=labelled.device)
        return split[rows, 0, lengths - 1] + by_start[rows, 0, lengths - 1]

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, None]:
        """Outside pass: the marginals, times the incoming gradient."""
        by_start, split, real, rest, lengths = ctx.saved_tensors
        batch, longest, _ = by_start.shape
        label_gradient = torch.zeros_like(by_start)
        real_gradient, rest_gradient = torch.zeros_like(real), torch.zeros_like(rest)
        root = torch.zeros_like(by_start)
        root[torch.arange(batch, device=root.device), 0, lengths - 1] = gradient
        for width in range(longest, 1, -1):
            starts = longest - width + 1
            label = by_start[:, :starts, width - 1]
            from_real = real_gradient[:, :starts, width - 1] + root[:, :starts, width - 1]
            from_rest = rest_gradient[:, width - 1 :, width - 1]
            label_gradient[:, :starts, width - 1] = from_real + from_rest * torch.sigmoid(label)
            joined = real[:, :starts, : width - 1] + rest[:, width - 1 :, : width - 1].flip(-1)
            share = torch.exp(joined - split[:, :starts, width - 1, None])
            share *= (from_real + from_rest)[..., None]
            real_gradient[:, :starts, : width - 1] += share
            rest_gradient[:, width - 1 :, : width - 1] += share.flip(-1)
        words = real_gradient[:, :, 0] + rest_gradient[:, :, 0]
        label_gradient[:, :, 0] = words * torch.sigmoid(by_start[:, :, 0]) + root[:, :, 0]
        marginals = torch.zeros_like(by_start)
        for width in range(1, longest + 1):
            torch.diagonal(marginals, width - 1, 1, 2).copy_(
                label_gradient[:, : longest - width + 1, width - 1]
            )
        return marginals, None


def log_partition(labelled: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    """Sum over all trees whose root is labelled."""
    return _LogPartition.apply(labelled, lengths)


def negative_log_likelihood(
    scores: torch.Tensor,
    index: tuple[torch.Tensor, torch.Tensor, torch.Tensor],
    gold: torch.Tensor,
    lengths: torch.Tensor,
) -> torch.Tensor:
    """Summed negative log-likelihood of the gold trees of a batch."""
    scores = scores.float()
    longest = int(lengths.max())
    sentence, first, last = index
    chart = scores.new_zeros(len(lengths) * longest * longest)
    chart = chart.index_copy(0, (sentence * longest + first) * longest + last, torch.logsumexp(scores, -1))
    total = log_partition(chart.view(len(lengths), longest, longest), lengths).sum()
    labelled = gold.nonzero(as_tuple=True)[0]
    return total - scores[labelled, gold[labelled] - 1].sum()
