"""The layers of encoders on a processor: compiled loops, with 8-bit integers in matrix products."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from forest_align.cext import encoder
from forest_align.parsing.networks.stored_tables import Table, whole

# Weights of a layer by name, as a model file has them.
_Stored = Mapping[str, np.ndarray | Table]
# Turns rows, float32 (n, K), into others.
_RowFunction = Callable[[np.ndarray], np.ndarray]


class LayerWeights:
    """Weights whose names begin with a prefix; each is converted to float32 when it is asked for."""

    def __init__(self, stored: _Stored, prefix: str = "") -> None:
        self._stored, self._prefix = stored, prefix

    def __getitem__(self, name: str) -> np.ndarray:
        return whole(self._stored[self._prefix + name])

    def below(self, prefix: str) -> LayerWeights:
        """The weights whose names go on with a prefix."""
        return LayerWeights(self._stored, self._prefix + prefix)

    def linear(self, *names: str) -> IntegerLinear:
        """One linear layer with the weights and biases of several, one after the other."""
        return IntegerLinear(
            np.concatenate([self[f"{name}.weight"] for name in names]),
            np.concatenate([self[f"{name}.bias"] for name in names]),
        )

    def norm(self, name: str, epsilon: float = 1e-5) -> _Normalisation:
        """Layer normalisation with a weight and a bias."""
        return _Normalisation(self[f"{name}.weight"], self[f"{name}.bias"], epsilon)


class IntegerLinear:
    """A linear layer that multiplies integers; each row of the weight and of the input has its own scale.

    Shapes: ``weight`` float32 (N, K); ``bias`` float32 (N,).
    """

    def __init__(self, weight: np.ndarray, bias: np.ndarray | None = None) -> None:
        self._size = len(weight)
        integers, scales = encoder.quantize(np.ascontiguousarray(weight))
        self._packed, self._offsets = encoder.pack(integers)
        self._scales, self._bias = (np.zeros(len(self._offsets), dtype=np.float32) for _ in range(2))
        self._scales[: self._size] = scales
        if bias is not None:
            self._bias[: self._size] = bias

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        """Return ``rows @ weight.T + bias``, float32 (n, N), both quantized."""
        rows = np.ascontiguousarray(rows)
        return encoder.multiply(rows, self._packed, self._offsets, self._scales, self._bias, self._size)


class _Normalisation:
    """Layer normalisation of rows, or of their sums with others."""

    def __init__(self, weight: np.ndarray, bias: np.ndarray, epsilon: float) -> None:
        self._weight, self._bias, self._epsilon = weight, bias, epsilon

    def __call__(self, rows: np.ndarray, added: np.ndarray | None = None) -> np.ndarray:
        """Normalise float32 rows, shape (n, K)."""
        rows = np.ascontiguousarray(rows)
        return encoder.normalise(rows, self._weight, self._bias, self._epsilon, added)


class IntegerEncoderLayer:
    """One layer of BERT (Devlin et al. 2019): self-attention and a feed-forward network, normalised after."""

    def __init__(self, weights: LayerWeights, heads: int, epsilon: float) -> None:
        self._heads = heads
        self._joined = weights.linear(*(f"attention.self.{name}" for name in ("query", "key", "value")))
        self._attended = weights.linear("attention.output.dense")
        self._attention_norm = weights.norm("attention.output.LayerNorm", epsilon)
        self._inner, self._outer = weights.linear("intermediate.dense"), weights.linear("output.dense")
        self._norm = weights.norm("output.LayerNorm", epsilon)

    def __call__(self, hidden: np.ndarray, starts: np.ndarray, bias: np.ndarray | None = None) -> np.ndarray:
        """New states of all rows, float32 (R, D); for ``starts`` and ``bias`` see ``cext.encoder.attend``."""
        attended = encoder.attend(self._joined(hidden), starts, self._heads, bias)
        hidden = self._attention_norm(self._attended(attended), hidden)
        inner = self._inner(hidden)
        encoder.gelu(inner)
        return self._norm(self._outer(inner), hidden)
