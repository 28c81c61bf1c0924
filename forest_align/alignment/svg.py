"""A picture of one alignment: source above, target below, links in between, and trees if there are any."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from forest_align.alignment._link_picture import (
    ARC_HEIGHT,
    draw_arcs,
    draw_links,
    draw_words,
    link_height,
)
from forest_align.alignment._palette import PAPER, picture_style
from forest_align.alignment._record import AlignmentRecord
from forest_align.alignment._tree_picture import (
    CHARACTER_WIDTH,
    LEVEL_HEIGHT,
    draw_tree,
    marks_of,
    place_tree,
    read_tree,
    tags_of,
)
from forest_align.types import InputError, Sentence

WORD_GAP = 18.0
MARGIN = 16.0


def to_svg(alignment: AlignmentRecord, *, rings: Collection[tuple[int, int]] = frozenset()) -> str:
    """Draw an alignment as a self-contained SVG document, for white and for dark paper.

    An aligner without trees gives a picture of the words and their links. In trees, the two phrases of a pair
    share a colour and a number. Both have a title, which browsers show on hovering: the probability of the
    pair and its relation. A link has the colour of the smallest numbered phrase around it, and a title. More
    probable links are drawn stronger, those outside of the derivation dashed. Unaligned words and phrases are
    grey. Aligned dependency arcs run from word to word beside the links; the two arcs of a pair share a
    colour, and a title with their types.

    Parameters
    ----------
    alignment : AlignmentRecord
        Any alignment with words on both sides.
    rings : collection of (int, int)
        Links that carry a ring, for differences from another alignment.

    Raises
    ------
    InputError
        If a side has no words, or a tree that is not over its tokens.
    RecursionError
        If a tree is several hundred levels deep.
    """
    both = (alignment.source, alignment.target)
    if not all(map(len, both)):
        raise InputError("a picture needs an alignment with words on both sides, found one without")
    trees = [
        read_tree(bracket, len(sentence)) if bracket else None
        for bracket, sentence in zip((alignment.source_tree, alignment.target_tree), both, strict=True)
    ]
    tight = [
        _columns(sentence, [""] * len(sentence) if tree is None else tags_of(tree, sentence))
        for sentence, tree in zip(both, trees, strict=True)
    ]
    width = max(own for _, own in tight)
    columns = [[MARGIN + centre * width / own for centre in centres] for centres, own in tight]
    source, target = (
        None if tree is None else place_tree(tree, places)
        for tree, places in zip(trees, columns, strict=True)
    )
    source_words = MARGIN + (source.level if source else 0) * LEVEL_HEIGHT + 12
    target_words = source_words + link_height(alignment, *columns) + (2 * ARC_HEIGHT if alignment.arcs else 0)
    words = (columns[0], source_words), (columns[1], target_words)
    height = target_words + (target.level if target else 0) * LEVEL_HEIGHT + 12 + MARGIN
    marks = marks_of(alignment)
    body = [*draw_links(alignment, *words, rings), *draw_arcs(alignment, *words)]
    body += draw_tree(source, marks[0], source_words, -1) if source else []
    body += draw_tree(target, marks[1], target_words, +1) if target else []
    body += draw_words(alignment, *words)
    total = width + 2 * MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total:.0f} {height:.0f}" width="{total:.0f}" '
        f'height="{height:.0f}" font-family="Helvetica, Arial, sans-serif" font-size="13">\n'
        f'{picture_style()}\n<rect class="f pa" width="100%" height="100%" fill="{PAPER}"/>\n'
        + "\n".join(body)
        + "\n</svg>\n"
    )


def _columns(sentence: Sentence, labels: Sequence[str]) -> tuple[list[float], float]:
    """Centre of each word, placed as tightly as words and labels allow, and the total width."""
    centres, at = [], 0.0
    for token, label in zip(sentence.tokens, labels, strict=True):
        size = max(len(token.text), len(label), 3) * CHARACTER_WIDTH
        centres.append(at + size / 2)
        at += size + WORD_GAP
    return centres, at - WORD_GAP
