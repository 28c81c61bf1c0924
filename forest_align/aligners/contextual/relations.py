"""Finds from tags alone which words belong together, in terms that do not depend on the construction.

The link model must know that *oil* belongs to *price* in *the price of oil*, *oil's price*, *the oil price*.
It must know that the dog chases in *the dog chased the cat* and in *the cat was chased by the dog*. It has no
trees, so the relations come from one scan over chunks. They are evidence, not a parse: an error costs little.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np

from forest_align.aligners.contextual.chunker import NOUNS, Chunk, Chunker

#: Relations of a word to others. ``head`` is the inverse of ``modifier``; the three that end in ``of`` are
#: those of the three before them. ``particle`` joins verb and particle both ways.
RELATIONS: tuple[str, ...] = (
    *("modifier", "head", "agent", "patient", "other participant"),
    *("agent of", "patient of", "other participant of", "antecedent", "particle"),
)
#: Words that a word is related to in one way; further ones are dropped.
WIDTH = 3
MODIFIER, HEAD, AGENT, PATIENT, OTHER, AGENT_OF, PATIENT_OF, OTHER_OF, ANTECEDENT, PARTICLE = range(
    len(RELATIONS)
)
#: The first relations, whose words on both sides are compared.
PAIRED = ANTECEDENT + 1
#: Relations whose two words may have one partner: *called … off* ↔ *cancelled*, *took a walk* ↔ *walked*.
BESIDE = ((PARTICLE,), (PATIENT, OTHER, PATIENT_OF, OTHER_OF))

_INVERSE = {MODIFIER: HEAD, AGENT: AGENT_OF, PATIENT: PATIENT_OF, OTHER: OTHER_OF, PARTICLE: PARTICLE}
_CONJUNCTIONS = frozenset(
    {
        *("before", "after", "because", "as", "since", "until", "if", "while", "when", "although", "though"),
        *("that", "whether", "so", "than"),
    }
)
_PERSONS = {
    word: group[0]
    for group in (
        ("i", "me", "my", "myself"),
        ("we", "us", "our", "ourselves"),
        ("you", "your", "yourself"),
        ("he", "him", "his", "himself"),
        ("she", "her", "herself"),
        ("it", "its", "itself"),
        ("they", "them", "their", "themselves"),
    )
    for word in group
}
_SPEECH = frozenset({"i", "we", "you"})


class _Clause:
    """A verb with its subjects, while the words after it are read."""

    def __init__(self, verb: int, is_passive: bool, subjects: list[int]) -> None:
        self.verb, self.is_passive, self.subjects = verb, is_passive, subjects
        self.objects: list[int] = []


def related_words(words: Sequence[str], tags: Sequence[str]) -> np.ndarray:
    """The words that each word is related to. Shapes: returns int32 (n, 10, 3)."""
    reader = _Reader([word.lower() for word in words], tags)
    # An array of Python is filled faster than one of numpy.
    count = len(RELATIONS)
    cells = array("i", [-1]) * (len(words) * count * WIDTH)
    for (place, relation), others in reader.related.items():
        start = (place * count + relation) * WIDTH
        cells[start : start + len(others)] = array("i", others)
    return np.array(cells, dtype=np.int32).reshape(len(words), count, WIDTH)


class _Reader:
    """One scan over the chunks of a sentence."""

    def __init__(self, words: Sequence[str], tags: Sequence[str]) -> None:
        self.words, self.tags = words, tags
        self.related: dict[tuple[int, int], list[int]] = {}
        self.subjects: list[int] = []
        self._reset()
        chunker = Chunker(words, tags)
        self.chunks, self.heads = chunker.chunks, chunker.heads
        for head, modifier in chunker.modifiers:
            self._relate(MODIFIER, head, modifier)
        readers = {
            "noun": self._read_noun,
            "verb": self._read_verb,
            "relative": self._read_relative,
            "particle": self._read_particle,
        }
        for at, chunk in enumerate(self.chunks):
            if chunk.kind in readers:
                readers[chunk.kind](at, chunk)
            elif chunk.kind in ("quote", "stop"):
                self._reset()
        self._antecedents()

    def _reset(self) -> None:
        """Begin a clause."""
        self.waiting: list[int] = []  # noun phrases before their verb
        self.clause: _Clause | None = None
        self.gap = -1  # the noun that a relative clause lacks
        self.outer: list[list[int]] = []  # subjects that wait for their verb behind a relative clause

    def _relate(self, relation: int, word: int, other: int) -> None:
        """Add a relation and its inverse."""
        self._add(word, relation, other)
        if relation in _INVERSE:
            self._add(other, _INVERSE[relation], word)

    def _add(self, place: int, relation: int, partner: int) -> None:
        known = self.related.get((place, relation))
        if known is None:
            self.related[place, relation] = [partner]
        elif len(known) < WIDTH and partner not in known:
            known.append(partner)

    def _kind_at(self, at: int) -> str:
        return self.chunks[at].kind if 0 <= at < len(self.chunks) else "end"

    def _is_subject(self, at: int) -> bool:
        """Whether a verb follows the noun phrase, its coordinates and its prepositional phrases.

        Behind a verb, *and* and a noun phrase before a verb begin a clause: *saw the cat and the cat ran*.
        """
        joins = {"preposition", "and"} if self.clause is None else {"preposition"}
        at += 1
        while True:
            kind = self._kind_at(at)
            if kind in joins and self._kind_at(at + 1) == "noun":
                at += 2
            elif kind == "word":
                at += 1
            else:
                return kind == "verb" and not self.chunks[at].is_participle

    def _read_noun(self, at: int, chunk: Chunk) -> None:
        before, head, clause = self._kind_at(at - 1), chunk.head, self.clause
        if before == "preposition" and not (
            self.words[self.chunks[at - 1].head] in _CONJUNCTIONS and self._is_subject(at)
        ):
            self._read_object_of_preposition(at, head)
        elif before == "and" and self._kind_at(at - 2) == "noun" and not (clause and self._is_subject(at)):
            self._read_coordinate(at, head)
        elif clause is None or self._is_subject(at):
            if before == "noun" and self._is_subject(at):  # "the job he had loved"
                self.gap = self.chunks[at - 1].head
                self.outer.append(self.waiting if clause is None else clause.subjects)
            if clause is not None and before != "relative":
                self.gap = self.gap if before == "noun" else -1
            self.waiting, self.clause = [head], None
        elif not clause.subjects and before == "verb":  # said the coach
            clause.subjects = [head]
            self._relate(AGENT, clause.verb, head)
        else:
            for first in clause.objects if before == "noun" else ():  # "gave Ben a book"
                known = self.related.get((clause.verb, PATIENT), [])
                if first in known:
                    known.remove(first)
                    self.related[first, PATIENT_OF].remove(clause.verb)
                    self._relate(OTHER, clause.verb, first)
            clause.objects.append(head)
            self._relate(PATIENT, clause.verb, head)

    def _read_object_of_preposition(self, at: int, head: int) -> None:
        preposition = self.words[self.chunks[at - 1].head]
        clause = self.clause
        if clause is not None and clause.is_passive and preposition == "by":
            self._relate(AGENT, clause.verb, head)
            return
        if self._kind_at(at - 2) == "noun":
            self._relate(MODIFIER, self.chunks[at - 2].head, head)
        if clause is not None and preposition != "of":
            self._relate(OTHER, clause.verb, head)

    def _read_coordinate(self, at: int, head: int) -> None:
        """Another noun phrase after *and* has the part of the one before it."""
        other = self.chunks[self._coordinate_of(at)].head
        if self.waiting:
            self.waiting.append(head)
            return
        parts = ((AGENT_OF, AGENT), (PATIENT_OF, PATIENT), (OTHER_OF, OTHER), (HEAD, MODIFIER))
        for inverse, relation in parts:
            for governor in list(self.related.get((other, inverse), ())):
                self._relate(relation, governor, head)

    def _coordinate_of(self, at: int) -> int:
        """The last noun phrase before *and*, or an earlier one with the same head or preposition."""
        back = at - 2
        while self._kind_at(back) == "noun":
            if self._matches(back, at):
                return back
            if self._kind_at(back - 1) != "preposition":
                break
            back -= 2
        return at - 2

    def _matches(self, first: int, second: int) -> bool:
        """Whether two noun phrases have the same head or the same following preposition."""

        def have_same_word(first: int, second: int) -> bool:
            return self.words[self.chunks[first].head] == self.words[self.chunks[second].head]

        are_followed = self._kind_at(first + 1) == self._kind_at(second + 1) == "preposition"
        return have_same_word(first, second) or (are_followed and have_same_word(first + 1, second + 1))

    def _read_relative(self, at: int, chunk: Chunk) -> None:
        back = at - 1 - (self._kind_at(at - 1) == "comma")
        if self._kind_at(back) != "noun" or self.tags[chunk.head] == "IN":
            self.waiting, self.clause = [], None
            return
        antecedent = self.chunks[back].head
        if self.clause is None:
            self.outer.append(self.waiting)
        if self._kind_at(at + 1) == "noun":
            self.gap, self.waiting, self.clause = antecedent, [], None
        else:
            self.waiting, self.clause = [antecedent], None

    def _read_verb(self, at: int, chunk: Chunk) -> None:
        before = self._kind_at(at - 1)
        if self.clause is None:
            subjects = self.waiting
        elif before == "verb" and self.outer:
            subjects = self.outer.pop()
        elif chunk.is_participle and before == "noun":
            subjects = [self.chunks[at - 1].head]
        else:
            subjects = self.clause.subjects
        by = self._kind_at(at + 1) == "preposition" and self.words[self.chunks[at + 1].head] == "by"
        is_passive = chunk.is_passive or (chunk.is_participle and by)
        self.clause, self.waiting = _Clause(chunk.head, is_passive, list(subjects)), []
        for subject in subjects:
            self._relate(PATIENT if is_passive else AGENT, chunk.head, subject)
        self.subjects += subjects
        if self.gap >= 0 and not is_passive and self._kind_at(at + 1) != "noun":
            self._relate(PATIENT, chunk.head, self.gap)
            self.gap = -1

    def _read_particle(self, at: int, chunk: Chunk) -> None:
        if self.clause is not None and self._kind_at(at - 1) in {"verb", "noun"}:
            self._relate(PARTICLE, self.clause.verb, chunk.head)

    def _antecedents(self) -> None:
        """Earlier mentions: equal nouns, nouns before a pronoun, speaker and hearer of a quotation."""
        seen: dict[str, int] = {}
        quoted = self._speakers_and_hearers()
        nouns = [head for head in self.heads if self.tags[head] in NOUNS]
        subjects = [subject for subject in self.subjects if self.tags[subject] in NOUNS]
        heads = set(nouns)
        for place, (word, tag) in enumerate(zip(self.words, self.tags, strict=True)):
            earlier: list[int] = []
            if tag in {"PRP", "PRP$"}:
                person = _PERSONS.get(word, word)
                if place in quoted and person in _SPEECH:
                    earlier = quoted[place][person == "you"]
                elif person in seen:
                    earlier = [seen[person]]
                elif person not in _SPEECH:
                    before = dict.fromkeys(noun for noun in (*subjects, *nouns) if noun < place)
                    earlier = list(before)[:WIDTH]
                seen[person] = place
            elif place in heads:
                earlier = [seen[word]] if word in seen else []
                seen[word] = place
            for other in earlier:
                self._relate(ANTECEDENT, place, other)

    def _speakers_and_hearers(self) -> dict[int, tuple[list[int], list[int]]]:
        """For each word of a quotation the nearest subject outside of it, and the objects of its verb."""
        marks = [place for place, tag in enumerate(self.tags) if tag in {"``", "''"}]
        subjects = [place for place, relation in self.related if relation == AGENT_OF]
        people: dict[int, tuple[list[int], list[int]]] = {}
        for start, end in zip(marks[::2], marks[1::2], strict=False):
            outside = [place for place in subjects if place < start or place > end]
            if outside:
                speaker = min(outside, key=lambda place: min(abs(place - start), abs(place - end)))
                verbs = self.related[speaker, AGENT_OF]
                hearers = [hearer for verb in verbs for hearer in self.related.get((verb, PATIENT), ())]
                people.update(dict.fromkeys(range(start, end), ([speaker], hearers)))
        return people
