"""Carries word links over to another tokenization of the same sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from forest_align.types import Links

# The same characters, as treebanks and as people write them.
_SPELLINGS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
_QUOTES = (("``", '"'), ("''", '"'), ("`", "'"))


def map_tokens(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, ...]]:
    """For each old token the new tokens that it became, by the characters that they share.

    Quotes and brackets count as equal however they are written. Punctuation that was split off a word, or
    glued to one, does not count as part of it.

    Parameters
    ----------
    old, new : sequence of str
        Two tokenizations of about the same text.

    Returns
    -------
    list of tuple of int
        Indices into ``new``, ascending; empty where a token has no counterpart.
    """
    before, after = [_plain(word) for word in old], [_plain(word) for word in new]
    found: list[set[int]] = [set() for _ in old]
    for kind, i, i_end, j, j_end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind == "equal":
            for k in range(i_end - i):
                found[i + k].add(j + k)
        elif kind == "replace":
            for left, right in _share_characters(before[i:i_end], after[j:j_end]):
                found[i + left].add(j + right)
    return [tuple(sorted(indices)) for indices in found]


def _share_characters(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Tokens that have a character in common, both words or both punctuation."""
    owners_before = [index for index, word in enumerate(before) for _ in word]
    owners_after = [index for index, word in enumerate(after) for _ in word]
    matcher = SequenceMatcher(None, "".join(before), "".join(after), autojunk=False)
    for start, other, length in matcher.get_matching_blocks():
        for k in range(length):
            left, right = owners_before[start + k], owners_after[other + k]
            if _is_word(before[left]) == _is_word(after[right]):
                yield left, right


def move_links(
    links: Links,
    source: tuple[Sequence[str], Sequence[str]],
    target: tuple[Sequence[str], Sequence[str]],
) -> Links:
    """Links between the new tokens that the linked old tokens became.

    Parameters
    ----------
    links : Links
        Links between old tokens.
    source, target : (sequence of str, sequence of str)
        Old and new tokens of each sentence.
    """
    left, right = map_tokens(*source), map_tokens(*target)
    moved = [(k, (a, b)) for k, (i, j) in enumerate(links) for a in left[i] for b in right[j]]
    return Links.of(
        (pair for _, pair in moved),
        sure=links.sure and [links.sure[k] for k, _ in moved],
        scores=links.scores and [links.scores[k] for k, _ in moved],
    )


def _plain(word: str) -> str:
    word = _SPELLINGS.get(word, word)
    for quote, plain in _QUOTES:
        word = word.replace(quote, plain)
    return word


def _is_word(token: str) -> bool:
    return any(character.isalnum() for character in token)
