"""What differs between two phrases, by the kinds of changes."""

from __future__ import annotations

import pytest

from forest_align.alignment import CHANGE_NAMES, Links
from forest_align.meaning.changes import WordChanges, changes_of
from forest_align.types import Sentence


def sentence(tagged: str) -> Sentence:
    """A sentence from ``word/TAG word/TAG``."""
    words, tags = zip(*(token.rsplit("/", 1) for token in tagged.split()), strict=True)
    return Sentence.from_words(words, tags)


def changes(source: str, target: str, links: str) -> tuple[str, ...]:
    """The changes of two whole sentences, the same seen from either side."""
    one, two = sentence(source), sentence(target)
    pairs = Links.from_pharaoh(links)
    found = changes_of(one, two, (0, len(one)), (0, len(two)), pairs)
    assert changes_of(two, one, (0, len(two)), (0, len(one)), pairs.swap()) == found
    assert list(found) == [name for name in CHANGE_NAMES if name in found]
    return found


@pytest.mark.parametrize(
    ("source", "target", "links", "expected"),
    [
        ("They/PRP stole/VBD it/PRP", "They/PRP steal/VBP it/PRP", "0-0 1-1 2-2", ["inflection"]),
        ("a/DT mouse/NN", "some/DT mice/NNS", "1-1", ["inflection"]),
        ("saw/VBD him/PRP", "he/PRP saw/VBD", "0-1 1-0", ["inflection", "word order"]),
        ("they/PRP decide/VBP", "their/PRP$ decision/NN", "0-0 1-1", ["inflection", "derivation"]),
        (
            "a/DT swift/JJ reply/NN",
            "replied/VBD swiftly/RB",
            "1-1 2-0",
            ["inflection", "derivation", "word order"],
        ),
        ("the/DT colour/NN", "the/DT color/NN", "0-0 1-1", ["spelling"]),
        ("well-known/JJ men/NNS", "well/RB known/VBN men/NNS", "0-0 0-1 1-2", ["spelling"]),
        ("it/PRP is/VBZ n't/RB", "it/PRP is/VBZ not/RB", "0-0 1-1 2-2", ["format"]),
        ("Jan./NNP 5/CD", "January/NNP 5/CD", "0-0 1-1", ["format"]),
        ("two/CD cats/NNS", "2/CD cats/NNS", "0-0 1-1", ["format"]),
        ("$/$ 5/CD million/CD", "5,000,000/CD dollars/NNS", "0-1 1-0 2-0", ["format"]),
        ("in/IN NYC/NNP", "in/IN New/NNP York/NNP City/NNP", "0-0 1-1 1-2 1-3", ["format"]),
        ("$/$ 5/CD million/CD", "$/$ 6/CD million/CD", "0-0 2-2", ["number"]),
        ("in/IN 1998/CD", "in/IN 2001/CD", "0-0", ["number"]),
        ("George/NNP Bush/NNP slept/VBD", "Bush/NNP slept/VBD", "1-0 2-1", ["name"]),
        ("the/DT airline/NN grew/VBD", "Southwest/NNP grew/VBD", "1-0 2-1", ["name"]),
        ("London/NNP grew/VBD", "Paris/NNP grew/VBD", "0-0 1-1", ["name"]),
        ("his/PRP$ wife/NN slept/VBD", "she/PRP slept/VBD", "1-0 2-1", ["pronoun"]),
        ("I/PRP slept/VBD", "he/PRP slept/VBD", "0-0 1-1", ["pronoun"]),
        ("cats/NNS and/CC dogs/NNS", "dogs/NNS and/CC cats/NNS", "0-2 1-1 2-0", ["word order"]),
    ],
)
def test_kinds_of_changes(source: str, target: str, links: str, expected: list[str]) -> None:
    assert list(changes(source, target, links)) == expected


@pytest.mark.parametrize(
    ("source", "target", "links"),
    [
        ("The/DT cat/NN sat/VBD", "the/DT cat/NN sat/VBD", "0-0 1-1 2-2"),  # only capitals differ
        ("a/DT film/NN", "a/DT movie/NN", "0-0 1-1"),  # another word
        ("passed/VBD away/RB", "died/VBD", "0-0 1-0"),  # several words for one do not cross
        ("he/PRP ran/VBD ,/, too/RB", "he/PRP ,/, too/RB ran/VBD", "0-0 2-1"),  # punctuation is in no order
        ("the/DT US/NNP", "the/DT US/NNP", "0-0 1-1"),  # no pronoun
        ("two/CD cats/NNS and/CC one/CD dog/NN", "two/CD cats/NNS", "0-0 1-1"),  # a number is left out
        ("take/VB on/RP them/PRP", "take/VB on/RP them/PRP", "0-0 0-1 1-0 1-1 2-2"),  # a block does not cross
    ],
)
def test_what_is_no_change(source: str, target: str, links: str) -> None:
    assert changes(source, target, links) == ()


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("she/PRP", "his/PRP$ wife/NN", ("pronoun",)),
        ("Southwest/NNP", "the/DT airline/NN", ("name",)),
        ("the/DT airline/NN", "that/DT company/NN", ()),
    ],
)
def test_phrases_without_links_inside_replace_each_other_as_wholes(
    source: str, target: str, expected: tuple[str, ...]
) -> None:
    assert changes(source, target, "") == expected


def test_each_phrase_has_the_changes_inside_it() -> None:
    source = sentence("Two/CD men/NNS stole/VBD it/PRP")
    target = sentence("it/PRP was/VBD stolen/VBN by/IN 2/CD men/NNS")
    found = WordChanges(source, target, Links.from_pharaoh("0-4 1-5 2-2 3-0"))
    assert found.of((0, 2), (4, 6)) == ("format",)
    assert found.of((2, 3), (1, 3)) == ("inflection",)
    assert found.of((2, 4), (0, 3)) == ("inflection", "word order")
    assert found.of((0, 4), (0, 6)) == ("inflection", "format", "word order")
    assert found.of((1, 2), (5, 6)) == ()


def test_without_tags_words_still_tell_pronouns_numbers_and_forms() -> None:
    source, target = (
        Sentence.from_words(["she", "saw", "5", "mice"]),
        Sentence.from_words(["I", "saw", "6", "mouse"]),
    )
    assert changes_of(source, target, (0, 4), (0, 4), [(0, 0), (1, 1), (3, 3)]) == (
        "inflection",
        "number",
        "pronoun",
    )
