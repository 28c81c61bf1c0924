"""Copies of gold pairs in which a synonym of several words takes the place of another one on one side.

Hand-aligned corpora hold few pairs such as *carried out* and *carried through*: too few to learn that their
words correspond at the same places. Many hold *carried out* twice, linked word by word.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import chain

from forest_align.em.corpus.gold_pairs import GoldPair
from forest_align.lexicon.groups import collocations
from forest_align.lexicon.lexicon import Lexicon
from forest_align.types import Sentence


def with_synonym_copy(pair: GoldPair, number: int, lexicon: Lexicon) -> list[GoldPair]:
    """A pair, and its copy with the same links, if there is one.

    A pair has a copy if both sentences have the same collocation of WordNet, its words linked one by one, and
    if WordNet has a synonym of as many words, one of them the same. If there are several copies, the number
    of the pair chooses one.
    """
    copies = list(_copies(pair, lexicon))
    return [pair, *([copies[number % len(copies)]] if copies else [])]


def _copies(pair: GoldPair, lexicon: Lexicon) -> Iterator[GoldPair]:
    source, target, links = pair.source, pair.target, set(pair.links.pairs)
    others = list(collocations(lexicon.profiles(target), lexicon))
    for (start, end), lemma in collocations(lexicon.profiles(source), lexicon):
        for (first, last), other in others:
            steps = range(end - start)
            if other != lemma or end - start != last - first:
                continue
            if all((start + k, first + k) in links for k in steps):
                for synonym in _synonyms(lemma, lexicon):
                    words = lemma.split("_"), synonym.split("_")
                    if (one := _replaced(source, start, *words)) is not None:
                        yield GoldPair(one, target, pair.links)
                    if (two := _replaced(target, first, *words)) is not None:
                        yield GoldPair(source, two, pair.links)


def _replaced(sentence: Sentence, start: int, words: list[str], others: list[str]) -> Sentence | None:
    """The sentence with other words at a place; None if a word to replace is inflected."""
    texts = list(sentence.words)
    for place, (word, other) in enumerate(zip(words, others, strict=True), start):
        if word != other:
            if texts[place].lower() != word:
                return None
            texts[place] = other
    return Sentence.from_words(texts, sentence.tags)


@cache
def _synonyms(lemma: str, lexicon: Lexicon) -> tuple[str, ...]:
    """Lemmas of as many words in a synset of a lemma, with at least one word at the same place."""
    words = lemma.split("_")
    near = set(chain.from_iterable(_collocations_of(lexicon).get(one, ()) for one in lexicon.synsets(lemma)))
    return tuple(
        other
        for other in sorted(near - {lemma})
        if len(found := other.split("_")) == len(words)
        and any(one == two for one, two in zip(words, found, strict=True))
    )


@cache
def _collocations_of(lexicon: Lexicon) -> dict[int, tuple[str, ...]]:
    """The lemmas of several words in each synset."""
    found: dict[int, list[str]] = {}
    for lemma in lexicon.store.lemmas:
        if "_" in lemma:
            for synset in lexicon.store.synsets(lemma):
                found.setdefault(synset, []).append(lemma)
    return {synset: tuple(lemmas) for synset, lemmas in found.items()}
