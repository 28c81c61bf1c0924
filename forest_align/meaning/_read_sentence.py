"""What the rules read of linked sentences: words, lemmas, tags, who governs whom, and what denies what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from forest_align.alignment import Span
from forest_align.lexicon.lexicon import WordProfile, load_lexicon
from forest_align.lexicon.tables import NEGATIONS, is_content_word, negating_words
from forest_align.meaning.meaning_words import (
    APPROXIMATE,
    BOUNDS,
    COMPLEX_WORDS,
    DEFINITE,
    DENYING_PHRASES,
    EMPTY,
    ENDING,
    LIGHT_VERBS,
    NEGATIVE_PRONOUNS,
)
from forest_align.meaning.relation_algebra import DIFFERENT, OPPOSITE
from forest_align.parsing.dependencies.typed import Dependency, forest_dependencies
from forest_align.types import Sentence

Cell = tuple[int, int]  # a link
# The partners of each linked word of the source, and of the target
Partners = tuple[Mapping[int, Sequence[int]], Mapping[int, Sequence[int]]]
# A denying word has its complement at most so many words behind it.
_NEAR = 4
_LIGHT_TAGS = frozenset(("IN", "TO", "DT", "POS", "CC", "RP", "EX", "WDT", "MD"))
SUBJECTS = ("nsubj", "nsubjpass", "xsubj", "csubj")
# What a word before an adjective makes of it
_DEGREES = {"more": "R", "less": "R", "most": "S", "least": "S"}


class Denial(NamedTuple):
    """A word or phrase that denies something."""

    span: Span
    target: int  # The word that it denies
    clause: int  # The verb of the clause that does not hold then; -1 if only the target is denied
    relation: str  # Opposite, or different if it says that something ended or almost happened


def hull(*words: int) -> Span:
    """The smallest span of all words."""
    return min(words), max(words) + 1


def is_in(cell: Cell, spans: tuple[Span | None, Span | None]) -> bool:
    """Whether both words of a link lie in two spans."""
    return all(span is not None and word in range(*span) for word, span in zip(cell, spans, strict=True))


class ReadSentence:
    """A tagged sentence of a pair; dependencies are derived from its forest when a rule needs them."""

    def __init__(self, sentence: Sentence) -> None:
        self.sentence = sentence
        self.words = sentence.words
        self.profiles: list[WordProfile] = load_lexicon().profiles(sentence)
        self.lower = [profile.lower for profile in self.profiles]
        self.lemmas = [profile.lemma for profile in self.profiles]
        self.tags = [token.tag or "" for token in sentence.tokens]

    def __len__(self) -> int:
        return len(self.lower)

    @cached_property
    def dependencies(self) -> tuple[Dependency, ...]:
        """Collapsed dependencies; empty without a forest."""
        forest = self.sentence.forest
        return () if forest is None else forest_dependencies(forest, self.sentence.words)[1]

    @cached_property
    def governors(self) -> dict[int, list[Dependency]]:
        """The dependencies in which each word is the dependent."""
        return self._dependencies_by("dependent")

    @cached_property
    def dependents(self) -> dict[int, list[Dependency]]:
        """The dependencies in which each word is the governor."""
        return self._dependencies_by("governor")

    def _dependencies_by(self, end: str) -> dict[int, list[Dependency]]:
        edges: dict[int, list[Dependency]] = {}
        for edge in self.dependencies:
            if edge.governor >= 0 and edge.governor != edge.dependent:
                edges.setdefault(getattr(edge, end), []).append(edge)
        return edges

    def degree(self, word: int) -> str:
        """R of a comparative, S of a superlative, nothing of other words: *largest*, *most severe*."""
        if self.tags[word] in ("JJR", "JJS", "RBR", "RBS"):
            return self.tags[word][2:]
        return _DEGREES.get(self.lower[word - 1], "") if word else ""

    def makes_approximate(self, word: int) -> bool:
        """Whether a value is only near the one that stands behind a word."""
        return self.lower[word] in APPROXIMATE and self.is_before_value(word)

    def complex_word(self, word: int) -> str:
        """The lower-cased word; for the second one of two that are one, as in *out of*, what both say."""
        before = self.lower[word - 1] if word else ""
        return COMPLEX_WORDS.get((before, self.lower[word]), self.lower[word])

    def is_light(self, word: int) -> bool:
        """Whether a word adds nothing to what is said: a function word, an auxiliary, *also*."""
        lower = self.lower[word]
        if self.tags[word].startswith("NNP"):  # May, Will
            return False
        if self.tags[word] in _LIGHT_TAGS or not is_content_word(lower):
            return True
        if self.tags[word].startswith("VB"):
            return self.lemmas[word] in LIGHT_VERBS
        return lower in EMPTY or self.lemmas[word] in EMPTY

    def is_verb(self, word: int) -> bool:
        """Whether a word is a verb other than a modal, or has a subject."""
        return self.tags[word].startswith("VB") or any(
            edge.relation in SUBJECTS for edge in self.dependents.get(word, ())
        )

    def is_definite(self, noun: int) -> bool:
        """Whether a noun names something that is there: *the dog*, *his dog*, *Rex*."""
        if self.tags[noun].startswith(("NNP", "PRP")):
            return True
        below = self.dependents.get(noun, ())
        return any(edge.relation == "poss" or self.lower[edge.dependent] in DEFINITE for edge in below)

    def clause_of(self, word: int) -> int:
        """The predicate above a word, or the word itself if it is one; -1 if there is none."""
        for _ in range(len(self)):
            if self.is_verb(word):
                return word
            above = self.governors.get(word)
            if not above:
                return -1
            word = above[0].governor
        return -1

    @cached_property
    def denials(self) -> tuple[Denial, ...]:
        """What is denied in the sentence, from the left."""
        denials: list[Denial] = []
        taken: set[int] = set()
        negating = set(negating_words(self.lower, self.lemmas))
        for word in range(len(self)):
            if word in taken:
                continue
            pair = tuple(self.lower[word : word + 2])
            relation = DENYING_PHRASES.get(pair) if len(pair) == 2 else None
            if relation is not None:
                denial = self._denied_behind(word, word + 2, relation)
                taken.add(word + 1)
            elif word in negating and self.lower[word] in NEGATIONS:
                denial = self._negated(word)
            elif word in negating:
                denial = self._complement(word, OPPOSITE)
            elif self.lemmas[word] in ENDING and not self.is_before_value(word):
                denial = self._complement(word, DIFFERENT)
                if denial.target == word:  # *stop terror* denies no verb
                    continue
            else:
                continue
            if denial is not None:
                denials.append(denial)
        return tuple(denials)

    def is_before_value(self, word: int) -> bool:
        """Whether a value stands behind a word: *almost eight months*, *nearly half*, *almost a million*."""
        start = word + 1 + (self.lower[word + 1 : word + 2] in (["a"], ["an"]))
        return start < len(self) and (
            self.tags[start] in ("CD", "$")
            or self.lower[start] in ("half", "all", "every", "no", "twice", "dozen")
        )

    def _negated(self, word: int) -> Denial | None:
        """What a negation word negates."""
        span, lower = (word, word + 1), self.lower[word]
        if self.lower[word + 2 : word + 3] == ["than"] and self.lower[word + 1] in BOUNDS:
            return Denial(span, word + 1, -1, OPPOSITE)
        next_tag = self.tags[word + 1 : word + 2]
        if self.lower[max(0, word - 1)] == "," and next_tag in (["DT"], ["IN"]):  # *A dog barked, not a cat*
            return self._denied_behind(word, word + 1, OPPOSITE)
        if self.lower[word : word + 2] == ["no", "one"]:
            span, lower, word = (word, word + 2), "nobody", word + 1
        above = self.governors.get(word, [])
        if lower in NEGATIVE_PRONOUNS and above:
            clause = self.clause_of(above[0].governor)
            return Denial(span, clause if clause >= 0 else above[0].governor, clause, OPPOSITE)
        if lower in ("no", "neither") and above and above[0].relation in ("det", "neg"):
            noun = above[0].governor
            return Denial(span, noun, self.clause_of(noun), OPPOSITE)
        if above and above[0].relation in ("neg", "advmod") and self.is_verb(above[0].governor):
            verb = above[0].governor
            return Denial(span, verb, verb, OPPOSITE)
        return self._denied_behind(word, word + 1, OPPOSITE)

    def _denied_behind(self, start: int, end: int, relation: str) -> Denial | None:
        """The first content word behind a denial; the head of its noun phrase."""
        for place in range(end, min(len(self), end + _NEAR + 2)):
            if not self.profiles[place].is_function and self.tags[place] not in ("RB", "DT"):
                break
            if self.profiles[place].is_punctuation:
                return None
        else:
            return None
        while self.tags[place][:2] in ("JJ", "CD", "NN", "VB") and place + 1 < len(self):
            if not self.tags[place + 1].startswith("NN"):
                break
            place += 1
        clause = place if self.is_verb(place) else -1
        return Denial((start, end), place, clause, relation)

    def _complement(self, word: int, relation: str) -> Denial:
        """What a denying verb, adjective, noun or adverb denies: the verb below it, or itself."""
        for edge in self.dependents.get(word, ()):
            if edge.relation in ("xcomp", "ccomp", "infmod", "vmod") and edge.dependent > word:
                return Denial((word, word + 1), edge.dependent, edge.dependent, relation)
        if self.tags[word].startswith("RB"):
            for edge in self.governors.get(word, ()):
                return Denial((word, word + 1), edge.governor, edge.governor, relation)
        for place in range(word + 1, min(len(self), word + _NEAR)):
            if self.tags[place] == "VBG" or (self.tags[place] == "VB" and self.lower[place - 1] == "to"):
                return Denial((word, word + 1), place, place, relation)
        return Denial((word, word + 1), word, word, relation)


class LinkedSentences(NamedTuple):
    """Two sentences and the partners of their linked words."""

    sides: tuple[ReadSentence, ReadSentence]
    partners: Partners
