"""A picture of one alignment: source above, target below, links in between, and trees if there are any."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from forest_align.alignment._phrase_relation import RELATION_NAMES
from forest_align.alignment._picture_layout import (
    ROW_HEIGHT,
    SIGNS,
    WORD_HEIGHT,
    Mark,
    PictureLayout,
    marks_of,
    text_width,
    tight_places,
)
from forest_align.alignment._picture_parts import (
    ARC_HEIGHT,
    Bracket,
    PlacedNode,
    brackets_height,
    draw_arcs,
    draw_brackets,
    draw_links,
    draw_tree,
    draw_words,
    level_distance,
    link_height,
    place_brackets,
    place_tree,
    read_tree,
)
from forest_align.alignment._record import AlignmentRecord
from forest_align.alignment.page_style import PAPER, UNALIGNED, escaped, picture_style
from forest_align.types import InputError

_MARGIN = 16.0
#: Pixels beyond which a picture stands upright.
WIDEST = 1200
_UPRIGHT_GAP = 150.0


@dataclass(frozen=True, slots=True)
class _Side:
    """What is drawn of a sentence."""

    tree: PlacedNode | None
    brackets: list[Bracket]

    def depth(self, upright: bool) -> float:
        """What the tree takes across the sentence."""
        return 0.0 if self.tree is None else level_distance(self.tree, self.tree.level + 0.5, upright)


def to_svg(
    alignment: AlignmentRecord,
    *,
    simple: bool = False,
    width: int = WIDEST,
    is_scaled: bool = True,
    rings: Collection[tuple[int, int]] = frozenset(),
) -> str:
    """Draw an alignment as a self-contained SVG document, for white and for dark paper.

    The two phrases of a pair that differs share a colour and a number. They are marked at their nodes of the
    trees, or with a bracket where they are none, and the ``simple`` view has brackets only. Titles, which
    browsers show on hovering, have a pair's probability and relation. A link has the colour of the smallest
    numbered phrase around it. More probable links are drawn stronger, those outside of the derivation dashed,
    and those of ``rings`` (differences from another alignment) with a ring. Unaligned words and phrases are
    grey. The two arcs of a dependency pair share a colour, and a title with their types. Sentences longer
    than ``width`` pixels run from the top down; a picture that is even so wider is scaled if ``is_scaled``.
    Raises InputError if a side has no words, or a tree that is not over its tokens, and RecursionError if a
    tree is several hundred levels deep.
    """
    both = (alignment.source, alignment.target)
    if not all(map(len, both)):
        raise InputError("a picture needs an alignment with words on both sides, found one without")
    brackets = ("", "") if simple else (alignment.source_tree, alignment.target_tree)
    trees = [
        read_tree(bracket, len(sentence)) if bracket else None
        for bracket, sentence in zip(brackets, both, strict=True)
    ]
    # The labels at the words, wherever these are.
    tags = [
        [""] * len(sentence)
        if tree is None
        else [node.label for node in place_tree(tree, [0.0] * len(sentence)).nodes() if not node.children]
        for sentence, tree in zip(both, trees, strict=True)
    ]
    tight = [tight_places(*side, False) for side in zip(both, tags, strict=True)]
    upright = max(extent for _, extent in tight) + 2 * _MARGIN > width
    if upright:
        tight = [tight_places(*side, True) for side in zip(both, tags, strict=True)]
    length = max(extent for _, extent in tight)
    places = [[_MARGIN + middle * length / extent for middle in middles] for middles, extent in tight]
    marks = marks_of(alignment)
    sides = []
    for side, tree in enumerate(trees):
        placed = None if tree is None else place_tree(tree, places[side])
        nodes = set() if placed is None else {node.span for node in placed.nodes()}
        # Brackets are at the numbered phrases that are no node of the tree.
        phrases = [mark for mark in marks if mark.number is not None and mark.spans[side] not in nodes]
        sides.append(_Side(placed, place_brackets(phrases, side)))
    layout, ends, across = _layout(alignment, (places[0], places[1]), sides, upright)
    body = [*draw_links(alignment, layout, ends, marks, rings), *draw_arcs(alignment, layout)]
    for side, shown in enumerate(sides):
        if shown.tree is not None:
            body += draw_tree(shown.tree, marks, layout, side)
        body += draw_brackets(shown.brackets, layout, side)
    body += draw_words(alignment, layout, ends, marks)
    total, height = layout.point(length + 2 * _MARGIN, across)
    drawn = [side.tree for side in sides if side.tree is not None]
    has_brackets = bool(drawn) and any(side.brackets for side in sides)
    legend, height = _draw_legend(
        _legend_entries(alignment, marks, drawn, has_brackets=has_brackets), _MARGIN, total, height
    )
    body += legend
    scale = min(1.0, width / total) if is_scaled else 1.0
    direction = ' data-upright="true"' if upright else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total:.0f} {height:.0f}" '
        f'width="{total * scale:.0f}" height="{height * scale:.0f}" '
        f'font-family="Helvetica, Arial, sans-serif" font-size="13"{direction}>\n'
        f'{picture_style()}\n<rect class="f pa" width="100%" height="100%" fill="{PAPER}"/>\n'
        + "\n".join(body)
        + "\n</svg>\n"
    )


def _layout(
    alignment: AlignmentRecord, places: tuple[list[float], list[float]], sides: Sequence[_Side], upright: bool
) -> tuple[PictureLayout, tuple[float, float], float]:
    """Where everything stands across the sentences: words, ends of the links, and the whole extent."""
    sentences = alignment.source, alignment.target
    widths = [[text_width(token.text) for token in sentence.tokens] for sentence in sentences]
    thickness = [max(own) + 6 if upright else 2 * WORD_HEIGHT for own in widths]
    outer = _MARGIN + sides[0].depth(upright)
    inner = outer + thickness[0]
    arcs = ARC_HEIGHT if alignment.arcs else 0.0
    start = inner + max(brackets_height(sides[0].brackets, upright), arcs) + 4 * upright
    end = start + (_UPRIGHT_GAP if upright else link_height(alignment, *places))
    other_inner = end + max(brackets_height(sides[1].brackets, upright), arcs) + 4 * upright
    other_outer = other_inner + thickness[1]
    sizes = [[ROW_HEIGHT - 6] * len(own) for own in widths] if upright else widths
    layout = PictureLayout(upright, places, (sizes[0], sizes[1]), (inner, other_inner), (outer, other_outer))
    return layout, (start, end), other_outer + sides[1].depth(upright) + _MARGIN


_FONT_SIZE, _LINE_HEIGHT, _LETTER_WIDTH, _GAP = 11, 17.0, 6.0, 14.0
# Tags of the Penn Treebank (Bies et al. 1995; Santorini 1990).
_PHRASES = """
ADJP adjective phrase|ADVP adverb phrase|CONJP conjunction of several words|FRAG fragment|INTJ interjection
LST list marker|NAC part of a noun phrase|NML noun phrase in another|NP noun phrase|NX head of a noun phrase
PP prepositional phrase|PRN parenthesis|PRT particle of a verb|QP quantity|RRC reduced relative clause
S clause|SBAR subordinate clause|SBARQ wh-question|SINV inverted clause|SQ yes-no question
UCP coordination of unlike phrases|VP verb phrase|WHADJP wh-adjective phrase|WHADVP wh-adverb phrase
WHNP wh-noun phrase|WHPP wh-prepositional phrase|X unclear
"""
_WORDS = """
CC conjunction|CD number|DT determiner|EX there is|FW foreign word|IN preposition or subordinating conjunction
JJ adjective|JJR adjective, comparative|JJS adjective, superlative|LS list marker|MD modal verb|NN noun
NNS noun, plural|NNP name|NNPS name, plural|PDT predeterminer|POS possessive ending|PRP personal pronoun
PRP$ possessive pronoun|RB adverb|RBR adverb, comparative|RBS adverb, superlative|RP particle|SYM symbol
TO to|UH interjection|VB verb, base form|VBD verb, past|VBG verb, -ing|VBN past participle|VBP verb, present
VBZ verb, present, with -s|WDT wh-determiner|WP wh-pronoun|WP$ possessive wh-pronoun|WRB wh-adverb|HYPH hyphen
AFX affix|NFP other punctuation|ADD address
"""
_TAG_NAMES = {
    tag: name
    for entry in re.split(r"[|\n]", _PHRASES + _WORDS)
    if entry
    for tag, _, name in [entry.partition(" ")]
}


def _legend_entries(
    alignment: AlignmentRecord, marks: Sequence[Mark], trees: Sequence[PlacedNode], *, has_brackets: bool
) -> list[str]:
    """The signs and tags of a picture with their meanings."""
    numbered = [mark for mark in marks if mark.number is not None]
    entries = []
    if numbered:
        entries.append(f"{'1' if len(numbered) == 1 else f'1–{len(numbered)}'} phrases that differ")
    if has_brackets:
        entries.append("bracket: phrase that is no node of the tree")
    if alignment.unaligned_source or alignment.unaligned_target:
        entries.append("grey: left over")
    if alignment.outside:
        entries.append("dashed: link that the phrases leave out")
    signs = {mark.sign for mark in numbered}
    entries += [f"{SIGNS[name]} {name}" for name in RELATION_NAMES if SIGNS[name] in signs]
    tags = {tag for tree in trees for node in tree.nodes() for tag in node.label.split("–")}
    return entries + [f"{tag} {_TAG_NAMES[tag]}" for tag in sorted(tags & _TAG_NAMES.keys())]


def _draw_legend(
    entries: Sequence[str], margin: float, width: float, height: float
) -> tuple[list[str], float]:
    """Write entries on lines below a picture of some width and height; return them and the new height."""
    if not entries:
        return [], height
    texts, x, y = [], margin, height + 4
    for entry in entries:
        size = len(entry) * _LETTER_WIDTH
        if x > margin and x + size > width - margin:
            x, y = margin, y + _LINE_HEIGHT
        texts.append(f'<tspan x="{x:.1f}" y="{y:.1f}">{escaped(entry)}</tspan>')
        x += size + _GAP
    legend = f'<text class="f un legend" font-size="{_FONT_SIZE}" fill="{UNALIGNED}">{"".join(texts)}</text>'
    return [legend], y + margin
