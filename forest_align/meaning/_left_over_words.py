"""What words without a partner do to the relation of the phrases around them."""

# ruff: noqa: SIM905
from __future__ import annotations

from collections.abc import Collection

from forest_align.alignment import AtomicRelation
from forest_align.meaning._read_sentence import LinkedSentences, ReadSentence
from forest_align.meaning.meaning_words import (
    COMPLEX_WORDS,
    COURTESY_TITLES,
    DEFINITE_PREPOSITIONS,
    IMPLICATIVE,
    MODALS,
    PRIVATIVE,
    QUANTIFIERS,
    contrast,
)
from forest_align.meaning.relation_algebra import DIFFERENT, GENERAL, SPECIFIC, UNKNOWN, flipped

_CONTENT = ("NN", "VB", "JJ", "RB", "CD")
_MODIFIERS = frozenset(
    """amod advmod nn num rcmod partmod appos poss tmod infmod advcl purpcl npadvmod quantmod det predet prt
    dobj iobj agent nsubj nsubjpass abbrev""".split()
)


def left_over_relations(
    pair: LinkedSentences, left_over: tuple[set[int], set[int]], silent: tuple[set[int], set[int]]
) -> list[AtomicRelation]:
    """The relations that words without a partner make.

    Linked words that are ``left_over`` count as having none. ``silent`` words say nothing here.
    """
    relations = []
    for side in (0, 1):
        read, partners = pair.sides[side], pair.partners[side]
        linked = partners.keys() - left_over[side]
        for word in range(len(read)):
            if word in linked or word in silent[side] or _is_degree(pair, side, word):
                continue
            known = _of_quantifier(pair, side, word) or _relation(read, word, linked)
            if known is None:
                continue
            relation, rule = known
            if read.lower[word] == "former" and _was(pair, side, word):
                relation = UNKNOWN
            span = word, word + 1
            if side == 0:
                relations.append(AtomicRelation(span, None, relation, rule))
            else:
                relations.append(AtomicRelation(None, span, flipped(relation), rule))
    return relations


def _was(pair: LinkedSentences, side: int, adjective: int) -> bool:
    """Whether the other sentence says that someone was what a noun is called: *was her teacher*."""
    read, other = pair.sides[side], pair.sides[1 - side]
    return any(
        below.relation == "cop" and other.lower[below.dependent] in ("was", "were")
        for edge in read.governors.get(adjective, ())
        for partner in pair.partners[side].get(edge.governor, ())
        for below in other.dependents.get(partner, ())
    )


def _is_degree(pair: LinkedSentences, side: int, word: int) -> bool:
    """Whether a word says what the form of a linked word says: *most costly*, *costliest*."""
    degree = pair.sides[side].tags[word]
    return degree in ("RBR", "RBS") and any(
        pair.sides[1 - side].tags[other].endswith(degree[-1])
        for edge in pair.sides[side].governors.get(word, ())
        for other in pair.partners[side].get(edge.governor, ())
    )


def _of_quantifier(pair: LinkedSentences, side: int, word: int) -> tuple[str, str] | None:
    """What a quantifier without a link does, beside that of the linked noun; None for other words."""
    read, other = pair.sides[side], pair.sides[1 - side]
    if read.lower[word] not in QUANTIFIERS or word not in read.governors:
        return None
    noun = read.governors[word][0].governor
    for partner in pair.partners[side].get(noun, ()):
        for edge in other.dependents.get(partner, ()):
            relation = contrast(read.lower[word], other.lower[edge.dependent])
            if relation is not None:
                return relation, "quantifier"
    strong = read.lower[word] in ("all", "every", "each", "most", "many", "several")
    return (SPECIFIC, "quantifier") if strong else None


def _relation(read: ReadSentence, word: int, linked: Collection[int]) -> tuple[str, str] | None:
    """The relation of a sentence with a word to one without it, and the rule; None if it says nothing."""
    lower, lemma, tag = read.lower[word], read.lemmas[word], read.tags[word]
    if lower in MODALS and not tag.startswith("NN"):
        return GENERAL, "modality"
    if lower in ("will", "wo", "shall"):
        return UNKNOWN, "tense"
    if lower == "only":
        return (SPECIFIC, "quantifier") if read.lower[max(0, word - 1)] != "not" else None
    if read.makes_approximate(word):
        return GENERAL, "approximate value"
    if lower in COURTESY_TITLES and read.tags[word + 1 : word + 2] in (["NNP"], ["NNPS"]):
        return None
    above = read.governors.get(word, [])
    if lemma in PRIVATIVE:
        # *Former President Bush* is the same man. Taggers hold the president of *the vice president* for a
        # name, too; lower-cased texts have no capitals.
        has_case = not all(map(str.islower, filter(str.isalpha, read.words)))
        is_of_name = any(
            read.tags[edge.governor].startswith("NNP")
            and not (has_case and read.words[edge.governor].islower())
            for edge in above
        )
        # The partner of the noun is the noun without the adjective.
        has_noun = not above or any(edge.governor in linked for edge in above)
        if has_noun and not is_of_name:
            return DIFFERENT, "privative adjective"
    if lower in DEFINITE_PREPOSITIONS and tag == "IN" and _stands_before(read, word, linked):
        return UNKNOWN, "prepositions"  # *until 1995*, *in 1995*
    if read.is_light(word) or not tag.startswith(_CONTENT):
        return None
    if lemma in IMPLICATIVE and any(
        edge.relation == "xcomp" and edge.dependent in linked for edge in read.dependents.get(word, ())
    ):
        return SPECIFIC, "implicative"  # *managed to win*
    top, relation = word, ""
    for _ in range(len(read)):
        upper = read.governors.get(top)
        if not upper:
            break
        relation, governor = upper[0].relation, upper[0].governor
        if governor in linked:
            if relation == "conj_or":  # *a cat or a dog* is true of more than *a cat*
                is_name = read.lower[max(0, word - 2) : word] == [",", "or"] and read.words[word].isupper()
                return None if is_name else (GENERAL, "alternative")  # *the European Union, or EU*
            is_modifier = relation.startswith(("prep", "conj")) or relation in _MODIFIERS
            # *More good than bad* does not say more than *good*.
            is_modifier = is_modifier and relation != "prep_than"
            if is_modifier and not _carries(read, top, linked):
                return SPECIFIC, "modifier"
            return UNKNOWN, "added words"
        top = governor
    return UNKNOWN, "added words"


def _stands_before(read: ReadSentence, word: int, linked: Collection[int]) -> bool:
    """Whether the next content word has a partner, and the word is not part of *out of*."""
    if tuple(read.lower[word : word + 2]) in COMPLEX_WORDS:
        return False
    behind = (place for place in range(word + 1, len(read)) if not read.is_light(place))
    return next(behind, -1) in linked


def _carries(read: ReadSentence, word: int, linked: Collection[int]) -> bool:
    """Whether linked content words depend on a word, so that it cannot go without them."""
    todo, seen = [word], {word}
    while todo:
        for edge in read.dependents.get(todo.pop(), ()):
            if edge.dependent in linked and not read.profiles[edge.dependent].is_function:
                return True
            if edge.dependent not in seen:
                seen.add(edge.dependent)
                todo.append(edge.dependent)
    return False
