"""Linear layers in integers against the same in floating point."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from forest_align.parsing.networks._packed_rows import PackedRows
from forest_align.parsing.networks.linear_layers import (
    ROW_STEP,
    FloatLinear,
    IntegerLinear,
    multiplies_integers,
    quantize_rows,
)

pytestmark = pytest.mark.skipif(not multiplies_integers(), reason="needs a processor with AVX2")


def random(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape)))


@pytest.mark.parametrize("bias", [None, random(48)], ids=["plain", "bias"])
def test_integers_give_what_floating_point_gives_but_for_rounding(bias: torch.Tensor | None) -> None:
    weight, rows = random(48, 64), random(2, 5, 64)
    exact, found = FloatLinear(weight, bias)(rows), IntegerLinear(weight, bias)(rows)
    assert found.shape == exact.shape == (2, 5, 48)
    assert (found - exact).abs().max() < 0.05 * exact.abs().max()


@pytest.mark.parametrize("sign", [1, -1])
def test_the_largest_products_of_all_do_not_overflow(sign: int) -> None:
    found = IntegerLinear(torch.full((16, 384), sign * 127.0))(torch.full((3, 384), 63.0))
    assert torch.equal(found, torch.full((3, 16), sign * 127.0 * 63 * 384))


def test_whole_numbers_in_range_are_multiplied_exactly() -> None:
    generator = torch.Generator().manual_seed(1)
    weight = torch.randint(-127, 128, (32, 1536), generator=generator).float()
    rows = torch.randint(-63, 64, (40, 1536), generator=generator).float()
    weight[:, 0], rows[:, 0] = 127, 63
    assert torch.equal(IntegerLinear(weight)(rows), (rows.double() @ weight.double().T).float())


def test_rows_become_the_nearest_integers_and_zeros_stay() -> None:
    rows = torch.tensor([[127.0, 0.6, -0.6, -0.4], [0.0, 0.0, 0.0, 0.0], [-12.7, 6.38, 0.0, 0.06]])
    integers, scale = quantize_rows(rows)
    assert integers.tolist() == [[127, 1, -1, 0], [0, 0, 0, 0], [-127, 64, 0, 1]]
    assert scale.flatten()[[0, 2]].tolist() == pytest.approx([1, 0.1]) and (scale > 0).all()


def test_a_row_of_zeros_gives_the_bias() -> None:
    bias = random(8)
    assert torch.equal(IntegerLinear(random(8, 16), bias)(torch.zeros(2, 16)), bias.expand(2, -1))


def test_a_row_does_not_depend_on_its_neighbours() -> None:
    layer, rows = IntegerLinear(random(48, 64), random(48)), random(33, 64)
    rows[7] *= 1000
    together = layer(rows)
    for chosen in (rows[:1], rows[5:12], rows.flip(0)[:3]):
        expected = torch.stack([together[(rows == row).all(1)][0] for row in chosen])
        assert torch.equal(layer(chosen), expected)


def test_code_is_made_for_few_numbers_of_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory grew by 10 MB with every hundred batches: oneDNN keeps code for every number of rows."""
    layer, met = IntegerLinear(random(48, 64)), set()
    multiply = torch.ops.onednn.qlinear_pointwise

    def watched(integers: torch.Tensor, *rest: Any) -> torch.Tensor:
        met.add(len(integers))
        return multiply(integers, *rest)

    monkeypatch.setattr(torch.ops.onednn, "qlinear_pointwise", watched)
    for count in range(1, 3 * ROW_STEP):
        assert len(layer(random(count, 64))) == count
    assert met == {ROW_STEP, 2 * ROW_STEP, 3 * ROW_STEP}


def test_rows_are_packed_without_padding_and_put_back() -> None:
    present = torch.arange(5)[None, :] < torch.tensor([[2], [5], [1]])
    packed, padded = PackedRows(present), random(3, 5, 4)
    rows = packed.pack(padded)
    assert rows.shape == (8, 4)
    assert torch.equal(packed.unpack(rows), padded * present[:, :, None])


@pytest.mark.parametrize("bias", [None, random(2, 608, 608)], ids=["plain", "bias"])
@pytest.mark.parametrize("length", [16, 23, 32])
def test_attention_is_the_same_whatever_length_the_neighbours_have(
    length: int, bias: torch.Tensor | None
) -> None:
    def attended(rows: torch.Tensor, *lengths: int) -> torch.Tensor:
        packed = PackedRows(torch.arange(max(lengths))[None, :] < torch.tensor(lengths)[:, None])
        positions = packed.padded_length
        mask = None if bias is None else packed.biased_mask(bias[:, :positions, :positions])
        return packed.attend(rows, heads=2, mask=mask)[:length]

    joined = random(length, 3 * 2 * 8)
    alone = attended(joined, length)
    for other in (1, 16, 23, 32, 50, 70, 600):
        assert torch.equal(attended(torch.cat([joined, random(other, 48)]), length, other), alone)
