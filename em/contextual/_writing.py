"""The words of training sentences, and sentences made of them; marks on their words give the links."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from forest_align.aligners.contextual.chunker import PARTICLES
from forest_align.em.contextual.rearranging import NO_PASSIVE, RearrangedPair, Tagged
from forest_align.lexicon.oppositions import opposition, oppositions

if TYPE_CHECKING:
    from forest_align.lexicon.lexicon import Lexicon


_MOST_WORDS = 12
_LEAST_WORDS = 20
# Any two countries oppose each other: one in this many pairs of their names is kept.
_COUNTRIES_STEP = 15
_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Words of training sentences, from which new ones are made."""

    # names, nouns, plurals, adjectives: Proper names, singular and plural nouns, adjectives
    names: tuple[str, ...]
    nouns: tuple[str, ...]
    plurals: tuple[str, ...]
    adjectives: tuple[str, ...]
    verbs: tuple[tuple[str, str], ...]  # Transitive verbs: past tense and past participle
    intransitive: tuple[str, ...]  # Past tenses of verbs without an object
    # What sentences say about *he*, *she* or *they*: words from the verb on, in the past tense
    predicates: tuple[tuple[str, ...], ...]
    forms: tuple[tuple[str, str, str], ...]  # Verbs: lemma, past tense, past participle
    # Past tenses of a verb with a particle and of a verb that means the same
    phrasal: tuple[tuple[tuple[str, str], str], ...]
    actions: tuple[tuple[str, str], ...]  # Nouns that are verbs too, with the past tense of the verb
    opposed: tuple[tuple[str, str], ...]  # Nouns and names that oppose each other
    antonyms: tuple[tuple[str, str], ...]  # Adjectives that oppose each other
    # Nouns that may mean the same as a noun of `opposed`, which they do not oppose, and other names of a
    # country
    synonyms: Mapping[str, tuple[str, ...]]

    @property
    def suffices(self) -> bool:
        """Whether there are words of all kinds, and enough for sentences in which none recurs."""
        several = self.names, self.nouns, self.plurals, self.adjectives, self.verbs, self.intransitive
        others = self.predicates, self.forms, self.phrasal, self.actions, self.opposed, self.antonyms
        return min(map(len, several)) >= _LEAST_WORDS and all(others)


def vocabulary_of(
    sentences: Iterable[Tagged], participles: Mapping[str, str], lexicon: Lexicon
) -> Vocabulary:
    """Collect the words of tagged sentences, and what the lexicon knows of them."""
    by_tag: dict[str, Counter[str]] = {tag: Counter() for tag in ("NNP", "NN", "NNS", "JJ", "VBD")}
    verbs: Counter[tuple[str, str]] = Counter()
    intransitive: Counter[str] = Counter()
    predicates: dict[tuple[str, ...], None] = {}
    for words, tags in sentences:
        for place, (word, tag) in enumerate(zip(words, tags, strict=True)):
            if tag in by_tag and word.isalpha() and len(word) > 2 and word.islower() == (tag != "NNP"):
                by_tag[tag][word] += 1
            if tag == "VBD" and word.islower() and 0 < place < len(words) - 1:
                base, following = lexicon.lemma(word, tag), tags[place + 1]
                if base not in participles or base in NO_PASSIVE:
                    continue
                if following in {"DT", "PRP$", "NNP"}:
                    verbs[word, participles[base]] += 1
                elif following in {".", "IN", "RB"} and tags[place - 1].startswith("NN"):
                    intransitive[word] += 1
        if _is_predicate(words, tags):
            predicates[tuple(words[1:-1])] = None
    past = {lexicon.lemma(word, "VBD"): word for word, _ in reversed(by_tag["VBD"].most_common())}
    names, nouns, plurals, adjectives = (_frequent(by_tag[tag], 3) for tag in ("NNP", "NN", "NNS", "JJ"))
    opposed = _opposed(nouns, "NN")
    return Vocabulary(
        names,
        nouns,
        plurals,
        adjectives,
        verbs=_frequent(verbs, 2),
        intransitive=_frequent(intransitive, 3),
        predicates=tuple(predicates),
        forms=tuple((base, past[base], participles[base]) for base in past if base in participles),
        phrasal=tuple(_phrasal(past, lexicon)),
        actions=tuple((noun, past[noun]) for noun in _frequent(by_tag["NN"], 2) if noun in past),
        opposed=(*opposed, *_opposed(names, "NNP")[::_COUNTRIES_STEP]),
        antonyms=_opposed(adjectives, "JJ"),
        synonyms=_synonyms({word for pair in opposed for word in pair}, nouns, lexicon)
        | _countries(names, lexicon),
    )


def _countries(names: Sequence[str], lexicon: Lexicon) -> dict[str, tuple[str, ...]]:
    """For each name of a country, its people or what belongs to it, the other names of that country."""
    known = {name: lexicon.store.countries(name.lower()) for name in names}
    found = {}
    for name, own in known.items():
        same = tuple(other for other in names if other != name and own & known[other])
        if same:
            found[name] = same
    return found


def _synonyms(words: Iterable[str], nouns: Sequence[str], lexicon: Lexicon) -> dict[str, tuple[str, ...]]:
    """For each word the nouns that share a synset with it, if there are any."""
    store, found = lexicon.store, {}
    synsets = {noun: set(store.synsets(noun, "n")) for noun in nouns}
    for word in sorted(words):
        own = set(store.synsets(word, "n"))
        same = [noun for noun in nouns if noun != word and own & synsets[noun] and not opposition(word, noun)]
        if same:
            found[word] = tuple(same)
    return found


def _opposed(words: Sequence[str], tag: str) -> tuple[tuple[str, str], ...]:
    """The pairs of these words that oppose each other."""
    tags = [tag] * len(words)
    places = np.argwhere(oppositions(words, words, tags, tags)).tolist()
    return tuple((words[i], words[j]) for i, j in places if i < j)


def _is_predicate(words: Sequence[str], tags: Sequence[str]) -> bool:
    """Whether a sentence says something short about *he*, *she* or *they*."""
    is_short = len(words) - 2 <= _MOST_WORDS and tags[-1] == "." and "," not in words
    return is_short and tags[0] == "PRP" and tags[1] == "VBD" and words[0].lower() in {"he", "she", "they"}


def _phrasal(past: Mapping[str, str], lexicon: Lexicon) -> Iterator[tuple[tuple[str, str], str]]:
    """Verbs with particles, and single verbs that share a synset with them, for verbs whose past is known."""
    store = lexicon.store
    single = [(base, form, set(store.synsets(base, "v"))) for base, form in past.items()]
    for lemma in store.lemmas:
        verb, _, adverb = lemma.partition("_")
        if verb not in past or adverb not in PARTICLES or not store.has(lemma, "v"):
            continue
        synsets = store.synsets(lemma, "v")
        for base, form, others in single:
            if base != verb and not others.isdisjoint(synsets):
                yield (past[verb], adverb), form


def _frequent(counts: Counter[_Item], least: int) -> tuple[_Item, ...]:
    return tuple(item for item, number in counts.most_common() if number >= least)


#: Numbers by which words of two sentences are linked; a word may have several or none.
Marks = frozenset[int]
NONE: Marks = frozenset()


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


def sentence_pair(source: Sequence[Part | str], target: Sequence[Part | str]) -> RearrangedPair:
    """The pair of two sentences of these parts; both end in a full stop."""
    return linked_pair(joined(*source, FULL_STOP), joined(*target, FULL_STOP))
