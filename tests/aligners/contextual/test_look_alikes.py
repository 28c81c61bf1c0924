"""Words that look alike but are different words of the lexicon."""

from __future__ import annotations

import numpy as np
import pytest

import forest_align
from forest_align.aligners.contextual.pair_evidence import ANTONYMS, OPPOSED, link_evidence, pair_evidence
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.lexicon.written_forms import look_alikes
from forest_align.types import Sentence


def look_alike(one: str, two: str, tags: tuple[str, str] = ("NN", "NN")) -> bool:
    """Whether two words look alike, in either order."""
    profile = load_lexicon().profile
    lefts, rights = [profile(one, tags[0])], [profile(two, tags[1])]
    there, back = list(look_alikes(lefts, rights)), list(look_alikes(rights, lefts))
    assert there == back
    return there == [(0, 0)]


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("trial", "trail"),  # two letters exchanged
        ("martial", "marital"),
        ("cottage", "cabbage"),  # two letters replaced: too far
        ("horse", "house"),  # one letter replaced
        ("breath", "breadth"),  # one letter added
        ("Breath", "breadth"),
    ],
)
def test_words_with_one_mistake_between_them_look_alike(one: str, two: str) -> None:
    assert look_alike(one, two) is (two != "cabbage")


@pytest.mark.parametrize(
    ("one", "two", "tags"),
    [
        ("house", "house", ("NN", "NN")),
        ("missing", "missing", ("VBG", "JJ")),
        ("house", "houses", ("NN", "NNS")),
        ("indoor", "indoors", ("JJ", "RB")),
        ("color", "colour", ("NN", "NN")),
        ("house", "huose", ("NN", "NN")),  # misspelled
        ("cat", "car", ("NN", "NN")),  # too short
    ],
)
def test_forms_relatives_and_misspelled_words_are_no_look_alikes(
    one: str, two: str, tags: tuple[str, str]
) -> None:
    assert not look_alike(one, two, tags)


def test_words_that_look_alike_are_evidence_against_a_link_for_the_link_model_only() -> None:
    lexicon = load_lexicon()
    source = Sentence.from_words(["The", "horse", "died"], ["DT", "NN", "VBD"])
    target = Sentence.from_words(["A", "house"], ["DT", "NN"])
    general, own = pair_evidence(source, target, lexicon), link_evidence(source, target, lexicon)
    assert np.argwhere(general != own).tolist() == [[1, 1]]
    assert own[1, 1] & ANTONYMS and own[1, 1] & OPPOSED
    assert (link_evidence(target, source, lexicon) == own.T).all()


def test_a_misspelled_word_is_linked_and_a_look_alike_in_another_role_is_not() -> None:
    aligner = forest_align.load("contextual")
    found = aligner.align("The horse stood at the gate.", "At the gate they saw a house.")
    links = {(found.source.words[i], found.target.words[j]) for i, j in found.words}
    assert ("gate", "gate") in links and ("horse", "house") not in links
    found = aligner.align("The horse stood at the gate.", "At the gate stood the hosre.")
    assert ("horse", "hosre") in {(found.source.words[i], found.target.words[j]) for i, j in found.words}
