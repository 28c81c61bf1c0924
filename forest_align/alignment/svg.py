"""A picture of one alignment: the source tree above, the target tree upside down below, links in between."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from forest_align.alignment._phrase_pair import PhrasePair
from forest_align.alignment._record import AlignmentRecord
from forest_align.alignment._shown_pairs import numbers_of, relation_note, shown_pairs, similarity_note
from forest_align.types import InputError, Sentence
from forest_align.types.brackets import parse_bracket

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nltk import Tree

CHARACTER_WIDTH = 7.6
WORD_GAP = 18.0
LEVEL_HEIGHT = 34.0
LINK_HEIGHT = 84.0
ARC_HEIGHT = 26.0
MARGIN = 16.0
# Colours that differ clearly on white and dark pages, also for colour-blind readers (Okabe & Ito 2008).
PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b58900", "#56b4e9", "#7b5ea7", "#8c564b")
UNALIGNED = "#8a8a8a"
# Control characters except tab and line ends, halves of surrogate pairs, non-characters (XML 1.0, §2.2;
# HTML), and characters that reverse the direction of text.
_FORBIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\u202a-\u202e\u2066-\u2069]"
)


# Numbers and titles of the pairs of a span; several if it is a unary chain.
_Marks = dict[tuple[int, int], list[tuple[int, str]]]
# Horizontal centres of the words of a sentence, and their vertical position.
_Words = tuple[list[float], float]


@dataclass(frozen=True, slots=True)
class _Placed:
    """A tree node with its place: column in pixels, level above the words, span, label, parent's place."""

    x: float
    level: int
    span: tuple[int, int]
    label: str
    children: tuple[_Placed, ...]


def printable(text: str) -> str:
    """Replace characters that XML, HTML or UTF-8 cannot hold or that reverse the text around them."""
    return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)


def escaped(text: str) -> str:
    """Text for XML and HTML: :func:`printable`, with their special characters escaped."""
    return escape(printable(text))


def to_svg(alignment: AlignmentRecord) -> str:
    """Draw an alignment as a self-contained SVG document.

    The two phrases of a pair share a colour and a number. Both have a title, which browsers show on hovering:
    the probability of the pair and its relation. More probable links are drawn stronger, those outside of
    the derivation dashed. Unaligned words and phrases are grey. Aligned dependency arcs run from word to word
    beside the links; the two arcs of a pair share a colour, and a title with their types.

    Parameters
    ----------
    alignment : AlignmentRecord
        An alignment with both trees.

    Raises
    ------
    InputError
        If the alignment has no trees, or trees that are not over its tokens.
    RecursionError
        If a tree is several hundred levels deep.
    """
    if not (alignment.source_tree and alignment.target_tree):
        raise InputError("a picture needs an alignment with two trees, found one without")
    both = (alignment.source, alignment.target)
    trees = [
        _read(bracket, len(sentence))
        for bracket, sentence in zip((alignment.source_tree, alignment.target_tree), both, strict=True)
    ]
    tight = [_columns(sentence, tree) for sentence, tree in zip(both, trees, strict=True)]
    width = max(own for _, own in tight)
    columns = [[MARGIN + centre * width / own for centre in centres] for centres, own in tight]
    source, target = (_place(tree, places) for tree, places in zip(trees, columns, strict=True))
    source_words = MARGIN + source.level * LEVEL_HEIGHT + 12
    target_words = source_words + LINK_HEIGHT + (2 * ARC_HEIGHT if alignment.arcs else 0)
    words = (columns[0], source_words), (columns[1], target_words)
    height = target_words + target.level * LEVEL_HEIGHT + 12 + MARGIN
    marks = _marks(alignment)
    body = [
        *_links(alignment, *words),
        *_arcs(alignment, *words),
        *_tree(source, marks[0], source_words, -1),
        *_tree(target, marks[1], target_words, +1),
        *_words(alignment, *words),
    ]
    total = width + 2 * MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total:.0f} {height:.0f}" width="{total:.0f}" '
        f'height="{height:.0f}" font-family="Helvetica, Arial, sans-serif" font-size="13">\n'
        f'<rect width="100%" height="100%" fill="#ffffff"/>\n' + "\n".join(body) + "\n</svg>\n"
    )


def _read(bracket: str, length: int) -> Tree:
    """Read the tree of a sentence with ``length`` words."""
    tree = parse_bracket(bracket)
    has_tags = all(len(below) == 1 for below in tree.subtrees(_has_words))
    if not has_tags or len(tree.leaves()) != length:
        expected = f"expected a tree over {length} tokens, each with a tag"
        raise InputError(f"{expected}, found {bracket[:80]!r}")
    return tree


def _columns(sentence: Sentence, tree: Tree) -> tuple[list[float], float]:
    """Centre of each word, placed as tightly as words and labels allow, and the total width."""
    # The positions do not matter: only the labels are used here.
    labels = [node.label for node in _leaves(_place(tree, [0.0] * len(sentence)))]
    centres, at = [], 0.0
    for token, label in zip(sentence.tokens, labels, strict=True):
        size = max(len(token.text), len(label), 3) * CHARACTER_WIDTH
        centres.append(at + size / 2)
        at += size + WORD_GAP
    return centres, at - WORD_GAP


def _leaves(node: _Placed) -> Iterator[_Placed]:
    if not node.children:
        yield node
    for child in node.children:
        yield from _leaves(child)


def _place(top: Tree, columns: Sequence[float]) -> _Placed:
    """Lay a tree out over its words; a unary chain takes one place because it is one node of the forest."""
    at = 0

    def visit(tree) -> _Placed:  # type: ignore[no-untyped-def]
        nonlocal at
        labels = [tree.label()]
        while len(tree) == 1 and not isinstance(tree[0], str):
            tree = tree[0]
            labels.append(tree.label())
        label = "–".join(name for name in labels if name not in ("TOP", "ROOT", ""))
        if isinstance(tree[0], str):
            at += 1
            return _Placed(columns[at - 1], 1, (at - 1, at), label, ())
        children = tuple(visit(child) for child in tree)
        x = (children[0].x + children[-1].x) / 2
        span = (children[0].span[0], children[-1].span[1])
        return _Placed(x, max(child.level for child in children) + 1, span, label, children)

    return visit(top)


def _has_words(tree: Tree) -> bool:
    return not len(tree) or any(isinstance(child, str) for child in tree)


def _marks(alignment: AlignmentRecord) -> tuple[_Marks, _Marks]:
    """For each side, map each span to the number and the title of its pairs of constituents.

    Pairs without a node of their own in the trees are numbered too, as in every view.
    """
    pairs = shown_pairs(alignment)
    source, target = _Marks(), _Marks()
    for place, number in numbers_of(pairs).items():
        pair = pairs[place]
        if pair.constituents:
            source.setdefault(pair.source_node.span, []).append((number, _title(pair)))
            target.setdefault(pair.target_node.span, []).append((number, _title(pair)))
    return source, target


def _title(pair: PhrasePair) -> str:
    """The probability of a pair, its relation and its similarity."""
    return " ".join(filter(None, (f"{pair.probability:.2f}", relation_note(pair), similarity_note(pair))))


def _tree(root: _Placed, marks: _Marks, words: float, up: int) -> list[str]:
    """Draw edges, then labels; ``up`` is -1 for a tree above its words and +1 for one below.

    An edge runs straight up from the child and then along the parent's level. It therefore never crosses
    another label, however far apart the two levels are.
    """
    edges, labels = [], []

    def y(node: _Placed) -> float:
        return words + up * (node.level * LEVEL_HEIGHT - 6)

    def visit(node: _Placed) -> None:
        its = marks.get(node.span, [])
        colour = PALETTE[its[0][0] % len(PALETTE)] if its else UNALIGNED
        numbers = ",".join(str(number + 1) for number, _ in its)
        for child in node.children:
            edges.append(
                f'<polyline points="{child.x:.1f},{y(child):.1f} {child.x:.1f},{y(node):.1f} '
                f'{node.x:.1f},{y(node):.1f}" fill="none" stroke="{colour}" stroke-linejoin="round" '
                f'stroke-width="{1.8 if its else 1}"/>'
            )
            visit(child)
        text = escaped(node.label)
        if its:
            titles = "; ".join(title for _, title in its)
            text += f'<tspan font-size="9" dy="3">{numbers}</tspan><title>{titles}</title>'
        size = (len(node.label) + len(its)) * CHARACTER_WIDTH + 6
        labels.append(
            f'<rect x="{node.x - size / 2:.1f}" y="{y(node) - 9:.1f}" width="{size:.1f}" height="18" '
            f'rx="4" fill="#ffffff"/>'
            f'<text x="{node.x:.1f}" y="{y(node) + 4:.1f}" text-anchor="middle" font-size="11" '
            f'fill="{colour}" font-weight="{"bold" if its else "normal"}">{text}</text>'
        )

    visit(root)
    return edges + labels


def _links(alignment: AlignmentRecord, source: _Words, target: _Words) -> list[str]:
    scores = alignment.words.scores or (1.0,) * len(alignment.words)
    (xs, top), (other_xs, bottom) = source, target
    middle = (top + bottom) / 2
    return [
        f'<path d="M{xs[i]:.1f} {top + 8:.1f} C{xs[i]:.1f} {middle:.1f} '
        f'{other_xs[j]:.1f} {middle:.1f} {other_xs[j]:.1f} {bottom - 8:.1f}" fill="none" stroke="#444444" '
        f'stroke-width="1.4" stroke-opacity="{0.25 + 0.75 * min(1.0, max(0.0, score)):.2f}"'
        + (' stroke-dasharray="3 3"/>' if (i, j) in alignment.outside else "/>")
        for (i, j), score in zip(alignment.words.pairs, scores, strict=True)
    ]


def _arcs(alignment: AlignmentRecord, source: _Words, target: _Words) -> list[str]:
    """Draw both arcs of each pair, the longer the deeper; that of a root is a dot at its word."""
    drawn = []
    for number, pair in enumerate(alignment.arcs):
        colour = PALETTE[number % len(PALETTE)]
        title = f"<title>{escaped(f'{pair.source_relation} – {pair.target_relation}')}</title>"
        for (governor, dependent), (columns, words), down in (
            (pair.source, source, 1),
            (pair.target, target, -1),
        ):
            y, end = words + 9 * down, columns[dependent]
            if governor < 0:
                drawn.append(f'<circle cx="{end:.1f}" cy="{y:.1f}" r="2.5" fill="{colour}">{title}</circle>')
                continue
            start = columns[governor]
            # The curve reaches three quarters of the height of its control points.
            deepest = y + down * ARC_HEIGHT * 4 / 3 * min(1.0, 0.3 + abs(governor - dependent) / 10)
            drawn.append(
                f'<path d="M{start:.1f} {y:.1f} C{start:.1f} {deepest:.1f} {end:.1f} {deepest:.1f} '
                f'{end:.1f} {y:.1f}" fill="none" stroke="{colour}" stroke-width="1.2" stroke-opacity="0.7">'
                f"{title}</path>"
            )
    return drawn


def _words(alignment: AlignmentRecord, *sides: _Words) -> list[str]:
    drawn = []
    for side, (sentence, (columns, y)) in enumerate(
        zip((alignment.source, alignment.target), sides, strict=True)
    ):
        linked = {pair[side] for pair in alignment.words.pairs}
        for index, (token, x) in enumerate(zip(sentence.tokens, columns, strict=True)):
            colour = "#111111" if index in linked else UNALIGNED
            drawn.append(
                f'<text x="{x:.1f}" y="{y + 4:.1f}" text-anchor="middle" fill="{colour}">'
                f"{escaped(token.text)}</text>"
            )
    return drawn
