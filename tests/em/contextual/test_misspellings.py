"""The scripts around the link model that misspell words and that compare annotators."""

from __future__ import annotations

import random

import pytest

from forest_align.em.contextual import rearranging as misspellings


def one_mistake(word: str) -> set[str]:
    """All words that one mistake makes of a word; its first and last letters stay."""
    found = set()
    for at in range(1, len(word) - 2):
        before, letter, following, after = word[:at], word[at], word[at + 1], word[at + 2 :]
        found |= {before + following + letter + after, before + following + after}
        found |= {before + letter + letter + following + after}
        found |= {before + other + following + after for other in "abcdefghijklmnopqrstuvwxyz"}
    return found


@pytest.mark.parametrize("word", ["house", "mountain"])
def test_a_misspelled_word_has_one_of_four_mistakes_at_any_place_inside(word: str) -> None:
    chance = random.Random(0)
    found = {misspellings.misspelled_word(word, chance) for _ in range(20000)}
    assert found == one_mistake(word)


def test_one_word_of_a_sentence_is_misspelled_if_it_is_long_enough() -> None:
    can_be = misspellings.can_be_misspelled
    assert [can_be(word) for word in ("house", "cats", "e-mail", "cafés", "1990s")] == [True] + [False] * 4
    words, chance, changed = ("the", "house", "was", "sold", "again", "!"), random.Random(0), set()
    for _ in range(200):
        found = misspellings.misspelled_sentence(words, chance)
        places = {k for k, (one, two) in enumerate(zip(words, found, strict=True)) if one != two}
        assert len(places) <= 1
        changed |= places
    assert changed == {1, 4}
    assert misspellings.misspelled_sentence(("a", "cat"), chance) == ("a", "cat")
