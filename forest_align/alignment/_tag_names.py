"""What the tags of trees mean: those of the Penn Treebank (Bies et al. 1995; Santorini 1990)."""

from __future__ import annotations

import re
from collections.abc import Iterable

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
TAG_NAMES = {
    tag: name
    for entry in re.split(r"[|\n]", _PHRASES + _WORDS)
    if entry
    for tag, _, name in [entry.partition(" ")]
}
_TAG = re.compile(r"\(([^\s()]+)")


def tag_names(trees: Iterable[str], labels: Iterable[str] = ()) -> dict[str, str]:
    """The meaning of each known tag in trees in Penn brackets, and in labels of nodes."""
    found = {tag for tree in trees for tag in _TAG.findall(tree)}
    found |= {tag for label in labels for tag in re.split("::|[-–']", label)}
    return {tag: TAG_NAMES[tag] for tag in sorted(found & TAG_NAMES.keys())}
