"""A layer of BERT in torch, used in both the parser's encoder and the encoder of word vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch.nn import functional

from forest_align.parsing.networks.stored_tables import whole

if TYPE_CHECKING:
    from collections.abc import Mapping

    from forest_align.parsing.networks._packed_rows import PackedRows

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
