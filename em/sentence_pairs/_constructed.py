"""Makes pairs that corpora of paraphrases lack: equal and mismatched ones, passives, one word that decides.

Without them a model learns that words in another order mean something else, that all pairs have something
in common, and that one word makes no difference.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from forest_align.em.contextual.rearranging import Tagged, in_order, passive
from forest_align.lexicon.oppositions import oppositions

# Tags of words that are replaced by opposed ones.
_REPLACED = frozenset(("JJ", "RB", "NN", "NNS", "VB", "VBD", "VBN", "VBZ", "IN"))
_AUXILIARIES = frozenset(
    ("is", "are", "was", "were", "will", "would", "can", "could", "should", "must", "may")
)


class MadePair(NamedTuple):
    """Two sentences as words, whether they mean the same, and whether they have the same words."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    label: bool
    strict: bool


def made_pairs(
    sentences: Sequence[Tagged],
    lemma: Callable[[str, str], str],
    participles: Mapping[str, str],
    chance: random.Random,
) -> Iterator[MadePair]:
    """Pairs from the sentences with a simple transitive clause, and from these clauses alone.

    Each is paired with itself and with its passive, which mean the same. It is also paired with what means
    something else: itself after subject and object were exchanged, the passive of that, itself with another
    number, with an opposed word, with or without *not*, and the one before it.
    """
    opposed = opposed_words(sentences)
    before: list[Tagged] = []
    for sentence in sentences:
        found = passive(sentence, lemma, participles)
        if found is None:
            continue
        start, verb, end = _clause(found.places)
        first, *rest = sentence.words[start:end]
        alone = Tagged((first[:1].upper() + first[1:], *rest, "."), (*sentence.tags[start:end], "."))
        for place, (one, at) in enumerate(((sentence, start), (alone, 0))):
            turned = _exchanged(one, at, verb - start + at, end - start + at)
            passives = [passive(one, lemma, participles), passive(turned, lemma, participles)]
            texts = [(other.words, not k) for k, other in enumerate(passives) if other is not None]
            texts += [(turned.words, False), (one.words, True)]
            texts += [(words, False) for words in _falsified(one, opposed, chance)]
            for words, label in texts:
                both = [one.words, words]
                chance.shuffle(both)
                yield MadePair(both[0], both[1], label, True)
            if before:
                yield MadePair(one.words, before[place].words, False, False)
        before = [sentence, alone]


def opposed_words(sentences: Sequence[Tagged]) -> dict[tuple[str, str], list[str]]:
    """For words of the sentences with a tag, words with that tag that oppose them."""
    by_tag: dict[str, dict[str, None]] = {}
    for word, tag in {pair: None for one in sentences for pair in zip(*one, strict=True)}:
        if tag in _REPLACED and word.islower():
            by_tag.setdefault(tag, {})[word] = None
    found = {}
    for tag, known in by_tag.items():
        words = sorted(known)
        table = oppositions(words, words, [tag] * len(words), [tag] * len(words))
        for word, row in zip(words, table, strict=True):
            if row.any():
                found[word, tag] = [words[other] for other in np.flatnonzero(row).tolist()]
    return found


def _falsified(
    sentence: Tagged, opposed: Mapping[tuple[str, str], Sequence[str]], chance: random.Random
) -> Iterator[tuple[str, ...]]:
    """The sentence with another number, with an opposed word, and with or without *not*."""
    words, tags = sentence
    numbers = [k for k, word in enumerate(words) if word.isascii() and word.isdecimal() and len(word) < 6]
    if numbers:
        place = chance.choice(numbers)
        other = str(int(words[place]) + chance.choice((1, 2, 5, 20)))
        yield (*words[:place], other, *words[place + 1 :])
    replaced = [k for k, pair in enumerate(zip(words, tags, strict=True)) if pair in opposed]
    if replaced:
        place = chance.choice(replaced)
        yield (*words[:place], chance.choice(opposed[words[place], tags[place]]), *words[place + 1 :])
    for place, word in enumerate(words):
        if word.lower() in _AUXILIARIES and tags[place][:1] in "VM":
            rest = words[place + 1 :]
            yield (*words[: place + 1], *(rest[1:] if rest[:1] == ("not",) else ("not", *rest)))
            break


def _clause(places: Sequence[int]) -> tuple[int, int, int]:
    """Start, verb and end of the clause that :func:`passive` changed, from the old places of the words."""
    auxiliary = places.index(-1)
    verb, start = places[auxiliary + 1], places[auxiliary + 3]
    return start, verb, auxiliary - start + verb + 1


def _exchanged(sentence: Tagged, start: int, verb: int, end: int) -> Tagged:
    """A sentence with subject and object of a clause exchanged."""
    length = len(sentence.words)
    order = (*range(start), *range(verb + 1, end), verb, *range(start, verb), *range(end, length))
    return Tagged(in_order(sentence, order).words, tuple(sentence.tags[k] for k in order))
