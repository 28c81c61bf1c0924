"""Draws brackets at the words of phrases that are no node of a drawn tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from forest_align.alignment._palette import PAPER, colour_class, colour_of
from forest_align.alignment._picture_layout import PictureLayout
from forest_align.alignment._picture_marks import Mark
from forest_align.alignment.page_text import escaped

# Next to an upright sentence, the number is next to the line, not on it.
_LANE_HEIGHT, _UPRIGHT_LANE_HEIGHT = 13.0, 26.0


@dataclass(frozen=True, slots=True)
class Bracket:
    """A numbered phrase that gets a bracket."""

    mark: Mark
    spans: tuple[tuple[int, int], ...]  # several if other words are between them
    lane: int  # distance from the words, from 0


def place_brackets(phrases: Sequence[tuple[Mark, tuple[tuple[int, int], ...]]]) -> list[Bracket]:
    """Give each phrase the lane next to the words in which it meets no other, the shortest first."""
    placed: list[Bracket] = []
    for mark, spans in sorted(phrases, key=lambda phrase: phrase[1][-1][1] - phrase[1][0][0]):
        start, end = spans[0][0], spans[-1][1]
        taken = {one.lane for one in placed if one.spans[0][0] < end and start < one.spans[-1][1]}
        lane = next(lane for lane in range(len(placed) + 1) if lane not in taken)
        placed.append(Bracket(mark, spans, lane))
    return placed


def brackets_height(brackets: Sequence[Bracket], upright: bool) -> float:
    """What the brackets of a side take between its words and the links."""
    return (_UPRIGHT_LANE_HEIGHT if upright else _LANE_HEIGHT) * (
        1 + max((one.lane for one in brackets), default=-1)
    )


def draw_brackets(brackets: Sequence[Bracket], layout: PictureLayout, side: int) -> list[str]:
    """Draw a line along the words of each phrase, with its number; it is dashed where words are left out."""
    towards = 1 if side == 0 else -1
    drawn = []
    for one in brackets:
        height = _UPRIGHT_LANE_HEIGHT if layout.upright else _LANE_HEIGHT
        across = layout.inner[side] + towards * (one.lane * height + _LANE_HEIGHT / 2)
        number = one.mark.number or 0
        colour, name = colour_of(number), colour_class(number)
        pieces = [layout.extent(side, *span) for span in one.spans]
        tip = across - towards * 4
        lines = [
            f"M{layout.coordinates((start, tip), (start, across), (end, across), (end, tip))}"
            for start, end in pieces
        ]
        gaps = [
            f"M{layout.coordinates((end, across), (start, across))}"
            for (_, end), (start, _) in pairwise(pieces)
        ]
        x, y = layout.point(sum(pieces[0]) / 2, across + (towards * _LANE_HEIGHT if layout.upright else 0))
        label = f"{number + 1}{one.mark.sign}"
        size = 6.5 * len(label) + 4
        drawn.append(
            f'<g class="n"{one.mark.lights}><title>{escaped(one.mark.title)}</title>'
            + _path(lines, name, colour, "")
            + _path(gaps, name, colour, ' stroke-dasharray="2 3"')
            + f'<rect class="f pa" x="{x - size / 2:.1f}" y="{y - 6:.1f}" width="{size:.1f}" height="12" '
            f'fill="{PAPER}"/><text class="f {name}" x="{x:.1f}" y="{y + 3.5:.1f}" text-anchor="middle" '
            f'font-size="10" font-weight="bold" fill="{colour}">{label}</text></g>'
        )
    return drawn


def _path(lines: Sequence[str], name: str, colour: str, style: str) -> str:
    if not lines:
        return ""
    return (
        f'<path class="s {name}" d="{" ".join(lines)}" fill="none" stroke="{colour}" '
        f'stroke-width="1.8"{style}/>'
    )
