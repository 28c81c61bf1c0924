"""Moves word links to another tokenization of the same sentences, such as that of published files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import accumulate

from forest_align.alignment import Links
from forest_align.data.trees.penn import BRACKETS

# Spellings of quotes: in treebanks and in ordinary text.
_QUOTES = (("``", '"'), ("''", '"'), ("`", "'"))


def _overlaps(old: Sequence[str], new: Sequence[str]) -> list[list[int]]:
    """For each old token the new tokens that share characters, in any spelling of quotes and brackets."""
    before, after = [_plain(word) for word in old], [_plain(word) for word in new]
    found: list[set[int]] = [set() for _ in old]
    i_end = j_end = 0
    for i, j in [*_landmarks(before, after), (len(before), len(after))]:
        for left, right in _share_characters(before[i_end:i], after[j_end:j]):
            found[i_end + left].add(j_end + right)
        if i < len(before):
            found[i].add(j)
        i_end, j_end = i + 1, j + 1
    return [sorted(indices) for indices in found]


def _landmarks(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Equal tokens in order, except punctuation next to a change, which may be part of the change."""
    size = len(before), len(after)
    for i, j, length in SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks():
        words = [k for k in range(length) if _is_word(before[i + k])]
        first = 0 if i == j == 0 else min(words, default=length)
        last = length if (i + length, j + length) == size else max(words, default=-1) + 1
        for k in range(first, last):
            yield i + k, j + k


def _share_characters(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Tokens that have a character in common."""
    owners_before = [index for index, word in enumerate(before) for _ in word]
    owners_after = [index for index, word in enumerate(after) for _ in word]
    matcher = SequenceMatcher(None, "".join(before), "".join(after), autojunk=False)
    for start, other, length in matcher.get_matching_blocks():
        for k in range(length):
            yield owners_before[start + k], owners_after[other + k]


def move_links(
    links: Links,
    source: tuple[Sequence[str], Sequence[str]],
    target: tuple[Sequence[str], Sequence[str]],
) -> Links:
    """Links between the new tokens that the linked old tokens became.

    Punctuation that was split off a word does not get the word's link, but a mark split off both words is
    linked. Similarly, a word that a mark was joined to does not get the mark's link.
    """
    left, right = _overlaps(*source), _overlaps(*target)
    moved = [
        (k, (a, b))
        for k, (i, j) in enumerate(links)
        for a in left[i]
        for b in right[j]
        if _is_kept((source[0][i], source[1][a]), (target[0][j], target[1][b]))
    ]
    return Links.of(
        (pair for _, pair in moved),
        sure=links.sure and [links.sure[k] for k, _ in moved],
        scores=links.scores and [links.scores[k] for k, _ in moved],
    )


def _is_kept(source: tuple[str, str], target: tuple[str, str]) -> bool:
    """Whether a link holds between the new tokens, given as (old token, new token)."""
    changed = [_is_word(old) != _is_word(new) for old, new in (source, target)]
    if not any(changed):
        return True
    # Equal punctuation that was split off two linked words belongs together.
    return all(changed) and not _is_word(source[1]) and source[1] == target[1]


def _plain(word: str) -> str:
    word = BRACKETS.get(word, word)
    for quote, plain in _QUOTES:
        word = word.replace(quote, plain)
    return word


def _is_word(token: str) -> bool:
    return any(character.isalnum() for character in BRACKETS.get(token, token))


_WHOLE_NUMBER, _FRACTION = re.compile(r"\d+"), re.compile(r"\d+\\?/\d+")


def conform(links: Links, source: Sequence[str], target: Sequence[str]) -> Links:
    r"""Change links to match the published majority files of MSR-RTE.

    There are two rules besides moving links to new tokens. First, different marks of punctuation are never
    linked (a dash and a comma, an apostrophe and a possessive ``'s``). Second, Stanford's tokenizer treats a
    mixed number such as ``33 1\/3`` as one token. Links were numbered accordingly, but the files hold two
    tokens. Links after it are therefore one token too far left, except that of the last token.
    """
    left, right = _published_places(source), _published_places(target)
    moved = [(left[i], right[j]) for i, j in links]
    kept = [k for k, (i, j) in enumerate(moved) if source[i] == target[j] or not _marks(source[i], target[j])]
    return Links.of(
        (moved[k] for k in kept),
        sure=links.sure and [links.sure[k] for k in kept],
        scores=links.scores and [links.scores[k] for k in kept],
    )


def _published_places(words: Sequence[str]) -> list[int]:
    """Positions of each token's links: token numbers that count mixed numbers as one."""
    seconds = [False] * len(words)
    for index in range(1, len(words)):
        pair = _WHOLE_NUMBER.fullmatch(words[index - 1]), _FRACTION.fullmatch(words[index])
        seconds[index] = all(pair)
    places = [index - behind for index, behind in enumerate(accumulate(seconds))]
    return [*places[:-1], *range(len(words))[-1:]]


def _marks(first: str, second: str) -> bool:
    """Whether both are punctuation, or begin with it as ``'s`` does."""
    return not (first[0].isalnum() or second[0].isalnum())
