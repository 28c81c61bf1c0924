"""Relations of WordNet between words: steps up the hierarchy, parts, consequences; and names."""

from __future__ import annotations

import numpy as np
import pytest

from forest_align.lexicon.lexicon import WORDNET_RELATIONS, load_lexicon, wordnet_relations
from forest_align.lexicon.written_forms import name_similarity
from forest_align.types import Sentence


def relation(one: str, two: str, tag: str = "NN") -> dict[str, float]:
    """The relations that hold between two words."""
    table = wordnet_relations(*(Sentence.from_words([word], [tag]) for word in (one, two)), load_lexicon())
    values = dict(zip(WORDNET_RELATIONS, table[:, 0, 0].tolist(), strict=True))
    return {name: value for name, value in values.items() if value}


@pytest.mark.parametrize(
    ("special", "general", "steps", "tag"),
    [
        ("poodle", "dog", 1, "NN"),
        ("wife", "spouse", 1, "NN"),
        ("whisper", "talk", 1, "VB"),
        ("dog", "animal", 2, "NN"),
    ],
)
def test_a_word_above_another_one_is_more_general_by_its_distance(
    special: str, general: str, steps: int, tag: str
) -> None:
    assert relation(special, general, tag) == {"more special": pytest.approx(1 / steps)}
    assert relation(general, special, tag) == {"more general": pytest.approx(1 / steps)}


@pytest.mark.parametrize(
    ("one", "two", "tag", "name"),
    [
        ("finger", "hand", "NN", "part or whole"),
        ("tree", "forest", "NN", "part or whole"),
        ("snore", "sleep", "VB", "consequence or condition"),
        ("kill", "die", "VB", "consequence or condition"),
    ],
)
def test_parts_and_consequences_are_related_either_way_round(one: str, two: str, tag: str, name: str) -> None:
    assert relation(one, two, tag)[name] == relation(two, one, tag)[name] == 1


@pytest.mark.parametrize(
    ("one", "two"), [("dog", "dogs"), ("dog", "the"), ("dog", "truth"), ("dog", "qwrtz")]
)
def test_words_of_one_lemma_function_words_and_words_far_apart_are_not_related(one: str, two: str) -> None:
    assert relation(one, two) == relation(two, one) == {}


def test_tables_of_swapped_sentences_are_transposed_and_the_directions_change_places() -> None:
    tags = ["DT", "NN", "VBD", "IN", "DT", "NN"]
    one = Sentence.from_words(["a", "dog", "snored", "on", "the", "wheel"], tags)
    two = Sentence.from_words(["some", "animal", "slept", "in", "a", "car"], tags)
    there, back = (wordnet_relations(*pair, load_lexicon()) for pair in ((one, two), (two, one)))
    assert there.any()
    np.testing.assert_array_equal(there[[1, 0, 2, 3]].transpose(0, 2, 1), back)


def test_names_that_come_from_one_another_are_more_similar_than_others() -> None:
    # The order of the example of Yao et al. (2013, section 3.3).
    found = [name_similarity("Bill", name) for name in ("Bill", "Billy", "William", "Mary")]
    assert found == sorted(found, reverse=True) and found[0] == 1 and found[-1] == 0
    spelled = [
        ("Muhammad", "Mohammed"),
        ("Qaddafi", "Gaddafi"),
        ("Gorbachev", "Gorbachov"),
        ("Hussain", "Hussein"),
    ]
    others = [("Bush", "Blair"), ("Paul", "Powell"), ("Mary", "Peter"), ("Ann", "Thomas")]
    assert (
        min(name_similarity(*pair) for pair in spelled)
        > 0.7
        > 0.3
        > max(name_similarity(*pair) for pair in others)
    )
    for one, two in spelled + others:
        assert name_similarity(one, two) == name_similarity(two, one)
