"""Draws the words of two sentences, the links and arcs between them, and brackets at phrases."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from forest_align.alignment._picture_marks import Mark, number_of_words, word_names
from forest_align.alignment._record import AlignmentRecord
from forest_align.alignment._shown_pairs import word_note
from forest_align.alignment._text_layout import PictureLayout
from forest_align.alignment.page_style import INK, LINK, PAPER, UNALIGNED, colour_class, colour_of, escaped

ARC_HEIGHT = 26.0
# Links that reach far sideways have more room to do so, or they would run along each other.
_LEAST_HEIGHT, _MOST_HEIGHT, _RISE = 84.0, 260.0, 0.16


def link_height(alignment: AlignmentRecord, xs: Sequence[float], other_xs: Sequence[float]) -> float:
    """The distance between the words of both sides, in pixels: more if links reach far along them."""
    reach = max((abs(xs[i] - other_xs[j]) for i, j in alignment.words.pairs), default=0.0)
    return min(_MOST_HEIGHT, _LEAST_HEIGHT + _RISE * max(0.0, reach - 2 * _LEAST_HEIGHT))


def draw_links(
    alignment: AlignmentRecord,
    layout: PictureLayout,
    ends: tuple[float, float],
    marks: list[Mark],
    rings: Collection[tuple[int, int]] = frozenset(),
) -> list[str]:
    """Draw each link, in the colour of the smallest numbered phrase pair around it; some carry a ring.

    The links of a side end at its place of ``ends`` across the sentences.
    """
    scores = alignment.words.scores or (1.0,) * len(alignment.words)
    drawn = []
    for (i, j), score in zip(alignment.words.pairs, scores, strict=True):
        number = number_of_words(marks, (0, i), (1, j))
        colour = LINK if number is None else colour_of(number)
        name = "li" if number is None else colour_class(number)
        start, end = (layout.places[0][i], ends[0]), (layout.places[1][j], ends[1])
        curve = layout.curve(start, end)
        dashes = ' stroke-dasharray="3 3"' if (i, j) in alignment.outside else ""
        title = f"{alignment.source.words[i]} – {alignment.target.words[j]}"
        title += "" if alignment.words.scores is None else f" {score:.2f}"
        ring = ""
        if (i, j) in rings:
            x, y = layout.point((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
            ring = (
                f'<circle class="s {name}" cx="{x:.1f}" cy="{y:.1f}" r="5" '
                f'fill="none" stroke="{colour}" stroke-width="2"/>'
            )
        # The wide line cannot be seen; it is for the pointer.
        drawn.append(
            f'<g class="l" data-with="s{i} t{j}" data-p="{score:.4f}"><title>{escaped(title)}</title>'
            f'<path class="s {name}" d="{curve}" fill="none" stroke="{colour}" '
            f'stroke-width="{2.8 if ring else 1.4}" '
            f'stroke-opacity="{0.25 + 0.75 * min(1.0, max(0.0, score)):.2f}"{dashes}/>{ring}'
            f'<path class="hit" d="{curve}" fill="none" stroke="none" stroke-width="9" '
            'pointer-events="stroke"/></g>'
        )
    return drawn


def draw_arcs(alignment: AlignmentRecord, layout: PictureLayout) -> list[str]:
    """Draw both arcs of each pair, the longer the deeper; that of a root is a dot at its word."""
    drawn = []
    for number, pair in enumerate(alignment.arcs):
        colour, name = colour_of(number), colour_class(number)
        title = f"<title>{escaped(f'{pair.source_relation} – {pair.target_relation}')}</title>"
        for side, (governor, dependent) in enumerate((pair.source, pair.target)):
            places, inner, towards = layout.places[side], layout.inner[side], (1, -1)[side]
            if governor < 0:
                x, y = layout.point(places[dependent], inner)
                drawn.append(
                    f'<circle class="f {name}" cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{colour}">'
                    f"{title}</circle>"
                )
                continue
            # The curve reaches three quarters of the height of its control points.
            depth = ARC_HEIGHT * 4 / 3 * min(1.0, 0.3 + abs(governor - dependent) / 10)
            start, end = places[governor], places[dependent]
            deepest = inner + towards * depth
            bends = layout.coordinates((start, deepest), (end, deepest), (end, inner))
            drawn.append(
                f'<path class="s {name}" d="M{layout.coordinates((start, inner))} C{bends}" fill="none" '
                f'stroke="{colour}" stroke-width="1.2" stroke-opacity="0.7">{title}</path>'
            )
    return drawn


def draw_words(
    alignment: AlignmentRecord, layout: PictureLayout, ends: tuple[float, float], marks: list[Mark]
) -> list[str]:
    """Draw the words, in the colour of the smallest numbered phrase around them; those left over are grey."""
    drawn = []
    for side, sentence in enumerate((alignment.source, alignment.target)):
        partners: dict[int, list[str]] = {}
        for pair in alignment.words.pairs:
            partners.setdefault(pair[side], []).extend(
                word_names(1 - side, pair[1 - side], pair[1 - side] + 1)
            )
        anchor = ("end", "start")[side] if layout.upright else "middle"
        across = layout.inner[side] if layout.upright else (layout.inner[side] + layout.outer[side]) / 2
        for index, (token, along) in enumerate(zip(sentence.tokens, layout.places[side], strict=True)):
            number = number_of_words(marks, (side, index))
            colour, kind = (INK, "in") if index in partners else (UNALIGNED, "un")
            if number is not None and index in partners:
                colour, kind = colour_of(number), colour_class(number)
            bold = ' font-weight="bold"' if kind[0] == "c" else ""
            name = word_names(side, index, index + 1)[0]
            note = word_note(alignment, side, index)
            title = f"<title>{escaped(note)}</title>" if note else ""
            x, y = layout.point(along, across)
            end = layout.coordinates((along, ends[side]))
            drawn.append(
                f'<g data-w="{name}" data-with="{" ".join([name, *partners.get(index, [])])}" '
                f'data-end="{end}">{title}<text class="f {kind}" x="{x:.1f}" y="{y + 4:.1f}" '
                f'text-anchor="{anchor}" fill="{colour}"{bold}>{escaped(token.text)}</text></g>'
            )
    return drawn


# Next to an upright sentence, the number is next to the line, not on it.
_LANE_HEIGHT, _UPRIGHT_LANE_HEIGHT = 13.0, 26.0


@dataclass(frozen=True, slots=True)
class Bracket:
    """A numbered phrase that gets a bracket."""

    mark: Mark
    span: tuple[int, int]
    lane: int  # distance from the words, from 0


def place_brackets(marks: Sequence[Mark], side: int) -> list[Bracket]:
    """Give each phrase the lane next to the words in which it meets no other, the shortest first."""
    placed: list[Bracket] = []
    for mark in sorted(marks, key=lambda mark: mark.spans[side][1] - mark.spans[side][0]):
        start, end = mark.spans[side]
        taken = {other.lane for other in placed if other.span[0] < end and start < other.span[1]}
        lane = next(lane for lane in range(len(placed) + 1) if lane not in taken)
        placed.append(Bracket(mark, (start, end), lane))
    return placed


def brackets_height(brackets: Sequence[Bracket], upright: bool) -> float:
    """What the brackets of a side take between its words and the links."""
    return (_UPRIGHT_LANE_HEIGHT if upright else _LANE_HEIGHT) * (
        1 + max((bracket.lane for bracket in brackets), default=-1)
    )


def draw_brackets(brackets: Sequence[Bracket], layout: PictureLayout, side: int) -> list[str]:
    """Draw a line along the words of each phrase, with its number."""
    towards = 1 if side == 0 else -1
    drawn = []
    for bracket in brackets:
        height = _UPRIGHT_LANE_HEIGHT if layout.upright else _LANE_HEIGHT
        across = layout.inner[side] + towards * (bracket.lane * height + _LANE_HEIGHT / 2)
        mark, number = bracket.mark, bracket.mark.number or 0
        colour, name = colour_of(number), colour_class(number)
        start, end = layout.extent(side, *bracket.span)
        tip = across - towards * 4
        line = layout.coordinates((start, tip), (start, across), (end, across), (end, tip))
        x, y = layout.point((start + end) / 2, across + (towards * _LANE_HEIGHT if layout.upright else 0))
        label = f"{number + 1}{mark.sign}"
        size = 6.5 * len(label) + 4
        drawn.append(
            f'<g class="n"{mark.lights}><title>{escaped(mark.title)}</title>'
            f'<path class="s {name}" d="M{line}" fill="none" stroke="{colour}" stroke-width="1.8"/>'
            f'<rect class="f pa" x="{x - size / 2:.1f}" y="{y - 6:.1f}" width="{size:.1f}" height="12" '
            f'fill="{PAPER}"/><text class="f {name}" x="{x:.1f}" y="{y + 3.5:.1f}" text-anchor="middle" '
            f'font-size="10" font-weight="bold" fill="{colour}">{label}</text></g>'
        )
    return drawn
