"""The words of training sentences, from which pairs in other constructions are made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from forest_align.aligners.contextual.chunker import PARTICLES
from forest_align.em.contextual.rearranging import NO_PASSIVE, Tagged
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
