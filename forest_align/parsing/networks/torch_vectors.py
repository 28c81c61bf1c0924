"""The encoder of word vectors in torch, for devices and in floating point: the twin of ``vector_network``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch

from forest_align.parsing.networks.encoder_batches import distance_buckets, join_rows, mean_vectors
from forest_align.parsing.networks.torch_layers import (
    EncoderBatch,
    EncoderLayer,
    PackedRows,
    Weights,
    collate,
    normalise,
)

if TYPE_CHECKING:
    from forest_align.parsing.networks._network_shapes import VectorSizes
    from forest_align.parsing.networks.encoder_batches import EncodedSentence
    from forest_align.parsing.networks.stored_tables import Table


class TorchVectorNetwork:
    """Lower layers of MPNet (Song et al. 2020): layers of BERT, with an attention bias by distance.

    Raises KeyError if a weight is missing.
    """

    def __init__(
        self,
        stored: Mapping[str, np.ndarray | Table],
        sizes: VectorSizes,
        dtype: torch.dtype,
        place: torch.device,
    ) -> None:
        weights = Weights(stored, dtype, place)
        self._words, self._positions = weights["words"], weights["positions"]
        self._norm, self.place = weights.layer("norm"), place
        self._epsilon, self._distance = sizes.epsilon, sizes.distance
        self._layers = [
            EncoderLayer(weights.below(f"layer.{number}."), sizes.heads, sizes.epsilon)
            for number in range(sizes.layers)
        ]
        self._bias = weights["relative_attention_bias"].T.contiguous()
        self.longest, self.width = self._positions.shape
        self.words = len(self._words)

    def __call__(self, sentences: Sequence[EncodedSentence]) -> np.ndarray:
        """Vectors of all words of the sentences, float32 (n, D)."""
        batch = collate(sentences).to(self.place)
        with torch.inference_mode():
            hidden = self.hidden(batch)[batch.subword_mask].float().cpu().numpy()
        return mean_vectors(hidden, join_rows(sentences))

    def hidden(self, batch: EncoderBatch) -> torch.Tensor:
        """Hidden states of the last layer, ``[B, S, D]``."""
        packed = PackedRows(batch.subword_mask)
        places = torch.arange(batch.subwords.shape[1], device=batch.subwords.device).expand_as(batch.subwords)
        embedded = self._words[packed.pack(batch.subwords)] + self._positions[packed.pack(places)]
        hidden = normalise(embedded, self._norm, self._epsilon)
        buckets = torch.from_numpy(distance_buckets(packed.padded_length, len(self._bias[0]), self._distance))
        mask = packed.biased_mask(self._bias[:, buckets.to(self._bias.device)])
        for layer in self._layers:
            hidden = layer(hidden, packed, mask)
        return packed.unpack(hidden)
