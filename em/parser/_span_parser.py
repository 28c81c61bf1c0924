"""The span parser as a benepar module, for training; ``span_network`` is its counterpart for parsing."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import nn
from torch.nn import functional

from forest_align.parsing.networks.benepar_parser import chart_parser
from forest_align.parsing.networks.encoder_batches import CASE_COUNT
from forest_align.parsing.networks.isolated_imports import import_isolated
from forest_align.parsing.networks.span_network import BatchScores, score_spans

if TYPE_CHECKING:
    from collections.abc import Mapping

    from forest_align.parsing.networks.padded_batches import EncoderBatch

_ChartParser: Any = chart_parser()
_HParams = import_isolated("benepar.nkutil").HParams


class SpanParser(_ChartParser):
    """benepar's chart parser with letter-case features and a forward pass that skips half the chart.

    Parameters
    ----------
    tag_vocab, label_vocab : mapping of str to int
        As in benepar; the empty label is 0.
    hparams : mapping
        benepar's hyper-parameters.
    pretrained_model_path : str or Path
        Local folder with the encoder's ``config.json`` and its tokenizer.
    """

    def __init__(
        self,
        tag_vocab: Mapping[str, int],
        label_vocab: Mapping[str, int],
        hparams: Mapping[str, Any],
        pretrained_model_path: str | Path,
    ) -> None:
        super().__init__(
            dict(tag_vocab), dict(label_vocab), None, _HParams(**hparams), str(pretrained_model_path)
        )
        self.pretrained_model.pooler = None
        self.case_embedding = nn.Embedding(CASE_COUNT, self.pretrained_model.config.hidden_size)
        nn.init.normal_(self.case_embedding.weight, std=0.02)
        self.longest = min(
            self.pretrained_model.config.max_position_embeddings, int(hparams["encoder_max_len"])
        )

    def forward(self, batch: EncoderBatch) -> BatchScores:
        """Score every span and tag of a batch; equals benepar's own forward pass except for letter case."""
        encoded = self.pretrained_model(batch.subwords, attention_mask=batch.subword_mask)
        hidden = encoded.last_hidden_state
        rows = torch.arange(len(batch.subwords), device=batch.subwords.device)[:, None]
        features = hidden[rows, batch.word_ends] + self.case_embedding(batch.cases)
        features = features * batch.word_mask[:, :, None]
        content = self.project_pretrained(features)
        annotations = self.encoder(self.add_timing(self.morpho_emb_dropout(content)), batch.word_mask)
        annotations = torch.cat([annotations[..., 0::2], annotations[..., 1::2]], -1)
        first_layer, rest = self.f_label[0], self.f_label[1:]
        first = partial(functional.linear, weight=first_layer.weight), first_layer.bias
        spans = score_spans(annotations, batch.lengths, first, rest)
        return BatchScores(spans, self.f_tag(annotations))

    def tags(self, batch: EncoderBatch) -> torch.Tensor:
        """Score every tag of a batch; see :attr:`BatchScores.tags`."""
        return self(batch).tags
