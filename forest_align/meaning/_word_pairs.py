"""The relation of two linked words by themselves: what the lexicon, values and tables say."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import SequenceMatcher
from functools import cache

from forest_align.lexicon.evidence import word_relations
from forest_align.lexicon.lexicon import RELATED_LEMMAS, WordProfile, load_lexicon
from forest_align.lexicon.oppositions import Opposition, opposition
from forest_align.lexicon.written_forms import is_misspelling
from forest_align.meaning.meaning_words import (
    CONVERSES,
    DEFINITE_PREPOSITIONS,
    LIGHT_VERBS,
    MODALS,
    OPPOSED_PREFIXES,
    QUANTIFIERS,
    contrast,
)
from forest_align.meaning.relation_algebra import DIFFERENT, EQUIVALENT, GENERAL, OPPOSITE, SPECIFIC, UNKNOWN

_NEGATIVE = ("un", "dis", "non", "non-", "anti", "anti-")
# Of nouns and adjectives, not *inform*; of words of one class, not *despite* and *spite*.
_NEGATIVE_BY_CLASS = ("in", "im", "il", "ir", "de")
# Prefixes of words that are no instances of the rest: *misuse*.
_CHANGING = ("mis", "mal", "pseudo", "pseudo-", "ex-")
_SHORTEST_REST = 3  # Letters of a word behind its prefix
_MISSPELLED = 0.85
_FUNCTION_TAGS = frozenset(("IN", "TO", "DT", "POS", "CC", "RP", "EX", "WDT"))
_POSSIBLE = MODALS - {"should", "ought"}


def word_relation(
    one: WordProfile, two: WordProfile, texts: tuple[str, str], tags: tuple[str, str]
) -> tuple[str, str]:
    """The relation of two linked words, and the rule that found it."""
    if one.lower == two.lower or one.is_punctuation or two.is_punctuation:
        return EQUIVALENT, "same word"
    if one.lemma == two.lemma:
        if set(tags) == {"NNP", "NNPS"}:
            return UNKNOWN, "names"  # *Mrs. Reagan*, *the Reagans*
        return EQUIVALENT, "same lemma"
    if (one.lemma, two.lemma) in CONVERSES and all(tag.startswith("VB") for tag in tags):
        return EQUIVALENT, "converse"
    for pair in ((one.lower, two.lower), (one.lemma, two.lemma)):
        relation = contrast(*pair)
        if relation is not None:
            return relation, "contrast"
    if _are_letters(one.lower, two.lower, tags):
        return DIFFERENT, "identifiers"
    if all(word.is_function or tag in _FUNCTION_TAGS for word, tag in zip((one, two), tags, strict=True)):
        return _of_function_words(one.lower, two.lower, texts, tags)
    if _differ_by_prefix(one.lemma, two.lemma, tags):
        return OPPOSITE, "negative affix"
    if _have_opposed_prefixes(one.lemma, two.lemma):
        return OPPOSITE, "opposed prefixes"
    if _added_prefix(one.lemma, two.lemma) in _CHANGING:
        return DIFFERENT, "negative affix"
    opposed = opposition(*texts, *tags)
    if opposed is not None:
        # A man and a woman are different persons, of whom the same may be true.
        is_antonym = opposed & Opposition.ANTONYM and not opposed & Opposition.SEX
        return (OPPOSITE, "antonyms") if is_antonym else (DIFFERENT, "opposed nouns")
    if _are_indirect_antonyms(one, two, tags):
        return OPPOSITE, "antonyms"
    if word_relations(one, two) & RELATED_LEMMAS:
        return EQUIVALENT, "synonyms"
    are_names = [tag.startswith("NNP") for tag in tags]
    # *New Year's day* may be in *January*.
    if are_names[0] == are_names[1] and _is_measure(one, tags[0]) and _is_measure(two, tags[1]):
        # A *reign* and a *rule* are no units: they say the same as some part of speech.
        synsets = load_lexicon().store.synsets
        if set(synsets(one.lemma)).isdisjoint(synsets(two.lemma)):
            return DIFFERENT, "units"
    if all(any(map(str.isdigit, word.lower)) for word in (one, two)):
        return DIFFERENT, "identifiers"
    # Long names differ in a letter or two: *Cornwalli*, *Cornwallis*.
    are_similar_names = (
        all(are_names)
        and min(len(one.lower), len(two.lower)) > 5
        and SequenceMatcher(None, one.lower, two.lower).ratio() >= _MISSPELLED
    )
    if are_similar_names or is_misspelling(one, two, load_lexicon()):
        return EQUIVALENT, "spelling"
    if QUANTIFIERS & {one.lower, two.lower}:
        return UNKNOWN, "quantifier"
    if _share_a_part(one.lower, two.lower):
        return UNKNOWN, "compound"
    return _of_taxonomy(one, two, tags)


def _of_function_words(one: str, two: str, texts: tuple[str, str], tags: tuple[str, str]) -> tuple[str, str]:
    if "TO" in tags:
        return EQUIVALENT, "function words"
    if one in _POSSIBLE and two not in MODALS:
        return GENERAL, "modality"
    if two in _POSSIBLE and one not in MODALS:
        return SPECIFIC, "modality"
    opposed = opposition(*texts, *tags)
    if opposed is not None:
        return DIFFERENT, "opposed persons"
    if set(tags) <= {"IN", "TO"} and DEFINITE_PREPOSITIONS & {one, two}:
        return UNKNOWN, "prepositions"
    return EQUIVALENT, "function words"


def _added_prefix(one: str, two: str) -> str:
    """What one word has before the other one; *mis* of *use* and *misuse*."""
    short, long = sorted((one, two), key=len)
    return long.removesuffix(short) if len(short) > 2 and long.endswith(short) else ""


def _differ_by_prefix(one: str, two: str, tags: tuple[str, str]) -> bool:
    """Whether one word negates the other one: *unsafe*, *harmless* and *harmful*."""
    prefix = _added_prefix(one, two) if min(len(one), len(two)) > 3 else ""
    if prefix in _NEGATIVE:
        return True
    if prefix in _NEGATIVE_BY_CLASS and tags[0][:2] == tags[1][:2]:
        return prefix == "de" or not tags[0].startswith("VB")
    less, full = sorted((one, two), key=lambda word: word.endswith("ful"))
    are_opposed = less.endswith("less") and full.endswith("ful")
    return are_opposed and less.removesuffix("less") == full.removesuffix("ful")


def is_negative(lemma: str) -> bool:
    """Whether a word negates another one: *illegal*, *useless*."""
    store = load_lexicon().store
    prefixes = (*_NEGATIVE, *_NEGATIVE_BY_CLASS)
    return any(
        len(word := store.lemmas[antonym]) < len(lemma) and _added_prefix(word, lemma) in prefixes
        for antonym in store.antonyms(lemma)
    )


def _have_opposed_prefixes(one: str, two: str) -> bool:
    """Whether two words are the same but for opposed prefixes: *upgrade*, *downgrade*."""
    for prefixes in OPPOSED_PREFIXES:
        for ours, theirs in (prefixes, prefixes[::-1]):
            rest = one.removeprefix(ours)
            if len(rest) >= _SHORTEST_REST and one == ours + rest and two == theirs + rest:
                return True
    return False


@cache
def _measures(are_names: bool) -> frozenset[int]:
    """The synsets above spans of time, and unless they are names, above units and vessels as units: *cup*."""
    store = load_lexicon().store
    units = () if are_names else ("unit_of_measurement", "containerful")
    names = ("time_unit", "time_period", "day_of_the_week", "calendar_month", "season", *units)
    return frozenset(synset for name in names for synset in store.synsets(name))


def _is_measure(word: WordProfile, tag: str) -> bool:
    """Whether a noun can be a unit."""
    if not tag.startswith("NN"):
        return False
    lexicon = load_lexicon()
    above = (
        other
        for sense in lexicon.senses(word.lemma, tag)
        for other, _ in lexicon.related_synsets(sense).above
    )
    return not _measures(tag.startswith("NNP")).isdisjoint(above)


def _are_indirect_antonyms(one: WordProfile, two: WordProfile, tags: tuple[str, str]) -> bool:
    """Whether an antonym of one adjective is a synonym of the other: *easy*, difficult, *hard*."""
    if not all(tag.startswith("JJ") for tag in tags):
        return False
    lexicon = load_lexicon()
    for word, other in ((one, two), (two, one)):
        senses = {*lexicon.senses(other.lemma, "JJ")}
        for antonym in lexicon.store.antonyms(word.lemma):
            if senses.intersection(lexicon.senses(lexicon.store.lemmas[antonym], "JJ")):
                return True
    return False


def _share_a_part(one: str, two: str) -> bool:
    """Whether compounds differ in a part: *Senate-passed*, *House-passed*."""
    parts = set(one.split("-")), set(two.split("-"))
    return min(map(len, parts)) > 1 and not parts[0].isdisjoint(parts[1])


def _are_letters(one: str, two: str, tags: tuple[str, str]) -> bool:
    """Whether two words are letters that name something, and not an article and a pronoun."""
    are_names = not {*tags} <= {"DT", "PRP"} and "PRP" not in tags
    return are_names and len(one) == len(two) == 1 and one.isalpha() and two.isalpha()


def _of_taxonomy(one: WordProfile, two: WordProfile, tags: tuple[str, str]) -> tuple[str, str]:
    """What WordNet's hierarchy says."""
    lexicon = load_lexicon()
    are_names = [tag.startswith("NNP") for tag in tags]
    if one.is_function or two.is_function or any(are_names) != all(are_names):
        return UNKNOWN, ""
    if LIGHT_VERBS & {one.lemma, two.lemma}:
        return UNKNOWN, ""
    ours, theirs = lexicon.senses(one.lemma, tags[0]), lexicon.senses(two.lemma, tags[1])
    above = [
        {other: steps for s in senses for other, steps in lexicon.related_synsets(s).above}
        for senses in (ours, theirs)
    ]
    if all(are_names):
        # Two cities are different ones; a city and its country are not compared.
        are_sisters = not _directly(above[0]).isdisjoint(_directly(above[1]))
        return (DIFFERENT, "names") if are_sisters else (UNKNOWN, "")
    if any(sense in above[0] for sense in theirs):
        return SPECIFIC, "taxonomy"
    if any(sense in above[1] for sense in ours):
        return GENERAL, "taxonomy"
    are_sisters = tags[0].startswith("NN") and not _directly(above[0]).isdisjoint(_directly(above[1]))
    return UNKNOWN, "other words of one kind" if are_sisters else ""


def _directly(above: Mapping[int, int]) -> set[int]:
    """The synsets one step above a word."""
    return {synset for synset, steps in above.items() if steps == 1}
