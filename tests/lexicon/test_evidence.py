from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_align.lexicon.evidence import explain, word_evidence
from forest_align.lexicon.lexicon import Evidence, load_lexicon
from forest_align.lexicon.pair_table import PairTable
from forest_align.lexicon.tables import PREPOSITIONS
from forest_align.types import Sentence, Token

WORDS = [
    "U.S.",
    "US",
    "us",
    "New",
    "York",
    "City",
    "NYC",
    "create",
    "creation",
    "Creator",
    "colour",
    "color",
    "2",
    "two",
    "in",
    "on",
    "the",
    "a",
    ",",
    "'s",
    "is",
]
WORDS += ["", "bombs", "bombing", "die", "%", "percent", "é", "𝟚"]
TAGS = ["", "NN", "NNS", "VBZ", "NNP", "IN", "JJ", "POS", "CD"]

sentences = st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(TAGS)), max_size=8).map(
    lambda tagged: Sentence(tuple(Token(word, tag=tag) for word, tag in tagged))
)
PPDB = PairTable([("bombs", "Bombing"), ("die", "two"), ("us", "create")])


def sentence_of(text: str) -> Sentence:
    return Sentence.from_words(text.split())


def evidence_of(one: str, two: str, ppdb: PairTable | None = None) -> tuple[str, ...]:
    """Evidence for two words given as ``word/tag``."""
    sides = []
    for item in (one, two):
        word, _, tag = item.rpartition("/")
        sides.append(Sentence.from_words([word], [tag]))
    return explain(word_evidence(*sides, load_lexicon(), ppdb)[0, 0])


@pytest.mark.parametrize(
    ("one", "two", "expected"),
    [
        ("House/NNP", "house/NN", ("identical", "lemma")),
        ("went/VBD", "goes/VBZ", ("lemma",)),
        ("cut/NN", "cut/VBD", ("identical", "lemma")),
        ("two/CD", "2/CD", ("number",)),
        ("Sept./NNP", "September/NNP", ("abbreviation",)),
        ("U.S./NNP", "US/NNP", ("abbreviation",)),
        ("%/NN", "percent/NN", ("abbreviation",)),
        ("C$/$", "dollars/NNS", ("abbreviation",)),
        ("'ll/MD", "will/MD", ("lemma",)),
        ("'s/VBZ", "is/VBZ", ("abbreviation",)),
        ("buy/VB", "purchase/VB", ("synonym",)),
        ("rural/JJ", "country/NN", ("derivation",)),
        ("in/IN", "through/IN", ("preposition",)),
        ("house/NN", "tree/NN", ()),
        ("US/NNP", "us/PRP", ("identical", "lemma", "function")),
        ("'s/POS", "is/VBZ", ()),
        ("’s/POS", "'s/POS", ("identical", "lemma")),
        ("o’clock/RB", "o'clock/RB", ("identical", "lemma")),
        ("n´t/RB", "not/RB", ("lemma",)),
        ("bank/NN", "depend/VB", ()),
        ("port/NN", "reports/NNS", ("substring",)),
        ("reports/NNS", "port/NN", ("substring",)),
        ("with/IN", "without/IN", ()),
        ("rain/NN", "rail/NN", ()),
        ("-5/CD", "5/CD", ()),
        ("3-1/CD", "31/CD", ()),
        ("fiftieth/JJ", "50th/JJ", ("number",)),
        ("a/DT", "an/DT", ("lemma", "function")),
        ("IN/NNP", "Indiana/NNP", ()),
        ("NATO/NNP", "N.A.T.O./NNP", ("abbreviation",)),
        ("UNHCR/NNP", "UNHCR/NNP", ("identical", "lemma")),
        ("UNHCR/NNP", "U.N.H.C.R./NNP", ("abbreviation",)),
        ("US/NNP", "'s/PRP", ()),
        ("us/PRP", "'s/PRP", ("abbreviation",)),
        ("us/PRP", "America/NNP", ()),
        ("K/NNP", "K./NNP", ()),
        ("toward/IN", "in/IN", ("preposition",)),
        ("second/NN", "moment/NN", ()),
        ("about/IN", "around/RB", ("preposition",)),
        ("book/NN", "reserve/VB", ()),
        ("book/VB", "reserve/VB", ("synonym",)),
        ("car/JJ", "automobile/NN", ("synonym",)),
        ("don`t/VB", "don't/VB", ("identical", "lemma")),
        ("`cat/NN", "'cat/NN", ()),
    ],
)
def test_evidence_for_two_words(one: str, two: str, expected: tuple[str, ...]) -> None:
    assert evidence_of(one, two) == expected


def test_the_table_of_the_user_is_found_by_form_and_by_lemma_in_both_directions() -> None:
    table = PairTable([("kick", "Boot"), ("wheels", "car")])
    for one, two in (
        ("kick/VB", "boot/VB"),
        ("Boots/VBZ", "kicked/VBD"),
        ("cars/NNS", "wheels/NNS"),
        ("wheels/NNS", "car/NN"),
    ):
        assert "ppdb" in evidence_of(one, two, table)
        assert "ppdb" not in evidence_of(one, two)


def test_an_acronym_is_tied_to_each_word_that_it_stands_for() -> None:
    source = sentence_of("the NYC mayor")
    target = sentence_of("mayor of New York City")
    found = word_evidence(source, target, load_lexicon()) & Evidence.ACRONYM
    assert np.argwhere(found).tolist() == [[1, 2], [1, 3], [1, 4]]
    found = word_evidence(sentence_of("S&P fell"), sentence_of("Standard & Poor 's fell"), load_lexicon())
    assert np.argwhere(found & Evidence.ACRONYM).tolist() == [[0, 0], [0, 1], [0, 2]]


def test_close_vectors_are_evidence() -> None:
    tokens = (Token("apple"), Token("pear"))
    near = np.array([[0.4, 0.9165], [0.39, 0.9208]], dtype=np.float32)
    source = Sentence(tokens[:1], vectors=np.eye(2, dtype=np.float32)[:1])
    target = Sentence(tokens, vectors=near)
    found = word_evidence(source, target, load_lexicon()) & Evidence.EMBEDDING
    assert (found != 0).tolist() == [[True, False]]
    without = Sentence(tokens)
    for pair in ((source, without), (without, target)):
        assert not (word_evidence(*pair, load_lexicon()) & Evidence.EMBEDDING).any()


@given(sentences, sentences)
def test_swapped_sentences_give_the_transpose(source: Sentence, target: Sentence) -> None:
    for table in (None, PPDB):
        evidence = word_evidence(source, target, load_lexicon(), table)
        assert evidence.shape == (len(source), len(target))
        assert np.array_equal(evidence.T, word_evidence(target, source, load_lexicon(), table))


@given(sentences, sentences)
def test_the_matrix_agrees_with_the_questions_about_two_words(source: Sentence, target: Sentence) -> None:
    lexicon = load_lexicon()
    evidence = word_evidence(source, target, lexicon)
    left, right = lexicon.profiles(source), lexicon.profiles(target)
    for i, one in enumerate(left):
        for j, two in enumerate(right):
            cell = int(evidence[i, j])
            assert bool(cell & Evidence.IDENTICAL) == (one.lower == two.lower)
            assert bool(cell & Evidence.LEMMA) == (one.lemma == two.lemma)
            assert bool(cell & Evidence.PREPOSITION) == ({one.lower, two.lower} <= PREPOSITIONS | {"toward"})
            if cell & Evidence.DERIVATION:
                assert lexicon.store.ids[two.lemma] in lexicon.store.relatives(one.lemma)
            if cell & Evidence.SYNONYM:
                assert one.lemma != two.lemma
                assert not set(lexicon.synsets(one.lemma)).isdisjoint(lexicon.synsets(two.lemma))
