"""Finds arguments and modifiers that linked words exchange: who does what to whom."""

# ruff: noqa: SIM905
from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import product
from typing import NamedTuple

from forest_align.alignment import AtomicRelation, Span
from forest_align.meaning._read_sentence import ReadSentence
from forest_align.meaning.meaning_words import CONVERSES, QUANTIFIERS, SYMMETRIC, contrast
from forest_align.meaning.relation_algebra import DIFFERENT, OPPOSITE

_AGENT, _PATIENT, _RECIPIENT = "agent", "patient", "prep_to"
_SLOTS = {
    **dict.fromkeys(("nsubj", "agent", "xsubj"), _AGENT),
    **dict.fromkeys(("dobj", "nsubjpass"), _PATIENT),
    "iobj": _RECIPIENT,
    **dict.fromkeys(("amod", "nn", "poss"), "modifier"),
    "num": "number",
}
_ORDERING = frozenset("because after before since until till if unless although though so".split())
_THEN = frozenset("then afterwards afterward subsequently later thereafter".split())
# What a word that acts cannot be of the same verb, and the other way round.
_VOICES = {"agent": "dobj", "dobj": "agent"}
_NAME_PARTS = ("nn", "num", "appos", "abbrev")
_Partners = Mapping[int, Sequence[int]]


class _RoleRelations(NamedTuple):
    """What the roles say."""

    relations: list[AtomicRelation]
    # Linked words that only seem opposed, because their arguments are exchanged too: *taller*, *shorter*
    settled: set[tuple[int, int]]
    # Those that are verbs or the like, each with the spans that have an exchanged argument
    exchanges: list[tuple[tuple[int, int], tuple[Span, Span]]]


def exchanged_roles(
    source: ReadSentence,
    target: ReadSentence,
    partners: tuple[_Partners, _Partners],
    equal: AbstractSet[tuple[int, int]] = frozenset(),
) -> _RoleRelations:
    """Compare the roles of linked words.

    Two linked predicates exchange roles if each has a word in the same role, the two are not linked to each
    other, but both have partners elsewhere. The order of ``equal`` words says nothing: *5 May*, *May 5*.
    """
    ours, theirs = _fillers(source), _fillers(target)
    found = _RoleRelations([], set(), [])
    for (governor, slot), words in ours.items():
        for other in partners[0].get(governor, ()):
            others = theirs.get((other, slot), ())
            lemmas = source.lemmas[governor], target.lemmas[other]
            if not others or SYMMETRIC.issuperset(lemmas):
                continue
            exchange = _exchange(source, target, (governor, other), words, others, partners)
            degrees = _opposed_degrees(source, target, governor, other, partners)
            is_converse = (
                lemmas in CONVERSES
                or bool(degrees)
                or _are_opposed_comparatives(source, target, governor, other)
            )
            if exchange in equal:
                continue
            if exchange and is_converse:
                found.settled.update([(governor, other), *degrees])
                spans = _hull(governor, exchange[0]), _hull(other, exchange[1])
                found.exchanges.extend((cell, spans) for cell in ((governor, other), *degrees))
                # *Sold to*, *bought from*
                found.settled.update(product(_prepositions(source, governor), _prepositions(target, other)))
            elif exchange:
                spans = _hull(governor, exchange[0]), _hull(other, exchange[1])
                found.relations.append(AtomicRelation(*spans, DIFFERENT, "exchanged roles"))
            elif lemmas in CONVERSES and slot == _AGENT and _corresponds(words, others, partners):
                spans = (governor, governor + 1), (other, other + 1)
                found.relations.append(AtomicRelation(*spans, DIFFERENT, "converse with the same roles"))
    relations = [one for one in found.relations if not _is_settled(one, found.settled)]
    clauses = _exchanged_clauses(source, target, partners)
    return _RoleRelations(
        [
            *(*relations, *clauses.relations),
            *_focus(source, target, partners),
            *_agents_and_objects(source, target, partners),
        ],
        found.settled | clauses.settled,
        found.exchanges,
    )


def _is_settled(relation: AtomicRelation, settled: Iterable[tuple[int, int]]) -> bool:
    """Whether a settled pair of words is the predicate of an exchange."""
    source, target = relation.source, relation.target
    assert source is not None and target is not None
    return any(source[0] <= i < source[1] and target[0] <= j < target[1] for i, j in settled)


def _fillers(read: ReadSentence) -> dict[tuple[int, str], list[int]]:
    """The words in each role of each word; coordinated words share their roles."""
    found: dict[tuple[int, str], list[int]] = {}
    conjuncts: list[tuple[int, int]] = []
    # *The shop was closed by its owner*, if the tree takes *closed* for an adjective
    passive = {
        edge.governor
        for edge in read.dependencies
        if edge.relation == "prep_by" and read.lower[edge.governor].endswith(("ed", "en", "wn"))
    }
    for edge in read.dependencies:
        relation = edge.relation
        if edge.governor in passive:
            relation = {"nsubj": "nsubjpass", "prep_by": "agent"}.get(relation, relation)
        slot = _SLOTS.get(relation) or (relation if relation.startswith("prep_") else "")
        if slot:
            found.setdefault((edge.governor, slot), []).append(edge.dependent)
        elif relation.startswith("conj_"):
            conjuncts.append((edge.governor, edge.dependent))
    for first, second in conjuncts:
        for words in found.values():
            if first in words and second not in words:
                words.append(second)
        is_passive = "VBN" in (read.tags[first], read.tags[second])
        if (
            not is_passive
            and (first, _AGENT) in found
            and (second, _AGENT) not in found
            and (second, _PATIENT) not in found
        ):
            found[second, _AGENT] = list(found[first, _AGENT])
    return found


def _prepositions(read: ReadSentence, governor: int) -> list[int]:
    """The prepositions between a word and what they join to it."""
    found = []
    for edge in read.dependents.get(governor, ()):
        if edge.relation.startswith("prep_"):
            found += _last_before(read, edge.relation.removeprefix("prep_"), edge.dependent)
    return found


def _last_before(read: ReadSentence, word: str, end: int) -> list[int]:
    """The last place of a word before another place; none if it is not there."""
    return [place for place in range(end) if read.lower[place] == word][-1:]


def _exchange(
    source: ReadSentence,
    target: ReadSentence,
    governors: tuple[int, int],
    words: Sequence[int],
    others: Sequence[int],
    partners: tuple[_Partners, _Partners],
) -> tuple[int, int] | None:
    """A word of each side in the same role whose partners are elsewhere."""
    # The head of a name says nothing: *the River Jordan*, *the Jordan River*.
    names = [
        {inner for word in ours for inner in _name_of(read, word)}
        for read, ours in ((source, words), (target, others))
    ]
    # *Initiated the attack*, *attacked*: a partner of the governor is no other argument.
    moved = [
        word for word in words if _is_elsewhere(source, target, word, names[1] | {governors[1]}, partners[0])
    ]
    replaced = [
        word for word in others if _is_elsewhere(target, source, word, names[0] | {governors[0]}, partners[1])
    ]
    for one, other in product(moved, replaced):
        if _named(source, one) == _named(target, other):
            continue
        # *The district of Detva*, *the Detva district in Slovakia*: the modifier is only of another kind.
        is_modifier = _modifies(target, governors[1], partners[0][one]) or _modifies(
            source, governors[0], partners[1][other]
        )
        if not is_modifier:
            return one, other
    return None


def _name_of(read: ReadSentence, word: int) -> list[int]:
    """A noun and the nouns and numbers that belong to its name."""
    below = (edge for edge in read.dependents.get(word, ()) if edge.relation in _NAME_PARTS)
    return [word, *(edge.dependent for edge in below)]


def _modifies(read: ReadSentence, noun: int, words: Collection[int]) -> bool:
    """Whether one of some words modifies a noun."""
    return read.tags[noun].startswith("NN") and any(
        edge.dependent in words for edge in read.dependents.get(noun, ())
    )


def _named(read: ReadSentence, word: int) -> tuple[str, frozenset[str]]:
    """What a word and its modifiers say: *$ 2*."""
    below = (edge for edge in read.dependents.get(word, ()) if edge.relation in ("num", "amod", "nn"))
    return read.lemmas[word], frozenset(read.lemmas[edge.dependent] for edge in below)


def _is_elsewhere(
    read: ReadSentence, other: ReadSentence, word: int, others: AbstractSet[int], partners: _Partners
) -> bool:
    """Whether the partners of an argument are arguments elsewhere, not verbs: *did his best*, *tried*."""
    known = [
        place
        for place in partners.get(word, ())
        if read.tags[word].startswith("VB") or not other.tags[place].startswith("VB")
    ]
    is_name = read.lower[word] not in QUANTIFIERS and not read.tags[word].startswith(
        ("PRP", "W", "DT", "EX", "IN", "RB")
    )
    return bool(known) and is_name and others.isdisjoint(known)


def _corresponds(words: Iterable[int], others: Sequence[int], partners: tuple[_Partners, _Partners]) -> bool:
    return any({*partners[0].get(word, ())} & {*others} for word in words)


def _are_opposed_comparatives(source: ReadSentence, target: ReadSentence, one: int, other: int) -> bool:
    return source.tags[one] in ("JJR", "RBR") and source.lemmas[one] != target.lemmas[other]


def _opposed_degrees(
    source: ReadSentence, target: ReadSentence, one: int, other: int, partners: tuple[_Partners, _Partners]
) -> list[tuple[int, int]]:
    """The opposed degrees of two linked words: *less* and *more expensive*."""
    return [
        (edge.dependent, word)
        for edge in source.dependents.get(one, ())
        for word in partners[0].get(edge.dependent, ())
        if any(word == below.dependent for below in target.dependents.get(other, ()))
        and contrast(source.lower[edge.dependent], target.lower[word]) == OPPOSITE
        and "RBR" in (source.tags[edge.dependent], target.tags[word])
    ]


def _exchanged_clauses(
    source: ReadSentence, target: ReadSentence, partners: tuple[_Partners, _Partners]
) -> _RoleRelations:
    """Clauses that change places around *because*, *after* and the like."""
    found = _RoleRelations([], set(), [])
    theirs = {(outer, inner): mark for outer, inner, mark in _subordinates(target)}
    for outer, inner, mark in _subordinates(source):
        for one, other in product(partners[0].get(outer, ()), partners[0].get(inner, ())):
            marks = theirs.get((other, one), -1)
            if marks < 0:
                continue
            words = source.lower[mark], target.lower[marks]
            if words[0] == words[1]:
                spans = _hull(outer, inner, mark), _hull(one, other, marks)
                found.relations.append(AtomicRelation(*spans, DIFFERENT, "exchanged clauses"))
            elif contrast(*words) == OPPOSITE:
                found.settled.add((mark, marks))
    return found


def _subordinates(read: ReadSentence) -> list[tuple[int, int, int]]:
    """Predicates, the predicates of their adverbial clauses, and the words that introduce them."""
    found = []
    for edge in read.dependencies:
        if edge.relation == "advcl":
            marks = [
                one.dependent
                for one in read.dependents.get(edge.dependent, ())
                if one.relation in ("mark", "advmod") and read.lower[one.dependent] in _ORDERING
            ]
            found += [(edge.governor, edge.dependent, mark) for mark in marks[:1]]
        elif edge.relation.startswith("prepc_") and edge.relation[6:] in _ORDERING:
            places = _last_before(read, edge.relation[6:], edge.dependent)
            found += [(edge.governor, edge.dependent, place) for place in places]
        elif edge.relation == "conj_and":  # *unpack it and then install it*
            between = range(edge.governor + 1, edge.dependent)
            found += [(edge.governor, edge.dependent, word) for word in between if read.lower[word] in _THEN][
                :1
            ]
    return found


def _agents_and_objects(
    source: ReadSentence, target: ReadSentence, partners: tuple[_Partners, _Partners]
) -> list[AtomicRelation]:
    """Who acts on one side and is acted upon on the other: *was followed by his son*, *followed his son*."""
    theirs = {(edge.governor, edge.dependent): edge.relation for edge in target.dependencies}
    found = []
    for edge in source.dependencies:
        if edge.relation not in _VOICES:
            continue
        for governor, dependent in product(
            partners[0].get(edge.governor, ()), partners[0].get(edge.dependent, ())
        ):
            lemmas = source.lemmas[edge.governor], target.lemmas[governor]
            if lemmas[0] == lemmas[1] and theirs.get((governor, dependent)) == _VOICES[edge.relation]:
                spans = _hull(edge.governor, edge.dependent), _hull(governor, dependent)
                found.append(AtomicRelation(*spans, DIFFERENT, "exchanged roles"))
    return found


def _focus(
    source: ReadSentence, target: ReadSentence, partners: tuple[_Partners, _Partners]
) -> list[AtomicRelation]:
    """*Only* before another word."""
    found = []
    for word, lower in enumerate(source.lower):
        if lower != "only" or word not in source.governors:
            continue
        for other in partners[0].get(word, ()):
            if target.lower[other] != "only" or other not in target.governors:
                continue
            above, others = source.governors[word][0].governor, target.governors[other][0].governor
            # Before a verb it may be about any word below: *can only be used by members*.
            if source.is_verb(above) or target.is_verb(others):
                continue
            if partners[0].get(above) and partners[1].get(others) and others not in partners[0][above]:
                spans = _hull(word, above, *partners[1][others]), _hull(other, others, *partners[0][above])
                found.append(AtomicRelation(*spans, DIFFERENT, "scope of only"))
    return found


def _hull(*words: int) -> Span:
    return min(words), max(words) + 1
