"""Explains what is in a picture, below it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from forest_align.alignment._phrase_relation import RELATION_NAMES
from forest_align.alignment._picture_marks import SIGNS, Mark
from forest_align.alignment._record import AlignmentRecord
from forest_align.alignment._tree_picture import PlacedNode, labels_of_tree
from forest_align.alignment.page_style import UNALIGNED, escaped

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
    return entries + [f"{tag} {_TAG_NAMES[tag]}" for tag in sorted(tags & _TAG_NAMES.keys())]


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
