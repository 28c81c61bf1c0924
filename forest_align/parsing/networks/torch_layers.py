"""What the networks of torch share: padded batches, their rows without padding, and layers of BERT.

Also the encoder of word vectors for devices and floating point, the twin of ``vector_network``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch.nn import functional

from forest_align.parsing.networks.encoder_batches import (
    BOUNDARY_CASE,
    EncodedSentence,
    distance_buckets,
    join_rows,
    mean_vectors,
)
from forest_align.parsing.networks.stored_tables import whole

if TYPE_CHECKING:
    from forest_align.parsing.networks.model_files import VectorSizes
    from forest_align.parsing.networks.stored_tables import Table

# Attention is padded to a multiple of this number of positions, which is one or two processor vectors. So
# sums have the same order for any length of the other sentences, and loops have no slow remainder.
_ATTENTION_STEP = 16


class PackedRows:
    """Positions of the rows of B sentences, stored one after the other without padding."""

    def __init__(self, present: torch.Tensor) -> None:
        self._present, self._length = present, present.shape[1]
        grid = functional.pad(present, (0, -self._length % _ATTENTION_STEP))
        self._shape = grid.shape
        self._places = grid.flatten().nonzero().flatten()
        # Attention is faster without a mask.
        self._mask = None if len(self._places) == grid.numel() else grid[:, None, None, :]

    def pack(self, padded: torch.Tensor) -> torch.Tensor:
        """Drop padding: ``[B, T, D]`` to ``[R, D]``."""
        return padded[self._present]

    def unpack(self, rows: torch.Tensor) -> torch.Tensor:
        """Restore padding as zeros: ``[R, D]`` to ``[B, T, D]``."""
        return self._spread(rows)[:, : self._length]

    @property
    def padded_length(self) -> int:
        """Positions of a sentence in :meth:`attend`, including padding."""
        return self._shape[1]

    def biased_mask(self, bias: torch.Tensor) -> torch.Tensor:
        """A mask for :meth:`attend` that adds ``bias``, ``[heads, P, P]`` of P positions, to its scores."""
        # Always four dimensions: with three, torch uses another algorithm, which rounds differently.
        return bias[None] if self._mask is None else bias.masked_fill(~self._mask, -torch.inf)

    def attend(self, joined: torch.Tensor, heads: int, mask: torch.Tensor | None = None) -> torch.Tensor:
        """Attend: query, key and value, ``[R, 3 * heads * part]``, to ``[R, heads, part]``.

        ``mask`` comes from :meth:`biased_mask`. Without it, padding is ignored and no bias is added.
        """
        if mask is None:
            mask = self._mask
        spread = self._spread(joined).unflatten(-1, (3, heads, -1))
        query, key, value = spread.permute(2, 0, 3, 1, 4)
        attended = functional.scaled_dot_product_attention(query, key, value, mask)
        attended = attended.transpose(1, 2).flatten(0, 1)
        return attended if self._mask is None else attended.index_select(0, self._places)

    def _spread(self, rows: torch.Tensor) -> torch.Tensor:
        if self._mask is None:
            return rows.view(*self._shape, -1)
        spread = rows.new_zeros(self._shape.numel(), rows.shape[1])
        return spread.index_copy_(0, self._places, rows).view(*self._shape, -1)


#: Weight and bias of a layer.
Layer = tuple[torch.Tensor, torch.Tensor]


class Weights:
    """Weights by name, converted one by one on demand: the mapped file itself takes no memory."""

    def __init__(self, stored: Mapping[str, Any], dtype: torch.dtype, device: torch.device) -> None:
        self._stored, self._dtype, self._device = stored, dtype, device

    def __getitem__(self, name: str) -> torch.Tensor:
        value = self._stored[name]
        if not isinstance(value, torch.Tensor):
            value = torch.from_numpy(whole(value))
        return value.to(self._device, self._dtype)

    def below(self, prefix: str) -> Weights:
        """The weights whose names begin with a prefix, under names without it."""
        found = {name[len(prefix) :]: self._stored[name] for name in self._stored if name.startswith(prefix)}
        return Weights(found, self._dtype, self._device)

    def layer(self, name: str) -> Layer:
        """Weight and bias of a layer."""
        return self[f"{name}.weight"], self[f"{name}.bias"]


class EncoderLayer:
    """One layer of BERT (Devlin et al. 2019): self-attention and a feed-forward network, normalised after."""

    def __init__(self, weights: Weights, heads: int, epsilon: float) -> None:
        self._heads, self._epsilon = heads, epsilon
        parts = [weights.layer(f"attention.self.{name}") for name in ("query", "key", "value")]
        self._attention_input = tuple(torch.cat(same) for same in zip(*parts, strict=True))
        self._attention_output = weights.layer("attention.output.dense")
        self._attention_norm = weights.layer("attention.output.LayerNorm")
        self._inner, self._outer = (weights.layer(name) for name in ("intermediate.dense", "output.dense"))
        self._norm = weights.layer("output.LayerNorm")

    def __call__(
        self, hidden: torch.Tensor, packed: PackedRows, mask: torch.Tensor | None = None
    ) -> torch.Tensor:
        """New states of all rows, ``[R, D]``; for ``mask``, see :meth:`PackedRows.attend`."""
        joined = functional.linear(hidden, *self._attention_input)
        attended = packed.attend(joined, self._heads, mask).flatten(1)
        hidden = hidden + functional.linear(attended, *self._attention_output)
        hidden = normalise(hidden, self._attention_norm, self._epsilon)
        inner = functional.gelu(functional.linear(hidden, *self._inner))
        return normalise(hidden + functional.linear(inner, *self._outer), self._norm, self._epsilon)


def normalise(hidden: torch.Tensor, layer: Layer, epsilon: float = 1e-5) -> torch.Tensor:
    """Layer normalisation of the last dimension, with weight and bias."""
    return functional.layer_norm(hidden, hidden.shape[-1:], *layer, epsilon)


@dataclass(frozen=True, slots=True)
class EncoderBatch:
    """Padded encoder input of B sentences with at most T subwords and W words."""

    subwords: torch.Tensor  # int64 `[B, T]`, 0 for padding
    subword_mask: torch.Tensor  # bool `[B, T]`
    # int64 `[B, W + 2]`: last subword of the start symbol, each word and the stop symbol; 0 for padding
    word_ends: torch.Tensor
    word_mask: torch.Tensor  # bool `[B, W + 2]`
    cases: torch.Tensor  # int64 `[B, T]`: letter-case class of each subword's word
    lengths: torch.Tensor  # int64 `[B]`: number of words

    def to(self, device: torch.device) -> EncoderBatch:
        """The batch on a device."""
        return EncoderBatch(*(getattr(self, one.name).to(device) for one in fields(self)))


def padded(rows: Sequence[np.ndarray]) -> torch.Tensor:
    """States of the subwords of each sentence as one tensor, float32 ``[B, T, D]``, 0 for padding."""
    joined = np.zeros((len(rows), max(map(len, rows)), rows[0].shape[1]), dtype=np.float32)
    for place, of_sentence in enumerate(rows):
        joined[place, : len(of_sentence)] = of_sentence
    return torch.from_numpy(joined)


def collate(sentences: Sequence[EncodedSentence]) -> EncoderBatch:
    """Pad encoded sentences to one batch."""
    width = max(len(sentence.subwords) for sentence in sentences)
    height = max(len(sentence.word_ends) for sentence in sentences) + 2
    subwords = np.zeros((len(sentences), width), dtype=np.int64)
    ends = np.zeros((len(sentences), height), dtype=np.int64)
    cases = np.full((len(sentences), width), BOUNDARY_CASE, dtype=np.int64)
    sizes = np.array([len(sentence.subwords) for sentence in sentences])
    lengths = np.array([len(sentence.word_ends) for sentence in sentences])
    for row, sentence in enumerate(sentences):
        subwords[row, : sizes[row]] = sentence.subwords
        ends[row, 1 : lengths[row] + 1] = sentence.word_ends
        ends[row, lengths[row] + 1] = sizes[row] - 1
        cases[row, 1 : sizes[row] - 1] = sentence.subword_cases()
    return EncoderBatch(
        torch.from_numpy(subwords),
        torch.from_numpy(np.arange(width)[None, :] < sizes[:, None]),
        torch.from_numpy(ends),
        torch.from_numpy(np.arange(height)[None, :] < lengths[:, None] + 2),
        torch.from_numpy(cases),
        torch.from_numpy(lengths.astype(np.int64)),
    )


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
