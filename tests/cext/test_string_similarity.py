"""The compiled similarities of words against their plain twin, and against figures from the literature."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forest_align.cext import string_similarity

from .reference import string_similarity_reference

words = st.lists(st.text("abcdé", max_size=30), min_size=1, max_size=4)


def letters_of(words: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    letters = np.array([ord(letter) for word in words for letter in word], dtype=np.int32)
    return letters, np.cumsum([len(word) for word in words], dtype=np.int32)


def similarities(one: Sequence[str], two: Sequence[str]) -> np.ndarray:
    return string_similarity.string_similarities(*letters_of(one), *letters_of(two))


@settings(derandomize=True)
@given(words, words)
def test_kernel_and_twin_agree(one: list[str], two: list[str]) -> None:
    found = similarities(one, two)
    expected = string_similarity_reference.string_similarities(*letters_of(one), *letters_of(two))
    np.testing.assert_allclose(found, expected, atol=1e-6)
    assert found.min() >= 0 and found.max() <= 1 + 1e-6


def test_equal_words_are_as_similar_as_can_be_and_words_without_a_common_letter_not_at_all() -> None:
    assert similarities(["house"], ["house"]).ravel() == pytest.approx(1)
    assert not similarities(["house", ""], ["bat", "", "k"]).any()


def test_measures_are_those_of_the_literature() -> None:
    jaro_winkler, dice, hamming, jaccard, levenshtein, trigrams, prefix = similarities(["martha"], ["marhta"])
    assert jaro_winkler.item() == pytest.approx(0.9611, abs=1e-4)  # Winkler (1990)
    assert similarities(["dixon"], ["dicksonx"])[0].item() == pytest.approx(0.8133, abs=1e-4)
    # Four letters of a common beginning count at most.
    jaro = (6 / 7 + 6 / 7 + 1) / 3
    assert similarities(["abcdefx"], ["abcdefy"])[0].item() == pytest.approx(jaro + 0.4 * (1 - jaro))
    assert dice.item() == pytest.approx(2 * 4 / 14)  # ^m ma ar a$
    assert (hamming.item(), jaccard.item()) == pytest.approx((4 / 6, 1))
    assert similarities(["kitten"], ["sitting"])[4].item() == pytest.approx(1 - 3 / 7)
    assert trigrams.item() == pytest.approx(2 / 6)  # ^ma mar
    assert prefix.item() == pytest.approx(0.5)
    assert levenshtein.item() == pytest.approx(1 - 2 / 6)


def test_what_cannot_be_used_is_refused() -> None:
    letters, ends = letters_of(["one", "two"])
    nothing = np.zeros(0, dtype=np.int32)
    with pytest.raises(ValueError, match="at least one word"):
        string_similarity.string_similarities(letters, ends, nothing, nothing)
    with pytest.raises(ValueError, match="beyond the letters"):
        string_similarity.string_similarities(letters, ends + 1, letters, ends)
    for bad in ([-1, 3], [-3, -1]):
        for sides in ((np.array(bad, np.int32), ends), (ends, np.array(bad, np.int32))):
            with pytest.raises(ValueError, match="ascending"):
                string_similarity.string_similarities(letters, sides[0], letters, sides[1])
    with pytest.raises(ValueError, match="ascending"):
        string_similarity.string_similarities(letters, ends, letters, ends[::-1].copy())
