"""Layers of encoders: each version of the kernel against the same in array operations."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from forest_align.cext.encoder import PROCESSOR_KINDS_HERE, attend, gelu, multiply, normalise, pack, quantize
from forest_align.parsing.networks.vector_network import IntegerLinear


def random_rows(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(np.float32)


def quantize_reference(rows: np.ndarray, largest: int) -> tuple[np.ndarray, np.ndarray]:
    """Integers and scales, as array operations in float32 compute them."""
    scales = np.maximum(np.abs(rows).max(1, initial=0), np.float32(1e-12)) / np.float32(largest)
    return np.rint(rows / scales[:, None]).astype(int), scales


def multiply_reference(rows: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """The product of quantized rows, in the kernel's order of operations."""
    (integers, scales), (weights, weight_scales) = (
        quantize_reference(rows, 63),
        quantize_reference(weight, 127),
    )
    sums = (integers @ weights.T).astype(np.float32)
    return sums * weight_scales * scales[:, None] + bias


@pytest.mark.parametrize("size", [1, 7, 16, 33, 384, 1000])
def test_integers_and_scales_are_those_of_array_operations(size: int) -> None:
    rows = random_rows(9, size)
    rows[3], rows[4], rows[5] = 0, 1e-30, rows[5] * 1e30
    expected, expected_scales = quantize_reference(rows, 127)
    integers, scales = quantize(rows)
    assert integers.dtype == np.int8 and (integers == expected).all()
    assert scales.tobytes() == expected_scales.tobytes()


def test_halves_are_rounded_to_even() -> None:
    rows = np.array([[127, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5]], np.float32)
    assert quantize(rows)[0].tolist() == [[127, 0, 2, 2, 0, -2, -2]]


@pytest.mark.parametrize("shape", [(0, 4), (3, 0), (0, 0)])
def test_there_may_be_nothing_to_convert(shape: tuple[int, int]) -> None:
    integers, scales = quantize(np.zeros(shape, np.float32))
    assert integers.shape == shape and scales.shape == shape[:1] and (scales > 0).all()


@pytest.mark.parametrize("kind", PROCESSOR_KINDS_HERE)
@pytest.mark.parametrize(
    ("n", "size", "columns"), [(1, 1, 1), (3, 7, 5), (8, 4, 16), (9, 64, 17), (30, 250, 120)]
)
def test_products_are_those_of_array_operations_to_the_last_bit(
    kind: str, n: int, size: int, columns: int
) -> None:
    rows, weight, bias = random_rows(n, size), random_rows(columns, size), random_rows(columns)
    rows[0] = 0
    linear = IntegerLinear(weight, bias)
    packed = linear._packed, linear._offsets, linear._scales, linear._bias
    product = multiply(rows, *packed, columns, kind)
    assert product.tobytes() == multiply_reference(rows, weight, bias).tobytes()


@pytest.mark.parametrize("kind", PROCESSOR_KINDS_HERE)
@pytest.mark.parametrize("sign", [1, -1])
def test_the_largest_products_of_all_do_not_overflow(kind: str, sign: int) -> None:
    packed, offsets = pack(np.full((16, 384), sign * 127, np.int8))
    ones = np.ones(16, np.float32)
    product = multiply(np.full((3, 384), 63, np.float32), packed, offsets, ones, 0 * ones, 16, kind)
    assert (product == sign * 127.0 * 63 * 384).all()


def test_floating_point_gives_nearly_the_same_products() -> None:
    rows, weight, bias = random_rows(20, 384), random_rows(48, 384), random_rows(48)
    exact = rows @ weight.T + bias
    assert np.abs(IntegerLinear(weight, bias)(rows) - exact).max() < 0.05 * np.abs(exact).max()


@pytest.mark.parametrize(("n", "columns"), [(0, 5), (4, 5)])
def test_without_numbers_in_a_row_the_product_is_the_bias(n: int, columns: int) -> None:
    bias = random_rows(columns)
    rows, weight = np.zeros((n, 0 if n else 3), np.float32), np.ones((columns, 0 if n else 3), np.float32)
    assert (IntegerLinear(weight, bias)(rows) == bias).all()


def test_shapes_that_do_not_fit_are_refused() -> None:
    packed, offsets = pack(np.ones((5, 8), np.int8))
    good = [random_rows(2, 8), packed, offsets, np.ones(16, np.float32), np.ones(16, np.float32), 5]
    assert multiply(*good).shape == (2, 5)
    wrong = {
        0: random_rows(2, 13),
        1: packed[:, :1].copy(),
        2: offsets[1:],
        3: good[3][1:],
        4: good[4][1:],
        5: 17,
    }
    for place, value in wrong.items():
        with pytest.raises(ValueError, match="expected a packed weight"):
            multiply(*(value if number == place else one for number, one in enumerate(good)))
    with pytest.raises(ValueError, match="expected one of"):
        multiply(*good, "abacus")
    with pytest.raises(ValueError, match="a weight and a bias of 8"):
        normalise(good[0], np.ones(8, np.float32), np.ones(7, np.float32), 0.1)
    with pytest.raises(ValueError, match="2 rows of 8 numbers"):
        normalise(good[0], np.ones(8, np.float32), np.ones(8, np.float32), 0.1, random_rows(3, 8))


@pytest.mark.parametrize("size", [1, 15, 16, 50, 768])
def test_rows_are_normalised_as_array_operations_do(size: int) -> None:
    rows, added, weight, bias = (random_rows(*shape) for shape in ((6, size), (6, size), (size,), (size,)))
    for other in (None, added):
        whole = (rows if other is None else rows + other).astype(np.float64)
        centred = whole - whole.mean(1, keepdims=True)
        expected = centred / np.sqrt((centred**2).mean(1, keepdims=True) + 1e-5) * weight + bias
        np.testing.assert_allclose(normalise(rows, weight, bias, 1e-5, other), expected, atol=2e-5)


def test_the_activation_is_that_of_its_formula() -> None:
    numbers = np.concatenate([np.linspace(-12, 12, 1001), [0, -0.0, 1e-20, -1e-20, 200, -200, 1e30, -1e30]])
    rows = numbers.astype(np.float32)[None].copy()
    expected = [x * (1 + math.erf(x / math.sqrt(2))) / 2 for x in rows[0].astype(float)]
    gelu(rows)
    np.testing.assert_allclose(rows[0], expected, rtol=1e-6, atol=2e-6)


def attention_reference(
    joined: np.ndarray, starts: list[int], heads: int, bias: np.ndarray | None
) -> np.ndarray:
    rows = joined.astype(float).reshape(len(joined), 3, heads, -1)
    out = []
    for start, end in itertools.pairwise(starts):
        query, key, value = (rows[start:end, kind].transpose(1, 0, 2) for kind in range(3))
        scores = query @ key.transpose(0, 2, 1) / math.sqrt(query.shape[2])
        if bias is not None:
            places = np.arange(end - start)
            scores += bias[:, places[None] - places[:, None] + bias.shape[1] // 2]
        weights = np.exp(scores - scores.max(2, keepdims=True, initial=-np.inf))
        weights /= weights.sum(2, keepdims=True)
        out.append((weights @ value).transpose(1, 0, 2).reshape(end - start, joined.shape[1] // 3))
    return np.concatenate(out)


@pytest.mark.parametrize(("heads", "part"), [(1, 1), (2, 16), (3, 20), (4, 64)])
@pytest.mark.parametrize("biased", [False, True])
def test_attention_is_that_of_its_formula(heads: int, part: int, biased: bool) -> None:
    starts = [0, 1, 1, 18, 51]
    joined = 2 * random_rows(51, 3 * heads * part)
    bias = random_rows(heads, 2 * 40 - 1) if biased else None
    attended = attend(joined, np.array(starts), heads, bias)
    np.testing.assert_allclose(attended, attention_reference(joined, starts, heads, bias), atol=1e-5)


def test_a_sentence_attends_alike_alone_and_among_others() -> None:
    joined, starts = random_rows(40, 3 * 2 * 32), np.array([0, 5, 36, 40])
    together = attend(joined, starts, 2)
    for start, end in ((0, 5), (5, 36), (36, 40)):
        alone = attend(joined[start:end].copy(), np.array([0, end - start]), 2)
        assert alone.tobytes() == together[start:end].tobytes()


@pytest.mark.parametrize("starts", [[0, 3], [1, 4], [0, 3, 2, 4], [0, -1, 4], []])
def test_starts_that_do_not_fit_are_refused(starts: list[int]) -> None:
    with pytest.raises(ValueError, match="expected starts of sentences"):
        attend(random_rows(4, 6), np.array(starts, np.int64), 2)


def test_heads_and_biases_that_do_not_fit_are_refused() -> None:
    joined, starts = random_rows(4, 6), np.array([0, 4])
    for heads in (0, -1, 4):
        with pytest.raises(ValueError, match="parts of equal size"):
            attend(joined, starts, heads)
    for shape in ((1, 7), (2, 6), (2, 5)):
        with pytest.raises(ValueError, match="expected a bias for 2 heads"):
            attend(joined, starts, 2, random_rows(*shape))
