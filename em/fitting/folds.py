"""Separates training data from measured data, so that no sentence is in both.

The corpora overlap: MTRef and Edinburgh++ come from the same translations, and a sentence can be in several
pairs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from forest_align.lexicon.tables import is_punctuation

#: Folds of the cross-fitting.
FOLDS = 3

#: Keys of the two sentences of a pair, see :func:`sentence_key`.
Keys = tuple[str, str]


def sentence_key(words: Iterable[str]) -> str:
    """The sentence in lower case, without punctuation; sentences with the same key count as equal."""
    return " ".join(word.lower() for word in words if not is_punctuation(word))


def folds_of(pairs: Sequence[Keys]) -> list[int]:
    """A fold for each pair; pairs that share a sentence, directly or through other pairs, are in one fold."""
    first_with: dict[str, int] = {}
    group = list(range(len(pairs)))

    def first_of(pair: int) -> int:
        while group[pair] != pair:
            group[pair] = group[group[pair]]
            pair = group[pair]
        return pair

    for pair, keys in enumerate(pairs):
        for key in keys:
            one, other = sorted((first_of(pair), first_of(first_with.setdefault(key, pair))))
            group[other] = one
    groups = [first_of(pair) for pair in range(len(pairs))]
    fold = {one: rank % FOLDS for rank, one in enumerate(dict.fromkeys(groups))}
    return [fold[one] for one in groups]
