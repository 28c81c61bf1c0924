"""Evidence for and against links of two words: lexicon, quantities, oppositions and acronyms."""

from __future__ import annotations

import numpy as np

from forest_align.aligners.contextual.features import is_noun_in_capitals, related_word_features
from forest_align.aligners.contextual.pair_evidence import (
    ANTONYMS,
    OPPOSED,
    QUANTITIES_FROM,
    WITHIN,
    pair_evidence,
)
from forest_align.lexicon.evidence import lexical_evidence
from forest_align.lexicon.lexicon import Evidence, load_lexicon
from forest_align.lexicon.quantities import QuantityRelation
from forest_align.types import Sentence


def sentence(tagged: str) -> Sentence:
    words, tags = zip(*(item.rsplit("/", 1) for item in tagged.split()), strict=True)
    return Sentence.from_words(words, tags)


def evidence(one: str, two: str) -> np.ndarray:
    source, target = sentence(one), sentence(two)
    found = pair_evidence(source, target, load_lexicon())
    assert np.array_equal(pair_evidence(target, source, load_lexicon()).T, found)
    return found


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
    found = pair_evidence(source, target, load_lexicon())
    assert np.array_equal(found, lexical_evidence(source, target, load_lexicon()))


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
