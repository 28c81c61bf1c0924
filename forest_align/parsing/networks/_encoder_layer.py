"""A layer of BERT, used in both the parser's encoder and the encoder of word vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch.nn import functional

if TYPE_CHECKING:
    from forest_align.parsing.networks._packed_rows import PackedRows
    from forest_align.parsing.networks.linear_layers import LinearKind

#: Weight and bias of a layer.
Layer = tuple[torch.Tensor, torch.Tensor]


class Weights(dict[str, torch.Tensor]):
    """Weights by name."""

    def below(self, prefix: str) -> Weights:
        """The weights whose names begin with a prefix, under names without it."""
        return Weights({name[len(prefix) :]: self[name] for name in self if name.startswith(prefix)})

    def layer(self, name: str) -> Layer:
        """Weight and bias of a layer."""
        return self[f"{name}.weight"], self[f"{name}.bias"]


class EncoderLayer:
    """One layer of BERT (Devlin et al. 2019): self-attention and a feed-forward network, normalised after."""

    def __init__(self, weights: Weights, heads: int, epsilon: float, linear: LinearKind) -> None:
        self._heads, self._epsilon = heads, epsilon
        parts = [weights.layer(f"attention.self.{name}") for name in ("query", "key", "value")]
        self._attention_input = linear(*(torch.cat(same) for same in zip(*parts, strict=True)))
        self._attention_output = linear(*weights.layer("attention.output.dense"))
        self._attention_norm = weights.layer("attention.output.LayerNorm")
        self._inner, self._outer = (
            linear(*weights.layer(name)) for name in ("intermediate.dense", "output.dense")
        )
        self._norm = weights.layer("output.LayerNorm")

    def __call__(
        self, hidden: torch.Tensor, packed: PackedRows, mask: torch.Tensor | None = None
    ) -> torch.Tensor:
        """New states of all rows, ``[R, D]``; for ``mask``, see :meth:`PackedRows.attend`."""
        attended = packed.attend(self._attention_input(hidden), self._heads, mask).flatten(1)
        hidden = hidden + self._attention_output(attended)
        hidden = normalise(hidden, self._attention_norm, self._epsilon)
        inner = functional.gelu(self._inner(hidden))
        return normalise(hidden + self._outer(inner), self._norm, self._epsilon)


def normalise(hidden: torch.Tensor, layer: Layer, epsilon: float = 1e-5) -> torch.Tensor:
    """Layer normalisation of the last dimension, with weight and bias."""
    return functional.layer_norm(hidden, hidden.shape[-1:], *layer, epsilon)
