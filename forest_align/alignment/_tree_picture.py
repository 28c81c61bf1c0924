"""Draws a tree over the words of a sentence, for :mod:`forest_align.alignment.svg`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from forest_align.alignment._picture_marks import Mark, word_names
from forest_align.alignment._text_layout import PictureLayout
from forest_align.alignment.page_style import PAPER, UNALIGNED, colour_class, colour_of, escaped
from forest_align.types import InputError, Sentence
from forest_align.types.brackets import parse_bracket

if TYPE_CHECKING:
    from nltk import Tree

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


def read_tree(bracket: str, length: int) -> Tree:
    """Read the tree of a sentence; raises InputError if it is not over ``length`` words, each with a tag."""
    tree = parse_bracket(bracket)
    has_tags = all(len(below) == 1 for below in tree.subtrees(_has_words))
    if not has_tags or len(tree.leaves()) != length:
        expected = f"expected a tree over {length} tokens, each with a tag"
        raise InputError(f"{expected}, found {bracket[:80]!r}")
    return tree


def tags_of(tree: Tree, sentence: Sentence) -> list[str]:
    """The labels at the words."""
    # The positions do not matter.
    return [node.label for node in _leaves(place_tree(tree, [0.0] * len(sentence)))]


def place_tree(top: Tree, columns: Sequence[float]) -> PlacedNode:
    """Lay a tree out over its words; a unary chain takes one place because it is one node of the forest."""
    at = 0

    def visit(tree) -> PlacedNode:  # type: ignore[no-untyped-def]
        nonlocal at
        labels = [tree.label()]
        while len(tree) == 1 and not isinstance(tree[0], str):
            tree = tree[0]
            labels.append(tree.label())
        label = "–".join(name for name in labels if name not in ("TOP", "ROOT", ""))
        if isinstance(tree[0], str):
            at += 1
            return PlacedNode(columns[at - 1], 1, (at - 1, at), label, ())
        children = tuple(visit(child) for child in tree)
        middle = (children[0].along + children[-1].along) / 2
        span = (children[0].span[0], children[-1].span[1])
        return PlacedNode(middle, max(child.level for child in children) + 1, span, label, children)

    return visit(top)


def spans_of_tree(node: PlacedNode) -> set[tuple[int, int]]:
    """The spans of all nodes of a tree."""
    return {node.span}.union(*map(spans_of_tree, node.children))


def labels_of_tree(node: PlacedNode) -> list[str]:
    """The labels of all nodes of a tree."""
    return [node.label, *(label for child in node.children for label in labels_of_tree(child))]


def level_distance(root: PlacedNode, level: float, upright: bool) -> float:
    """The distance of a level of a tree from the words; upright, the labels of levels are side by side.

    Level 1 has the tags of the words. Half a level more is the edge of its labels.
    """
    if not upright:
        return (level - 0.5) * _LEVEL_HEIGHT
    leaves = max(len(leaf.label) for leaf in _leaves(root)) * _LABEL_WIDTH + 18
    inner = max((len(label) for label in _inner_labels(root)), default=0) * _LABEL_WIDTH + 18
    return leaves * (level - 0.5) if level < 1.5 else leaves + inner * (level - 1.5)


def _inner_labels(node: PlacedNode) -> list[str]:
    if not node.children:
        return []
    return [node.label, *(label for child in node.children for label in _inner_labels(child))]


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
        its = marks_at.get(node.span, [])
        numbered = [mark for mark in its if mark.number is not None]
        colour, name = _colour(numbered)
        for child in node.children:
            points = (child.along, across(child)), (child.along, across(node)), (node.along, across(node))
            edges.append(
                f'<polyline class="s {name}" points="{layout.coordinates(*points)}" fill="none" '
                f'stroke="{colour}" stroke-linejoin="round" stroke-width="{1.8 if numbered else 1}"/>'
            )
            visit(child)
        signs = "".join(mark.sign for mark in numbered)
        size = (len(node.label) + len(numbered) + len(signs)) * _LABEL_WIDTH + 6
        x, y = layout.point(node.along, across(node))
        labels.append(
            f'<g class="n"{_lights(node, its, side)}>{_title(its) if its and not numbered else ""}'
            f'<rect class="f pa" x="{x - size / 2:.1f}" y="{y - 9:.1f}" width="{size:.1f}" '
            f'height="18" rx="4" fill="{PAPER}"/>'
            f'<text class="f {name}" x="{x:.1f}" y="{y + 4:.1f}" text-anchor="middle" '
            f'font-size="11" fill="{colour}" font-weight="{"bold" if numbered else "normal"}">'
            f"{escaped(node.label)}{_numbers(numbered, signs)}</text></g>"
        )

    visit(root)
    return edges + labels


def _colour(numbered: Sequence[Mark]) -> tuple[str, str]:
    """The colour of a node, and the class that has it."""
    if not numbered or numbered[0].number is None:
        return UNALIGNED, "un"
    return colour_of(numbered[0].number), colour_class(numbered[0].number)


def _numbers(numbered: Sequence[Mark], signs: str) -> str:
    if not numbered:
        return ""
    numbers = ",".join(str(mark.number + 1) for mark in numbered if mark.number is not None)
    sign = f'<tspan font-size="10">{signs}</tspan>' if signs else ""
    return f'<tspan font-size="9" dy="3">{numbers}</tspan>{sign}{_title(numbered)}'


def _title(marks: Sequence[Mark]) -> str:
    return f"<title>{'; '.join(escaped(mark.title) for mark in marks)}</title>"


def _lights(node: PlacedNode, its: Sequence[Mark], side: int) -> str:
    """What lights up with a node: the words and nodes of its pairs, else its own words."""
    if not its:
        return f' data-with="{" ".join(word_names(side, *node.span))}"'
    words = " ".join(dict.fromkeys(" ".join(mark.words for mark in its).split()))
    return f' data-with="{words}" data-pair="{" ".join(str(mark.place) for mark in its)}"'


def _leaves(node: PlacedNode) -> Iterator[PlacedNode]:
    if not node.children:
        yield node
    for child in node.children:
        yield from _leaves(child)


def _has_words(tree: Tree) -> bool:
    return not len(tree) or any(isinstance(child, str) for child in tree)
