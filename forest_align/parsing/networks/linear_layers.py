"""Linear layers of the span parser, in floating point or in 8-bit integers."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import torch
from torch.nn import functional

from forest_align.cext import quantized_rows

#: Largest integer of a weight, and of an input. Processors without VNNI add two products in 16 bits. With
#: inputs of 8 bits, this would overflow; F1 is the same with 7.
_LARGEST_WEIGHT, _LARGEST_INPUT = 127, 63
#: The integer for 0 in a quantized input: oneDNN has fast kernels for unsigned integers only.
_ZERO_POINT = 64
#: Inputs are padded to a multiple of this number of rows: oneDNN caches code for every number of rows.
ROW_STEP = 32

#: The device that all parsers and encoders can use.
PROCESSOR = torch.device("cpu")

#: Applies a layer: ``[..., K]`` to ``[..., N]``.
Linear = Callable[[torch.Tensor], torch.Tensor]
#: Builds a layer from its weight ``[N, K]`` and its bias ``[N]``, if it has one.
LinearKind = Callable[..., Linear]


class FloatLinear:
    """A linear layer in the arithmetic of its weight, ``[N, K]``; ``bias`` is ``[N]``."""

    def __init__(self, weight: torch.Tensor, bias: torch.Tensor | None = None) -> None:
        self._weight, self._bias = weight, bias

    def __call__(self, rows: torch.Tensor) -> torch.Tensor:
        """Return ``rows @ weight.T + bias``."""
        return functional.linear(rows, self._weight, self._bias)


class IntegerLinear:
    """A linear layer that multiplies integers; each row of the weight and of the input has its own scale.

    Products are summed exactly, and no row's scale depends on another row. So a row gives the same result, to
    the last bit, whatever the other rows are.

    Parameters
    ----------
    weight : torch.Tensor
        float32 ``[N, K]``.
    bias : torch.Tensor, optional
        float32 ``[N]``.
    """

    def __init__(self, weight: torch.Tensor, bias: torch.Tensor | None = None) -> None:
        integers, scale = quantize_rows(weight)
        self._packed = torch.ops.onednn.qlinear_prepack(integers, None)
        self._scale, self._bias = scale.flatten(), None if bias is None else bias.numpy()
        self._zero_points = torch.zeros(len(integers), dtype=torch.int64)

    def __call__(self, rows: torch.Tensor) -> torch.Tensor:
        """Return ``rows @ weight.T + bias`` of float32 rows, both quantized."""
        flat = rows.reshape(-1, rows.shape[-1]).contiguous()
        padded = len(flat) + -len(flat) % ROW_STEP
        integers, scale = quantized_rows.quantize(flat.numpy(), _LARGEST_INPUT, _ZERO_POINT, padded)
        product = torch.ops.onednn.qlinear_pointwise(
            *(torch.from_numpy(integers), 1.0, _ZERO_POINT),
            *(self._packed, self._scale, self._zero_points),
            *(None, 1.0, 0, torch.float32),  # bias, scale and zero point of the output
            *("none", [], ""),  # no function after it
        )[: len(flat)]
        quantized_rows.scale_rows(product.numpy(), scale, self._bias)
        return product.view(*rows.shape[:-1], -1)


@cache
def multiplies_integers() -> bool:
    """Check whether :class:`IntegerLinear` is fast and exact here: on processors with AVX2 or AVX-512.

    The operators are torch's own for quantized models, but torch does not guarantee to keep them. So they are
    tested first, with numbers that would overflow in 16-bit sums.
    """
    if torch.backends.cpu.get_cpu_capability() not in ("AVX2", "AVX512"):
        return False
    rows, weight = torch.full((3, 64), float(_LARGEST_INPUT)), torch.full((16, 64), float(_LARGEST_WEIGHT))
    try:
        found = IntegerLinear(weight)(rows)
    except (AttributeError, RuntimeError):
        return False
    return torch.equal(found, rows @ weight.T)


def arithmetic(dtype: torch.dtype) -> tuple[LinearKind, torch.dtype]:
    """Kind of linear layers, and type of all other numbers, for a network with arithmetic ``dtype``.

    torch.int8 means integers in linear layers and float32 elsewhere.
    """
    return (IntegerLinear, torch.float32) if dtype == torch.int8 else (FloatLinear, dtype)


class IntegerTable:
    """Rows of 8-bit integers with one scale each. They stay as the file has them, mapped and shared.

    Parameters
    ----------
    integers : torch.Tensor
        int8 ``[n, K]``.
    scales : torch.Tensor
        ``[n]``.
    dtype : torch.dtype
        Type of the rows that are looked up.
    """

    def __init__(
        self, integers: torch.Tensor, scales: torch.Tensor, dtype: torch.dtype = torch.float32
    ) -> None:
        self._integers, self._scales, self._dtype = integers, scales, dtype
        self.shape = integers.shape

    def __call__(self, numbers: torch.Tensor) -> torch.Tensor:
        """Look up rows, int64 ``[...]``: ``[..., K]``."""
        rows = self._integers[numbers].float() * self._scales[numbers].float()[..., None]
        return rows.to(self._dtype)

    def whole(self) -> torch.Tensor:
        """All rows."""
        return (self._integers.float() * self._scales.float()[:, None]).to(self._dtype)

    def largest(self) -> torch.Tensor:
        """The largest absolute value of each row, NaN or infinite if its scale is."""
        extremes = torch.stack([self._integers.amax(1), self._integers.amin(1)]).float().abs()
        return extremes.amax(0) * self._scales.float()

    def to(self, device: torch.device, dtype: torch.dtype) -> IntegerTable:
        """The same table on a device, for rows of another type."""
        return IntegerTable(self._integers.to(device), self._scales.to(device), dtype)


def native_dtype() -> torch.dtype:
    """Return the fastest arithmetic: 8-bit integers where the processor multiplies them, else float32."""
    return torch.int8 if multiplies_integers() else torch.float32


def quantize_rows(rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Convert floating-point rows to integers times one scale per row.

    Parameters
    ----------
    rows : torch.Tensor
        float32 ``[n, K]``.

    Returns
    -------
    torch.Tensor
        int8 ``[n, K]``.
    torch.Tensor
        ``[n, 1]``: the scales, above 0.
    """
    integers, scale = quantized_rows.quantize(rows.contiguous().numpy(), _LARGEST_WEIGHT, 0, len(rows))
    return torch.from_numpy(integers).view(torch.int8), torch.from_numpy(scale)[:, None]
