"""Splits a tagged sentence into chunks: the spans of a summary that a source may support or not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from forest_align.alignment import Span
from forest_align.lexicon.tables import is_punctuation

_NOUN = frozenset(
    ("DT", "PDT", "PRP", "PRP$", "EX", "CD", "JJ", "JJR", "JJS", "NN", "NNS", "NNP", "NNPS", "POS", "$", "#")
)
# These begin a noun phrase of their own.
_OPENING = frozenset(("DT", "PDT", "PRP", "PRP$", "EX", "WP$"))
_VERB = frozenset(("VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "MD"))
_ADVERB = frozenset(("RB", "RBR", "RBS", "RP"))
_PARTICIPLE = frozenset(("VBG", "VBN"))


def chunk_spans(tags: Sequence[str], words: Sequence[str]) -> list[Span]:
    """Token spans of noun phrases with their prepositions, verb groups, and other words one by one.

    Punctuation and conjunctions are in no chunk. The chunks are close to those of interpretable STS (Agirre
    et al. 2016).
    """
    spans: list[Span] = []
    start = 0
    before = ""
    for at, (kind, tag) in enumerate(zip(_kinds(tags, words), tags, strict=True)):
        if not _continues(before, kind, tag):
            if before:
                spans.append((start, at))
            start = at
        before = kind
    return [*spans, (start, len(tags))] if before else spans


def _kinds(tags: Sequence[str], words: Sequence[str]) -> Iterator[str]:
    """The kind of each word; empty for those in no chunk."""
    for at, (tag, word) in enumerate(zip(tags, words, strict=True)):
        following = next((one for one in tags[at + 1 :] if one not in _ADVERB), "")
        if tag == "CC" or (is_punctuation(word) and tag not in _NOUN):
            yield ""
        elif tag in _NOUN or (_is_inside_noun_phrase(tags, at) and _modifies(tag, following)):
            yield "noun"
        elif tag in _VERB or (tag == "TO" and following in _VERB):
            yield "verb"
        elif tag in _ADVERB:
            yield "verb" if following in _VERB else "adverb"
        elif tag in ("IN", "TO"):
            yield "preposition"
        else:
            yield "other"


def _is_inside_noun_phrase(tags: Sequence[str], at: int) -> bool:
    """Whether the last word before this one, adverbs aside, belongs to a noun phrase that may continue."""
    before = next((one for one in reversed(tags[:at]) if one not in _ADVERB), "")
    return before in _NOUN and before not in ("PRP", "EX")


def _modifies(tag: str, following: str) -> bool:
    """Whether a participle or adverb may stand before the noun of its phrase: *a recently elected mayor*."""
    is_noun = following.startswith(("NN", "JJ", "CD"))
    return (tag in _PARTICIPLE and is_noun) or (tag in _ADVERB and (is_noun or following in _PARTICIPLE))


def _continues(before: str, kind: str, tag: str) -> bool:
    """Whether a word belongs to the chunk of the word before it."""
    if not (before and kind):
        return before == kind
    if kind == "noun":
        return before == "preposition" or (before in ("noun", "adverb") and tag not in _OPENING)
    return kind == before == "verb"
