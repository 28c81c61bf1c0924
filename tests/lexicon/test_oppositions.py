"""Words that oppose each other."""

from __future__ import annotations

import pytest

from forest_align.lexicon.oppositions import Opposition, opposition, oppositions

ANTONYM, CONVERSE, SEX, COUNTRY = Opposition


@pytest.mark.parametrize(
    ("one", "two", "tag", "kind"),
    [
        ("early", "late", "JJ", ANTONYM),
        ("heavier", "lighter", "JJR", ANTONYM),
        ("optimists", "pessimists", "NNS", ANTONYM),
        ("mentors", "mentees", "NNS", CONVERSE),
        ("licensor", "licensee", "NN", CONVERSE),
        ("tutor", "pupil", "NN", CONVERSE),
        ("landlord", "tenant", "NN", CONVERSE),
        ("widow", "husband", "NN", SEX),
        ("guys", "women", "NNS", SEX),
        ("niece", "boy", "NN", SEX),
        ("actress", "he", "", SEX),
        ("Mr.", "Mrs.", "NNP", SEX),
        ("Irish", "Icelandic", "JJ", COUNTRY),
        ("Slovakia", "Slovenia", "NNP", COUNTRY),
        ("Iran", "Iraqi", "", COUNTRY),
        ("chinese", "japanese", "JJ", COUNTRY),
    ],
)
def test_opposed_words_are_found_in_either_order(one: str, two: str, tag: str, kind: Opposition) -> None:
    for first, second in ((one, two), (two, one)):
        found = opposition(first, second, tag, tag)
        assert found is not None
        assert found & kind


@pytest.mark.parametrize(
    ("one", "two", "one_tag", "two_tag"),
    [
        ("employer", "manager", "NN", "NN"),
        ("dogs", "cats", "NNS", "NNS"),
        ("count", "queen", "NN", "NN"),
        ("teacher", "professor", "NN", "NN"),
        ("wife", "woman", "NN", "NN"),
        ("parent", "father", "NN", "NN"),
        ("soldier", "woman", "NN", "NN"),
        ("nurse", "man", "NN", "NN"),
        ("engineer", "engine", "NN", "NN"),
        ("big", "large", "JJ", "JJ"),
        ("Danish", "Denmark", "JJ", "NNP"),
        ("British", "England", "JJ", "NNP"),
        ("polish", "Germany", "VB", "NNP"),
        ("turkey", "Greece", "NN", "NNP"),
        ("misses", "man", "VBZ", "NN"),
        ("", "", "", ""),
    ],
)
def test_other_words_do_not_oppose_each_other(one: str, two: str, one_tag: str, two_tag: str) -> None:
    assert opposition(one, two, one_tag, two_tag) is None


def test_the_table_of_two_sentences_has_each_pair() -> None:
    source, target = ["The", "lawyer", "met", "his", "wife", "."], ["Her", "client", "saw", "the", "man", "."]
    found = oppositions(source, target)
    expected = {
        (i, j): int(kind)
        for i, one in enumerate(source)
        for j, two in enumerate(target)
        if (kind := opposition(one, two))
    }
    assert set(expected) == {(1, 1), (3, 0), (4, 4)}
    assert {(i, j): int(found[i, j]) for i, j in zip(*found.nonzero(), strict=True)} == expected
    assert (oppositions(target, source) == found.T).all()
