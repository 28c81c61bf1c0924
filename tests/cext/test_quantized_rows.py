"""Rows in integers: the kernel against the same in array operations."""

from __future__ import annotations

import numpy as np
import pytest

from forest_align.cext.quantized_rows import quantize, scale_rows


def quantize_reference(rows: np.ndarray, largest: int) -> tuple[np.ndarray, np.ndarray]:
    """Integers and scales, as array operations in float32 compute them."""
    scales = np.maximum(np.abs(rows).max(1, initial=0), np.float32(1e-12)) / np.float32(largest)
    return np.rint(rows / scales[:, None]).astype(int), scales


def random_rows(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(np.float32)


@pytest.mark.parametrize("size", [1, 7, 16, 33, 384, 1000])
@pytest.mark.parametrize("largest", [63, 127])
def test_integers_and_scales_are_those_of_array_operations(size: int, largest: int) -> None:
    rows = random_rows(9, size)
    rows[3], rows[4], rows[5] = 0, 1e-30, rows[5] * 1e30
    expected, scales = quantize_reference(rows, largest)
    for zero in (0, 128 if largest == 127 else 64):
        integers, found = quantize(rows, largest, zero, 9)
        assert integers.dtype == np.uint8
        if zero == 0:
            integers = integers.view(np.int8)
        assert (integers.astype(int) - zero == expected).all()
        assert found.tobytes() == scales.tobytes()


def test_halves_are_rounded_to_even() -> None:
    rows = np.array([[127, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5]], np.float32)
    assert quantize(rows, 127, 0, 1)[0].view(np.int8).tolist() == [[127, 0, 2, 2, 0, -2, -2]]


def test_rows_are_padded_with_zeros() -> None:
    integers, scales = quantize(random_rows(3, 5), 63, 64, 8)
    assert integers.shape == (8, 5) and scales.shape == (3,)
    assert (integers[3:] == 64).all() and not (integers[:3] == 64).all()


@pytest.mark.parametrize("shape", [(0, 4), (3, 0), (0, 0)])
def test_there_may_be_nothing_to_convert(shape: tuple[int, int]) -> None:
    integers, scales = quantize(np.zeros(shape, np.float32), 63, 64, 4)
    assert integers.shape == (4, shape[1]) and (integers == 64).all()
    assert (scales > 0).all() and scales.shape == shape[:1]


@pytest.mark.parametrize("size", [1, 7, 33, 1000])
def test_rows_are_scaled_and_moved_as_array_operations_do(size: int) -> None:
    rows, scales, bias = random_rows(6, size), random_rows(6), random_rows(size)
    plain, moved = rows.copy(), rows.copy()
    scale_rows(plain, scales)
    scale_rows(moved, scales, bias)
    assert plain.tobytes() == (rows * scales[:, None]).tobytes()
    # Rounded twice, so multiplication and addition are not one operation.
    assert moved.tobytes() == (rows * scales[:, None] + bias).tobytes()


@pytest.mark.parametrize(
    ("largest", "zero", "padded"), [(128, 0, 3), (0, 0, 3), (63, 62, 3), (127, 0, 2), (127, 0, 1028)]
)
def test_arguments_out_of_range_are_refused(largest: int, zero: int, padded: int) -> None:
    with pytest.raises(ValueError, match="largest <= 127"):
        quantize(random_rows(3, 4), largest, zero, padded)


def test_shapes_that_do_not_fit_are_refused() -> None:
    rows = random_rows(3, 4)
    with pytest.raises(ValueError, match="3 scales"):
        scale_rows(rows, random_rows(2))
    with pytest.raises(ValueError, match="4 columns"):
        scale_rows(rows, random_rows(3), random_rows(5))
