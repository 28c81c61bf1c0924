"""Finds base phrases from part-of-speech tags alone, for features that compare them between two sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

#: Types of chunks, similar to CoNLL-2000; the first means no chunk.
CHUNK_TYPES = ("none", "NP", "VP", "PP", "ADVP", "ADJP", "PRT")

# One letter per tag, so that a sentence is a string and a chunk is a regular expression.
_LETTERS = {
    **dict.fromkeys(("DT", "PDT", "PRP$", "WP$"), "D"),
    **dict.fromkeys(("PRP", "WP", "EX", "WDT"), "P"),
    **dict.fromkeys(("JJ", "JJR", "JJS"), "J"),
    **dict.fromkeys(("NN", "NNS", "NNP", "NNPS", "FW"), "N"),
    **dict.fromkeys(("CD", "$", "#"), "C"),
    **dict.fromkeys(("VBG", "VBN"), "G"),
    **dict.fromkeys(("VB", "VBD", "VBP", "VBZ"), "V"),
    **dict.fromkeys(("RB", "RBR", "RBS", "WRB"), "R"),
    "MD": "M",
    "TO": "T",
    "IN": "I",
    "RP": "L",
    "POS": "S",
}
_CHUNK = re.compile(
    # A noun phrase up to its last noun; participles count if another word of the phrase precedes them.
    r"(?P<NP>S?D*(?:R(?=[JRC])|[CJ]|(?<=[DJCS])G(?=[NJG]))*N+|S?D*C+|P|D+)"
    # A verb group, with to and adverbs between its verbs.
    r"|(?P<VP>(?:[MVG]|T(?=R*[VGM])|R(?=R*[VG]))*[MVG])"
    r"|(?P<PRT>L)|(?P<PP>[IT])|(?P<ADJP>R*J+)|(?P<ADVP>R+)"
)


def tag_chunks(tags: Sequence[str]) -> tuple[tuple[int, int, str], ...]:
    """Base phrases of a tagged sentence.

    A chunk extends from the beginning of a phrase to its head; a possessive ``'s`` begins a new one.
    Punctuation and conjunctions are outside of chunks.
    """
    return _chunks("".join([_LETTERS.get(tag, ".") for tag in tags]))


@lru_cache(maxsize=10_000)
def _chunks(letters: str) -> tuple[tuple[int, int, str], ...]:
    return tuple((*found.span(), str(found.lastgroup)) for found in _CHUNK.finditer(letters))
