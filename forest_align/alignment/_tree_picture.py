"""Draws a tree over the words of a sentence, for :mod:`forest_align.alignment.svg`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from forest_align.alignment._palette import PAPER, UNALIGNED, colour_class, colour_of
from forest_align.alignment._phrase_pair import PhrasePair
from forest_align.alignment._record import AlignmentRecord
from forest_align.alignment._relation_signs import sign_of
from forest_align.alignment._shown_pairs import numbers_of, relation_note, shown_pairs, similarity_note
from forest_align.alignment.page_text import escaped
from forest_align.types import InputError, Sentence
from forest_align.types.brackets import parse_bracket

if TYPE_CHECKING:
    from nltk import Tree

CHARACTER_WIDTH = 7.6
LEVEL_HEIGHT = 34.0


@dataclass(frozen=True, slots=True)
class Mark:
    """A phrase pair at a node of a tree.

    Attributes
    ----------
    place : int
        Place of the pair among the shown ones.
    number : int or None
        Its number, counted from 0; None if it has one word on each side.
    title : str
        Probability, relation and similarity.
    sign : str
        Sign of its relation.
    words : str
        Names of its words.
    """

    place: int
    number: int | None
    title: str
    sign: str
    words: str


#: The marks of each span; several if it is a unary chain.
Marks = dict[tuple[int, int], list[Mark]]


@dataclass(frozen=True, slots=True)
class PlacedNode:
    """A tree node with its place: column in pixels, level above the words, span, label, children."""

    x: float
    level: int
    span: tuple[int, int]
    label: str
    children: tuple[PlacedNode, ...]


def read_tree(bracket: str, length: int) -> Tree:
    """Read the tree of a sentence with ``length`` words.

    Raises
    ------
    InputError
        If it is not over so many words, each with a tag.
    """
    tree = parse_bracket(bracket)
    has_tags = all(len(below) == 1 for below in tree.subtrees(_has_words))
    if not has_tags or len(tree.leaves()) != length:
        expected = f"expected a tree over {length} tokens, each with a tag"
        raise InputError(f"{expected}, found {bracket[:80]!r}")
    return tree


def tags_of(tree: Tree, sentence: Sentence) -> list[str]:
    """The labels that stand at the words."""
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
        x = (children[0].x + children[-1].x) / 2
        span = (children[0].span[0], children[-1].span[1])
        return PlacedNode(x, max(child.level for child in children) + 1, span, label, children)

    return visit(top)


def marks_of(alignment: AlignmentRecord) -> tuple[Marks, Marks]:
    """For each side, map each span to its pairs of constituents.

    Pairs without a node of their own in the trees are numbered too, as in every view.
    """
    pairs = shown_pairs(alignment)
    numbers = numbers_of(pairs)
    source, target = Marks(), Marks()
    for place, pair in enumerate(pairs):
        if pair.constituents:
            mark = Mark(place, numbers.get(place), pair_title(pair), sign_of(pair), words_of_pair(pair))
            source.setdefault(pair.source_node.span, []).append(mark)
            target.setdefault(pair.target_node.span, []).append(mark)
    return source, target


def pair_title(pair: PhrasePair) -> str:
    """The probability of a pair, its relation and its similarity."""
    return " ".join(filter(None, (f"{pair.probability:.2f}", relation_note(pair), similarity_note(pair))))


def word_names(side: int, start: int, end: int) -> list[str]:
    """Names of words of a side in pages and pictures."""
    return [f"{'st'[side]}{index}" for index in range(start, end)]


def words_of_pair(pair: PhrasePair) -> str:
    """Names of the words of both phrases."""
    return " ".join(word_names(0, *pair.source_node.span) + word_names(1, *pair.target_node.span))


def draw_tree(root: PlacedNode, marks: Marks, words: float, up: int) -> list[str]:
    """Draw edges, then labels; ``up`` is -1 for a tree above its words and +1 for one below.

    An edge runs straight up from the child and then along the parent's level. It therefore never crosses
    another label, however far apart the two levels are.
    """
    edges, labels = [], []

    def y(node: PlacedNode) -> float:
        return words + up * (node.level * LEVEL_HEIGHT - 6)

    def visit(node: PlacedNode) -> None:
        its = marks.get(node.span, [])
        numbered = [mark for mark in its if mark.number is not None]
        colour, name = _colour(numbered)
        for child in node.children:
            edges.append(
                f'<polyline class="s {name}" points="{child.x:.1f},{y(child):.1f} '
                f'{child.x:.1f},{y(node):.1f} {node.x:.1f},{y(node):.1f}" fill="none" stroke="{colour}" '
                f'stroke-linejoin="round" stroke-width="{1.8 if numbered else 1}"/>'
            )
            visit(child)
        signs = "".join(mark.sign for mark in numbered)
        size = (len(node.label) + len(numbered) + len(signs)) * CHARACTER_WIDTH + 6
        labels.append(
            f'<g class="n"{_lights(node, its, up)}>{_title(its) if its and not numbered else ""}'
            f'<rect class="f pa" x="{node.x - size / 2:.1f}" y="{y(node) - 9:.1f}" width="{size:.1f}" '
            f'height="18" rx="4" fill="{PAPER}"/>'
            f'<text class="f {name}" x="{node.x:.1f}" y="{y(node) + 4:.1f}" text-anchor="middle" '
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


def _lights(node: PlacedNode, its: Sequence[Mark], up: int) -> str:
    """What lights up with a node: the words and nodes of its pairs, else its own words."""
    if not its:
        return f' data-with="{" ".join(word_names(int(up > 0), *node.span))}"'
    words = " ".join(dict.fromkeys(" ".join(mark.words for mark in its).split()))
    return f' data-with="{words}" data-pair="{" ".join(str(mark.place) for mark in its)}"'


def _leaves(node: PlacedNode) -> Iterator[PlacedNode]:
    if not node.children:
        yield node
    for child in node.children:
        yield from _leaves(child)


def _has_words(tree: Tree) -> bool:
    return not len(tree) or any(isinstance(child, str) for child in tree)
