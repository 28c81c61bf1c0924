"""Rearranges sentences, so that the link model learns to distinguish equal words.

Paraphrases in corpora seldom exchange two phrases, so a model trained only on them relies too much on word
order. Example: in *The tall boy saw the short boy* and *The short boy was seen by the tall boy*, each *boy*
belongs to the adjective beside it.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

# Words shorter than this are not misspelled, as the result would often be another word.
_SHORTEST = 5
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def misspelled_word(word: str, chance: random.Random) -> str:
    """The word with one mistake; its first and last letters stay."""
    place = chance.randrange(1, len(word) - 2)
    before, letter, after = word[:place], word[place], word[place + 1 :]
    kind = chance.choice(("exchanged", "left out", "doubled", "mistyped"))
    if kind == "exchanged":
        return before + after[0] + letter + after[1:]
    if kind == "left out":
        return before + after
    return before + (letter + letter if kind == "doubled" else chance.choice(_LETTERS)) + after


def can_be_misspelled(word: str) -> bool:
    """Whether the word is long enough and consists only of letters."""
    return len(word) >= _SHORTEST and word.isalpha() and word.isascii()


def misspelled_sentence(words: Sequence[str], chance: random.Random) -> tuple[str, ...]:
    """The sentence with one word misspelled, or unchanged if no word can be."""
    changed = list(words)
    if places := [place for place, word in enumerate(words) if can_be_misspelled(word)]:
        place = chance.choice(places)
        changed[place] = misspelled_word(changed[place], chance)
    return tuple(changed)


_DETERMINERS = frozenset({"DT", "PRP$"})
_NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS"})
_INSIDE = _NOUNS | {"JJ", "JJR", "JJS", "CD", "VBN", "POS"}
# Tags that can precede the subject of a clause, and follow its object.
_BEFORE_SUBJECT = frozenset({"CC", ",", "``", ":"})
_AFTER_OBJECT = frozenset({".", ",", ":", "IN", "TO", "CC", "RB", "''"})
_AUXILIARIES = {"VBD": ("was", "were"), "VBZ": ("is", "are"), "VBP": ("is", "are")}
#: Verbs without a passive.
NO_PASSIVE = frozenset({"be", "have", "become", "say", "seem", "do", "remain", "cost", "mean"})
# Words with these tags lose their initial capital when they move from the start of a sentence.
_LOWER_INSIDE = frozenset({"DT", "PRP$", "JJ", "NN", "NNS", "CD"})

# Probabilities of pairing a copy with its original, of equal heads, and of trying the passive first.
_OF_ITSELF = 0.5
_EQUAL_HEADS = 0.4
_PASSIVE = 0.8

# Positions of linked words.
_WordLinks = list[tuple[int, int]]


class Tagged(NamedTuple):
    """A sentence of n words with their Penn tags."""

    words: tuple[str, ...]
    tags: tuple[str, ...]


class Rearranged(NamedTuple):
    """A sentence in another order: n words, and the old position of each, -1 for a new word."""

    words: tuple[str, ...]
    places: tuple[int, ...]


class RearrangedPair(NamedTuple):
    """Two sentences, one of them in another order, and the links of their words."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    links: _WordLinks


def rearranged_pair(
    source: Tagged,
    target: Tagged,
    links: _WordLinks,
    lemma: Callable[[str, str], str],
    participles: Mapping[str, str],
    chance: random.Random,
) -> RearrangedPair | None:
    """A pair with one sentence rearranged; links move with their words.

    Half of the time the other sentence is the same sentence before the change, with each word linked to
    itself. Sometimes two noun phrases are first given the same head.
    """
    if chance.random() < _OF_ITSELF:
        source, links = target, [(k, k) for k in range(len(target.words))]
    elif chance.random() < 0.5:
        source, target, links = target, source, _transposed(links)
    if chance.random() < _EQUAL_HEADS:
        source, target = with_equal_heads(source, target, links, chance)
    changed = passive(target, lemma, participles) if chance.random() < _PASSIVE else None
    changed = changed or exchanged(target, chance)
    if changed is None:
        return None
    position = {place: number for number, place in enumerate(changed.places)}
    moved = [(i, position[j]) for i, j in links]
    if chance.random() < 0.5:
        return RearrangedPair(source.words, changed.words, moved)
    return RearrangedPair(changed.words, source.words, _transposed(moved))


def noun_phrases(tags: Sequence[str]) -> list[tuple[int, int]]:
    """Half-open spans of noun phrases without others inside, found from tags alone."""
    found = []
    start = 0
    while start < len(tags):
        end = start + (tags[start] in _DETERMINERS)
        while end < len(tags) and tags[end] in _INSIDE:
            end += 1
        last = end
        while last > start and tags[last - 1] not in _NOUNS:
            last -= 1
        if last > start and tags[start] != "POS":
            found.append((start, last))
        start = max(end, start + 1)
    return found


def exchanged(sentence: Tagged, chance: random.Random) -> Rearranged | None:
    """The sentence with two noun phrases exchanged; None if it has fewer than two."""
    phrases = noun_phrases(sentence.tags)
    if len(phrases) < 2:
        return None
    (a, b), (c, d) = sorted(chance.sample(phrases, 2))
    rest = range(d, len(sentence.words))
    return in_order(sentence, (*range(a), *range(c, d), *range(b, c), *range(a, b), *rest))


def participles_of(sentences: Iterable[Tagged], lemma: Callable[[str, str], str]) -> dict[str, str]:
    """The first past participle of each lemma in the sentences, for lemmas that have one."""
    found: dict[str, str] = {}
    for sentence in sentences:
        for word, tag in zip(*sentence, strict=True):
            if tag == "VBN" and word.islower():
                found.setdefault(lemma(word, tag), word)
    return found


def passive(
    sentence: Tagged, lemma: Callable[[str, str], str], participles: Mapping[str, str]
) -> Rearranged | None:
    """The sentence with its first simple transitive clause in the passive; None if it has no such clause."""
    words, tags = sentence
    phrases = dict(noun_phrases(tags))
    for start, verb in phrases.items():
        end = phrases.get(verb + 1)
        if (
            end is None
            or tags[verb] not in _AUXILIARIES
            or (start and tags[start - 1] not in _BEFORE_SUBJECT)
            or (end < len(tags) and tags[end] not in _AFTER_OBJECT)
        ):
            continue
        verb_lemma = lemma(words[verb], tags[verb])
        participle = participles.get(verb_lemma)
        if participle is None or verb_lemma in NO_PASSIVE:
            continue
        auxiliary = _AUXILIARIES[tags[verb]][tags[end - 1] in {"NNS", "NNPS"}]
        subject, patient, rest = range(start, verb), range(verb + 1, end), range(end, len(words))
        turned = in_order(sentence, (*range(start), *patient, -1, verb, -1, *subject, *rest))
        changed = list(turned.words)
        place = start + len(patient)
        changed[place : place + 3] = auxiliary, participle, "by"
        return Rearranged(tuple(changed), turned.places)
    return None


def with_equal_heads(
    source: Tagged, target: Tagged, links: _WordLinks, chance: random.Random
) -> tuple[Tagged, Tagged]:
    """Both sentences with the last noun of one noun phrase replaced by another's, if links allow it.

    Both nouns must end phrases of several words. Each must be linked to exactly one word, a noun of the same
    tag, which has no other link.
    """
    partners, back = defaultdict(list), defaultdict(list)
    for i, j in links:
        partners[j].append(i)
        back[i].append(j)
    heads = defaultdict(list)
    for start, end in noun_phrases(target.tags):
        head, tag = end - 1, target.tags[end - 1]
        if end - start > 1 and tag in {"NN", "NNS"} and len(partners[head]) == 1:
            partner = partners[head][0]
            if back[partner] == [head] and source.tags[partner] == tag:
                heads[tag].append((partner, head))
    several = [pairs for pairs in heads.values() if len(pairs) > 1]
    if not several:
        return source, target
    (i, j), (other_i, other_j) = chance.sample(chance.choice(several), 2)
    words, others = list(source.words), list(target.words)
    words[other_i], others[other_j] = words[i], others[j]
    return Tagged(tuple(words), source.tags), Tagged(tuple(others), target.tags)


def _transposed(links: _WordLinks) -> _WordLinks:
    return [(j, i) for i, j in links]


def in_order(sentence: Tagged, places: tuple[int, ...]) -> Rearranged:
    """The words at these places, "" for -1; only the first word gets an initial capital."""
    words = ["" if place < 0 else sentence.words[place] for place in places]
    first = places.index(0)
    if first and sentence.tags[0] in _LOWER_INSIDE:
        words[first] = words[first].lower()
    words[0] = words[0][:1].upper() + words[0][1:]
    return Rearranged(tuple(words), places)
