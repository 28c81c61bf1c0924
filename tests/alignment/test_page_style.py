from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from forest_align.alignment.page_style import (
    DARK_INK,
    DARK_LINK,
    DARK_PALETTE,
    DARK_PAPER,
    DARK_UNALIGNED,
    INK,
    LINK,
    PALETTE,
    PAPER,
    UNALIGNED,
    page_colours,
    picture_style,
)

# How people without one kind of cone see linear RGB (Machado, Oliveira and Fernandes 2009, severity 1).
SIGHTS = {
    "all cones": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
_TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)


def linear(colour: str) -> np.ndarray:
    values = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def contrast(one: str, two: str) -> float:
    """The contrast of WCAG 2.1."""
    low, high = sorted(float(_TO_XYZ[1] @ linear(colour)) for colour in (one, two))
    return (high + 0.05) / (low + 0.05)


def lab(rgb: np.ndarray) -> np.ndarray:
    values = _TO_XYZ @ np.clip(rgb, 0, 1) / np.array([0.95047, 1, 1.08883])
    x, y, z = np.where(values > 0.008856, np.cbrt(values), 7.787 * values + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def test_black_and_white_have_the_contrast_and_distance_that_are_known() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert np.linalg.norm(lab(linear("#ffffff")) - lab(linear("#000000"))) == pytest.approx(100, abs=0.1)


@pytest.mark.parametrize(
    ("colours", "paper"),
    [
        ((*PALETTE, UNALIGNED, INK, LINK), PAPER),
        ((*DARK_PALETTE, DARK_UNALIGNED, DARK_INK, DARK_LINK), DARK_PAPER),
    ],
)
def test_every_colour_can_be_read_on_its_paper(colours: tuple[str, ...], paper: str) -> None:
    assert [colour for colour in colours if contrast(colour, paper) < 4.5] == []


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("colours", [PALETTE, DARK_PALETTE])
def test_two_colours_differ_for_everybody(colours: tuple[str, ...], sight: str) -> None:
    seen = [lab(SIGHTS[sight] @ linear(colour)) for colour in colours]
    assert min(float(np.linalg.norm(one - two)) for one, two in combinations(seen, 2)) >= 10


def test_pages_and_pictures_have_the_colours_of_both_papers() -> None:
    for colour in DARK_PALETTE:
        assert colour in page_colours() and colour in picture_style()
    assert all(f"--c{k}: {colour}" in page_colours() for k, colour in enumerate(PALETTE))
    assert len(PALETTE) == len(DARK_PALETTE)
