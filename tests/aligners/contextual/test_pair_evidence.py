"""Evidence for and against links of two words: lexicon, quantities, oppositions, acronyms, look-alikes."""

from __future__ import annotations

import numpy as np
import pytest

import forest_align
from forest_align.aligners.contextual.features import is_noun_in_capitals, related_word_features
from forest_align.aligners.contextual.pair_evidence import (
    ANTONYMS,
    OPPOSED,
    QUANTITIES_FROM,
    WITHIN,
    link_evidence,
    pair_evidence,
)
from forest_align.lexicon.evidence import lexical_evidence
from forest_align.lexicon.lexicon import Evidence, load_lexicon
from forest_align.lexicon.quantities import QuantityRelation
from forest_align.lexicon.written_forms import look_alikes
from forest_align.types import Sentence


def sentence(tagged: str) -> Sentence:
    words, tags = zip(*(item.rsplit("/", 1) for item in tagged.split()), strict=True)
    return Sentence.from_words(words, tags)


def evidence(one: str, two: str) -> np.ndarray:
    source, target = sentence(one), sentence(two)
    evidence = pair_evidence(source, target, load_lexicon())
    assert np.array_equal(pair_evidence(target, source, load_lexicon()).T, evidence)
    return evidence


def test_equal_and_different_quantities_are_told_apart() -> None:
    found = evidence("10ml/CD and/CC 20ml/CD", "20/CD ml/NN and/CC 10/CD ml/NN") >> QUANTITIES_FROM & 15
    assert found[0].tolist() == [
        *(
            QuantityRelation.OTHER,
            QuantityRelation.OTHER_UNIT,
            0,
            QuantityRelation.SAME,
            QuantityRelation.SAME_UNIT,
        ),
    ]
    assert not found[1].any()


def test_words_that_oppose_each_other_are_marked_by_kind() -> None:
    found = evidence("The/DT employer/NN was/VBD old/JJ", "The/DT employee/NN was/VBD young/JJ")
    assert found[3, 3] & ANTONYMS and not found[3, 3] & OPPOSED
    assert found[1, 1] & OPPOSED
    assert not (found[0] & (ANTONYMS | OPPOSED)).any()


def test_the_evidence_of_words_is_that_of_the_lexicon() -> None:
    source, target = sentence("The/DT film/NN stars/VBZ her/PRP"), sentence("A/DT movie/NN with/IN her/PRP")
    evidence = pair_evidence(source, target, load_lexicon())
    assert np.array_equal(evidence, lexical_evidence(source, target, load_lexicon()))


def test_an_acronym_is_not_the_word_of_its_letters() -> None:
    for one, same in (("IT/NNP firms/NNS grow/VBP", False), ("IT/PRP GROWS/VBZ", True)):
        assert bool(evidence(one, "But/CC it/PRP grows/VBZ")[0, 1] & Evidence.IDENTICAL) == same


def test_words_within_words_are_marked() -> None:
    found = evidence("#StarWars/NN and/CC gon/VBG na/TO", "Star/NNP Wars/NNPS ,/, going/VBG to/TO")
    assert {(int(i), int(j)) for i, j in np.argwhere(found & WITHIN)} == {(0, 0), (0, 1), (2, 3), (3, 4)}


def test_an_acronym_is_a_content_word() -> None:
    assert (
        is_noun_in_capitals("IT", "NNP")
        and not is_noun_in_capitals("It", "NNP")
        and not is_noun_in_capitals("I", "NNP")
    )
    kinds = [related_word_features(sentence(text))[0][0] for text in ("IT/NNP grows/VBZ", "IT/PRP GROWS/VBZ")]
    assert kinds == [0, 1]


def look_alike(one: str, two: str, tags: str) -> bool:
    """Whether two words look alike, in either order."""
    lefts, rights = ([load_lexicon().profile(*word)] for word in zip((one, two), tags.split(), strict=True))
    there, back = list(look_alikes(lefts, rights)), list(look_alikes(rights, lefts))
    assert there == back
    return there == [(0, 0)]


@pytest.mark.parametrize(
    ("one", "two", "tags"),
    [
        ("trial", "trail", "NN NN"),  # two letters exchanged
        ("martial", "marital", "NN NN"),
        ("horse", "house", "NN NN"),  # one letter replaced
        ("breath", "breadth", "NN NN"),  # one letter added
        ("Breath", "breadth", "NN NN"),
    ],
)
def test_words_with_one_mistake_between_them_look_alike(one: str, two: str, tags: str) -> None:
    assert look_alike(one, two, tags)


@pytest.mark.parametrize(
    ("one", "two", "tags"),
    [
        ("cottage", "cabbage", "NN NN"),  # two letters replaced
        ("house", "house", "NN NN"),
        ("missing", "missing", "VBG JJ"),
        ("house", "houses", "NN NNS"),
        ("indoor", "indoors", "JJ RB"),
        ("color", "colour", "NN NN"),
        ("house", "huose", "NN NN"),  # misspelled
        ("cat", "car", "NN NN"),  # too short
    ],
)
def test_forms_relatives_and_misspelled_words_are_no_look_alikes(one: str, two: str, tags: str) -> None:
    assert not look_alike(one, two, tags)


def test_words_that_look_alike_are_evidence_against_a_link_for_the_link_model_only() -> None:
    lexicon = load_lexicon()
    source, target = sentence("The/DT horse/NN died/VBD"), sentence("A/DT house/NN")
    general, own = pair_evidence(source, target, lexicon), link_evidence(source, target, lexicon)
    assert np.argwhere(general != own).tolist() == [[1, 1]]
    assert own[1, 1] & ANTONYMS and own[1, 1] & OPPOSED
    assert (link_evidence(target, source, lexicon) == own.T).all()


def test_a_misspelled_word_is_linked_and_a_look_alike_in_another_role_is_not() -> None:
    aligner = forest_align.load("contextual")
    for target, other, is_linked in (
        ("At the gate they saw a house.", "house", False),
        ("At the gate stood the hosre.", "hosre", True),
    ):
        result = aligner.align("The horse stood at the gate.", target)
        links = {(result.source.words[i], result.target.words[j]) for i, j in result.words}
        assert ("gate", "gate") in links and (("horse", other) in links) == is_linked
