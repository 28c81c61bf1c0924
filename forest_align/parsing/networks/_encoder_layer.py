"""A layer of BERT, used in both the parser's encoder and the encoder of word vectors."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Protocol

import torch
from torch.nn import functional

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from forest_align.parsing.networks._packed_rows import PackedRows
    from forest_align.parsing.networks.linear_layers import LinearKind

#: Weight and bias of a layer.
Layer = tuple[torch.Tensor, torch.Tensor]


class Table(Protocol):
    """A matrix in small integers, whose rows are looked up."""

    def __call__(self, numbers: torch.Tensor) -> torch.Tensor:
        """Look up rows, int64 ``[...]``: ``[..., K]``."""

    def whole(self) -> torch.Tensor:
        """All rows."""

    def to(self, device: torch.device, dtype: torch.dtype) -> Table:
        """The same table on a device, for rows of another type."""


class Weights:
    """Weights by name, converted one by one when they are asked for: as a file has them, they take no memory.

    Parameters
    ----------
    stored : mapping of str to torch.Tensor or Table
        The weights.
    dtype : torch.dtype
        The type that they are converted to.
    device : torch.device
        Where they are needed.
    """

    def __init__(
        self, stored: Mapping[str, torch.Tensor | Table], dtype: torch.dtype, device: torch.device
    ) -> None:
        self._stored, self._dtype, self._device = stored, dtype, device

    def __getitem__(self, name: str) -> torch.Tensor:
        value = self._stored[name]
        whole = value if isinstance(value, torch.Tensor) else value.whole()
        return whole.to(self._device, self._dtype)

    def table(self, name: str) -> Callable[[torch.Tensor], torch.Tensor]:
        """A function that looks up rows, int64 ``[...]``: ``[..., K]``."""
        value = self._stored[name]
        if isinstance(value, torch.Tensor):
            return partial(functional.embedding, weight=self[name])
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
