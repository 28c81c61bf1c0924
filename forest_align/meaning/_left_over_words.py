"""What words without a partner do to the relation of the phrases around them."""

from __future__ import annotations

from collections.abc import Collection

from forest_align.meaning._read_sentence import ReadSentence
from forest_align.meaning.meaning_words import IMPLICATIVE, MODALS, PRIVATIVE
from forest_align.meaning.relation_algebra import DIFFERENT, GENERAL, SPECIFIC, UNKNOWN

_CONTENT = ("NN", "VB", "JJ", "RB", "CD")
_MODIFIERS = (
    *(
        "amod",
        "advmod",
        "nn",
        "num",
        "rcmod",
        "partmod",
        "appos",
        "poss",
        "tmod",
        "infmod",
        "advcl",
        "purpcl",
    ),
    *(
        "npadvmod",
        "quantmod",
        "det",
        "predet",
        "prt",
        "dobj",
        "iobj",
        "agent",
        "nsubj",
        "nsubjpass",
        "abbrev",
    ),
)


def left_over_relation(read: ReadSentence, word: int, linked: Collection[int]) -> tuple[str, str] | None:
    """The relation of a sentence with a word to one without it, and the rule; None if it says nothing.

    The word has no link and denies nothing.
    """
    lower, lemma, tag = read.lower[word], read.lemmas[word], read.tags[word]
    if lower in MODALS and not tag.startswith("NN"):
        return GENERAL, "modality"
    if lower in ("will", "wo", "shall"):
        return UNKNOWN, "tense"
    if lower == "only":
        return (SPECIFIC, "quantifier") if read.lower[max(0, word - 1)] != "not" else None
    if read.makes_approximate(word):
        return GENERAL, "approximate value"
    if lemma in PRIVATIVE and not _is_of_name(read, word) and _has_noun(read, word, linked):
        return DIFFERENT, "privative adjective"
    if read.is_light(word) or not tag.startswith(_CONTENT):
        return None
    if lemma in IMPLICATIVE and any(
        edge.relation == "xcomp" and edge.dependent in linked for edge in read.dependents.get(word, ())
    ):
        return SPECIFIC, "implicative"  # *managed to win*
    top, relation = word, ""
    for _ in range(len(read)):
        above = read.governors.get(top)
        if not above:
            break
        relation, governor = above[0].relation, above[0].governor
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


def _has_noun(read: ReadSentence, word: int, linked: Collection[int]) -> bool:
    """Whether the noun of an adjective has a partner, which is the noun without the adjective."""
    above = read.governors.get(word, ())
    return not above or any(edge.governor in linked for edge in above)


def _is_of_name(read: ReadSentence, word: int) -> bool:
    """Whether a word belongs to a title before a name: *former President Bush* is the same man."""
    return any(read.tags[edge.governor].startswith("NNP") for edge in read.governors.get(word, ()))


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
