"""The span parser as a benepar module, for training; ``span_network`` is its counterpart for parsing."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

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
