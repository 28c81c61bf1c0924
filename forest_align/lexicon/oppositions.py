"""Finds words that oppose each other, as evidence against a link: antonyms, converse roles, men and women."""

from __future__ import annotations

from enum import IntFlag
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from forest_align.lexicon.lexicon import load_lexicon
from forest_align.lexicon.tables import spelling_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forest_align.lexicon._wordnet_store import WordNetStore


# The nouns of a role, then those of the converse one. WordNet has some as antonyms (employer and employee,
# parent and child); the ending -ee gives others (trainer and trainee).
_ROLES = """
buyer purchaser shopper | seller vendor salesman saleswoman salesperson dealer merchant retailer
customer client consumer | seller vendor supplier provider
teacher tutor instructor professor lecturer educator | student pupil learner schoolchild
trainer coach | trainee apprentice player athlete
doctor physician surgeon dentist nurse therapist | patient
lawyer attorney solicitor barrister | client
employer boss manager supervisor | employee worker staff subordinate underling
landlord landlady lessor | tenant lodger renter lessee
lender creditor | borrower debtor
master owner | servant slave
host hostess | guest visitor
predator hunter | prey
donor giver sender | recipient receiver beneficiary
author writer | reader
speaker | listener hearer audience
winner victor | loser
victim | attacker perpetrator culprit offender murderer killer assailant rapist abuser
plaintiff claimant prosecutor accuser | defendant accused
parent father mother mom dad | child son daughter kid
grandparent grandfather grandmother | grandchild grandson granddaughter
aunt uncle | nephew niece
ancestor forefather | descendant offspring
predecessor | successor
guard jailer warden | prisoner inmate
kidnapper captor | hostage captive
leader | follower
king queen monarch emperor sovereign | subject
producer manufacturer maker | consumer
exporter | importer
"""
_SHORTEST_STEM = 3
_MALE = "he him his himself mr mr. sir male guy chap pa hero emperor god"
_FEMALE = "she her hers herself mrs mrs. ms ms. miss madam ma'am gal ma mum nun goddess"

# Male and female words that are no nouns of WordNet, or nouns most of whose senses are no people.
_SEXES = dict.fromkeys(_MALE.split(), "male") | dict.fromkeys(_FEMALE.split(), "female")


# Keys of the roles that each noun plays, and of the converse ones.
_OWN: dict[str, tuple[str, ...]] = {}
_CONVERSE: dict[str, tuple[str, ...]] = {}
for _number, _line in enumerate(_ROLES.strip().split("\n")):
    for _side, _nouns in enumerate(_line.split("|")):
        for _noun in _nouns.split():
            _OWN[_noun] = (*_OWN.get(_noun, ()), f"{_number}.{_side}")
            _CONVERSE[_noun] = (*_CONVERSE.get(_noun, ()), f"{_number}.{1 - _side}")


def _roles(noun: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Keys of the roles that a noun plays, and of the converse ones: of the table, or by -er, -or and -ee."""
    own, converse = _OWN.get(noun, ()), _CONVERSE.get(noun, ())
    for ending, other in (("er", "ee"), ("or", "ee"), ("ee", "er")):
        if noun.endswith(ending) and not noun.endswith("eer") and len(noun) - 2 >= _SHORTEST_STEM:
            stem = noun[:-2]
            ending = "er" if ending == "or" else ending
            return (*own, f"{stem}.{ending}"), (*converse, f"{stem}.{other}")
    return own, converse


class Opposition(IntFlag):
    """Kinds of opposition; a cell of :func:`oppositions` is their sum."""

    #: WordNet's antonyms: *hot*, *cold*.
    ANTONYM = 1
    #: Nouns for the two roles in a relation: *employer*, *employee*; *doctor*, *patient*.
    CONVERSE = 2
    #: A male and a female person: *husband*, *woman*.
    SEX = 4
    #: Two countries, their people or what belongs to them: *Austrian*, *Australia*.
    COUNTRY = 8


class _Poles(NamedTuple):
    """What a word is, and what opposes it: words with a key that it seeks, and words of other countries."""

    keys: frozenset[str | int]
    seeks: tuple[tuple[str | int, int], ...]
    countries: frozenset[int]


_NOTHING = _Poles(frozenset(), (), frozenset())
_OPPOSITE_SEX = {"male": "female", "female": "male"}
_COUNTRY = int(Opposition.COUNTRY)


def opposition(one: str, two: str, one_tag: str = "", two_tag: str = "") -> Opposition | None:
    """How two words oppose each other."""
    kinds = _opposition(_poles(one, one_tag), _poles(two, two_tag))
    return Opposition(kinds) if kinds else None


def oppositions(
    source: Sequence[str],
    target: Sequence[str],
    source_tags: Sequence[str] = (),
    target_tags: Sequence[str] = (),
) -> np.ndarray:
    """Find the opposed words of two sentences; the result for swapped sentences is the transpose.

    Shapes: returns uint8 (n, m).
    """
    table = np.zeros((len(source), len(target)), dtype=np.uint8)
    lefts, rights = _with_poles(source, source_tags), _with_poles(target, target_tags)
    for i, left in lefts:
        for j, right in rights:
            kinds = _opposition(left, right)
            if kinds:
                table[i, j] = kinds
    return table


def _with_poles(words: Sequence[str], tags: Sequence[str]) -> list[tuple[int, _Poles]]:
    every = enumerate(map(_poles, words, tags or [""] * len(words)))
    return [(index, poles) for index, poles in every if poles is not _NOTHING]


def _opposition(one: _Poles, two: _Poles) -> int:
    kinds = 0
    if one.seeks and two.keys:
        for key, kind in one.seeks:
            if key in two.keys:
                kinds |= kind
    if one.countries and two.countries and one.countries.isdisjoint(two.countries):
        kinds |= _COUNTRY
    return kinds


def _is_below(store: WordNetStore, synset: int, top: int) -> bool:
    """Whether one synset is more specific than another one, or the same."""
    return synset == top or any(_is_below(store, above, top) for above in store.hypernyms(synset))


@lru_cache(maxsize=100_000)
def _poles(word: str, tag: str) -> _Poles:
    lexicon = load_lexicon()
    store = lexicon.store
    lemma = lexicon.lemma(word, tag)
    if lemma not in store.ids:
        lemma = spelling_key(lemma)
    keys: set[str | int] = set()
    seeks: list[tuple[str | int, int]] = []
    number = store.ids.get(lemma)
    antonyms = store.antonyms(lemma)
    if number is not None and antonyms:
        keys.add(number)
        seeks += [(antonym, int(Opposition.ANTONYM)) for antonym in sorted(antonyms)]
    if not tag or tag[0] in "NP":
        own, converse = _roles(lemma)
        sex = _SEXES.get(word.lower()) or _SEXES.get(lemma, "")
        if not sex and store.sex(lemma):
            # At least half of the senses must be people; they are not for *dog*, *cat* and *count*.
            (person,) = store.synsets("someone", "n")
            senses = store.synsets(lemma, "n")
            if 2 * sum(_is_below(store, sense, person) for sense in senses) >= len(senses):
                sex = store.sex(lemma)
        keys.update(own)
        seeks += [(role, int(Opposition.CONVERSE)) for role in converse]
        if sex:
            keys.add(sex)
            seeks.append((_OPPOSITE_SEX[sex], int(Opposition.SEX)))
    countries = frozenset[int]()
    # In a text without capitals, the tag says that a word is a name: china, turkey, polish.
    if tag[:3] == "NNP" or tag == "JJ" or (word[:1].isupper() and tag[:1] not in ("V", "R", "P")):
        countries = store.countries(word.lower()) or store.countries(lemma)
    if not (keys or countries):
        return _NOTHING
    return _Poles(frozenset(keys), tuple(seeks), countries)
