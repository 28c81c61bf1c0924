"""Finds words that look alike but are different words of the lexicon: *angel*, *angle*; *moth*, *month*."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

from forest_align.lexicon.evidence import word_relations
from forest_align.lexicon.kinds import Evidence
from forest_align.lexicon.lexicon import load_lexicon

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from forest_align.lexicon.lexicon import WordProfile

_SHORTEST = 4
_LEAST_SHARE = 0.5
_RELATED = ~int(Evidence.SUBSTRING)


def look_alikes(lefts: Sequence[WordProfile], rights: Sequence[WordProfile]) -> Iterator[tuple[int, int]]:
    """Find the words of two sentences that look alike and that nothing else relates.

    They differ by one mistake, or by two if half of their pairs of letters are the same. Both are words of
    the lexicon, so neither is the other one misspelled.
    """
    places: dict[str, list[int]] = {}
    for j, right in enumerate(rights):
        for variant in _variants(right.lower, right.lemma):
            places.setdefault(variant, []).append(j)
    for i, left in enumerate(lefts):
        found = {j for variant in _variants(left.lower, left.lemma) for j in places.get(variant, ())}
        yield from ((i, j) for j in sorted(found) if are_look_alikes(left, rights[j]))


def are_look_alikes(one: WordProfile, two: WordProfile) -> bool:
    """Whether two words of the lexicon look alike, and nothing else relates them."""
    first, second = sorted((one.lower, two.lower), key=lambda word: (len(word), word))
    if one.lemma == two.lemma or second.startswith(first):  # indoor, indoors
        return False
    if not _have_one_mistake(first, second) and _share_of_bigrams(first, second) < _LEAST_SHARE:
        return False
    return not word_relations(one, two) & _RELATED


@lru_cache(maxsize=100_000)
def _variants(word: str, lemma: str) -> frozenset[str]:
    """A word of the lexicon, and the same without one letter: words with one mistake share one."""
    is_known = len(word) >= _SHORTEST and word.isalpha() and lemma in load_lexicon().store.ids
    if not is_known:
        return frozenset()
    return frozenset((word, *(word[:k] + word[k + 1 :] for k in range(len(word)))))


def _have_one_mistake(shorter: str, longer: str) -> bool:
    """Whether a letter is added or replaced, or two letters are exchanged."""
    start = next((k for k, (a, b) in enumerate(zip(shorter, longer, strict=False)) if a != b), len(shorter))
    one, two = shorter[start:], longer[start:]
    if len(one) < len(two):
        return one == two[1:]
    return one[1:] == two[1:] or (one[1::-1] == two[:2] and one[2:] == two[2:])


@lru_cache(maxsize=100_000)
def _share_of_bigrams(one: str, two: str) -> float:
    first, second = (Counter(word[k : k + 2] for k in range(len(word) - 1)) for word in (one, two))
    return 2 * (first & second).total() / (first.total() + second.total())
