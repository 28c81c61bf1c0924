from __future__ import annotations

from math import log1p

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forest_align.aligners.sentence_pairs.features import FEATURES, pair_features
from forest_align.alignment import AtomicRelation, Links
from forest_align.meaning import atomic_relations
from forest_align.types import InputError, Sentence

from .paraphrase_cases import links, sentence

DOG = "The/DT dog/NN bit/VBD the/DT man/NN ./."
MAN = "The/DT man/NN bit/VBD the/DT dog/NN ./."
BITTEN = "The/DT man/NN was/VBD bitten/VBN by/IN the/DT dog/NN ./."


def found(source: str, target: str, pairs: str) -> dict[str, float]:
    return pair_features(sentence(source), sentence(target), links(pairs), ())


words = st.sampled_from(
    [
        *("The/DT", "dog/NN", "cat/NN", "bit/VBD", "not/RB", "old/JJ"),
        *("5/CD", "$/$", "in/IN", "Paris/NNP", "she/PRP", "./."),
    ]
)


@st.composite
def linked_pairs(draw: st.DrawFn) -> tuple[Sentence, Sentence, Links]:
    source, target = (sentence(" ".join(draw(st.lists(words, min_size=1, max_size=8)))) for _ in "st")
    cells = st.tuples(st.integers(0, len(source) - 1), st.integers(0, len(target) - 1))
    pairs = draw(st.lists(cells, unique=True, max_size=8))
    return source, target, Links.of(pairs, scores=[draw(st.floats(0.5, 1.0)) for _ in pairs])


@settings(deadline=None)  # the first pair loads the lexicon
@given(linked_pairs())
def test_swapped_sentences_have_the_same_features_in_the_order_of_their_names(
    pair: tuple[Sentence, Sentence, Links],
) -> None:
    source, target, joined = pair
    relations = atomic_relations(source, target, joined.pairs).relations
    one = pair_features(source, target, joined, relations)
    two = pair_features(target, source, joined.swap(), [relation.swap() for relation in relations])
    assert tuple(one) == tuple(two) == FEATURES
    assert one == pytest.approx(two, abs=1e-5)


def test_words_left_over_count_by_class_and_links_by_their_probability() -> None:
    source = sentence("Two/CD old/JJ dogs/NNS barked/VBD")
    target = sentence("dogs/NNS did/VBD not/RB bark/VB")
    values = pair_features(source, target, Links.of([(2, 0), (3, 3)], scores=[1.0, 0.75]), ())
    assert (values["number left, smaller"], values["number left, larger"]) == (0, pytest.approx(log1p(1)))
    assert values["negation left, larger"] == pytest.approx(log1p(1))
    assert values["verb left, larger"] == pytest.approx(log1p(0.25))
    assert values["share left, larger"] == pytest.approx(2.25 / 4)
    assert values["longest span left, larger"] == pytest.approx(log1p(2))


def test_a_passive_keeps_the_roles_and_an_exchange_does_not() -> None:
    passive = found(DOG, BITTEN, "0-5 1-6 2-3 3-0 4-1 5-7")
    exchanged = found(DOG, MAN, "0-0 1-4 2-2 3-3 4-1 5-5")
    assert passive["agent kept"] > 0 and passive["patient kept"] > 0
    assert passive["moved with relations broken"] == passive["in place with relations broken"] == 0
    assert exchanged["agent kept"] == exchanged["patient kept"] == 0
    assert exchanged["moved with relations broken"] > 0
    assert passive["content word crossings"] > 0 and exchanged["content word crossings"] > 0


def test_exchanged_prepositions_are_told_from_kept_ones() -> None:
    source = "flights/NNS from/IN Paris/NNP to/TO Rome/NNP"
    target = "flights/NNS from/IN Rome/NNP to/TO Paris/NNP"
    values = found(source, target, "0-0 1-1 2-4 3-3 4-2")
    assert (values["preposition kept"], values["preposition exchanged"]) == (0, pytest.approx(log1p(2)))
    values = found(source, source, "0-0 1-1 2-2 3-3 4-4")
    assert (values["preposition kept"], values["preposition exchanged"]) == (pytest.approx(log1p(2)), 0)


def test_different_quantities_and_opposed_words_count() -> None:
    values = found("prices/NNS rose/VBD 5/CD %/NN", "prices/NNS fell/VBD 6/CD %/NN", "0-0 1-1 3-3")
    assert values["different quantities"] > 0
    opposed = found("hot/JJ tea/NN", "cold/JJ tea/NN", "0-0 1-1")
    left = found("hot/JJ tea/NN", "cold/JJ tea/NN", "1-1")
    assert (opposed["opposed words linked"] > 0, opposed["opposed words left"]) == (True, 0)
    assert (left["opposed words linked"], left["opposed words left"] > 0) == (0, True)


@pytest.mark.parametrize(
    ("relations", "root", "counts"),
    [
        ((), "equivalent", {}),
        (("more specific", "more specific"), None, {"says more, larger": 2}),
        (("more specific", "more general"), "each says more", {"says more, smaller": 1}),
        (("more specific", "different"), "different", {"different": 1, "says more, larger": 1}),
        (("different", "opposite"), "opposite", {"different": 1, "opposite": 1}),
        (("opposite", ""), "nothing known", {"opposite": 1, "nothing known": 1}),
    ],
)
def test_relations_are_counted_and_joined(
    relations: tuple[str, ...], root: str | None, counts: dict[str, int]
) -> None:
    atomic = [AtomicRelation((0, 1), (0, 1), relation, "taxonomy") for relation in relations]
    values = pair_features(sentence("dogs/NNS"), sentence("animals/NNS"), links("0-0"), atomic)
    roots = [name.partition(": ")[2] for name, value in values.items() if name[:5] == "whole" and value]
    assert roots == [root] * (root is not None)
    for name, count in counts.items():
        assert values[f"relations: {name}"] == pytest.approx(log1p(count))


def test_sentences_without_tokens_or_vectors_are_refused() -> None:
    for pair in ((Sentence.from_words(["a"]), sentence("a/DT")), (sentence("a/DT"), Sentence(()))):
        with pytest.raises(InputError, match="tokens and word vectors"):
            pair_features(*pair, Links(), ())
