"""What is known about pairs of sentences, as the whole way from text to the relation of both says it."""

from __future__ import annotations

from functools import cache
from itertools import product

import pytest

from forest_align import Alignment
from forest_align.aligners.forest import ForestAligner
from forest_align.alignment import PhraseRelation
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.meaning import atomic_relations
from forest_align.meaning._word_pairs import word_relation
from forest_align.meaning.relation_algebra import (
    DIFFERENT,
    EQUIVALENT,
    GENERAL,
    MIXED,
    OPPOSITE,
    SPECIFIC,
    STRENGTH,
    UNKNOWN,
    flipped,
    join,
    joined,
    related_by,
)
from tests.places import ROOT


@cache
def aligner() -> ForestAligner:
    return ForestAligner.load("forest")


@cache
def aligned(source: str, target: str) -> Alignment:
    return aligner().align(source, target)


def root(source: str, target: str) -> str:
    alignment = aligned(source, target)
    known = atomic_relations(alignment.source, alignment.target, alignment.words.pairs)
    return related_by(known.inside((0, len(alignment.source)), (0, len(alignment.target))))


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("Rome conquered Carthage.", "Carthage was conquered by Rome."),
        ("She gave the boy a book.", "She gave a book to the boy."),
        ("In May he left.", "He left in May."),
        ("Ann and Bob sang.", "Bob and Ann sang."),
        ("She cannot swim.", "She is unable to swim."),
        ("It lasts 2 weeks.", "It lasts two weeks."),
        ("Tom is taller than Jim.", "Jim is shorter than Tom."),
        ("He left before she came.", "She came after he left."),
        ("The door is not open.", "The door is closed."),
        ("Chapter 3 is long.", "The third chapter is long."),
        ("It opened on 5 May 1990.", "It opened on May 5th, 1990."),
        ("The Olt is a tributary of the River Danube.", "The Olt is a tributary of the Danube River."),
        ("He lives in the district of Detva.", "He lives in the Detva District."),
        ("It can only be used by members.", "It can be used only by members."),
        ("The European Union, or EU, paid.", "The European Union paid."),
        ("Someone opened the door.", "The door was opened."),
        ("The shop was closed by its owner.", "Its owner closed the shop."),
        ("Few people know it.", "Not many people know it."),
        ("It opens at 4am.", "It opens at 4 a.m."),
        ("If they won't, we will pay.", "If they won't do so, we will pay."),
        ("They lived here since 2010.", "They lived here from 2010."),
        ("Two men sold a car to the mayor.", "The mayor bought a car from two men."),
        ("The sofa is less expensive than the desk.", "The desk is more expensive than the sofa."),
        ("It takes no fewer than 3 hours.", "It takes at least 3 hours."),
        ("It was the most severe storm.", "It was the severest storm."),
        ("She is not only rich but famous.", "She is rich and famous."),
        ("They keep the national Do Not Call list.", "They keep the national do-not-call list."),
        ('"I think so," Tauzin said.', '"I think so," Mr. Tauzin said.'),
    ],
)
def test_other_words_for_the_same_are_equivalent(source: str, target: str) -> None:
    assert root(source, target) == root(target, source) == "equivalent"


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("Ann sold the car to Bob.", "Bob sold the car to Ann."),
        ("The price rose from $2 to $3.", "The price rose from $3 to $2."),
        ("He left because she arrived.", "She arrived because he left."),
        ("Smith hired Jones after Brown fired him.", "Brown hired Jones after Smith fired him."),
        ("The dog bit the man.", "The dog was bitten by the man."),
        ("It lasts 3 days.", "It lasts 3 weeks."),
        ("Flight BA12 is late.", "Flight BA21 is late."),
        ("Give 650 mg daily.", "Give 560 mg daily."),
        ("It opens on Monday.", "It opens on Tuesday."),
        ("It rose by 5 percent.", "It rose by 5 percentage points."),
        ("It rose to 20 mg.", "It rose by 20 mg."),
        ("Wash it and then dry it.", "Dry it and then wash it."),
        ("He stopped smoking.", "He smoked."),
        ("He flew to Leeds.", "He flew to Manchester."),
    ],
)
def test_exchanged_roles_and_other_values_are_different(source: str, target: str) -> None:
    assert root(source, target) == root(target, source) == "different"


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("The tests passed.", "The tests did not pass."),
        ("She signed the contract.", "She refused to sign the contract."),
        ("He lacks money.", "He has money."),
        ("It is far from clear.", "It is clear."),
        ("He works with his brother.", "He works without his brother."),
        ("He left before noon.", "He left after noon."),
        ("Sales rose.", "Sales fell."),
        ("The test is easy.", "The test is hard."),
        ("He came despite the rain.", "He came because of the rain."),
        ("Nobody laughed.", "Everybody laughed."),
        ("It has yet to be decided.", "It has been decided."),
        ("The water flows into the lake.", "The water flows out of the lake."),
        ("The key is on the table.", "The key is under the table."),
        ("The house is near the station.", "The house is far from the station."),
        ("She upgraded the server.", "She downgraded the server."),
        ("Import taxes rose.", "Export taxes rose."),
        ("Not more than 5 people came.", "More than 5 people came."),
    ],
)
def test_what_is_denied_is_opposite(source: str, target: str) -> None:
    assert root(source, target) == root(target, source) == "opposite"


@pytest.mark.parametrize(
    ("source", "target", "relation"),
    [
        ("A black dog barked.", "A dog barked.", "more specific"),
        ("No black dog barked.", "No dog barked.", "more general"),
        ("The mayor resigned.", "The mayor may resign.", "more specific"),
        ("He bought a poodle.", "He bought a dog.", "more specific"),
        ("All students passed.", "Some students passed.", "more specific"),
        ("She drinks tea or black coffee.", "She drinks tea.", "more general"),
        ("Every nurse or doctor came.", "Every nurse came.", "more specific"),
        ("It cost 5 euros.", "It cost almost 5 euros.", "more specific"),
        ("The theft was reported.", "The alleged theft was reported.", "more specific"),
        ("He joined in April 2015.", "He joined in 2015.", "more specific"),
        ("She firmly denied the charges.", "She denied the charges.", "more specific"),
        ("She barely passed.", "She passed.", "more specific"),
        ("Half of the voters came.", "Nearly half of the voters came.", "more specific"),
        ("All the shops are closed.", "Almost all the shops are closed.", "more specific"),
        ("More than 500 people came.", "500 people came.", "more general"),
        ("The old man did not sleep.", "The man did not sleep.", "more specific"),
        ("A large dog barked, not a cat.", "A dog barked, not a cat.", "more specific"),
        ("The boys managed to open the window.", "The boys opened the window.", "more specific"),
        ("It takes an hour.", "It takes no more than an hour.", "more specific"),
    ],
)
def test_more_and_less_turn_around_for_swapped_sentences_and_below_negation(
    source: str, target: str, relation: str
) -> None:
    assert root(source, target) == relation
    assert {relation, root(target, source)} == {"more specific", "more general"}


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("No student passed.", "Every student failed."),
        ("He stopped smoking.", "He gave up cigarettes."),
        ("Parking is not allowed.", "Parking is illegal."),
        ("He sat behind the table.", "He sat at the table."),
        ("They did not deny it.", "They confirmed it."),
        ("Ann, the former mayor of Rome, died.", "Ann was mayor of Rome."),
        ("A few people came.", "Few people came."),
        ("It is a large city.", "It is the largest city."),
    ],
)
def test_nothing_is_known_where_other_words_may_deny_the_same(source: str, target: str) -> None:
    assert root(source, target) == root(target, source) == UNKNOWN


def relation_between(source: str, target: str, words: tuple[str, str]) -> str | None:
    """The relation of a phrase pair that has these texts."""
    alignment = aligned(source, target)
    (pair,) = (pair for pair in alignment.phrases if alignment.texts_of(pair) == words)
    return None if pair.relation is None else pair.relation.name


def test_words_that_others_settle_are_not_called_equivalent_without_them() -> None:
    ours, theirs = "He failed to see anyone.", "He saw nobody."
    assert root(ours, theirs) == "equivalent"
    assert relation_between(ours, theirs, ("anyone", "nobody")) is None
    ours, theirs = "The film lasts two hours.", "The film lasts 120 minutes."
    assert relation_between(ours, theirs, ("two hours", "120 minutes")) == "equivalent"
    assert relation_between(ours, theirs, ("hours", "minutes")) is None


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("Some merchants sold cloth.", "The merchants sold cloth."),
        ("The reviews were more negative than positive.", "The reviews were negative."),
        ("Its embassy in Cuba reopened.", "Its embassy in Havana reopened."),
    ],
)
def test_of_parts_and_their_wholes_nothing_is_known(source: str, target: str) -> None:
    assert aligned(source, target).root_relation == aligned(target, source).root_relation == ""


def test_phrases_turn_around_only_with_the_negation_that_is_in_them() -> None:
    alignment = aligned("No black dog barked.", "No dog barked.")
    relations = {alignment.texts_of(pair): pair.relation for pair in alignment.phrases}
    for words, name in (
        (("No black dog", "No dog"), "more general"),
        (("black dog", "dog"), "more specific"),
    ):
        relation = relations.get(words)
        assert relation is None or relation.name == name
        assert relation is None or [one.relation for one in relation.evidence] == ["more specific"]
    assert relations["No black dog", "No dog"] is not None


def test_a_phrase_pair_has_the_words_that_make_it_differ() -> None:
    alignment = aligned("The tests passed in June.", "The tests did not pass in June.")
    by_words = {alignment.texts_of(pair): pair.relation for pair in alignment.phrases}
    relation = by_words["The tests passed in June .", "The tests did not pass in June ."]
    assert isinstance(relation, PhraseRelation) and relation.name == "opposite"
    assert [(one.rule, one.source, one.target) for one in relation.evidence] == [("negation", (2, 3), (3, 5))]
    assert by_words["in June", "in June"] == PhraseRelation("equivalent")


def test_no_phrase_around_an_opposite_one_is_equivalent() -> None:
    alignment = aligned("He did not steal the red car.", "He stole the red car.")
    named = [pair for pair in alignment.phrases if pair.relation is not None]
    assert {"opposite", "equivalent"} == {pair.relation.name for pair in named if pair.relation is not None}
    for pair in named:
        words = range(*pair.source_node.span)
        assert (pair.relation is not None and pair.relation.name == "opposite") == {2, 3}.issubset(words)


def test_nothing_is_known_where_more_is_denied_than_is_asserted() -> None:
    more, less = "The black dog is not barking.", "The dog is barking."
    assert root(more, less) == root(less, more) == UNKNOWN
    assert root("The dog is not barking.", "The black dog is barking.") == "opposite"


def test_sister_terms_are_neither_equivalent_nor_different() -> None:
    assert root("She sat on a chair.", "She sat on a couch.") == UNKNOWN
    alignment = aligned("A man plays a piano.", "A man plays a guitar.")
    assert not any(
        pair.relation is not None and pair.relation.name in ("equivalent", "different", "opposite")
        for pair in alignment.phrases
        if alignment.texts_of(pair)[0].endswith("piano")
    )


@pytest.mark.parametrize(
    ("words", "tags", "relation"),
    [
        ("misuse use", "NN NN", "different"),
        ("unsafe safe", "JJ JJ", "opposite"),
        ("inactive active", "JJ JJ", "opposite"),
        ("decode code", "VB VB", "opposite"),
    ],
)
def test_prefixes_that_deny_or_change_the_rest_are_known(words: str, tags: str, relation: str) -> None:
    assert of_words(words, tags) == relation


@pytest.mark.parametrize(
    ("words", "tags"),
    [("despite spite", "IN NN"), ("inform form", "VB VB"), ("reign rule", "NN NN"), ("misty ty", "JJ NN")],
)
def test_words_that_only_look_like_denials_or_units_are_not_opposed(words: str, tags: str) -> None:
    assert of_words(words, tags) not in ("opposite", "different")


def of_words(words: str, tags: str) -> str:
    one, two = words.split()
    first, second = tags.split()
    profiles = load_lexicon().profile(one, first, ""), load_lexicon().profile(two, second, "")
    return word_relation(*profiles, (one, two), (first, second))[0]


def test_a_former_president_is_the_same_man() -> None:
    assert root("Former President Bush died.", "Bush died.") == "more specific"


def test_an_object_that_belongs_to_the_verb_exchanges_no_role() -> None:
    assert root("OPEC would do its best to provide oil.", "OPEC would try to provide oil.") == UNKNOWN


def test_an_adjective_that_denies_an_added_noun_changes_nothing_else() -> None:
    assert root("It is led by Ann.", "It is led by Ann, a former minister.") == "more general"


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("They camped and came to Elim.", "They camped and went to Elim.", ""),
        ("He failed to win.", "He tried to win.", ""),
        ("He denied the charges.", "He faced the charges.", ""),
        ("He denied the claims.", "He rejected the claims.", "more specific"),
        ("Once again he presumes to help.", "Once again he tries to help.", ""),
        ("He won the Golden Ball until 1995.", "He won the Golden Ball in 1995.", ""),
        ("The deputy minister resigned.", "The minister resigned.", "different"),
        ("Thousands more refugees fled.", "8,000 refugees fled.", ""),
        ("Judy Davis played Mrs. Reagan.", "Judy Davis played the Reagans.", ""),
        ("They took no action against him.", "They took no action against Churchill.", "more general"),
        ("The drug lord was captured.", "The suspected drug lord was captured.", "more specific"),
        ("The vice president resigned.", "The president resigned.", "different"),
    ],
)
def test_verbs_that_deny_prepositions_and_deputies_are_compared_with_care(
    source: str, target: str, expected: str
) -> None:
    assert root(source, target) == expected


def test_a_part_of_two_different_values_says_nothing() -> None:
    source = "Sales should grow 2.9 percent to $15.7 billion in 2003 and 43 percent to $22.5 billion in 2004."
    target = "The market will grow 15.7 percent to $35.4 billion in 2004."
    alignment = aligned(source, target)
    relations = {alignment.texts_of(pair): pair.relation for pair in alignment.phrases}
    assert relations["22.5 billion in", "35.4 billion in"] is None
    assert relations["$ 22.5 billion", "$ 35.4 billion"] is not None


_PAGE = ROOT / "docs" / "background" / "meaning.md"


def test_joins_are_commutative_associative_and_idempotent() -> None:
    for one, two, three in product(STRENGTH, repeat=3):
        assert join(one, two) == join(two, one)
        assert join(join(one, two), three) == join(one, join(two, three))
        assert join(one, one) == one


@pytest.mark.parametrize("relation", STRENGTH)
def test_a_join_never_becomes_weaker_when_words_are_added(relation: str) -> None:
    for other in STRENGTH:
        assert joined([relation, other, EQUIVALENT]) == join(relation, other)
        assert STRENGTH.index(join(relation, other)) >= STRENGTH.index(relation)


def test_flipping_turns_the_order_around_and_joins_with_it() -> None:
    assert flipped(SPECIFIC) == GENERAL
    for one, two in product(STRENGTH, repeat=2):
        assert flipped(flipped(one)) == one
        assert flipped(join(one, two)) == join(flipped(one), flipped(two))


def test_the_table_of_the_page_is_that_of_the_code() -> None:
    named = (EQUIVALENT, SPECIFIC, GENERAL, DIFFERENT, OPPOSITE, MIXED)
    names = {**{name: name for name in named}, "nothing known": UNKNOWN}
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in _PAGE.read_text(encoding="utf-8").splitlines()
        if line.startswith(("| joined", *(f"| **{name}**" for name in names)))
    ]
    head = rows[0][1:]
    assert len(rows) == len(head) + 1 == len(names) + 1
    for row in rows[1:]:
        for name, cell in zip(head, row[1:], strict=True):
            assert names[cell] == join(names[row[0].strip("*")], names[name]), (row[0], name)
