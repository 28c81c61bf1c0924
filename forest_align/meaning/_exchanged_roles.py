"""Finds arguments and modifiers that linked words exchange: who does what to whom."""

# ruff: noqa: SIM905
from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from itertools import product
from typing import NamedTuple

from forest_align.alignment import AtomicRelation, Span
from forest_align.meaning._read_sentence import Cell, LinkedSentences, ReadSentence, hull, is_in
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


class _RoleRelations(NamedTuple):
    """What the roles say."""

    relations: list[AtomicRelation]
    # Linked words that only seem opposed, because their arguments are exchanged too: *taller*, *shorter*
    settled: set[Cell]
    # Those that are verbs or the like, each with the spans that have an exchanged argument
    exchanges: list[tuple[Cell, tuple[Span, Span]]]


def exchanged_roles(pair: LinkedSentences, equal: AbstractSet[Cell] = frozenset()) -> _RoleRelations:
    """Compare the roles of linked words.

    Two linked predicates exchange roles if each has a word in the same role, the two are not linked to each
    other, but both have partners elsewhere. The order of ``equal`` words says nothing: *5 May*, *May 5*.
    """
    (source, target), (partners, _) = pair
    theirs = _fillers(target)
    relations: list[AtomicRelation] = []
    settled: set[Cell] = set()
    exchanges: list[tuple[Cell, tuple[Span, Span]]] = []
    for (governor, slot), words in _fillers(source).items():
        for other in partners.get(governor, ()):
            others = theirs.get((other, slot), ())
            lemmas = source.lemmas[governor], target.lemmas[other]
            if not others or SYMMETRIC.issuperset(lemmas):
                continue
            exchange = _exchange(pair, (governor, other), words, others)
            if exchange in equal:
                continue
            if exchange is None:
                corresponds = any({*partners.get(word, ())} & {*others} for word in words)
                if lemmas in CONVERSES and slot == _AGENT and corresponds:
                    spans = (governor, governor + 1), (other, other + 1)
                    relations.append(AtomicRelation(*spans, DIFFERENT, "converse with the same roles"))
                continue
            spans = hull(governor, exchange[0]), hull(other, exchange[1])
            degrees = _opposed_degrees(pair, governor, other)
            are_comparatives = source.tags[governor] in ("JJR", "RBR") and lemmas[0] != lemmas[1]
            if lemmas in CONVERSES or degrees or are_comparatives:
                cells = [(governor, other), *degrees]
                exchanges += [(cell, spans) for cell in cells]
                # *Sold to*, *bought from*
                prepositions = product(_prepositions(source, governor), _prepositions(target, other))
                settled.update(cells, prepositions)
            else:
                relations.append(AtomicRelation(*spans, DIFFERENT, "exchanged roles"))
    # A settled pair of words is the predicate of an exchange.
    relations = [
        relation
        for relation in relations
        if not any(is_in(cell, (relation.source, relation.target)) for cell in settled)
    ]
    clauses = _exchanged_clauses(pair)
    relations += [*clauses.relations, *_focus(pair), *_agents_and_objects(pair)]
    return _RoleRelations(relations, settled | clauses.settled, exchanges)


def _fillers(read: ReadSentence) -> dict[tuple[int, str], list[int]]:
    """The words in each role of each word; coordinated words share their roles."""
    fillers: dict[tuple[int, str], list[int]] = {}
    conjuncts: list[Cell] = []
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
            fillers.setdefault((edge.governor, slot), []).append(edge.dependent)
        elif relation.startswith("conj_"):
            conjuncts.append((edge.governor, edge.dependent))
    for first, second in conjuncts:
        for words in fillers.values():
            if first in words and second not in words:
                words.append(second)
        is_passive = "VBN" in (read.tags[first], read.tags[second])
        has_own = (second, _AGENT) in fillers or (second, _PATIENT) in fillers
        if (first, _AGENT) in fillers and not (is_passive or has_own):
            fillers[second, _AGENT] = list(fillers[first, _AGENT])
    return fillers


def _prepositions(read: ReadSentence, governor: int) -> list[int]:
    """The prepositions between a word and what they join to it."""
    return [
        place
        for edge in read.dependents.get(governor, ())
        if edge.relation.startswith("prep_")
        for place in _last_before(read, edge.relation.removeprefix("prep_"), edge.dependent)
    ]


def _last_before(read: ReadSentence, word: str, end: int) -> list[int]:
    """The last place of a word before another place; none if it is not there."""
    return [place for place in range(end) if read.lower[place] == word][-1:]


def _exchange(
    pair: LinkedSentences, governors: Cell, words: Sequence[int], others: Sequence[int]
) -> Cell | None:
    """A word of each side in the same role whose partners are elsewhere."""
    (source, target), partners = pair
    # The head of a name says nothing: *the River Jordan*, *the Jordan River*.
    names = [
        {
            word
            for filler in fillers
            for word in (
                filler,
                *(edge.dependent for edge in read.dependents.get(filler, ()) if edge.relation in _NAME_PARTS),
            )
        }
        for read, fillers in ((source, words), (target, others))
    ]
    # *Initiated the attack*, *attacked*: a partner of the governor is no other argument.
    here = [names[0] | {governors[0]}, names[1] | {governors[1]}]
    moved = [word for word in words if _is_elsewhere(pair, 0, word, here[1])]
    replaced = [word for word in others if _is_elsewhere(pair, 1, word, here[0])]
    for one, other in product(moved, replaced):
        # *The district of Detva*, *the Detva district in Slovakia*: the modifier is only of another kind.
        if (
            _named(source, one) != _named(target, other)
            and not _modifies(target, governors[1], partners[0][one])
            and not _modifies(source, governors[0], partners[1][other])
        ):
            return one, other
    return None


def _modifies(read: ReadSentence, noun: int, words: Sequence[int]) -> bool:
    """Whether one of some words modifies a noun."""
    return read.tags[noun].startswith("NN") and any(
        edge.dependent in words for edge in read.dependents.get(noun, ())
    )


def _named(read: ReadSentence, word: int) -> tuple[str, frozenset[str]]:
    """What a word and its modifiers say: *$ 2*."""
    below = (edge for edge in read.dependents.get(word, ()) if edge.relation in ("num", "amod", "nn"))
    return read.lemmas[word], frozenset(read.lemmas[edge.dependent] for edge in below)


def _is_elsewhere(pair: LinkedSentences, side: int, word: int, others: AbstractSet[int]) -> bool:
    """Whether the partners of an argument are arguments elsewhere, not verbs: *did his best*, *tried*."""
    read, other_tags = pair.sides[side], pair.sides[1 - side].tags
    known = [
        place
        for place in pair.partners[side].get(word, ())
        if read.tags[word].startswith("VB") or not other_tags[place].startswith("VB")
    ]
    is_name = read.lower[word] not in QUANTIFIERS and not read.tags[word].startswith(
        ("PRP", "W", "DT", "EX", "IN", "RB")
    )
    return bool(known) and is_name and others.isdisjoint(known)


def _opposed_degrees(pair: LinkedSentences, governor: int, other: int) -> list[Cell]:
    """The opposed degrees of two linked words: *less* and *more expensive*."""
    (source, target), (partners, _) = pair
    below = {edge.dependent for edge in target.dependents.get(other, ())}
    return [
        (edge.dependent, word)
        for edge in source.dependents.get(governor, ())
        for word in partners.get(edge.dependent, ())
        if word in below
        and contrast(source.lower[edge.dependent], target.lower[word]) == OPPOSITE
        and "RBR" in (source.tags[edge.dependent], target.tags[word])
    ]


def _exchanged_clauses(pair: LinkedSentences) -> _RoleRelations:
    """Clauses that change places around *because*, *after* and the like."""
    (source, target), (partners, _) = pair
    clauses = _RoleRelations([], set(), [])
    theirs = {(outer, inner): mark for outer, inner, mark in _subordinates(target)}
    for outer, inner, mark in _subordinates(source):
        for one, other in product(partners.get(outer, ()), partners.get(inner, ())):
            their_mark = theirs.get((other, one), -1)
            if their_mark < 0:
                continue
            words = source.lower[mark], target.lower[their_mark]
            if words[0] == words[1]:
                spans = hull(outer, inner, mark), hull(one, other, their_mark)
                clauses.relations.append(AtomicRelation(*spans, DIFFERENT, "exchanged clauses"))
            elif contrast(*words) == OPPOSITE:
                clauses.settled.add((mark, their_mark))
    return clauses


def _subordinates(read: ReadSentence) -> list[tuple[int, int, int]]:
    """Predicates, the predicates of their adverbial clauses, and the words that introduce them."""
    clauses = []
    for edge in read.dependencies:
        marks: list[int] = []
        if edge.relation == "advcl":
            marks = [
                below.dependent
                for below in read.dependents.get(edge.dependent, ())
                if below.relation in ("mark", "advmod") and read.lower[below.dependent] in _ORDERING
            ]
        elif edge.relation.startswith("prepc_") and edge.relation[6:] in _ORDERING:
            marks = _last_before(read, edge.relation[6:], edge.dependent)
        elif edge.relation == "conj_and":  # *unpack it and then install it*
            between = range(edge.governor + 1, edge.dependent)
            marks = [word for word in between if read.lower[word] in _THEN]
        clauses += [(edge.governor, edge.dependent, mark) for mark in marks[:1]]
    return clauses


def _agents_and_objects(pair: LinkedSentences) -> list[AtomicRelation]:
    """Who acts on one side and is acted upon on the other: *was followed by his son*, *followed his son*."""
    (source, target), (partners, _) = pair
    theirs = {(edge.governor, edge.dependent): edge.relation for edge in target.dependencies}
    relations = []
    for edge in source.dependencies:
        if edge.relation not in _VOICES:
            continue
        for cell in product(partners.get(edge.governor, ()), partners.get(edge.dependent, ())):
            is_same = source.lemmas[edge.governor] == target.lemmas[cell[0]]
            if is_same and theirs.get(cell) == _VOICES[edge.relation]:
                spans = hull(edge.governor, edge.dependent), hull(*cell)
                relations.append(AtomicRelation(*spans, DIFFERENT, "exchanged roles"))
    return relations


def _focus(pair: LinkedSentences) -> list[AtomicRelation]:
    """*Only* before another word."""
    (source, target), partners = pair
    relations = []
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
                spans = hull(word, above, *partners[1][others]), hull(other, others, *partners[0][above])
                relations.append(AtomicRelation(*spans, DIFFERENT, "scope of only"))
    return relations
