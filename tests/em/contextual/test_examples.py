"""Pairs that are made in several constructions and notations, with exact links."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from forest_align.em.contextual import _constructions as constructions
from forest_align.em.contextual import _notations as notations
from forest_align.em.contextual import _wordings as wordings
from forest_align.em.contextual._writing import PairWriter, Vocabulary, vocabulary_of
from forest_align.em.contextual.examples import KINDS, constructed_pairs, mtref_train_links
from forest_align.em.contextual.rearranging import RearrangedPair, Tagged
from forest_align.lexicon.lexicon import load_lexicon

VOCABULARY = Vocabulary(
    names=("Ann", "Ben", "Cid", "Dan", "Eve"),
    nouns=("dog", "cat", "mouse", "price", "match", "form"),
    plurals=("cars", "users"),
    adjectives=("old", "new", "tall"),
    verbs=(("saw", "seen"), ("chased", "chased")),
    intransitive=("left", "slept"),
    predicates=(("was", "ill"), ("lost", "his", "keys")),
    forms=(("see", "saw", "seen"), ("sign", "signed", "signed")),
    phrasal=((("called", "off"), "cancelled"),),
    actions=(("kick", "kicked"), ("walk", "walked")),
    opposed=(("teacher", "pupil"),),
    antonyms=(("old", "young"),),
    synonyms={"pupil": ("student",)},
)


def pairs_of(kind, number: int = 200) -> list[RearrangedPair]:  # type: ignore[no-untyped-def]
    writer = PairWriter(VOCABULARY, random.Random(0))
    return [kind(writer) for _ in range(number)]


def linked(pair: RearrangedPair) -> set[tuple[str, str]]:
    return {(pair.source[i].lower(), pair.target[j].lower()) for i, j in pair.links}


def test_links_lie_inside_and_every_pair_has_some() -> None:
    for kind in KINDS:
        for pair in pairs_of(kind):
            assert pair.links and pair.links == sorted(set(pair.links))
            assert all(0 <= i < len(pair.source) and 0 <= j < len(pair.target) for i, j in pair.links)
            for side in (pair.source, pair.target):
                assert all(side) and all(word == word.strip() for word in side)


@pytest.mark.parametrize("kind", [constructions.chain, constructions.relative_clause, constructions.cleft])
def test_only_words_that_say_the_same_are_linked_in_other_voices(kind) -> None:  # type: ignore[no-untyped-def]
    allowed = {("saw", "seen"), ("seen", "saw")}
    for pair in pairs_of(kind):
        assert all(one == other for one, other in linked(pair) - allowed)
        for side, place in ((pair.source, 0), (pair.target, 1)):
            verbs = [k for k, word in enumerate(side) if word in {"saw", "seen", "chased"}]
            assert set(verbs) <= {link[place] for link in pair.links}


def test_participants_of_a_clause_stay_with_its_verb() -> None:
    for pair in pairs_of(constructions.chain):
        partner = dict(pair.links)
        for place in range(1, len(pair.source) - 1):
            if pair.source[place] not in {"saw", "chased"} or pair.source[place - 1] not in VOCABULARY.names:
                continue
            verb, agent = partner[place], partner[place - 1]
            follows = pair.target[verb + 1] == "by"
            assert agent == (verb + 2 if follows else verb - 1)


def test_amounts_are_linked_to_equal_ones_in_any_notation() -> None:
    numbers = {notations.in_words(k): k for k in range(100)} | {str(k): k for k in range(100)}
    compared = 0
    for pair in pairs_of(notations.amounts, 1000):
        if {"fifth", "quarters"} & {*pair.source, *pair.target}:  # three quarters are 75 per cent
            continue
        for one, other in linked(pair):
            if one in numbers and other in numbers:
                assert numbers[one] == numbers[other]
                compared += one != other
    assert compared > 20


def test_a_particle_is_linked_to_the_single_verb() -> None:
    for pair in pairs_of(wordings.particle):
        words = {*pair.source, *pair.target}
        if "cancelled" in words:
            assert {("called", "cancelled"), ("off", "cancelled")} <= linked(pair)
        else:
            assert {("called", "called"), ("off", "off")} <= linked(pair)


def test_the_vocabulary_is_what_the_sentences_hold() -> None:
    sentences = [
        Tagged(("Ann", "saw", "the", "old", "dog", "."), ("NNP", "VBD", "DT", "JJ", "NN", ".")),
        Tagged(("The", "dog", "cancelled", "the", "call", "."), ("DT", "NN", "VBD", "DT", "NN", ".")),
        Tagged(("The", "dog", "called", "."), ("DT", "NN", "VBD", ".")),
        Tagged(("He", "was", "ill", "."), ("PRP", "VBD", "JJ", ".")),
    ] * 3
    participles = {"see": "seen", "cancel": "cancelled", "call": "called"}
    found = vocabulary_of(sentences, participles, load_lexicon())
    assert (found.names, found.nouns[0], found.adjectives) == (("Ann",), "dog", ("old", "ill"))
    assert set(found.verbs) == {("saw", "seen"), ("cancelled", "cancelled")}
    assert found.predicates == (("was", "ill"),) and found.intransitive == ("called",)
    assert (("called", "off"), "cancelled") in found.phrasal
    assert not found.suffices and not found.synonyms
    assert ("call", "called") in found.actions and ("see", "saw", "seen") in found.forms


def test_pairs_are_the_same_each_time_and_never_of_equal_sentences() -> None:
    pairs = constructed_pairs(VOCABULARY, 300)
    assert pairs == constructed_pairs(VOCABULARY, 300) and len(pairs) == 300
    assert all([w.lower() for w in pair.source] != [w.lower() for w in pair.target] for pair in pairs)


def test_possible_links_of_mtref_follow_the_sure_ones_after_one_fall(tmp_path: Path) -> None:
    path = tmp_path / "train.tsv"
    rows = ["0-0 1-1 2-2 0-1 1-2", "0-0 1-1 1-0 2-2", "2-0 1-1 0-2", ""]
    path.write_text("".join(f"0:0\ta b c\tN/A\ta b c\tN/A\t1\t1\t{row}\n" for row in rows))
    assert mtref_train_links(path) == [
        [(0, 0), (1, 1), (2, 2)],
        [(0, 0), (1, 1), (1, 0), (2, 2)],
        [(2, 0), (1, 1), (0, 2)],
        [],
    ]
