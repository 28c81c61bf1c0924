"""Sentences whose words carry marks, from which the links of two versions follow."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import count
from typing import NamedTuple, TypeVar

from forest_align.em.contextual._vocabulary import Vocabulary
from forest_align.em.contextual.rearranging import RearrangedPair

#: Numbers by which words of two sentences are linked; a word may have several or none.
Marks = frozenset[int]
NONE: Marks = frozenset()
_Item = TypeVar("_Item")


class Marked(NamedTuple):
    """A word with its marks."""

    word: str
    marks: Marks = NONE


#: A part of a sentence.
Part = list[Marked]
#: The end of both sentences.
FULL_STOP: Part = [Marked(".", frozenset({-1}))]


class PairWriter:
    """Draws words and makes parts of sentences, each with marks of its own."""

    def __init__(self, vocabulary: Vocabulary, chance: random.Random) -> None:
        self.vocabulary, self.chance = vocabulary, chance
        self._marks = count()

    def mark(self) -> Marks:
        """A mark that no word has yet."""
        return frozenset({next(self._marks)})

    def words(self, text: str) -> Part:
        """The words of a text, each with a mark of its own."""
        return [Marked(word, self.mark()) for word in text.split()]

    def name(self) -> str:
        """A proper name."""
        return self.often(self.vocabulary.names)

    def noun(self) -> str:
        """A singular noun."""
        return self.often(self.vocabulary.nouns)

    def often(self, words: Sequence[_Item]) -> _Item:
        """One of some words that stand in the order of their frequency, frequent ones more often."""
        return words[int(len(words) * self.chance.random() ** 2)]

    def predicate(self) -> Part:
        """What a sentence says about somebody: from a training sentence, or a short one."""
        chance, vocabulary = self.chance, self.vocabulary
        kind = chance.random()
        if kind < 0.4:
            return self.words(" ".join(chance.choice(vocabulary.predicates)))
        if kind < 0.7:
            return self.words(f"was {self.often(vocabulary.adjectives)}")
        owner = chance.choice(("his", "her", "their", "the", "a"))
        return self.words(f"{self.often(vocabulary.verbs)[0]} {owner} {self.noun()}")

    def different(self, number: int, draw: Iterator[str]) -> list[str]:
        """The first different items of an endless iterator."""
        found: list[str] = []
        while len(found) < number:
            item = next(draw)
            if item not in found:
                found.append(item)
        return found

    def phrase(self, head: str | None = None, *, adjective: bool | None = None) -> Part:
        """A name, or a noun with an article and perhaps an adjective."""
        if head is None and self.chance.random() < 0.4:
            return [Marked(self.name(), self.mark())]
        words = ["the" if self.chance.random() < 0.8 else "a"]
        if self.chance.random() < 0.3 if adjective is None else adjective:
            words.append(self.often(self.vocabulary.adjectives))
        return [Marked(word, self.mark()) for word in (*words, head or self.noun())]

    def phrases(self, number: int) -> list[Part]:
        """Different noun phrases; some may have the same head with different adjectives."""
        found: list[Part] = []
        share = self.chance.random() < 0.2
        while len(found) < number:
            head = found[0][-1].word if share and found and len(found[0]) > 1 else None
            part = self.phrase(head, adjective=True if share else None)
            if [item.word for item in part] not in [[item.word for item in other] for other in found]:
                found.append(part)
        return found

    def verb(self) -> tuple[str, str, Marks]:
        """A transitive verb: past tense, participle, and its mark."""
        return (*self.often(self.vocabulary.verbs), self.mark())


def marks_of(part: Sequence[Marked]) -> Marks:
    """All marks of a part."""
    return frozenset().union(*(item.marks for item in part))


def joined(*parts: Part | str) -> Part:
    """Parts one after another; words that come as text have no marks."""
    return [
        item
        for part in parts
        for item in (part if isinstance(part, list) else (Marked(word) for word in part.split()))
    ]


def _as_sentence(part: Part) -> Part:
    """The part with a capital at the start."""
    first = part[0]
    return [Marked(first.word[:1].upper() + first.word[1:], first.marks), *part[1:]]


def linked_pair(source: Part, target: Part) -> RearrangedPair:
    """The pair of two marked sentences."""
    sides = _as_sentence(source), _as_sentence(target)
    links = [
        (i, j)
        for i, one in enumerate(sides[0])
        for j, other in enumerate(sides[1])
        if one.marks & other.marks
    ]
    words = [tuple(item.word for item in side) for side in sides]
    return RearrangedPair(words[0], words[1], links)
