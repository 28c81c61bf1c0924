"""The span parser as a benepar module, for training; ``span_network`` is its counterpart for parsing.

Its loss is that of a tree CRF, in which each n-ary tree is counted once. A split joins a *real* left part, a
labelled span or a single word, with a right part that may also be unlabelled. So an unlabelled span is always
the rest of its parent.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional
from torch.nn.functional import softplus

from forest_align.parsing.networks.benepar_parser import chart_parser
from forest_align.parsing.networks.encoder_batches import CASE_COUNT, join_rows, mean_vectors
from forest_align.parsing.networks.isolated_imports import import_isolated
from forest_align.parsing.networks.span_network import BatchScores, of_words, score_spans
from forest_align.parsing.networks.torch_layers import EncoderBatch, collate, padded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from forest_align.em.parser._examples import ExampleStore
    from forest_align.parsing.networks.encoder_batches import EncodedSentence


_ChartParser: Any = chart_parser()
_HParams = import_isolated("benepar.nkutil").HParams


class SpanParser(_ChartParser):
    """benepar's chart parser on the states of a frozen encoder, with letter-case features."""

    def __init__(
        self,
        tag_vocab: Mapping[str, int],
        label_vocab: Mapping[str, int],
        hparams: Mapping[str, Any],
        pretrained_model_path: str | Path,
        layers: int,
        states: int,
    ) -> None:
        super().__init__(
            dict(tag_vocab), dict(label_vocab), None, _HParams(**hparams), str(pretrained_model_path)
        )
        upper = self.pretrained_model
        upper.pooler = upper.embeddings = None
        upper.encoder.layer = upper.encoder.layer[-layers:]
        self.input = nn.Linear(states, upper.config.hidden_size)
        self.case_embedding = nn.Embedding(CASE_COUNT, upper.config.hidden_size)
        nn.init.normal_(self.case_embedding.weight, std=0.02)
        self.longest = min(upper.config.max_position_embeddings, int(hparams["encoder_max_len"]))

    def forward(self, batch: EncoderBatch, states: torch.Tensor) -> BatchScores:
        """Score every span and tag of a batch; ``states`` of the frozen encoder are ``[B, T, D]``."""
        hidden = self.input(states) + self.case_embedding(batch.cases)
        hidden = self.pretrained_model.encoder(hidden, batch.subword_mask[:, None, None, :])[0]
        rows = torch.arange(len(hidden), device=hidden.device)[:, None]
        features = hidden[rows, batch.word_ends] * batch.word_mask[:, :, None]
        content = self.project_pretrained(features)
        annotations = self.encoder(self.add_timing(self.morpho_emb_dropout(content)), batch.word_mask)
        annotations = torch.cat([annotations[..., 0::2], annotations[..., 1::2]], -1)
        first_layer, rest = self.f_label[0], self.f_label[1:]
        first = partial(functional.linear, weight=first_layer.weight), first_layer.bias
        spans = score_spans(annotations, batch.lengths, first, rest)
        return BatchScores(spans, self.f_tag(annotations))


class OnStates:
    """The network in training as one that reads encoded sentences and returns arrays."""

    def __init__(self, parser: SpanParser, store: ExampleStore) -> None:
        self._parser, self._store, self.longest = parser, store, parser.longest

    def __call__(self, sentences: Sequence[EncodedSentence]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Score every span and tag; see :class:`~forest_align.parsing.networks.encoder_scorer.Network`."""
        rows = [self._store.states_of(sentence) for sentence in sentences]
        batch, states = collate(sentences), padded(rows)
        with torch.no_grad():
            scores = self._parser(batch.to(self._parser.device), states.to(self._parser.device))
        vectors = mean_vectors(np.concatenate(rows).astype(np.float32), join_rows(sentences))
        return scores.spans.float().cpu().numpy(), of_words(scores.tags.cpu(), batch), vectors

    def tags(self, sentences: Sequence[EncodedSentence]) -> np.ndarray:
        """Score every tag."""
        return self(sentences)[1]


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
