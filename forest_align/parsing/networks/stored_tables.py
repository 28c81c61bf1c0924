"""Matrices in small integers with scales, as model files have them, and files that are mapped, not read."""

from __future__ import annotations

import json
import mmap
from pathlib import Path

import numpy as np
from safetensors import SafetensorError, safe_open

from forest_align.types import ModelError

#: Number of neighbours in a row of 4-bit integers that share a scale.
GROUP = 64
# Names of number types in safetensors files.
_TYPES = {"F16": "<f2", "F32": "<f4", "F64": "<f8", "I8": "i1", "U8": "u1", "I32": "<i4", "I64": "<i8"}
_TYPES["BOOL"] = "?"


class IntegerTable:
    """Rows of 8-bit integers with one scale each. They stay as the file has them, mapped and shared.

    Shapes: ``integers`` int8 (n, K).
    """

    def __init__(self, integers: np.ndarray, scales: np.ndarray) -> None:
        self._integers, self._scales = integers, scales
        self.shape = integers.shape

    def __call__(self, numbers: np.ndarray) -> np.ndarray:
        """Look up rows, int64 (...): float32 (..., K)."""
        scales = self._scales[numbers].astype(np.float32)
        return self._integers[numbers].astype(np.float32) * scales[..., None]

    def whole(self) -> np.ndarray:
        """All rows, float32 (n, K)."""
        return self._integers.astype(np.float32) * self._scales.astype(np.float32)[:, None]

    def largest(self) -> np.ndarray:
        """The largest absolute value of each row, NaN or infinite if its scale is."""
        extremes = np.maximum(self._integers.max(1, initial=0), -self._integers.min(1, initial=0).astype(int))
        return extremes.astype(np.float32) * self._scales.astype(np.float32)


class FourBitTable:
    """Rows of 4-bit integers, each group of neighbours with a scale of its own.

    Shapes: ``integers`` uint8 (n, K / 2); ``scales`` float16 (n, K / GROUP).
    """

    def __init__(self, integers: np.ndarray, scales: np.ndarray) -> None:
        self._integers, self._scales = integers, scales
        self.shape = (integers.shape[0], 2 * integers.shape[1])

    def __call__(self, numbers: np.ndarray) -> np.ndarray:
        """Look up rows, int64 (...): float32 (..., K)."""
        return self._values(self._integers[numbers], self._scales[numbers])

    def whole(self) -> np.ndarray:
        """All rows, float32 (n, K)."""
        return self._values(self._integers, self._scales)

    def largest(self) -> np.ndarray:
        """What the largest integer means in each group."""
        return 8 * np.abs(self._scales.astype(np.float32))

    @staticmethod
    def _values(integers: np.ndarray, scales: np.ndarray) -> np.ndarray:
        values = np.concatenate([integers & 15, integers >> 4], -1).astype(np.float32)
        values -= 8
        groups = values.reshape(*values.shape[:-1], -1, GROUP)
        groups *= scales.astype(np.float32)[..., None]
        return values


#: A matrix in small integers, whose rows are looked up.
Table = IntegerTable | FourBitTable


def whole(value: np.ndarray | Table) -> np.ndarray:
    """A weight in float32."""
    return value.astype(np.float32) if isinstance(value, np.ndarray) else value.whole()


def pack_table(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Convert a table, shape (n, K), to integers and scales for :class:`FourBitTable`."""
    groups = table.astype(np.float32).reshape(len(table), -1, GROUP)
    scales = np.maximum(np.abs(groups).max(2) / np.float32(7), np.float32(1e-7)).astype(np.float16)
    integers = np.clip(np.rint(groups / scales.astype(np.float32)[:, :, None]), -7, 7) + 8
    lower, upper = np.split(integers.astype(np.uint8).reshape(len(table), -1), 2, axis=1)
    return lower | upper << 4, scales


def map_arrays(path: Path) -> dict[str, np.ndarray]:
    """The mapped arrays of a safetensors file: processes share them, and unused ones take no memory."""
    try:
        with safe_open(path, framework="numpy"):  # checks all places of the header
            pass
        with path.open("rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        start = 8 + int.from_bytes(mapped[:8], "little")
        header = json.loads(mapped[8:start])
        arrays = {}
        for name, place in header.items():
            if name == "__metadata__":
                continue
            begin, end = place["data_offsets"]
            kind = np.dtype(_TYPES[place["dtype"]])
            numbers = np.frombuffer(mapped, kind, (end - begin) // kind.itemsize, start + begin)
            arrays[name] = numbers.reshape(place["shape"])
    except (OSError, ValueError, SafetensorError) as error:
        raise ModelError(f"{path}: cannot be read ({error})") from None
    except KeyError as error:
        raise ModelError(f"{path}: cannot be read (numbers of type {error})") from None
    return arrays
