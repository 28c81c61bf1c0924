"""Draws the parts of a picture: words, links, arcs, brackets at phrases, and trees."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from forest_align.alignment._picture_layout import Mark, PictureLayout, number_of_words, word_names
from forest_align.alignment._record import AlignmentRecord
from forest_align.alignment._shown_pairs import word_note
from forest_align.alignment.page_style import INK, LINK, PAPER, UNALIGNED, colour_class, colour_of, escaped
from forest_align.types import InputError
from forest_align.types.brackets import parse_bracket

if TYPE_CHECKING:
    from nltk import Tree

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


_LEVEL_HEIGHT = 34.0
_LABEL_WIDTH = 7.2


@dataclass(frozen=True, slots=True)
class PlacedNode:
    """A tree node with its place: pixels along the sentence, level, span, label, children."""

    along: float
    level: int
    span: tuple[int, int]
    label: str
    children: tuple[PlacedNode, ...]

    def nodes(self) -> Iterator[PlacedNode]:
        """The node and all below it, from left to right."""
        yield self
        for child in self.children:
            yield from child.nodes()


def read_tree(bracket: str, length: int) -> Tree:
    """Read the tree of a sentence; raises InputError if it is not over ``length`` words, each with a tag."""
    tree = parse_bracket(bracket)
    # A node with a word among its children has nothing else, and none is without children.
    has_words = tree.subtrees(lambda node: not len(node) or any(isinstance(child, str) for child in node))
    has_tags = all(len(node) == 1 for node in has_words)
    if not has_tags or len(tree.leaves()) != length:
        expected = f"expected a tree over {length} tokens, each with a tag"
        raise InputError(f"{expected}, found {bracket[:80]!r}")
    return tree


def place_tree(top: Tree, places: Sequence[float]) -> PlacedNode:
    """Lay a tree out over its words; a unary chain takes one place because it is one node of the forest."""
    words = enumerate(places)

    def visit(tree) -> PlacedNode:  # type: ignore[no-untyped-def]
        labels = [tree.label()]
        while len(tree) == 1 and not isinstance(tree[0], str):
            tree = tree[0]
            labels.append(tree.label())
        label = "–".join(name for name in labels if name not in ("TOP", "ROOT", ""))
        if isinstance(tree[0], str):
            word, place = next(words)
            return PlacedNode(place, 1, (word, word + 1), label, ())
        children = tuple(visit(child) for child in tree)
        middle = (children[0].along + children[-1].along) / 2
        span = (children[0].span[0], children[-1].span[1])
        return PlacedNode(middle, max(child.level for child in children) + 1, span, label, children)

    return visit(top)


def level_distance(root: PlacedNode, level: float, upright: bool) -> float:
    """The distance of a level of a tree from the words; upright, the labels of levels are side by side.

    Level 1 has the tags of the words. Half a level more is the edge of its labels.
    """
    if not upright:
        return (level - 0.5) * _LEVEL_HEIGHT
    nodes = list(root.nodes())
    leaves = max(len(node.label) for node in nodes if not node.children) * _LABEL_WIDTH + 18
    inner = max((len(node.label) for node in nodes if node.children), default=0) * _LABEL_WIDTH + 18
    return leaves * (level - 0.5) if level < 1.5 else leaves + inner * (level - 1.5)


def draw_tree(root: PlacedNode, marks: Sequence[Mark], layout: PictureLayout, side: int) -> list[str]:
    """Draw edges, then labels, away from the words of a side.

    An edge runs straight up from the child and then along the parent's level. It therefore never crosses
    another label, however far apart the two levels are.
    """
    edges, labels = [], []
    away = (-1, 1)[side]
    marks_at: dict[tuple[int, int], list[Mark]] = {}
    for mark in marks:
        marks_at.setdefault(mark.spans[side], []).append(mark)

    def across(node: PlacedNode) -> float:
        return layout.outer[side] + away * level_distance(root, node.level, layout.upright)

    def visit(node: PlacedNode) -> None:
        own = marks_at.get(node.span, [])
        numbers = [mark.number for mark in own if mark.number is not None]
        numbered = [mark for mark in own if mark.number is not None]
        colour, name = (colour_of(numbers[0]), colour_class(numbers[0])) if numbers else (UNALIGNED, "un")
        for child in node.children:
            points = (child.along, across(child)), (child.along, across(node)), (node.along, across(node))
            edges.append(
                f'<polyline class="s {name}" points="{layout.coordinates(*points)}" fill="none" '
                f'stroke="{colour}" stroke-linejoin="round" stroke-width="{1.8 if numbers else 1}"/>'
            )
            visit(child)
        signs = "".join(mark.sign for mark in numbered)
        title = f"<title>{'; '.join(escaped(mark.title) for mark in numbered or own)}</title>" if own else ""
        text = escaped(node.label)
        if numbers:
            text += f'<tspan font-size="9" dy="3">{",".join(str(number + 1) for number in numbers)}</tspan>'
            text += (f'<tspan font-size="10">{signs}</tspan>' if signs else "") + title
        size = (len(node.label) + len(numbers) + len(signs)) * _LABEL_WIDTH + 6
        x, y = layout.point(node.along, across(node))
        labels.append(
            f'<g class="n"{_lights(node, own, side)}>{"" if numbers else title}'
            f'<rect class="f pa" x="{x - size / 2:.1f}" y="{y - 9:.1f}" width="{size:.1f}" '
            f'height="18" rx="4" fill="{PAPER}"/>'
            f'<text class="f {name}" x="{x:.1f}" y="{y + 4:.1f}" text-anchor="middle" font-size="11" '
            f'fill="{colour}" font-weight="{"bold" if numbers else "normal"}">{text}</text></g>'
        )

    visit(root)
    return edges + labels


def _lights(node: PlacedNode, marks: Sequence[Mark], side: int) -> str:
    """What lights up with a node: the words and nodes of its pairs, else its own words."""
    if not marks:
        return f' data-with="{" ".join(word_names(side, *node.span))}"'
    words = " ".join(dict.fromkeys(" ".join(mark.words for mark in marks).split()))
    return f' data-with="{words}" data-pair="{" ".join(str(mark.place) for mark in marks)}"'
