"""Explains what is in a picture, below it."""

from __future__ import annotations

from collections.abc import Sequence

from forest_align.alignment._palette import UNALIGNED
from forest_align.alignment._phrase_relation import RELATION_NAMES
from forest_align.alignment._picture_marks import Mark
from forest_align.alignment._record import AlignmentRecord
from forest_align.alignment._relation_signs import SIGNS
from forest_align.alignment._tag_names import TAG_NAMES
from forest_align.alignment._tree_picture import PlacedNode, labels_of_tree
from forest_align.alignment.page_text import escaped

_FONT_SIZE, _LINE_HEIGHT, _LETTER_WIDTH, _GAP = 11, 17.0, 6.0, 14.0


def legend_entries(
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
    tags = {tag for tree in trees for label in labels_of_tree(tree) for tag in label.split("–")}
    return entries + [f"{tag} {TAG_NAMES[tag]}" for tag in sorted(tags & TAG_NAMES.keys())]


def draw_legend(
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
