from __future__ import annotations

import pytest

from forest_align.lexicon.tables import FUNCTION_WORDS, STOP_WORDS, is_content_word


@pytest.mark.parametrize("word", ["The", "n't", "n’t", "’S", "wo", "-LRB-", ",", "--", "$", ""])
def test_stop_words_and_marks_have_no_content(word: str) -> None:
    assert not is_content_word(word)


@pytest.mark.parametrize("word", ["house", "2", "$5", "é", "Obama"])
def test_other_words_have_content(word: str) -> None:
    assert is_content_word(word)


def test_a_caller_may_bring_its_own_list() -> None:
    assert not is_content_word("although") and is_content_word("although", FUNCTION_WORDS)
    assert FUNCTION_WORDS < STOP_WORDS
